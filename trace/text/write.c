/* Writes a trace as text (docs/format-text.md). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "common/text/utf8.h"
#include "trace/text/text.h"
#include "trace/text/fields.h"

struct writer {
    const struct trace *trace;
    const struct text_range *range;
    FILE *out;
    char *name; /* room for the longest encoded name */
    uint32_t rank;
    struct map made;     /* requests of this rank within the range */
    size_t *region_depth; /* per thread: regions entered within the range and not left */
    size_t thread_capacity;
    int64_t zero_ps; /* when the trace begins */
    struct err *err;
};

static size_t grown_length(size_t length, const char *text)
{
    size_t own = text ? strlen(text) : 0;
    return own > length ? own : length;
}

static enum status open_names(struct writer *writer)
{
    const struct trace *trace = writer->trace;
    size_t length = 0;
#define PROVENANCE_TEXT(MEMBER, PROPERTY) length = grown_length(length, trace->provenance.MEMBER);
#include "trace/provenance.def"
#undef PROVENANCE_TEXT
    for (size_t i = 0; i < trace->definitions.region_count; i++)
        length = grown_length(length, trace->definitions.regions[i]);
    for (size_t i = 0; i < trace->definitions.window_count; i++)
        length = grown_length(length, trace->definitions.windows[i].name);
    for (size_t i = 0; i < trace->definitions.node_count; i++) length = grown_length(length, trace->definitions.nodes[i]);
    for (size_t i = 0; i < trace->definitions.site_count; i++)
        length =
            grown_length(grown_length(length, trace->definitions.sites[i].function), trace->definitions.sites[i].file);
    writer->name = malloc(3 * length + 1);
    return writer->name ? STATUS_OK : err_memory(writer->err);
}

static const char *encode_name(struct writer *writer, const char *text)
{
    text_encode(text ? text : "", writer->name);
    return writer->name;
}

static void write_ranks(FILE *out, const int32_t *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) fprintf(out, "%s%" PRId32, i ? "," : "", members[i]);
}

/* before, then numbers joined by commas; the first one alone where it holds for all. */
static void write_numbers(FILE *out, const char *before, const int64_t *numbers, uint32_t count)
{
    bool same = count > 0;
    for (uint32_t i = 1; i < count; i++) same = same && numbers[i] == numbers[0];
    fputs(before, out);
    for (uint32_t i = 0; i < (same ? 1 : count); i++) fprintf(out, "%s%" PRId64, i ? "," : "", numbers[i]);
}

static void write_window(struct writer *writer, size_t id)
{
    const struct trace_window *window = &writer->trace->definitions.windows[id];
    uint32_t count = writer->trace->definitions.comms[window->comm].count;
    fprintf(writer->out, "window %zu comm=%" PRId32, id, window->comm);
    if (window->bytes) write_numbers(writer->out, " bytes=", window->bytes, count);
    if (window->disp_unit) {
        bool same = count > 0;
        for (uint32_t i = 1; i < count; i++) same = same && window->disp_unit[i] == window->disp_unit[0];
        fputs(" disp_unit=", writer->out);
        write_ranks(writer->out, window->disp_unit, same ? 1 : count);
    }
    if (trace_flavor_name(window->flavor)) fprintf(writer->out, " flavor=%s", trace_flavor_name(window->flavor));
    if (window->name) fprintf(writer->out, " name=%s", encode_name(writer, window->name));
    fputc('\n', writer->out);
}

static void write_properties(struct writer *writer)
{
    const struct trace *trace = writer->trace;
    const struct trace_clock_quality *clock = &trace->provenance.clock;
    if (trace->provenance.simulated) {
        const char *const keys[] = {"platform", "engine", "semantics", "lock"};
        const char *const values[] = {trace->provenance.platform, trace->provenance.engine, trace->provenance.semantics,
                                      trace->provenance.lock};
        fputs("property simulated=1", writer->out);
        for (int i = 0; i < 4; i++)
            if (values[i]) fprintf(writer->out, " %s=%s", keys[i], encode_name(writer, values[i]));
        fputc('\n', writer->out);
    }
    const char *const rest[][2] = {{"library", trace->provenance.library},
                                   {"transport", trace->provenance.transport},
                                   {"generator", trace->provenance.generator}};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (rest[i][1]) fprintf(writer->out, "property %s=%s\n", rest[i][0], encode_name(writer, rest[i][1]));
    if (clock->known)
        fprintf(writer->out, "property clock_offset=%.17g clock_error=%.17g clock_violations=%" PRIu64 "\n",
                clock->worst_offset_s, clock->worst_error_s, clock->violations);
    if (clock->source) fprintf(writer->out, "property clock_source=%s\n", trace_clock_source_name(clock->source));
    char cost[UNITS_TEXT_BYTES];
    if (trace->provenance.record_cost_ps)
        fprintf(writer->out, "property record_cost=%s\n", units_format_ps(trace->provenance.record_cost_ps, cost));
    if (trace->provenance.core_waits) fputs("property core_waits=1\n", writer->out);
}

static bool is_space(char c)
{
    return (unsigned char)c <= ' ';
}

/* Free text ends with its line; blanks at its ends are none of it. */
static void write_sentence(FILE *out, const char *before, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    while (length > 0 && is_space(text[length - 1])) length--;
    for (; length > 0 && is_space(*text); length--) text++;
    fputs(before, out);
    if (length > 0) fputc(' ', out);
    for (size_t i = 0, step; i < length; i += step) {
        step = (size_t)utf8_visible(text + i);
        fwrite(step > 0 ? text + i : " ", 1, step > 0 ? step : 1, out);
        if (step == 0) step = 1;
    }
    fputc('\n', out);
}

static bool is_empty(const char *text)
{
    while (*text && is_space(*text)) text++;
    return !*text;
}

/* Writes the ranks of each node. One pass over the ranks makes a list per node, the last rank first. */
static enum status write_nodes(struct writer *writer)
{
    const struct trace *trace = writer->trace;
    if (trace->definitions.node_count == 0) return STATUS_OK;
    uint32_t *first = malloc(trace->definitions.node_count * sizeof *first),
             *next = malloc(trace->rank_count * sizeof *next);
    enum status status = first && next ? STATUS_OK : err_memory(writer->err);
    for (size_t i = 0; status == STATUS_OK && i < trace->definitions.node_count; i++) first[i] = UINT32_MAX;
    for (uint32_t i = trace->rank_count; status == STATUS_OK && i-- > 0;) {
        uint32_t node = trace->ranks[i].node;
        if (node == 0) continue;
        next[i] = first[node - 1];
        first[node - 1] = i;
    }
    for (size_t i = 0; status == STATUS_OK && i < trace->definitions.node_count; i++) {
        fprintf(writer->out, "node %zu name=%s", i, encode_name(writer, trace->definitions.nodes[i]));
        for (uint32_t r = first[i]; r != UINT32_MAX; r = next[r])
            fprintf(writer->out, "%s%" PRIu32, r == first[i] ? " ranks=" : ",", r);
        uint32_t cores = first[i] != UINT32_MAX ? trace->ranks[first[i]].cores : 0;
        if (cores > 0) fprintf(writer->out, " cores=%" PRIu32, cores);
        fputc('\n', writer->out);
    }
    FREE_ALL(first, next);
    return status;
}

static enum status write_definitions(struct writer *writer)
{
    const struct trace *trace = writer->trace;
    char before[32];
    fprintf(writer->out, "rmacast-trace 1\nranks %" PRIu32 "\n", trace->rank_count);
    write_properties(writer);
    for (size_t i = 1; i < trace->definitions.comm_count; i++) {
        fprintf(writer->out, "comm %zu ranks=", i);
        write_ranks(writer->out, trace->definitions.comms[i].members, trace->definitions.comms[i].count);
        if (trace->definitions.comms[i].first_group > 0)
            fprintf(writer->out, " between=%" PRIu32, trace->definitions.comms[i].first_group);
        fputc('\n', writer->out);
    }
    for (size_t i = 0; i < trace->definitions.window_count; i++) write_window(writer, i);
    TRY(write_nodes(writer));
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->ranks[i];
        if (rank->speed > 0) fprintf(writer->out, "speed %" PRIu32 " %.17g\n", i, rank->speed);
        if (rank->memory_known) fprintf(writer->out, "memory_bound %" PRIu32 " %.17g\n", i, rank->memory_bound);
        if (!rank->incomplete) continue;
        snprintf(before, sizeof before, "incomplete %" PRIu32, i);
        write_sentence(writer->out, before, rank->incomplete_why);
    }
    for (size_t i = 0; i < trace->provenance.note_count; i++)
        if (!is_empty(trace->provenance.notes[i])) write_sentence(writer->out, "note", trace->provenance.notes[i]);
    return STATUS_OK;
}

static void write_site(struct writer *writer, const struct trace_site *site)
{
    fprintf(writer->out, " site=%s", encode_name(writer, site->function));
    fprintf(writer->out, "@%s:%" PRId32, encode_name(writer, site->file), site->line);
}

static void write_assert(FILE *out, unsigned flags)
{
    const char *between = " assert=";
    for (int i = 0; i < TEXT_ASSERTION_COUNT; i++) {
        if (!(flags & 1u << i)) continue;
        fprintf(out, "%s%s", between, text_assertion(i));
        between = "|";
    }
    if (!(flags & TRACE_ASSERTIONS)) fputs(" assert=0", out);
}

static bool in_part(const struct writer *writer, uint32_t request)
{
    return !writer->range || map_find(&writer->made, request);
}

static void write_request(const struct writer *writer, uint32_t request)
{
    if (request == TRACE_NO_REF || !in_part(writer, request))
        fputs(" req=-", writer->out);
    else
        fprintf(writer->out, " req=%" PRIu32, request);
}

static void write_requests(const struct writer *writer, const struct trace_list *list)
{
    const char *between = " reqs=";
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t request = writer->trace->definitions.requests[list->first + i];
        if (!in_part(writer, request)) continue;
        fprintf(writer->out, "%s%" PRIu32, between, request);
        between = ",";
    }
    if (*between == ' ') fputs(" reqs=", writer->out);
}

static enum status write_disp(const struct writer *writer, const struct trace_call *call, size_t index)
{
    const struct trace_window *window = call->handle >= 0 ? &writer->trace->definitions.windows[call->handle] : NULL;
    int32_t member = TRACE_NONE;
    if (window && window->disp_unit)
        member = trace_comm_rank(&writer->trace->definitions.comms[window->comm], call->peer);
    int64_t unit = member >= 0 ? window->disp_unit[member] : 1;
    if (unit > 0 && call->rma.disp % unit == 0) {
        fprintf(writer->out, " disp=%" PRId64, call->rma.disp / unit);
        return STATUS_OK;
    }
    char place[TRACE_PLACE_BYTES];
    return err_set(writer->err, STATUS_DATA, writer->trace->name,
                   trace_place(writer->trace, writer->rank, index, place),
                   "displacement of %" PRId64 " bytes, expected a multiple of the target's disp_unit %" PRId64,
                   call->rma.disp, unit);
}

static void write_neighbors(FILE *out, const struct trace_neighbors *neighbors)
{
    fputs(" neighbours=", out);
    for (uint32_t i = 0; i < neighbors->source_count; i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", neighbors->sources[i]);
    fputc(':', out);
    for (uint32_t i = 0; i < neighbors->destination_count; i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", neighbors->destinations[i]);
}

static void write_id(FILE *out, const char *key, int64_t id)
{
    if (id == TRACE_NONE)
        fprintf(out, " %s=-", key);
    else
        fprintf(out, " %s=%" PRId64, key, id);
}

/* Whether a field that the line may lack says something. */
static bool is_said(const struct trace_call *call, enum text_type type)
{
    switch (type) {
    case TEXT_WINDOW:
    case TEXT_COMM: return call->handle != TRACE_NONE;
    case TEXT_DISP: return call->rma.disp != -1;
    case TEXT_ASSERT: return call->flags & TRACE_ASSERTIONS;
    case TEXT_OP: return call->rma.op > 0 && call->rma.op < TRACE_OP_COUNT;
    case TEXT_COUNTS: return call->collective.counts >= 0;
    case TEXT_NEIGHBORS: return call->collective.neighbors >= 0;
    case TEXT_STARTED: return call->flags & TRACE_STARTED;
    case TEXT_NEWCOMM: return call->comm.newcomm != TRACE_NO_REF;
    case TEXT_SITE: return call->site != TRACE_NO_SITE;
    case TEXT_SHARE: return call->collective.recv_bytes != 0;
    case TEXT_NUMBER: return call->primitive.value != -1; /* value= */
    default: return true;
    }
}

static enum status write_field(struct writer *writer, const struct trace_call *call, size_t index, int field)
{
    const struct text_field *row = text_field(field);
    FILE *out = writer->out;
    struct trace_neighbors neighbors;
    switch (row->type) {
    case TEXT_WINDOW:
    case TEXT_COMM: write_id(out, row->key, call->handle); break;
    case TEXT_RANK: write_id(out, row->key, field == F_SOURCE_INDEX ? call->exchange.source : call->peer); break;
    case TEXT_TAG:
        fprintf(out, " %s=%" PRId32, row->key, field == F_TAG_INDEX ? call->message.tag : call->exchange.recv_tag);
        break;
    case TEXT_SHARE: fprintf(out, " %s=%" PRId64, row->key, call->collective.recv_bytes); break;
    case TEXT_NEIGHBORS:
        if (trace_call_neighbors(writer->trace, call, &neighbors)) write_neighbors(out, &neighbors);
        break;
    case TEXT_COUNTS: {
        const struct trace_counts *counts = &writer->trace->definitions.counts[call->collective.counts];
        write_numbers(out, " counts=", counts->bytes, counts->count);
        break;
    }
    case TEXT_STARTED: fprintf(out, " %s=1", row->key); break;
    case TEXT_BYTES:
        fprintf(out, " %s=%" PRId64, row->key, field == F_BYTES_INDEX ? call->bytes : call->rma.result_bytes);
        break;
    case TEXT_DISP: return write_disp(writer, call, index);
    case TEXT_GROUP:
        fputs(" group=", out);
        write_ranks(out, writer->trace->definitions.groups[call->sync.group].members,
                    writer->trace->definitions.groups[call->sync.group].count);
        break;
    case TEXT_ASSERT: write_assert(out, call->flags); break;
    case TEXT_LOCK: fprintf(out, " lock=%s", call->flags & TRACE_EXCLUSIVE ? "exclusive" : "shared"); break;
    case TEXT_FLAG: fprintf(out, " flag=%d", call->flags & TRACE_FLAG ? 1 : 0); break;
    case TEXT_OP: fprintf(out, " op=%s", trace_op_name(call->rma.op) + strlen("MPI_")); break;
    case TEXT_REQUEST: write_request(writer, call->ref); break;
    case TEXT_REQUESTS: write_requests(writer, &writer->trace->definitions.lists[call->completion.list]); break;
    case TEXT_NEWCOMM:
    case TEXT_OBJECT: fprintf(out, " %s=%" PRIu32, row->key, call->primitive.object); break;
    case TEXT_CHILD:
        write_id(out, row->key, call->primitive.child == TRACE_NO_REF ? TRACE_NONE : (int64_t)call->primitive.child);
        break;
    case TEXT_NUMBER:
        fprintf(out, " %s=%" PRId64, row->key,
                field == F_VALUE_INDEX ? call->primitive.value : call->primitive.parties);
        break;
    case TEXT_SITE: write_site(writer, &writer->trace->definitions.sites[call->site]); break;
    default: break;
    }
    return STATUS_OK;
}

static void write_sim(FILE *out, const struct trace_sim *sim)
{
    struct text_values values = {.sim = *sim};
    for (int i = TEXT_SIM_FIRST; i < TEXT_FIELD_COUNT; i++) {
        const struct text_field *row = text_field(i);
        int64_t ps;
        char time[UNITS_TEXT_BYTES];
        memcpy(&ps, (const char *)&values + row->offset, sizeof ps);
        if (ps == TRACE_UNKNOWN_PS || (row->offset == offsetof(struct text_values, sim.blocked_ps) && ps == 0))
            continue;
        fprintf(out, " %s=%s", row->key, units_format_ps(ps, time));
    }
}

static void write_before(const struct writer *writer, size_t index)
{
    char time[UNITS_TEXT_BYTES];
    for (int b = 0; b < BEFORE_COUNT; b++) {
        const int64_t *ps = writer->trace->ranks[writer->rank].before_ps[b];
        if (ps && ps[index] != TRACE_UNKNOWN_PS)
            fprintf(writer->out, " %s=%s", trace_before_key((enum trace_before)b), units_format_ps(ps[index], time));
    }
}

static void write_extents(const struct writer *writer, const struct trace_call *call, size_t index)
{
    if (!(call->flags & TRACE_GAPS)) return;
    struct trace_extents extents = trace_call_extents(writer->trace, writer->rank, index);
    for (int i = 0; i < TRACE_BUFFERS; i++)
        if (extents.of[i] != 0)
            fprintf(writer->out, " %s=%" PRId64, trace_extent_key(call_kind(call->call), (enum trace_buffer)i),
                    extents.of[i]);
}

static void write_thread(const struct writer *writer, size_t index)
{
    uint32_t thread = trace_call_thread(writer->trace, writer->rank, index);
    if (thread > 0) fprintf(writer->out, " thread=%" PRIu32, thread);
}

/* In a part, what ends something that began before the part is left out. */
static enum status is_written(struct writer *writer, size_t index, bool *written)
{
    const struct trace_call *call = &writer->trace->ranks[writer->rank].calls[index];
    size_t *depth = &writer->region_depth[trace_call_thread(writer->trace, writer->rank, index)];
    uint64_t *ignored;
    *written = true;
    if (writer->range && call_makes_request(call->call))
        return map_put(&writer->made, call->ref, 1, &ignored, writer->err);
    switch (call_kind(call->call)) {
    case CALL_REGION_ENTER: (*depth)++; return STATUS_OK;
    case CALL_REGION_LEAVE:
        *written = *depth > 0;
        if (*written) (*depth)--;
        return STATUS_OK;
    default: return STATUS_OK;
    }
}

static enum status write_call(struct writer *writer, size_t index)
{
    const struct trace_rank *rank = &writer->trace->ranks[writer->rank];
    const struct trace_call *call = &rank->calls[index];
    const struct call_row *row = call_row(call->call);
    char enter[UNITS_TEXT_BYTES], exit[UNITS_TEXT_BYTES];
    bool written;
    TRY(is_written(writer, index, &written));
    if (!written) return STATUS_OK;
    units_format_ps(call->enter_ps, enter);
    if (row->needed & F_REGION) {
        const char *name = writer->trace->definitions.regions[call->region.region];
        fprintf(writer->out, "%" PRIu32 " %s %s %s%s", writer->rank, enter, row->name,
                *name ? "" : "region=", encode_name(writer, name));
        write_thread(writer, index);
        write_before(writer, index);
        fputc('\n', writer->out);
        return STATUS_OK;
    }
    fprintf(writer->out, "%" PRIu32 " %s %s %s", writer->rank, enter, units_format_ps(call->exit_ps, exit), row->name);
    for (int i = 0; i < CALL_FIELD_COUNT; i++) {
        if (i == F_SITE_INDEX) write_extents(writer, call, index);
        if ((row->needed & 1u << i) || ((row->allowed & 1u << i) && is_said(call, text_field(i)->type)))
            TRY(write_field(writer, call, index, i));
    }
    write_thread(writer, index);
    if (call->flags & TRACE_BREAK) fputs(" break=1", writer->out);
    write_before(writer, index);
    if (rank->sim) write_sim(writer->out, &rank->sim[index]);
    fputc('\n', writer->out);
    return STATUS_OK;
}

static enum status write_rank(struct writer *writer)
{
    const struct trace_rank *rank = &writer->trace->ranks[writer->rank];
    const struct text_range *range = writer->range;
    uint32_t threads = trace_thread_count(writer->trace, writer->rank);
    TRY(array_reserve((void **)&writer->region_depth, &writer->thread_capacity, threads, sizeof *writer->region_depth,
                      writer->err));
    memset(writer->region_depth, 0, threads * sizeof *writer->region_depth);
    if (range && range->rank != TRACE_NONE && range->rank != (int32_t)writer->rank) return STATUS_OK;
    for (size_t i = 0; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (range && (call->exit_ps - writer->zero_ps < range->from_ps ||
                      call->enter_ps - writer->zero_ps > range->to_ps))
            continue;
        uint32_t thread = trace_call_thread(writer->trace, writer->rank, i);
        if (range && range->by_thread && range->thread != thread) continue;
        TRY(write_call(writer, i));
    }
    return STATUS_OK;
}

enum status text_write(const struct trace *trace, const struct text_range *range, FILE *out, struct err *err)
{
    struct writer writer = {
        .trace = trace, .range = range, .out = out, .err = err, .zero_ps = trace_begin_ps(trace)};
    TRY(open_names(&writer));
    enum status status = write_definitions(&writer);
    for (writer.rank = 0; status == STATUS_OK && writer.rank < trace->rank_count; writer.rank++) {
        status = write_rank(&writer);
        map_clear(&writer.made);
    }
    FREE_ALL(writer.region_depth, writer.name);
    return status;
}
