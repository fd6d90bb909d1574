/* rmacast analyze TRACE: wait states, properties and transfer bounds of a recorded or simulated trace. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/prediction_options.h"
#include "common/units.h"
#include "model/analyze.h"
#include "model/bounds.h"
#include "model/checks.h"
#include "model/properties.h"
#include "model/relations.h"
#include "model/result_csv.h"
#include "model/stream.h"
#include "trace/open.h"

enum {
    KEY_EPSILON = 1000,
    KEY_LATE_POST,
    KEY_JSON,
    KEY_CSV,
    KEY_EAGER,
    KEY_CLOSE,
    KEY_LATENCY,
    KEY_BANDWIDTH,
    KEY_EFFICIENCY,
    KEY_PER_RANK,
    KEY_IDEAL,
    KEY_REFERENCE,
    KEY_TOP,
    KEY_WINDOW,
    KEY_RANKS,
    KEY_FROM,
    KEY_TO,
    KEY_CALLPATH,
    KEY_VERIFY,
    KEY_WHOLE,
    KEY_SLICES,
    KEY_KEEP_GOING,
    PATH_BYTES = 4096
};

static const struct argp_option options[] = {
    {"epsilon", KEY_EPSILON, "TIME", 0, "waits below TIME count as zero (default 0)", 0},
    {"late-post", KEY_LATE_POST, "WHICH", 0,
     "count Late Post up to the latest (default) or the earliest post of an epoch", 0},
    {"eager", KEY_EAGER, "BYTES", 0, "sends up to BYTES do not wait for their receive (default 64K)", 0},
    {"close", KEY_CLOSE, "TIME", 0,
     "a receive less than TIME after a send to the same rank is close to it (default 10us)", 0},
    {"latency", KEY_LATENCY, "TIME", 0,
     "with --bandwidth: the network that advised distances are worked out for (default: what the trace shows)", 0},
    {"bandwidth", KEY_BANDWIDTH, "RATE", 0, "of that network", 0},
    {"efficiency", KEY_EFFICIENCY, "INTERVALS", OPTION_ARG_OPTIONAL,
     "print the efficiency of every interval instead of the wait states; " INTERVALS_HELP, 0},
    {"per-rank", KEY_PER_RANK, NULL, 0, "give efficiency with the values of every rank", 0},
    {"ideal", KEY_IDEAL, "RESULT", 0, "for POP's metrics: result of a simulation on a network that costs nothing", 0},
    {"reference", KEY_REFERENCE, "RESULT", 0, "for computation scaling: result of the run to compare with", 0},
    {"top", KEY_TOP, "N", 0, "print the N largest wait states, root causes and parts of the critical path", 0},
    {"window", KEY_WINDOW, "WINDOW", 0, "count only waits in calls on this window", 0},
    {"ranks", KEY_RANKS, "A-B", 0, "count only waits of ranks A to B, or of rank A", 0},
    {"from", KEY_FROM, "TIME", 0, "count only waits in calls that end at TIME or later, since the first event", 0},
    {"to", KEY_TO, "TIME", 0, "count only waits in calls that begin at TIME or earlier", 0},
    {"callpath", KEY_CALLPATH, "PATTERN", 0, "count only waits at call paths like 'main/exchange*'", 0},
    {"verify", KEY_VERIFY, NULL, 0, "check the figures against each other; exit with 1 if they do not agree", 0},
    {"keep-going", KEY_KEEP_GOING, NULL, 0,
     "analyze a faulty trace: of each rank what comes before its first fault; the result says what is left out", 0},
    {"whole", KEY_WHOLE, NULL, 0,
     "keep the whole trace in memory however large it is: --verify, --keep-going and --csv do so", 0},
    {"slices", KEY_SLICES, NULL, 0,
     "read the archive in slices however small it is, in memory that does not grow with its length (default from 8 "
     "million records on)", 0},
    {"json", KEY_JSON, "FILE", 0, "write the result as JSON; - is standard output, without the table", 0},
    {"csv", KEY_CSV, "DIR", 0, "write patterns.csv, places.csv, properties.csv and transfers.csv into DIR", 0},
    {0}};

struct settings {
    const char *trace, *json, *csv, *ideal, *reference;
    bool efficiency, keep_going, whole, slices;
    int64_t top;
    struct analyze_options analyze;
};

static bool needs_whole(const struct settings *settings)
{
    return settings->whole || settings->analyze.verify || settings->keep_going || settings->csv;
}

static error_t parse_late_post(struct argp_state *state, const char *text, struct settings *settings)
{
    static const char *const names[] = {"latest", "earliest", NULL};
    static const enum late_post_mode modes[] = {LATE_POST_LATEST, LATE_POST_EARLIEST};
    size_t index;
    error_t failed = cli_choice(state, "--late-post", text, names, &index);
    if (!failed) settings->analyze.late_post = modes[index];
    return failed;
}

static error_t parse_bandwidth(struct argp_state *state, const char *text, struct settings *settings)
{
    settings->analyze.network_known = true;
    if (units_parse_rate(text, &settings->analyze.bandwidth_Bps) && settings->analyze.bandwidth_Bps > 0) return 0;
    return cli_usage(state, "--bandwidth %s, expected a rate as 12.5GB/s", text);
}

static error_t parse_number(struct argp_state *state, const char *option, const char *text, int64_t low,
                            int64_t *number)
{
    return cli_count(state, option, text, low, INT32_MAX, number);
}

static error_t parse_ranks(struct argp_state *state, const char *text, struct filter *filter)
{
    const char *dash = strchr(text, '-');
    char first[16];
    int64_t low, high;
    snprintf(first, sizeof first, "%.*s", dash ? (int)(dash - text) : (int)strlen(text), text);
    if (parse_number(state, "--ranks", first, 0, &low)) return EINVAL;
    if (parse_number(state, "--ranks", dash ? dash + 1 : first, low, &high)) return EINVAL;
    filter->by_rank = true;
    filter->first_rank = (uint32_t)low;
    filter->last_rank = (uint32_t)high;
    return 0;
}

static error_t parse_filter(int key, struct argp_state *state, char *argument, struct filter *filter)
{
    int64_t window;
    if (key == KEY_FROM || key == KEY_TO) {
        if (!filter->by_time) filter->to_ps = INT64_MAX;
        filter->by_time = true;
    }
    switch (key) {
    case KEY_WINDOW:
        if (parse_number(state, "--window", argument, 0, &window)) return EINVAL;
        filter->by_window = true;
        filter->window = (int32_t)window;
        return 0;
    case KEY_RANKS: return parse_ranks(state, argument, filter);
    case KEY_FROM: return cli_duration_ps(state, "--from", argument, &filter->from_ps);
    case KEY_TO: return cli_duration_ps(state, "--to", argument, &filter->to_ps);
    default: filter->callpath = argument; return 0;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case KEY_EPSILON: return cli_duration_ps(state, "--epsilon", argument, &settings->analyze.epsilon_ps);
    case KEY_LATE_POST: return parse_late_post(state, argument, settings);
    case KEY_EAGER: return cli_size(state, "--eager", argument, &settings->analyze.eager_bytes);
    case KEY_CLOSE: return cli_duration_ps(state, "--close", argument, &settings->analyze.close_ps);
    case KEY_LATENCY: return cli_duration(state, "--latency", argument, &settings->analyze.latency_s);
    case KEY_BANDWIDTH: return parse_bandwidth(state, argument, settings);
    case KEY_EFFICIENCY:
        settings->efficiency = true;
        return intervals_option_parse(state, argument, &settings->analyze);
    case KEY_PER_RANK: settings->analyze.per_rank = true; return 0;
    case KEY_IDEAL: settings->ideal = argument; return 0;
    case KEY_REFERENCE: settings->reference = argument; return 0;
    case KEY_TOP: return parse_number(state, "--top", argument, 1, &settings->top);
    case KEY_WHOLE: settings->whole = true; return 0;
    case KEY_SLICES: settings->slices = true; return 0;
    case KEY_VERIFY: settings->analyze.verify = true; return 0;
    case KEY_KEEP_GOING: settings->keep_going = true; return 0;
    case KEY_WINDOW:
    case KEY_RANKS:
    case KEY_FROM:
    case KEY_TO:
    case KEY_CALLPATH: return parse_filter(key, state, argument, &settings->analyze.filter);
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_CSV: settings->csv = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &settings->trace);
    case ARGP_KEY_END:
        if (settings->slices && needs_whole(settings))
            return cli_usage(state, "--slices, expected none of the options that need the whole trace: --whole, "
                                    "--verify, --keep-going, --csv");
        if (settings->analyze.latency_s > 0 && !settings->analyze.network_known)
            return cli_usage(state, "--latency without --bandwidth, expected both");
        return cli_needs_argument(state, settings->trace, "TRACE");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status write_result_csv(const char *directory, const char *name, const struct result *result,
                                    void (*write)(const struct result *, FILE *), struct err *err)
{
    char path[PATH_BYTES];
    FILE *out;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    TRY(cli_open(path, &out, err));
    write(result, out);
    return cli_close(path, out, err);
}

static enum status write_transfers_csv(const char *directory, const struct trace *trace, struct err *err)
{
    char path[PATH_BYTES];
    struct transfers transfers;
    FILE *out;
    snprintf(path, sizeof path, "%s/transfers.csv", directory);
    TRY(bounds_find(trace, &transfers, err));
    enum status status = cli_open(path, &out, err);
    if (status == STATUS_OK) {
        csv_write_transfers(trace, &transfers, out);
        status = cli_close(path, out, err);
    }
    transfers_clear(&transfers);
    return status;
}

static enum status write_csv(const char *directory, const struct trace *trace, const struct result *result,
                             struct err *err)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return err_set(err, STATUS_SYSTEM, directory, NULL, "cannot be made: %s", strerror(errno));
    TRY(write_result_csv(directory, "patterns.csv", result, csv_write_patterns, err));
    TRY(write_result_csv(directory, "places.csv", result, csv_write_places, err));
    TRY(write_result_csv(directory, "properties.csv", result, csv_write_properties, err));
    return write_transfers_csv(directory, trace, err);
}

static enum status write_json(const char *file, const struct result *result, struct err *err)
{
    cJSON *json;
    TRY(result_to_json(result, &json, err));
    enum status status = cli_write_json(json, file, err);
    cJSON_Delete(json);
    return status;
}

static enum status write_outputs(const struct settings *settings, const struct trace *trace,
                                 const struct result *result, struct err *err)
{
    if (settings->csv) TRY(write_csv(settings->csv, trace, result, err));
    if (settings->json) TRY(write_json(settings->json, result, err));
    if (cli_is_output(settings->json)) return STATUS_OK;
    if (settings->efficiency && result->efficiency)
        efficiency_print(result->efficiency, result->per_rank, stdout);
    else
        result_print_top(result, (size_t)settings->top, stdout);
    return cli_close("-", stdout, err);
}

static enum status read_result(const char *file, struct result **result, struct err *err)
{
    TRY(result_open(file, result, err));
    if ((*result)->run_time_s > 0) return STATUS_OK;
    result_free(*result);
    return err_set(err, STATUS_DATA, file, "run_time_s", "0, expected the time of a run");
}

/* What POP's metrics need of other runs. */
static enum status read_other_runs(struct settings *settings, struct err *err)
{
    struct result *result;
    if (settings->ideal) {
        TRY(read_result(settings->ideal, &result, err));
        settings->analyze.ideal_run_time_s = result->run_time_s;
        result_free(result);
    }
    if (settings->reference) {
        TRY(read_result(settings->reference, &result, err));
        for (size_t i = 0; i < result->property_count; i++)
            if (strcmp(result->properties[i].name, property_row(PROPERTY_USER)->name) == 0)
                settings->analyze.reference_user_s = result->properties[i].inclusive_s;
        result_free(result);
    }
    return STATUS_OK;
}

static enum status check_filter(const struct filter *filter, const struct trace *trace, struct err *err)
{
    if (filter->by_rank && filter->last_rank >= trace->rank_count)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--ranks: no rank %" PRIu32 ", expected 0 to %" PRIu32,
                       filter->last_rank, trace->rank_count - 1);
    if (filter->by_window && (size_t)filter->window >= trace->window_count)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--window %" PRId32 " is not in the trace, which has %zu windows",
                       filter->window, trace->window_count);
    return STATUS_OK;
}

static enum status open_partly(const char *path, struct trace **trace, struct err *err)
{
    struct trace *made;
    TRY(trace_open_partly(path, &made, err));
    enum status status = relations_keep_going(made, err);
    for (size_t i = 0; status == STATUS_OK && i < made->fault_count; i++)
        fprintf(stderr, "rmacast: %s (left out from there on)\n", made->faults[i].text);
    if (status == STATUS_OK)
        *trace = made;
    else
        trace_free(made);
    return status;
}

/* An archive of so many records is analysed in slices: some 300 MB in memory as a whole. */
enum { SLICES_FROM_RECORDS = 8 << 20 };

static enum status analyze_slices(const struct settings *settings, struct trace_source *source, struct err *err)
{
    struct result *result;
    TRY(check_filter(&settings->analyze.filter, source->trace, err));
    TRY(model_stream(source, &settings->analyze, stream_calls(source->trace->rank_count), &result, err));
    enum status status = write_outputs(settings, source->trace, result, err);
    result_free(result);
    return status;
}

/* *done false: the trace is to be analysed as a whole. */
static enum status try_slices(const struct settings *settings, bool *done, struct err *err)
{
    struct trace_source source;
    uint64_t records;
    *done = false;
    if (needs_whole(settings)) return STATUS_OK;
    TRY(trace_open_source(settings->trace, &source, done, &records, err));
    if (settings->slices && !*done)
        return err_set(err, STATUS_DATA, settings->trace, NULL,
                       "cannot be read in slices, expected an archive of rmacast with one thread per rank");
    if (!*done) return STATUS_OK;
    *done = settings->slices || records >= SLICES_FROM_RECORDS;
    enum status status = *done ? analyze_slices(settings, &source, err) : STATUS_OK;
    source_close(&source);
    return status;
}

static enum status analyze_whole(const struct settings *settings, struct err *err)
{
    struct trace *trace;
    struct result *result;
    TRY(settings->keep_going ? open_partly(settings->trace, &trace, err) : trace_open(settings->trace, &trace, err));
    enum status status = check_filter(&settings->analyze.filter, trace, err);
    if (status == STATUS_OK) status = model_analyze(trace, &settings->analyze, &result, err);
    if (status == STATUS_OK) {
        status = write_outputs(settings, trace, result, err);
        if (!checks_hold(result)) cli_exit_with(1);
        result_free(result);
    }
    trace_free(trace);
    return status;
}

enum status cmd_analyze(int argc, char **argv, struct err *err)
{
    struct settings settings = {.analyze = ANALYZE_DEFAULTS};
    const struct argp argp = {options, parse, "TRACE", "Finds where a trace lost time.", NULL, NULL, NULL};
    bool done;
    TRY(cli_parse(&argp, argc, argv, 0, &settings, err));
    settings.analyze.intervals = true;
    TRY(read_other_runs(&settings, err));
    TRY(try_slices(&settings, &done, err));
    return done ? STATUS_OK : analyze_whole(&settings, err);
}
