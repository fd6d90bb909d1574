/* rmacast info: the contents of a trace. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "common/json/json_write.h"
#include "common/text/text.h"
#include "common/units.h"
#include "common/wide.h"
#include "model/violations/violations.h"
#include "model/waits/disturbance.h"
#include "trace/open.h"
#include "trace/steps.h"

struct options {
    const char *trace, *json;
};

static const struct argp_option rows[] = {
    {"json", 'j', "FILE", 0, "write JSON to FILE, - is standard output instead of the table", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'j': options->json = argument; return 0;
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
    free(calls);
    free(created);
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

/* Calls with buffers that are not contiguous. */
static cJSON *gaps_of(uint64_t count, int64_t bytes)
{
    cJSON *gaps = cJSON_CreateObject();
    json_add_number(gaps, "count", (double)count);
    json_add_number(gaps, "bytes", (double)bytes);
    return gaps;
}

static void add_origin(cJSON *json, const struct trace *trace, const struct info *info)
{
    const struct trace_provenance *provenance = &trace->provenance;
    json_add_text(json, "schema", "rmacast.info/1");
    json_add_text(json, "trace", trace->name);
    json_add_text(json, "origin", trace_origin_name(trace_origin(trace)));
    if (provenance->generator) json_add_text(json, "generator", provenance->generator);
    if (provenance->platform) json_add_text(json, "platform", provenance->platform);
    if (provenance->library) json_add_text(json, "library", provenance->library);
    if (provenance->transport) json_add_text(json, "transport", provenance->transport);
    if (provenance->semantics) json_add_text(json, "semantics", provenance->semantics);
    if (provenance->engine) json_add_text(json, "engine", provenance->engine);
    if (provenance->lock) json_add_text(json, "lock", provenance->lock);
    json_add_number(json, "ranks", trace->rank_count);
    cJSON *nodes = json_add_array(json, "nodes");
    for (size_t i = 0; i < trace->definitions.node_count; i++)
        json_append(nodes, cJSON_CreateString(trace->definitions.nodes[i]));
    json_add_number(json, "threads", (double)info->threads);
    json_add_number(json, "threads_without_creation", (double)info->unseen_threads);
    json_add_number(json, "duration_s", units_s(info->end_ps - info->begin_ps));
    json_add_number(json, "events", (double)info->events);
    json_add_number(json, "rma_bytes", (double)info->rma_bytes);
    json_add_number(json, "message_bytes", (double)info->message_bytes);
    json_put(json, "non_contiguous", gaps_of(info->gaps.count, info->gaps.bytes));
    json_add_bool(json, "complete", info->incomplete == 0);
    cJSON *broken = json_add_array(json, "incomplete");
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        if (!trace->ranks[r].incomplete) continue;
        cJSON *item = cJSON_CreateObject();
        json_add_number(item, "rank", r);
        json_add_number(item, "events", (double)trace->ranks[r].count);
        json_add_text(item, "why", trace->ranks[r].incomplete_why ? trace->ranks[r].incomplete_why : "");
        json_append(broken, item);
    }
}

static void add_definitions(cJSON *json, const struct trace *trace)
{
    const struct trace_definitions *tables = &trace->definitions;
    cJSON *comms = json_add_array(json, "communicators"), *windows = json_add_array(json, "windows");
    for (size_t i = 0; i < tables->comm_count; i++) {
        cJSON *item = cJSON_CreateObject();
        json_add_number(item, "id", (double)i);
        json_add_number(item, "ranks", tables->comms[i].count);
        if (tables->comms[i].first_group) json_add_number(item, "between", tables->comms[i].first_group);
        json_append(comms, item);
    }
    for (size_t i = 0; i < tables->window_count; i++) {
        const struct trace_window *window = &tables->windows[i];
        uint32_t count = tables->comms[window->comm].count;
        cJSON *item = cJSON_CreateObject();
        json_add_number(item, "id", (double)i);
        json_add_number(item, "communicator", window->comm);
        json_add_text(item, "flavor", flavor_name(window->flavor));
        if (window->name) json_add_text(item, "name", window->name);
        cJSON *bytes = window->bytes ? json_add_array(item, "bytes") : NULL;
        cJSON *units = window->disp_unit ? json_add_array(item, "disp_unit") : NULL;
        for (uint32_t k = 0; bytes && k < count; k++)
            json_append(bytes, cJSON_CreateNumber((double)window->bytes[k]));
        for (uint32_t k = 0; units && k < count; k++)
            json_append(units, cJSON_CreateNumber(window->disp_unit[k]));
        json_append(windows, item);
    }
}

static void add_steps(cJSON *json, const struct trace *trace, const struct trace_steps *steps)
{
    const struct trace_site *site = &trace->definitions.sites[steps->site];
    cJSON *object = steps->known ? json_add_object(json, "steps") : json_add_null(json, "steps");
    if (!steps->known) return;
    json_add_number(object, "share", steps->share);
    json_add_number(object, "rank", steps->rank);
    json_add_text(object, "call", call_name((enum mpi_call)steps->call));
    json_add_text(object, "file", site->file);
    json_add_number(object, "line", site->line);
    json_add_number(object, "count", (double)steps->count);
    json_add_number(object, "low_s", steps->low_s);
    json_add_number(object, "high_s", steps->high_s);
}

static void add_calls(cJSON *json, const struct trace *trace, const struct info *info)
{
    const struct trace_provenance *provenance = &trace->provenance;
    cJSON *calls = json_add_array(json, "calls");
    for (int i = 0; i < MPI_CALL_COUNT; i++) {
        if (info->calls[i].count == 0 || (call_row((enum mpi_call)i)->needed & F_REGION)) continue;
        cJSON *item = cJSON_CreateObject();
        json_add_text(item, "name", call_name((enum mpi_call)i));
        json_add_number(item, "count", (double)info->calls[i].count);
        json_add_number(item, "bytes", (double)info->calls[i].bytes);
        json_add_number(item, "time_s", wide_s(info->calls[i].time_ps));
        if (info->calls[i].gaps > 0)
            json_put(item, "non_contiguous", gaps_of(info->calls[i].gaps, info->calls[i].gap_bytes));
        json_append(calls, item);
    }
    cJSON *clock =
        provenance->clock.known ? json_add_object(json, "clock") : json_add_null(json, "clock");
    if (provenance->clock.known) {
        json_add_number(clock, "worst_offset_s", provenance->clock.worst_offset_s);
        json_add_number(clock, "worst_error_s", provenance->clock.worst_error_s);
        json_add_number(clock, "violations", (double)provenance->clock.violations);
    }
    if (provenance->clock.source)
        json_add_text(json, "clock_source", trace_clock_source_name(provenance->clock.source));
    json_put(json, "disturbance", result_disturbance_json(&info->disturbance));
    add_steps(json, trace, &info->steps);
    if (info->slept_ps > 0) json_add_number(json, "slept_s", wide_s(info->slept_ps));
    if (provenance->record_cost_ps) json_add_number(json, "record_cost_s", units_s(provenance->record_cost_ps));
    cJSON *regions = json_add_array(json, "user_regions");
    for (size_t i = 0; i < trace->definitions.region_count; i++)
        json_append(regions, cJSON_CreateString(trace->definitions.regions[i]));
    cJSON *notes = json_add_array(json, "notes");
    for (size_t i = 0; i < provenance->note_count; i++)
        json_append(notes, cJSON_CreateString(provenance->notes[i]));
}

static enum status write_json(const struct trace *trace, const struct info *info, const char *file, struct err *err)
{
    cJSON *json = cJSON_CreateObject();
    if (!json) return err_memory(err);
    add_origin(json, trace, info);
    add_definitions(json, trace);
    add_calls(json, trace, info);
    enum status status = cli_write_json(json, file, err);
    cJSON_Delete(json);
    return status;
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
    const struct cli_output output = {CLI_WRITES, "--json", options.json};
    TRY(cli_claim_outputs(&output, 1, err));
    TRY(trace_open(options.trace, &trace, err));
    struct info info = collect_info(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++) info.slept_ps += trace->ranks[r].before_sum_ps[BEFORE_SLEPT];
    status = disturbance_find(trace, &info.disturbance, err);
    if (status == STATUS_OK) status = trace_steps_find(trace, &info.steps, err);
    if (status == STATUS_OK && options.json) status = write_json(trace, &info, options.json, err);
    if (status == STATUS_OK && !cli_is_output(options.json)) print_info(trace, &info);
    if (status == STATUS_OK) status = cli_flush(err);
    if (status == STATUS_OK) status = refuse_wrong(trace, err);
    trace_free(trace);
    return status;
}
