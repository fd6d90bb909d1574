/* Spools of the recorder, described by lines, so that a mutant changes records and not bytes at random:
 *
 *   spool RANK [THREAD]   the main and the tail file of a buffer, which the lines behind it are about
 *   header NAME VALUE     a member of the main file's header: magic, version, unit_bytes, chunk_units, rank, world,
 * base_ns, thread, clock, base_ticks, ticks_per_s tail NAME VALUE       of the tail's: magic, rank, state, base_ns n
 * the definitions of the calls' and operations' names, in the order of enum mpi_call, enum trace_op r TIME KIND FLAGS
 * CALL ID PEER TAG BYTES EXTRA   a record; CALL by name or number c HEX                 a content's part w NUMBER a
 * word as it is chunk                 the chunk goes to the main file cut main|tail BYTES   the file ends there */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/map.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"
#include "tests/property/program.h"
#include "trace/spool/spool.h"
#include "trace/spool/read.h"

enum { SLICES_MAX = 64, CHUNKS_MAX = 4 };

struct buffer {
    char name[64];
    struct spool_header header;
    struct spool_tail tail;
    uint64_t main[CHUNKS_MAX][SPOOL_CHUNK_WORDS];
    size_t chunks, used;
    long cut_main, cut_tail; /* -1: nothing */
};

/* --- building --- */

static void begin_chunk(struct buffer *buffer)
{
    memset(buffer->tail.words, 0, sizeof buffer->tail.words);
    buffer->tail.words[0] = SPOOL_MARK(buffer->chunks);
    buffer->used = 1;
}

static void end_chunk(struct buffer *buffer)
{
    if (buffer->chunks == CHUNKS_MAX) return;
    memcpy(buffer->main[buffer->chunks++], buffer->tail.words, sizeof buffer->tail.words);
    begin_chunk(buffer);
}

static void put_words(struct buffer *buffer, const uint64_t *words, size_t count)
{
    if (count >= SPOOL_CHUNK_WORDS) return;
    if (buffer->used + count > SPOOL_CHUNK_WORDS) end_chunk(buffer);
    if (buffer->used + count > SPOOL_CHUNK_WORDS) return;
    memcpy(&buffer->tail.words[buffer->used], words, count * sizeof *words);
    buffer->used += count;
}

static void put_record(struct buffer *buffer, uint64_t time, const struct spool_record *record)
{
    uint64_t words[1 + SPOOL_RECORD_WORDS] = {SPOOL_HEAD(15, 0, time)};
    memcpy(&words[1], &record->kind, SPOOL_RECORD_WORDS * sizeof *words);
    put_words(buffer, words, 1 + SPOOL_RECORD_WORDS);
}

static void put_content(struct buffer *buffer, const void *content, size_t bytes)
{
    static uint64_t words[SPOOL_CHUNK_WORDS];
    enum { PART = 4096 };
    for (size_t done = 0; done < bytes;) {
        size_t part = bytes - done < PART ? bytes - done : PART;
        words[0] = SPOOL_HEAD(0, SPOOL_CONTENT, part);
        words[part / SPOOL_WORD_BYTES + 1] = 0;
        memcpy(&words[1], (const char *)content + done, part);
        put_words(buffer, words, 1 + (part + SPOOL_WORD_BYTES - 1) / SPOOL_WORD_BYTES);
        done += part;
    }
}

static void put_names(struct buffer *buffer, enum spool_names which)
{
    char *names = NULL;
    size_t bytes;
    FILE *out = open_memstream(&names, &bytes);
    if (!out) abort();
    if (which == SPOOL_NAMES_CALLS)
        for (int i = 0; i < MPI_CALL_COUNT; i++) fprintf(out, "%s\n", call_name((enum mpi_call)i));
    else
        for (int i = 1; i < TRACE_OP_COUNT; i++) fprintf(out, "%s\n", trace_op_name(i));
    fclose(out);
    put_record(buffer, 0, &(struct spool_record){.kind = SPOOL_NAMES, .peer = (int32_t)which, .bytes = (int64_t)bytes});
    put_content(buffer, names, bytes);
    free(names);
}

static void set_header(struct buffer *buffer, const char *name, uint64_t value)
{
    struct spool_header *header = &buffer->header;
    struct {
        const char *name;
        uint32_t *value;
    } small[] = {
        {"version", &header->version}, {"unit_bytes", &header->unit_bytes}, {"chunk_units", &header->chunk_units},
        {"rank", &header->rank},       {"world", &header->world},           {"thread", &header->thread},
        {"clock", &header->clock}};
    struct {
        const char *name;
        uint64_t *value;
    } large[] = {{"magic", &header->magic},
                 {"base_ns", &header->base_ns},
                 {"base_ticks", &header->base_ticks},
                 {"ticks_per_s", &header->ticks_per_s}};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (strcmp(small[i].name, name) == 0) *small[i].value = (uint32_t)value;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (strcmp(large[i].name, name) == 0) *large[i].value = value;
}

static void set_tail(struct buffer *buffer, const char *name, uint64_t value)
{
    if (strcmp(name, "magic") == 0) buffer->tail.magic = value;
    if (strcmp(name, "rank") == 0) buffer->tail.rank = (uint32_t)value;
    if (strcmp(name, "state") == 0) buffer->tail.state = (uint32_t)value;
    if (strcmp(name, "base_ns") == 0) buffer->tail.base_ns = value;
}

static uint64_t number(const char *text)
{
    enum mpi_call call;
    if (!text) return 0;
    return call_by_name(text, &call) ? (uint64_t)call
           : text[0] == '-'          ? (uint64_t)strtoll(text, NULL, 0)
                                     : strtoull(text, NULL, 0);
}

static void read_record(struct buffer *buffer, char **rest)
{
    uint64_t value[9];
    for (int i = 0; i < 9; i++) value[i] = number(strtok_r(NULL, " ", rest));
    const struct spool_record record = {.kind = (uint8_t)value[1],
                                        .flags = (uint8_t)value[2],
                                        .call = (uint16_t)value[3],
                                        .id = (uint32_t)value[4],
                                        .peer = (int32_t)value[5],
                                        .tag = (int32_t)value[6],
                                        .bytes = (int64_t)value[7],
                                        .extra = (int64_t)value[8]};
    put_record(buffer, value[0], &record);
}

static void read_content(struct buffer *buffer, const char *hex)
{
    static uint8_t bytes[FUZZ_ROOM];
    size_t count = 0;
    unsigned byte;
    for (; hex && sscanf(hex, "%2x", &byte) == 1 && count < sizeof bytes; hex += hex[1] ? 2 : 1)
        bytes[count++] = (uint8_t)byte;
    put_content(buffer, bytes, count);
}

static void begin_buffer(struct buffer *buffer, const char *rank, const char *thread)
{
    uint32_t r = (uint32_t)number(rank), t = (uint32_t)number(thread);
    memset(buffer, 0, sizeof *buffer);
    buffer->header = (struct spool_header){.magic = SPOOL_MAGIC,
                                           .version = SPOOL_VERSION,
                                           .unit_bytes = SPOOL_WORD_BYTES,
                                           .chunk_units = SPOOL_CHUNK_WORDS,
                                           .rank = r,
                                           .world = 2,
                                           .base_ns = 1000,
                                           .thread = t};
    buffer->tail.magic = SPOOL_TAIL_MAGIC;
    buffer->tail.rank = r;
    buffer->tail.state = SPOOL_CLOSED;
    buffer->tail.base_ns = buffer->header.base_ns;
    buffer->cut_main = buffer->cut_tail = -1;
    if (thread)
        snprintf(buffer->name, sizeof buffer->name, SPOOL_THREAD_NAME, r, t);
    else
        snprintf(buffer->name, sizeof buffer->name, SPOOL_RANK_NAME, r);
    begin_chunk(buffer);
}

static void read_line(struct buffer *buffer, char *line)
{
    char *rest, *word = strtok_r(line, " ", &rest);
    if (!word) return;
    if (strcmp(word, "header") == 0 || strcmp(word, "tail") == 0) {
        const char *name = strtok_r(NULL, " ", &rest), *value = strtok_r(NULL, " ", &rest);
        if (name && value) (*word == 'h' ? set_header : set_tail)(buffer, name, number(value));
    } else if (strcmp(word, "n") == 0) {
        put_names(buffer, SPOOL_NAMES_CALLS);
        put_names(buffer, SPOOL_NAMES_OPS);
    } else if (strcmp(word, "r") == 0)
        read_record(buffer, &rest);
    else if (strcmp(word, "c") == 0)
        read_content(buffer, strtok_r(NULL, " ", &rest));
    else if (strcmp(word, "w") == 0)
        put_words(buffer, &(uint64_t){number(strtok_r(NULL, " ", &rest))}, 1);
    else if (strcmp(word, "chunk") == 0)
        end_chunk(buffer);
    else if (strcmp(word, "cut") == 0) {
        const char *name = strtok_r(NULL, " ", &rest), *value = strtok_r(NULL, " ", &rest);
        if (name && value)
            *(strcmp(name, "main") == 0 ? &buffer->cut_main : &buffer->cut_tail) = (long)(number(value) & 0xfffff);
    }
}

static void write_file(const char *directory, const struct buffer *buffer, const char *suffix, long cut)
{
    char path[512];
    bool tail = strcmp(suffix, SPOOL_TAIL_SUFFIX) == 0;
    snprintf(path, sizeof path, "%s/%s%s", directory, buffer->name, suffix);
    FILE *out = fopen(path, "w");
    if (!out) return;
    fwrite(tail ? (const void *)&buffer->tail : &buffer->header, tail ? sizeof buffer->tail : sizeof buffer->header, 1,
           out);
    if (!tail && buffer->chunks > 0) {
        fseek(out, SPOOL_FIRST_CHUNK, SEEK_SET);
        fwrite(buffer->main, sizeof *buffer->main, buffer->chunks, out);
    }
    fclose(out);
    if (!tail && buffer->chunks == 0 && truncate(path, SPOOL_FIRST_CHUNK) != 0) abort();
    if (cut >= 0 && truncate(path, cut) != 0) abort();
}

static void end_buffer(const char *directory, const struct buffer *buffer)
{
    if (!buffer->name[0]) return;
    write_file(directory, buffer, SPOOL_MAIN_SUFFIX, buffer->cut_main);
    write_file(directory, buffer, SPOOL_TAIL_SUFFIX, buffer->cut_tail);
}

static void build(const char *directory, char *text)
{
    static struct buffer buffer;
    char *rest;
    int buffers = 0;
    buffer.name[0] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "spool ", 6) != 0) {
            if (buffer.name[0]) read_line(&buffer, line);
            continue;
        }
        end_buffer(directory, &buffer);
        if (buffers++ == SLICES_MAX) return;
        char *more;
        strtok_r(line, " ", &more);
        const char *rank = strtok_r(NULL, " ", &more), *thread = strtok_r(NULL, " ", &more);
        begin_buffer(&buffer, rank, thread);
    }
    end_buffer(directory, &buffer);
}

/* --- running --- */

static void check_threads(const char *directory)
{
    struct err errors[2];
    struct trace *traces[2];
    enum status status[2];
    bool keep_going = fuzz_once_in(2);
    for (int i = 0; i < 2; i++)
        status[i] = spool_read_by(i == 0 ? 1 : 3, directory, keep_going, &traces[i], &errors[i]);
    if (status[0] != status[1] || (status[0] != STATUS_OK && strcmp(errors[0].text, errors[1].text) != 0))
        fuzz_finding("by one thread '%s', by several '%s'", status[0] ? errors[0].text : "",
                     status[1] ? errors[1].text : "");
    if (status[0] == STATUS_OK) oracle_same("threads that read", traces[0], traces[1]);
    for (int i = 0; i < 2; i++)
        if (status[i] == STATUS_OK) trace_free(traces[i]);
}

static void run(const uint8_t *data, size_t size)
{
    char directory[64], *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    fuzz_directory("spool", directory, sizeof directory);
    build(directory, text);
    free(text);
    if (fuzz_once_in(16)) check_threads(directory);
    struct platform *platform = platform_of_text(data, size);
    oracle_open(directory, platform);
    platform_free(platform);
    fuzz_remove(directory);
}

/* --- making --- */

static void write_hex(FILE *out, const void *data, size_t bytes)
{
    fputs("c ", out);
    for (size_t i = 0; i < bytes; i++) fprintf(out, "%02x", ((const uint8_t *)data)[i]);
    fputc('\n', out);
}

static void write_group(FILE *out, const struct trace *trace, uint32_t id, struct map *groups)
{
    uint64_t *slot;
    const struct trace_group *group = &trace->definitions.groups[id];
    if (map_find(groups, id) || map_put(groups, id, groups->count, &slot, NULL) != STATUS_OK) return;
    fprintf(out, "r 0 %d 0 0 %u 0 0 %zu %u\n", SPOOL_GROUP, (unsigned)*slot, group->count * sizeof *group->members,
            group->count);
    if (group->count > 0) write_hex(out, group->members, group->count * sizeof *group->members);
}

static uint32_t number_of(const struct map *groups, uint32_t id)
{
    const uint64_t *slot = map_find(groups, id);
    return slot ? (uint32_t)*slot : 0;
}

/* Ids of a kind count up along a rank: those of which it is a member. */
static int64_t own_comm(const struct trace *trace, uint32_t rank, int32_t comm)
{
    int64_t number = 0;
    for (int32_t i = 0; i < comm; i++)
        number += trace_comm_rank(&trace->definitions.comms[i], (int32_t)rank) != TRACE_NONE;
    return number;
}

static int64_t own_window(const struct trace *trace, uint32_t rank, int32_t window)
{
    int64_t number = 0;
    for (int32_t i = 0; i < window; i++)
        number +=
            trace_comm_rank(&trace->definitions.comms[trace->definitions.windows[i].comm], (int32_t)rank) != TRACE_NONE;
    return number;
}

static int64_t own_handle(const struct trace *trace, uint32_t rank, const struct trace_call *call)
{
    if (call->handle < 0) return SPOOL_NO_ID;
    bool window = call_row(call->call)->allowed & F_WIN;
    return window ? own_window(trace, rank, call->handle) : own_comm(trace, rank, call->handle);
}

static void write_call(FILE *out, const struct trace *trace, uint32_t rank, const struct trace_call *call,
                       struct map *groups)
{
    const struct call_row *row = call_row(call->call);
    bool create = row->kind == CALL_WIN_CREATE, request = call_makes_request(call->call),
         waits = row->kind == CALL_REQUEST_WAIT;
    if (call_is_region(call->call) || call_is_thread(call->call)) return;
    if (row->needed & F_GROUP) write_group(out, trace, call->ref, groups);
    int64_t id = create ? (int64_t)SPOOL_NO_ID : own_handle(trace, rank, call), tag = call->any.third;
    if (waits) id = (int64_t)call->ref;
    if (row->needed & F_GROUP) tag = number_of(groups, call->ref);
    fprintf(out, "r %" PRId64 " %d %d %s %" PRId64 " %" PRId32 " %" PRId64 " %" PRId64 " %d\n", call->enter_ps / 1000,
            SPOOL_ENTER, call->flags & 63, row->name, id, call->peer, tag, call->bytes, 0);
    int64_t made = create ? own_handle(trace, rank, call) : request ? (int64_t)call->ref : (int64_t)SPOOL_NO_ID;
    fprintf(out, "r %" PRId64 " %d %d %s %" PRId64 " -1 0 0 0\n", call->exit_ps / 1000, SPOOL_EXIT,
            call->flags & TRACE_FLAG, row->name, made);
}

static void write_rank(FILE *out, const struct trace *trace, uint32_t rank)
{
    struct map groups = {0};
    fprintf(out, "spool %" PRIu32 "\nheader world %" PRIu32 "\nn\n", rank, trace->rank_count);
    fprintf(out, "r 0 %d 0 0 0 0 0 0 %" PRIu32 "\n", SPOOL_COMM, trace->rank_count);
    for (size_t i = 1; i < trace->definitions.comm_count; i++) {
        const struct trace_comm *comm = &trace->definitions.comms[i];
        if (trace_comm_rank(comm, (int32_t)rank) == TRACE_NONE) continue;
        fprintf(out, "r 0 %d 0 0 %zu 0 1 %zu %" PRIu32 "\n", SPOOL_COMM, (size_t)own_comm(trace, rank, (int32_t)i),
                comm->count * sizeof *comm->members, comm->count);
        write_hex(out, comm->members, comm->count * sizeof *comm->members);
    }
    for (size_t i = 0; i < trace->definitions.window_count; i++) {
        const struct trace_window *window = &trace->definitions.windows[i];
        if (trace_comm_rank(&trace->definitions.comms[window->comm], (int32_t)rank) == TRACE_NONE) continue;
        struct spool_window about = {.bytes = 4096,
                                     .disp_unit = 1,
                                     .comm = (uint32_t)own_comm(trace, rank, window->comm),
                                     .flavor = window->flavor};
        fprintf(out, "r 0 %d 0 0 %zu 0 0 %zu 0\n", SPOOL_WINDOW, (size_t)own_window(trace, rank, (int32_t)i),
                sizeof about);
        write_hex(out, &about, sizeof about);
    }
    for (size_t i = 0; i < trace->ranks[rank].count; i++)
        write_call(out, trace, rank, &trace->ranks[rank].calls[i], &groups);
    map_clear(&groups);
}

static size_t make(struct random *random, uint8_t *data, size_t room)
{
    struct program program;
    struct trace *trace;
    struct err err;
    char *text = NULL;
    size_t size = SIZE_MAX;
    enum subject subject = random_chance(random, 70) ? SUBJECT_MPI : SUBJECT_SHMEM;
    if (program_make(random_next(random), subject, &program, &err) != STATUS_OK) abort();
    while (size > room / 4) {
        free(text);
        FILE *out = open_memstream(&text, &size);
        if (!out || program_trace(&program, &trace, &err) != STATUS_OK) abort();
        for (uint32_t r = 0; r < trace->rank_count; r++) write_rank(out, trace, r);
        trace_free(trace);
        fclose(out);
        if (program.phase_count < 2) break;
        program_remove_phase(&program, random_below(random, (uint32_t)program.phase_count));
    }
    program_clear(&program);
    size = size <= room ? size : 0;
    if (size > 0) memcpy(data, text, size);
    free(text);
    return size;
}

/* --- changing --- */

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {"header version 3",
                                        "header world 3",
                                        "header clock 1",
                                        "header ticks_per_s 1000000000",
                                        "header thread 1",
                                        "tail state 0",
                                        "tail state 2",
                                        "tail rank 1",
                                        "chunk",
                                        "cut tail 100",
                                        "cut main 64",
                                        "cut main 0",
                                        "cut tail 0",
                                        "spool 1 1",
                                        "n",
                                        "w 0",
                                        "r 10 14 0 0 0 0 0 8 0\nc 0000000001000000",
                                        "r 1000 21 0 0 4294967295 -1 0 0 100",
                                        "r 10 22 0 0 0 0 0 0 0",
                                        "r 5 8 0 0 0 0 0 24 0\nc 000000000000000000000000000000000000000000000000",
                                        "r 7 13 0 0 0 0 0 4 0\nc 6d61696e",
                                        "r 8 4 0 0 0 0 0 0 0",
                                        "r 9 5 0 0 0 0 0 0 0",
                                        "r 7 3 0 0 0 1 0 8 0",
                                        "r 10 23 0 0 0 5 0 100000 100",
                                        "r 4 17 0 0 0 0 0 0 1000"};
    return mutate_lines(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_spool = {
    .name = "spool",
    .summary = "spools of the recorder: packed, analysed, replayed",
    .run = run,
    .mutate = mutate,
    .make = make,
};
