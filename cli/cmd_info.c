/* rmacast info: the contents of a trace. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/schemas.h"
#include "common/array.h"
#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "common/units.h"
#include "common/wide.h"
#include "model/result/result_fields.h"
#include "model/violations/violations.h"
#include "model/waits/disturbance.h"
#include "trace/open.h"
#include "trace/steps.h"

struct options {
    const char *trace, *json, *csv;
};
enum { OPTION_CSV = 1000 };

static const struct argp_option rows[] = {
    {"json", 'j', "FILE", 0, "write JSON to FILE, - is standard output instead of the table", 0},
    {"csv", OPTION_CSV, "FILE", 0, "write the calls as comma-separated values; - is standard output, without the table", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'j': options->json = argument; return 0;
    case OPTION_CSV: options->csv = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &options->trace);
    case ARGP_KEY_END: return cli_needs_argument(state, options->trace, "TRACE");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "TRACE",
    "Prints ranks, windows, communicators, calls, bytes, whether the trace is complete, and the quality of its clocks.",
    NULL,
    NULL,
    NULL,
};

struct call_sum {
    uint64_t count, gaps; /* gaps: calls with a buffer that has some */
    int64_t bytes, gap_bytes;
    wide_ps time_ps;
};

struct info {
    struct call_sum calls[MPI_CALL_COUNT];
    uint64_t events;
    int64_t rma_bytes, message_bytes, begin_ps, end_ps;
    struct call_sum gaps; /* of all calls: those with gaps */
    uint32_t incomplete;
    uint64_t threads;      /* of all ranks */
    uint32_t most_threads; /* of one */
    uint64_t unseen_threads; /* their creation was not recorded */
    struct result_disturbance disturbance;
    struct trace_steps steps;
    wide_ps slept_ps; /* between calls, of all ranks */
};

static void add_gaps(struct info *info, const struct trace_call *call)
{
    struct call_sum *sum = &info->calls[call->call];
    int64_t bytes = call->bytes + (call_moves(call->call) ? call->rma.result_bytes : 0);
    sum->gaps++;
    sum->gap_bytes += bytes;
    info->gaps.count++;
    info->gaps.bytes += bytes;
}

/* Counts threads that call but whose creation was not recorded; 0 if memory runs out. */
static uint64_t count_unseen(const struct trace *trace, uint32_t rank)
{
    const struct trace_rank *process = &trace->ranks[rank];
    uint32_t threads = trace_thread_count(trace, rank);
    uint64_t unseen = 0;
    if (threads < 2) return 0;
    bool *calls = calloc(threads, sizeof *calls), *created = calloc(threads, sizeof *created);
    for (size_t i = 0; calls && created && i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        calls[trace_call_thread(trace, rank, i)] = true;
        if (call_kind(call->call) == CALL_THREAD_CREATE && call->primitive.child < threads)
            created[call->primitive.child] = true;
    }
    for (uint32_t t = 1; calls && created && t < threads; t++) unseen += calls[t] && !created[t];
    FREE_ALL(calls, created);
    return unseen;
}

static struct info collect_info(const struct trace *trace)
{
    struct info info = {.begin_ps = trace_begin_ps(trace)};
    info.end_ps = info.begin_ps;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *rank = &trace->ranks[r];
        uint32_t threads = trace_thread_count(trace, r);
        info.threads += threads;
        info.unseen_threads += count_unseen(trace, r);
        if (threads > info.most_threads) info.most_threads = threads;
        info.incomplete += rank->incomplete;
        if (rank->count && trace_rank_end_ps(trace, r) > info.end_ps) info.end_ps = trace_rank_end_ps(trace, r);
        for (size_t i = 0; i < rank->count; i++) {
            const struct trace_call *call = &rank->calls[i];
            enum call_kind kind = call_kind(call->call);
            struct call_sum *sum = &info.calls[call->call];
            sum->count++;
            sum->bytes += call->bytes;
            sum->time_ps += call->exit_ps - call->enter_ps;
            info.events++;
            if (call->flags & TRACE_GAPS) add_gaps(&info, call);
            if (call_moves(call->call)) info.rma_bytes += call->bytes + call->rma.result_bytes;
            if (kind == CALL_SEND || kind == CALL_ISEND || kind == CALL_SENDRECV) info.message_bytes += call->bytes;
        }
    }
    return info;
}

static const char *flavor_name(char flavor)
{
    const char *name = trace_flavor_name(flavor);
    return name ? name : "unknown";
}

static int64_t window_bytes(const struct trace *trace, const struct trace_window *window)
{
    int64_t total = 0;
    for (uint32_t i = 0; window->bytes && i < trace->definitions.comms[window->comm].count; i++)
        total += window->bytes[i];
    return total;
}

static const char *const source_texts[] = {
    [TRACE_CLOCK_MONOTONIC] = "by CLOCK_MONOTONIC",
    [TRACE_CLOCK_TSC] = "by the time stamp counter",
    [TRACE_CLOCK_MIXED] = "by the time stamp counter on some ranks, by CLOCK_MONOTONIC on others",
};

static void print_origin(const struct trace *trace, const struct info *info)
{
    const struct trace_provenance *provenance = &trace->provenance;
    char text[UNITS_TEXT_BYTES], one[UNITS_TEXT_BYTES], two[UNITS_TEXT_BYTES];
    text_print(stdout, "trace          %s\n", trace->name);
    if (provenance->simulated)
        text_print(stdout, "origin         simulated on %s, engine %s, semantics %s, locks %s\n",
                   provenance->platform ? provenance->platform : "?", provenance->engine ? provenance->engine : "?",
                   provenance->semantics ? provenance->semantics : "?", provenance->lock ? provenance->lock : "?");
    else
        text_print(stdout, "origin         %s%s%s\n", trace_origin_name(trace_origin(trace)), provenance->generator ? ": " : "",
                   provenance->generator ? provenance->generator : "");
    text_print(stdout, "ranks          %" PRIu32 "\n", trace->rank_count);
    if (trace->definitions.node_count > 0) text_print(stdout, "nodes          %zu\n", trace->definitions.node_count);
    if (info->most_threads > 1)
        text_print(stdout, "threads        %" PRIu64 ", up to %" PRIu32 " on a rank\n", info->threads, info->most_threads);
    if (info->unseen_threads > 0)
        text_print(stdout, "not known      %" PRIu64 " thread%s whose creation was not recorded\n", info->unseen_threads,
                   units_plural(info->unseen_threads));
    text_print(stdout, "duration       %s\n", units_format_duration(units_s(info->end_ps - info->begin_ps), text));
    text_print(stdout, "events         %" PRIu64 "\n", info->events);
    text_print(stdout, "one-sided      %s moved\n", units_format_bytes((double)info->rma_bytes, text));
    text_print(stdout, "messages       %s sent\n", units_format_bytes((double)info->message_bytes, text));
    if (info->gaps.count > 0)
        text_print(stdout, "data types     %" PRIu64 " call%s with non-contiguous buffers, %s\n", info->gaps.count,
                   units_plural(info->gaps.count), units_format_bytes((double)info->gaps.bytes, text));
    if (provenance->library) text_print(stdout, "MPI library    %s\n", provenance->library);
    if (provenance->transport) text_print(stdout, "transport      %s\n", provenance->transport);
    if (provenance->clock.known)
        text_print(stdout, "clocks         offsets up to %s corrected, error up to %s, %" PRIu64
                   " effects before their cause repaired\n",
                   units_format_duration(provenance->clock.worst_offset_s, one),
                   units_format_duration(provenance->clock.worst_error_s, two), provenance->clock.violations);
    else
        text_print(stdout, "clocks         quality not known\n");
    if (provenance->clock.source) text_print(stdout, "time stamps    %s\n", source_texts[provenance->clock.source]);
    char disturbed[RESULT_DISTURBANCE_BYTES];
    if (info->disturbance.known)
        text_print(stdout, "disturbed      %s\n", result_disturbance_text(&info->disturbance, disturbed));
    char steps[TRACE_STEPS_BYTES];
    if (info->steps.known) text_print(stdout, "steps          %s\n", trace_steps_text(trace, &info->steps, steps));
    if (info->slept_ps > 0)
        text_print(stdout, "slept          %s between calls, of all ranks\n",
                   units_format_duration(wide_s(info->slept_ps), text));
    if (provenance->record_cost_ps)
        text_print(stdout, "recorder       %s per call\n", units_format_duration(units_s(provenance->record_cost_ps), text));
}

enum { SHOWN_MAX = 16 };

static void print_complete(const struct trace *trace, const struct info *info)
{
    text_print(stdout, "complete       %s\n", info->incomplete ? "no" : "yes");
    uint32_t shown = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct trace_rank *process = &trace->ranks[r];
        char at[UNITS_TEXT_BYTES];
        if (!process->incomplete) continue;
        if (shown++ == SHOWN_MAX) {
            text_print(stdout, "  and %" PRIu32 " more rank%s\n", info->incomplete - SHOWN_MAX,
                       units_plural(info->incomplete - SHOWN_MAX));
            return;
        }
        text_print(stdout, "  rank %" PRIu32 " breaks off after %zu event%s at %s s: %s\n", r, process->count,
                   units_plural(process->count),
                   units_format_ps(process->count ? trace_rank_end_ps(trace, r) - info->begin_ps : 0, at),
                   process->incomplete_why ? process->incomplete_why : "the cause is not known");
    }
}

static void print_comm(size_t id, const struct trace_comm *comm)
{
    text_print(stdout, "  %-4zu %" PRIu32 " rank%s%s", id, comm->count, units_plural(comm->count), id == 0 ? ", the world" : "");
    if (comm->first_group)
        text_print(stdout, ", between %" PRIu32 " and %" PRIu32, comm->first_group, comm->count - comm->first_group);
    putchar('\n');
}

static void print_definitions(const struct trace *trace)
{
    const struct trace_definitions *tables = &trace->definitions;
    char total[UNITS_TEXT_BYTES];
    text_print(stdout, "communicators  %zu\n", tables->comm_count);
    for (size_t i = 0; i < tables->comm_count && i < SHOWN_MAX; i++) print_comm(i, &tables->comms[i]);
    if (tables->comm_count > SHOWN_MAX) text_print(stdout, "  and %zu more\n", tables->comm_count - SHOWN_MAX);
    text_print(stdout, "windows        %zu\n", tables->window_count);
    for (size_t i = 0; i < tables->window_count && i < SHOWN_MAX; i++) {
        const struct trace_window *window = &tables->windows[i];
        text_print(stdout, "  %-4zu communicator %" PRId32 ", made by %s, %s in all", i, window->comm,
                   flavor_name(window->flavor),
                   window->bytes ? units_format_bytes((double)window_bytes(trace, window), total) : "size not known");
        if (window->name) text_print(stdout, ", named '%s'", window->name);
        if (window->disp_unit && tables->comms[window->comm].count) text_print(stdout, ", unit %" PRId32, window->disp_unit[0]);
        putchar('\n');
    }
    if (tables->window_count > SHOWN_MAX) text_print(stdout, "  and %zu more\n", tables->window_count - SHOWN_MAX);
}

static void print_info(const struct trace *trace, const struct info *info)
{
    cli_table();
    print_origin(trace, info);
    print_complete(trace, info);
    print_definitions(trace);
    text_print(stdout, "%-22s %12s %12s %12s\n", "call", "count", "bytes", "time");
    for (int i = 0; i < MPI_CALL_COUNT; i++) {
        const struct call_sum *sum = &info->calls[i];
        char bytes[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES];
        if (sum->count == 0 || (call_row((enum mpi_call)i)->needed & F_REGION)) continue;
        text_print(stdout, "%-22s %12" PRIu64 " %12s %12s\n", call_name((enum mpi_call)i), sum->count,
                   units_format_bytes((double)sum->bytes, bytes), units_format_duration(wide_s(sum->time_ps), time));
    }
    for (size_t i = 0; i < trace->definitions.region_count; i++)
        text_print(stdout, "user region    %s\n", trace->definitions.regions[i]);
    for (size_t i = 0; i < trace->provenance.note_count; i++) text_print(stdout, "note: %s\n", trace->provenance.notes[i]);
}

/* --- the JSON --- */

struct document { /* copies, borrowed */
    const char *trace, *origin, *steps_call, *steps_file;
    struct trace_definitions tables;
    struct trace_provenance from;
    struct info info;
    const struct trace *of;
    uint32_t ranks;
    int32_t steps_line;
    int64_t duration_ps;
    bool complete;
};

struct broken_rank {
    uint32_t rank;
    uint64_t events;
    const char *why;
};

static enum field_each fill_broken(const void *item, size_t index, void *made)
{
    const struct trace *trace = ((const struct document *)item)->of;
    if (index == trace->rank_count) return FIELD_END;
    const struct trace_rank *rank = &trace->ranks[index];
    *(struct broken_rank *)made =
        (struct broken_rank){(uint32_t)index, rank->count, rank->incomplete_why ? rank->incomplete_why : ""};
    return rank->incomplete ? FIELD_ELEMENT : FIELD_SKIP;
}

struct comm {
    uint64_t id;
    uint32_t ranks, between;
};

static enum field_each fill_comm(const void *item, size_t id, void *made)
{
    const struct trace_definitions *tables = &((const struct document *)item)->tables;
    if (id == tables->comm_count) return FIELD_END;
    *(struct comm *)made = (struct comm){id, tables->comms[id].count, tables->comms[id].first_group};
    return FIELD_ELEMENT;
}

struct window {
    uint64_t id;
    int32_t communicator;
    const char *flavor, *name;
    double *bytes, *disp_unit; /* owned, of its ranks */
    size_t count;
    const void *bytes_known, *units_known;
};

static enum field_each fill_window(const void *item, size_t id, void *made)
{
    const struct trace_definitions *tables = &((const struct document *)item)->tables;
    struct window *one = made;
    if (id == tables->window_count) return FIELD_END;
    const struct trace_window *window = &tables->windows[id];
    const size_t count = tables->comms[window->comm].count;
    *one = (struct window){.id = id, .communicator = window->comm, .flavor = flavor_name(window->flavor), .name = window->name,
                           .count = count, .bytes_known = window->bytes, .units_known = window->disp_unit};
    one->bytes = malloc((count + 1) * sizeof *one->bytes);
    one->disp_unit = malloc((count + 1) * sizeof *one->disp_unit);
    for (size_t i = 0; window->bytes && one->bytes && i < count; i++) one->bytes[i] = (double)window->bytes[i];
    for (size_t i = 0; window->disp_unit && one->disp_unit && i < count; i++) one->disp_unit[i] = window->disp_unit[i];
    return FIELD_ELEMENT;
}

struct called {
    const char *name;
    struct call_sum sum, gaps;
};

static enum field_each fill_called(const void *item, size_t call, void *made)
{
    if (call == MPI_CALL_COUNT) return FIELD_END;
    const struct call_sum *sum = &((const struct document *)item)->info.calls[call];
    *(struct called *)made = (struct called){call_name((enum mpi_call)call), *sum,
                                             {.count = sum->gaps, .bytes = sum->gap_bytes}};
    return sum->count == 0 || (call_row((enum mpi_call)call)->needed & F_REGION) ? FIELD_SKIP : FIELD_ELEMENT;
}

static const char *name_source(int source)
{
    return trace_clock_source_name((enum trace_clock_source)source);
}

#define S struct broken_rank
static const struct field broken_fields[] = {SAME(rank), SAME(events), SAME(why), {0}};
#undef S
#define S struct comm
static const struct field comm_fields[] = {SAME(id), SAME(ranks), SAME(between, IF_POSITIVE, LEFT_OUT), {0}};
#undef S
#define S struct window
static const struct field windows_fields[] = {SAME(id), SAME(communicator), SAME(flavor), SAME(name, IF_THERE, LEFT_OUT),
                                              NUMBERS("bytes", bytes, count, IF_FLAG(bytes_known), LEFT_OUT),
                                              NUMBERS("disp_unit", disp_unit, count, IF_FLAG(units_known), LEFT_OUT), {0}};
#undef S
#define S struct call_sum
static const struct field gaps_fields[] = {SAME(count), SAME(bytes), {0}};
#undef S
#define S struct called
static const struct field called_fields[] = {SAME(name), FIELD("count", sum.count), FIELD("bytes", sum.bytes),
                                             FIELD("time_s", sum.time_ps),
                                             OBJECT("non_contiguous", gaps, gaps_fields, IF_FLAG(gaps.count), LEFT_OUT), {0}};
#undef S
#define S struct trace_clock_quality
static const struct field clock_fields[] = {SAME(worst_offset_s), SAME(worst_error_s), SAME(violations), {0}};
#undef S
#define S struct document
#define FROM(KEY) FIELD(#KEY, from.KEY, IF_THERE, LEFT_OUT)
static const struct field steps_fields[] = {
    FIELD("share", info.steps.share), FIELD("rank", info.steps.rank), FIELD("call", steps_call),
    FIELD("file", steps_file, IF_THERE), FIELD("line", steps_line), FIELD("count", info.steps.count),
    FIELD("low_s", info.steps.low_s), FIELD("high_s", info.steps.high_s), {0}};
const struct field info_fields[] = {
    SCHEMA("rmacast.info/1"), SAME(trace), SAME(origin), FROM(generator), FROM(platform), FROM(library), FROM(transport),
    FROM(semantics), FROM(engine), FROM(lock), SAME(ranks), TEXTS("nodes", tables.nodes, tables.node_count),
    FIELD("threads", info.threads), FIELD("threads_without_creation", info.unseen_threads), PS("duration_s", duration_ps),
    FIELD("events", info.events), FIELD("rma_bytes", info.rma_bytes), FIELD("message_bytes", info.message_bytes),
    OBJECT("non_contiguous", info.gaps, gaps_fields), SAME(complete),
    EACH("incomplete", struct broken_rank, fill_broken, broken_fields),
    EACH("communicators", struct comm, fill_comm, comm_fields),
    EACH("windows", struct window, fill_window, windows_fields, .owned = true),
    EACH("calls", struct called, fill_called, called_fields),
    OBJECT("clock", from.clock, clock_fields, IF_FLAG(from.clock.known)),
    NAME_OF("clock_source", from.clock.source, name_source, TRACE_CLOCK_MIXED + 1, IF_FLAG(from.clock.source), LEFT_OUT),
    OBJECT("disturbance", info.disturbance, disturbance_fields, IF_FLAG(info.disturbance.known)),
    PART("steps", steps_fields, IF_FLAG(info.steps.known)), FIELD("slept_s", info.slept_ps, IF_POSITIVE, LEFT_OUT),
    PS("record_cost_s", from.record_cost_ps, IF_POSITIVE, LEFT_OUT),
    TEXTS("user_regions", tables.regions, tables.region_count), TEXTS("notes", from.notes, from.note_count), {0}};
#undef S

static enum status write_files(const struct trace *trace, const struct info *info, const struct options *options, struct err *err)
{
    const struct csv_rows lines = {options->csv, "calls", "name,count,bytes,time_s"};
    const struct trace_site *site = info->steps.known ? &trace->definitions.sites[info->steps.site] : NULL;
    const struct document document = {
        trace->name, trace_origin_name(trace_origin(trace)), call_name((enum mpi_call)info->steps.call),
        site ? site->file : NULL, trace->definitions, trace->provenance,
        *info, trace, trace->rank_count, site ? site->line : 0, info->end_ps - info->begin_ps, info->incomplete == 0};
    if (options->json) TRY(cli_write_fields(info_fields, &document, 0, options->json, err));
    return csv_rows_write_fields(&lines, info_fields, &document, err);
}

/* Reports what the analysis and the replay refuse, after the description of the trace. */
static enum status refuse_wrong(const struct trace *trace, struct err *err)
{
    struct result_violations violations;
    TRY(violations_find(trace, &violations, err));
    enum status status = violations_expect(&violations, trace->name, err);
    result_violations_clear(&violations);
    return status;
}

enum status cmd_info(int argc, char **argv, struct err *err)
{
    struct options options = {0};
    struct trace *trace;
    enum status status = STATUS_OK;
    TRY(cli_parse(&argp, argc, argv, CLI_READS_TRACES, &options, err));
    const struct cli_output outputs[] = {{CLI_WRITES, "--json", options.json}, {CLI_WRITES, "--csv", options.csv}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    TRY(trace_open(options.trace, &trace, err));
    struct info info = collect_info(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++) info.slept_ps += trace->ranks[r].before_sum_ps[BEFORE_SLEPT];
    status = disturbance_find(trace, &info.disturbance, err);
    if (status == STATUS_OK) status = trace_steps_find(trace, &info.steps, err);
    if (status == STATUS_OK) status = write_files(trace, &info, &options, err);
    if (status == STATUS_OK && !cli_is_output(options.json) && !cli_is_output(options.csv)) print_info(trace, &info);
    if (status == STATUS_OK) status = cli_flush(err);
    if (status == STATUS_OK) status = refuse_wrong(trace, err);
    trace_free(trace);
    return status;
}
