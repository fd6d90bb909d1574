/* A trace as the recorder's spool (docs/format-spool.md), so that the reader can be measured with more ranks than a
 * machine can run: templates as the recorder's, by call, window and entry or exit. Only traces of what
 * `rmacast generate --sync pscw` makes. Usage: make_spool TRACE DIRECTORY, which exists. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/open.h"
#include "trace/spool/spool.h"

struct buffer {
    FILE *out;
    uint64_t words[SPOOL_CHUNK_WORDS];
    size_t used; /* in the chunk */
    uint32_t chunk;
    uint64_t time_ns;
    struct map groups; /* of the trace to the rank's */
    uint32_t group_count;
    uint64_t templates[SPOOL_TEMPLATES][SPOOL_RECORD_WORDS];
};

enum { HALF = 256, DEFINITIONS = SPOOL_CONTENT - 1 };
_Static_assert(MPI_CALL_COUNT <= UINT16_MAX, "a call's number is its line");

static void begin_chunk(struct buffer *buffer)
{
    memset(buffer->words, 0, sizeof buffer->words);
    buffer->words[0] = SPOOL_MARK(buffer->chunk);
    buffer->used = 1;
}

static uint64_t *room(struct buffer *buffer, size_t words)
{
    if (buffer->used + words > SPOOL_CHUNK_WORDS) {
        fwrite(buffer->words, sizeof buffer->words, 1, buffer->out);
        buffer->chunk++;
        begin_chunk(buffer);
    }
    uint64_t *at = &buffer->words[buffer->used];
    buffer->used += words;
    return at;
}

static void put(struct buffer *buffer, unsigned template, const struct spool_record *record)
{
    const uint64_t said[SPOOL_RECORD_WORDS] = {record->kind | (uint64_t)record->flags << 8 |
                                                   (uint64_t)record->call << 16 | (uint64_t)record->id << 32,
                                               (uint32_t)record->peer | (uint64_t)(uint32_t)record->tag << 32,
                                               (uint64_t)record->bytes, (uint64_t)record->extra};
    unsigned changed = 0;
    for (unsigned i = 0; i < SPOOL_RECORD_WORDS; i++)
        if (said[i] != buffer->templates[template][i]) changed |= 1u << i;
    uint64_t *at = room(buffer, 1 + (size_t)__builtin_popcount(changed));
    *at++ = SPOOL_HEAD(changed, template, buffer->time_ns);
    for (unsigned i = 0; i < SPOOL_RECORD_WORDS; i++)
        if (changed >> i & 1) *at++ = said[i];
    memcpy(buffer->templates[template], said, sizeof said);
}

static void define(struct buffer *buffer, enum spool_kind kind, struct spool_record head, const void *content,
                   size_t bytes)
{
    enum { PART = 4096 };
    head.kind = (uint8_t)kind;
    head.bytes = (int64_t)bytes;
    put(buffer, DEFINITIONS, &head);
    for (size_t done = 0; done < bytes;) {
        size_t part = bytes - done < PART ? bytes - done : PART;
        uint64_t *at = room(buffer, 1 + (part + SPOOL_WORD_BYTES - 1) / SPOOL_WORD_BYTES);
        *at = SPOOL_HEAD(0, SPOOL_CONTENT, part);
        memcpy(at + 1, (const char *)content + done, part);
        done += part;
    }
}

/* All calls, in the order of enum mpi_call. */
static void define_names(struct buffer *buffer)
{
    char *names = NULL;
    size_t bytes;
    FILE *out = open_memstream(&names, &bytes);
    for (int i = 0; i < MPI_CALL_COUNT; i++) fprintf(out, "%s\n", call_name((enum mpi_call)i));
    fclose(out);
    define(buffer, SPOOL_NAMES, (struct spool_record){.peer = SPOOL_NAMES_CALLS}, names, bytes);
    free(names);
}

static void define_all(struct buffer *buffer, const struct trace *trace, uint32_t rank)
{
    define_names(buffer);
    define(buffer, SPOOL_COMM, (struct spool_record){.extra = trace->rank_count}, NULL, 0);
    for (size_t i = 0; i < trace->definitions.window_count; i++) {
        const struct trace_window *window = &trace->definitions.windows[i];
        struct spool_window about = {.bytes = window->bytes ? window->bytes[rank] : 0,
                                     .disp_unit = window->disp_unit ? window->disp_unit[rank] : 1,
                                     .flavor = window->flavor};
        define(buffer, SPOOL_WINDOW, (struct spool_record){.id = (uint32_t)i}, &about, sizeof about);
    }
}

/* Groups are numbered as the rank meets them. */
static uint32_t group_of(struct buffer *buffer, const struct trace *trace, uint32_t id)
{
    uint64_t *slot;
    if (map_put(&buffer->groups, id, buffer->groups.count, &slot, NULL) != STATUS_OK) abort();
    const struct trace_group *group = &trace->definitions.groups[id];
    uint32_t local = (uint32_t)*slot;
    if (local + 1 == buffer->groups.count && local == buffer->group_count) {
        buffer->group_count++;
        define(buffer, SPOOL_GROUP, (struct spool_record){.id = local, .extra = group->count}, group->members,
               group->count * sizeof *group->members);
    }
    return local;
}

static void put_call(struct buffer *buffer, const struct trace *trace, const struct trace_call *call)
{
    const struct call_row *row = call_row(call->call);
    bool create = row->kind == CALL_WIN_CREATE, group = row->needed & F_GROUP;
    unsigned template = 2 * ((unsigned)call->call + 7u * (unsigned)(call->handle + 1) % HALF);
    struct spool_record enter = {.kind = SPOOL_ENTER,
                                 .flags = (uint8_t)(call->flags & 63),
                                 .call = call->call,
                                 .id = create || call->handle < 0 ? SPOOL_NO_ID : (uint32_t)call->handle,
                                 .peer = call->peer,
                                 .tag = group ? (int32_t)group_of(buffer, trace, call->sync.group) : 0,
                                 .bytes = call->bytes};
    if ((row->allowed & F_DISP) && call->rma.disp >= 0) {
        const int32_t *units = trace->definitions.windows[call->handle].disp_unit;
        enter.extra = call->rma.disp / (units ? units[call->peer] : 1);
    }
    struct spool_record leave = {
        .kind = SPOOL_EXIT, .call = call->call, .peer = -1, .id = create ? (uint32_t)call->handle : SPOOL_NO_ID};
    buffer->time_ns = (uint64_t)call->enter_ps / 1000;
    put(buffer, template % DEFINITIONS, &enter);
    buffer->time_ns = (uint64_t)call->exit_ps / 1000;
    put(buffer, (template + 1) % DEFINITIONS, &leave);
}

static void write_tail(const struct buffer *buffer, const char *directory, uint32_t rank)
{
    static struct spool_tail tail;
    char path[4096];
    tail = (struct spool_tail){.magic = SPOOL_TAIL_MAGIC, .rank = rank, .state = SPOOL_CLOSED};
    memcpy(tail.words, buffer->words, sizeof tail.words);
    snprintf(path, sizeof path, "%s/" SPOOL_RANK_NAME SPOOL_TAIL_SUFFIX, directory, rank);
    FILE *out = fopen(path, "w");
    if (!out) return;
    fwrite(&tail, sizeof tail, 1, out);
    fclose(out);
}

static bool write_rank(const struct trace *trace, uint32_t rank, const char *directory)
{
    static struct buffer buffer;
    static const char gap[SPOOL_FIRST_CHUNK - sizeof(struct spool_header)];
    const struct spool_header header = {.magic = SPOOL_MAGIC,
                                        .version = SPOOL_VERSION,
                                        .unit_bytes = SPOOL_WORD_BYTES,
                                        .chunk_units = SPOOL_CHUNK_WORDS,
                                        .rank = rank,
                                        .world = trace->rank_count};
    char path[4096];
    map_clear(&buffer.groups);
    memset(&buffer, 0, sizeof buffer);
    snprintf(path, sizeof path, "%s/" SPOOL_RANK_NAME SPOOL_MAIN_SUFFIX, directory, rank);
    buffer.out = fopen(path, "w");
    if (!buffer.out) return false;
    fwrite(&header, sizeof header, 1, buffer.out);
    fwrite(gap, sizeof gap, 1, buffer.out);
    begin_chunk(&buffer);
    define_all(&buffer, trace, rank);
    for (size_t i = 0; i < trace->ranks[rank].count; i++) put_call(&buffer, trace, &trace->ranks[rank].calls[i]);
    write_tail(&buffer, directory, rank);
    return fclose(buffer.out) == 0;
}

int main(int argc, char **argv)
{
    struct trace *trace;
    struct err err = {0};
    if (argc != 3) return 2;
    if (trace_open(argv[1], &trace, &err) != STATUS_OK) {
        fprintf(stderr, "make_spool: %s\n", err.text);
        return 1;
    }
    bool good = true;
    for (uint32_t rank = 0; good && rank < trace->rank_count; rank++) good = write_rank(trace, rank, argv[2]);
    if (!good) fprintf(stderr, "make_spool: %s: cannot be written\n", argv[2]);
    trace_free(trace);
    return good ? 0 : 1;
}
