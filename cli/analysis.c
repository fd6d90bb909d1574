#include "cli/analysis.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cli/files.h"
#include "cli/output_set.h"
#include "common/units.h"
#include "model/waits/properties.h"
#include "model/match/relations.h"
#include "model/result/result_csv.h"
#include "model/result/result_fields.h"
#include "trace/open.h"

enum { PATH_BYTES = 4096 };

void analysis_tell_faults(const struct trace *trace)
{
    for (size_t i = 0; i < trace->provenance.fault_count; i++)
        cli_note("%s (left out from there on)", trace->provenance.faults[i].text);
}

enum status analysis_keep_going(struct trace *trace, struct err *err)
{
    TRY(relations_keep_going(trace, err));
    analysis_tell_faults(trace);
    return STATUS_OK;
}

enum status analysis_open_partly(const char *path, struct trace **trace, struct err *err)
{
    struct trace *made;
    TRY(trace_open_partly(path, &made, err));
    enum status status = analysis_keep_going(made, err);
    GIVE(status, *trace = made, trace_free(made));
}

static error_t parse_late_post(struct argp_state *state, const char *text, struct analyze_options *options)
{
    static const char *const names[] = {"latest", "earliest", NULL};
    static const enum late_post_mode modes[] = {LATE_POST_LATEST, LATE_POST_EARLIEST};
    size_t index;
    error_t failed = cli_choice(state, "--late-post", text, names, &index);
    if (!failed) options->late_post = modes[index];
    return failed;
}

error_t intervals_option_parse(const struct argp_state *state, const char *text, struct analyze_options *options)
{
    static const char *const names[] = {"regions", "callpaths", NULL};
    static const enum interval_source sources[] = {INTERVALS_OF_REGIONS, INTERVALS_OF_CALLPATHS};
    size_t index;
    error_t failed = text ? cli_choice(state, "--efficiency", text, names, &index) : 0;
    if (text && !failed) options->interval_source = sources[index];
    return failed;
}

/* "N", "NAME" or "NAME,N". */
error_t over_time_option_parse(const struct argp_state *state, char *text, struct analyze_options *options)
{
    int64_t slices = OVER_TIME_DEFAULT;
    char *number = text ? strrchr(text, ',') : NULL;
    if (text && isdigit((unsigned char)*text)) number = text;
    if (number && cli_count(state, "--over-time", number + (number != text), 1, OVER_TIME_MOST, &slices)) return EINVAL;
    if (number && number != text) *number = '\0';
    options->iterations = number == text ? NULL : text;
    options->find_loop = !text;
    options->over_time = (size_t)slices;
    return 0;
}

enum status analysis_find_loop(const char *path, bool keep_going, struct analyze_options *options, struct main_loop *loop,
                               struct err *err)
{
    struct trace_source source;
    struct err ignored;
    uint64_t records;
    bool possible;
    if (!options->find_loop || options->loop) return STATUS_OK;
    if (trace_open_source(path, &source, &possible, &records, &ignored) != STATUS_OK || !possible) return STATUS_OK;
    source.keeps_going = keep_going;
    options->loop = loop;
    enum status status = main_loop_find_in(&source, loop, err);
    source_close(&source);
    return status == STATUS_DATA ? STATUS_OK : status;
}

error_t lost_option_parse(const struct argp_state *state, const char *text, struct analyze_options *options)
{
    static const char *const names[] = {"parallel", "all", NULL};
    size_t index;
    error_t failed = cli_choice(state, "--lost", text, names, &index);
    if (!failed) options->lost_all = index == 1;
    return failed;
}

error_t limit_option_parse(const struct argp_state *state, const char *text, struct flight_limits *limits)
{
    static const char expected[] = "operations, requests or bytes, or these behind target. or window., as operations=254";
    const char *equals = strchr(text, '=');
    int64_t most;
    for (int s = 0; equals && s < FLIGHT_SCOPES; s++)
        for (int m = 0; m < FLIGHT_MEASURES; m++) {
            char name[32];
            snprintf(name, sizeof name, "%s%s%s", s == FLIGHT_OF_RANK ? "" : flight_scope_name(s),
                     s == FLIGHT_OF_RANK ? "" : ".", flight_measure_name(m));
            if (strlen(name) != (size_t)(equals - text) || strncmp(text, name, strlen(name)) != 0) continue;
            if (!units_parse_size(equals + 1, &most) || most < 1)
                return cli_usage(state, "--limit %s, expected a number from 1 on", text);
            limits->most[s][m] = (uint64_t)most;
            return 0;
        }
    return cli_usage(state, "--limit %s, expected %s", text, expected);
}

error_t bandwidth_option_parse(const struct argp_state *state, const char *text, struct analyze_options *options)
{
    options->network_known = true;
    if (units_parse_rate(text, &options->bandwidth_Bps) && options->bandwidth_Bps > 0) return 0;
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

static bool is_name(const char *mark)
{
    double seconds;
    return mark && !isdigit((unsigned char)*mark) && *mark != '.' && !units_parse_duration(mark, &seconds);
}

/* Times select calls. Names are marks of a section (model/waits/section.h), of which the times count, too; so do a time beside a
 * name. */
static error_t end_marks(const struct argp_state *state, struct analyze_options *options)
{
    struct section_marks *marks = &options->section;
    struct filter *filter = &options->filter;
    if (is_name(marks->from) || is_name(marks->to) || marks->without_init) {
        marks->callpath = filter->callpath;
        return 0;
    }
    filter->by_time = marks->from || marks->to;
    filter->to_ps = INT64_MAX;
    if (marks->from && cli_duration_ps(state, "--from", marks->from, &filter->from_ps)) return EINVAL;
    if (marks->to && cli_duration_ps(state, "--to", marks->to, &filter->to_ps)) return EINVAL;
    marks->from = marks->to = NULL;
    if (!filter->by_time || filter->from_ps <= filter->to_ps) return 0;
    return cli_usage(state, "--from behind --to, expected a time between them");
}

static error_t parse_filter(int key, struct argp_state *state, char *argument, struct filter *filter)
{
    int64_t window;
    switch (key) {
    case ANALYSIS_WINDOW:
        if (parse_number(state, "--window", argument, 0, &window)) return EINVAL;
        filter->by_window = true;
        filter->window = (int32_t)window;
        return 0;
    case ANALYSIS_RANKS: return parse_ranks(state, argument, filter);
    default: filter->callpath = argument; return 0;
    }
}

error_t analysis_parse(int key, char *argument, struct argp_state *state, struct analysis *analysis)
{
    struct analyze_options *options = &analysis->options;
    switch (key) {
    case ANALYSIS_EPSILON: return cli_duration_ps(state, "--epsilon", argument, &options->epsilon_ps);
    case ANALYSIS_LATE_POST: return parse_late_post(state, argument, options);
    case ANALYSIS_EAGER: return cli_size(state, "--eager", argument, &options->eager_bytes);
    case ANALYSIS_CLOSE: return cli_duration_ps(state, "--close", argument, &options->close_ps);
    case ANALYSIS_LATENCY: return cli_duration(state, "--latency", argument, &options->latency_s);
    case ANALYSIS_BANDWIDTH: return bandwidth_option_parse(state, argument, options);
    case ANALYSIS_EFFICIENCY: analysis->efficiency = true; return intervals_option_parse(state, argument, options);
    case ANALYSIS_OVER_TIME: return over_time_option_parse(state, argument, options);
    case ANALYSIS_LOST: return lost_option_parse(state, argument, options);
    case ANALYSIS_PER_RANK: options->per_rank = true; return 0;
    case ANALYSIS_IDEAL: analysis->ideal = argument; return 0;
    case ANALYSIS_REFERENCE: analysis->reference = argument; return 0;
    case ANALYSIS_REPLAY: analysis->replay = argument; return 0;
    case ANALYSIS_LIMIT: return limit_option_parse(state, argument, &options->limits);
    case ANALYSIS_TOP: return parse_number(state, "--top", argument, 1, &analysis->top);
    case ANALYSIS_WINDOW:
    case ANALYSIS_RANKS:
    case ANALYSIS_CALLPATH: return parse_filter(key, state, argument, &options->filter);
    case ANALYSIS_FROM: options->section.from = argument; return 0;
    case ANALYSIS_TO: options->section.to = argument; return 0;
    case ANALYSIS_WITHOUT_INIT: options->section.without_init = true; return 0;
    case ANALYSIS_JSON: analysis->json = argument; return 0;
    case ANALYSIS_CSV: analysis->csv = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &analysis->trace);
    case ARGP_KEY_END:
        if (end_marks(state, options)) return EINVAL;
        return cli_needs_argument(state, analysis->trace, "TRACE");
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The tables of --csv but TRANSFERS_TABLE, which is made of the trace. */
static const struct {
    const char *name;
    void (*write)(const struct result *, FILE *);
} tables[] = {{"calls.csv", csv_write_calls},
              {"patterns.csv", csv_write_patterns},
              {"places.csv", csv_write_places},
              {"place_ranks.csv", csv_write_place_ranks},
              {"properties.csv", csv_write_properties},
              {"over_time.csv", csv_write_over_time},
              {"transfer_groups.csv", csv_write_transfer_groups},
              {"matrix.csv", csv_write_matrix}};
enum { TABLES = sizeof tables / sizeof *tables };
#define TRANSFERS_TABLE "transfers.csv"

enum status analysis_claim_outputs(const char *json, const char *csv, struct err *err)
{
    char paths[TABLES + 1][PATH_BYTES];
    struct cli_output outputs[TABLES + 2] = {{CLI_WRITES, "--json", json}};
    for (size_t i = 0; csv && i <= TABLES; i++) {
        snprintf(paths[i], PATH_BYTES, "%s/%s", csv, i < TABLES ? tables[i].name : TRANSFERS_TABLE);
        outputs[1 + i] = (struct cli_output){CLI_WRITES_IN, "--csv", paths[i]};
    }
    return cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err);
}

/* For a program model a single number in --ranks is its number of ranks. */
static enum status give_model_ranks(struct analysis *analysis, struct err *err)
{
    enum trace_form form;
    struct filter *filter = &analysis->options.filter;
    if (!filter->by_rank || filter->first_rank != filter->last_rank) return STATUS_OK;
    TRY(trace_recognise(analysis->trace, &form, err));
    if (form != TRACE_FORM_MODEL) return STATUS_OK;
    trace_open_models_at(filter->first_rank);
    filter->by_rank = false;
    return STATUS_OK;
}

static enum status read_result(const char *file, struct result **result, struct err *err)
{
    TRY(result_open(file, result, err));
    if ((*result)->run_time_s > 0) return STATUS_OK;
    result_free(*result);
    return err_set(err, STATUS_DATA, file, "run_time_s", "0, expected the time of a run");
}

enum status analysis_read_runs(struct analysis *analysis, struct err *err)
{
    struct result *result;
    TRY(give_model_ranks(analysis, err));
    if (analysis->ideal) {
        TRY(read_result(analysis->ideal, &result, err));
        analysis->options.ideal_run_time_s = result->run_time_s;
        result_free(result);
    }
    if (analysis->reference) {
        TRY(read_result(analysis->reference, &result, err));
        for (size_t i = 0; i < result->property_count; i++)
            if (strcmp(result->properties[i].name, property_row(PROPERTY_USER)->name) == 0)
                analysis->options.reference_user_s = result->properties[i].inclusive_s;
        result_free(result);
    }
    return analysis->replay ? read_result(analysis->replay, &analysis->replayed, err) : STATUS_OK;
}

void analysis_clear(struct analysis *analysis)
{
    result_free(analysis->replayed);
    analysis->replayed = NULL;
    transfer_log_free(analysis->options.transfers);
    analysis->options.transfers = NULL;
}

enum status analysis_check(const struct analysis *analysis, const struct trace *trace, struct err *err)
{
    const struct filter *filter = &analysis->options.filter;
    if (filter->by_rank && filter->last_rank >= trace->rank_count)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--ranks: no rank %" PRIu32 ", expected 0 to %" PRIu32,
                       filter->last_rank, trace->rank_count - 1);
    if (filter->by_window && (size_t)filter->window >= trace->definitions.window_count)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--window %" PRId32 " is not in the trace, which has %zu window%s",
                       filter->window, trace->definitions.window_count, units_plural(trace->definitions.window_count));
    return STATUS_OK;
}

static enum status open_csv(const char *csv, const char *name, char path[PATH_BYTES], FILE **out, struct err *err)
{
    TRY(output_set_directory(csv, err));
    snprintf(path, PATH_BYTES, "%s/%s", csv, name);
    return output_set_open(path, out, err);
}

static enum status write_transfers(const struct analysis *analysis, const struct trace *trace, struct err *err)
{
    char path[PATH_BYTES];
    FILE *out;
    TRY(open_csv(analysis->csv, TRANSFERS_TABLE, path, &out, err));
    enum status status = csv_write_transfers(analysis->options.transfers, trace_begin_ps(trace), out, err);
    return output_set_close(path, out, status, err);
}

enum status analysis_write_tables(const char *csv, const struct result *result, struct err *err)
{
    for (size_t i = 0; i < TABLES; i++) {
        char path[PATH_BYTES];
        FILE *out;
        if (tables[i].write == csv_write_place_ranks && !result->per_rank) continue;
        if (tables[i].write == csv_write_over_time && !result->over_time.known) continue;
        TRY(open_csv(csv, tables[i].name, path, &out, err));
        tables[i].write(result, out);
        TRY(output_set_close(path, out, STATUS_OK, err));
    }
    return STATUS_OK;
}

static enum status write_files(const struct analysis *analysis, const struct trace *trace, const struct result *result,
                               struct err *err)
{
    if (analysis->csv) TRY(analysis_write_tables(analysis->csv, result, err));
    if (analysis->csv) TRY(write_transfers(analysis, trace, err));
    return analysis->json ? cli_write_fields(result_fields, result, result->rank_count, analysis->json, err) : STATUS_OK;
}

enum status analysis_write(const struct analysis *analysis, const struct trace *trace, struct result *result,
                           struct err *err)
{
    if (analysis->replayed) TRY(result_explain(result, analysis->replayed, analysis->replay, err));
    enum status files = write_files(analysis, trace, result, err);
    if (result_exceeds(result)) cli_exit_with(1);
    if (cli_is_output(analysis->json)) return cli_flush_behind(files, err);
    if (!cli_is_wide()) TRY(result_shorten_names(result, err));
    if (analysis->efficiency && result->efficiency)
        efficiency_print(result->efficiency, result->per_rank, cli_table());
    else
        result_print_top(result, (size_t)analysis->top, cli_table());
    return cli_flush_behind(files, err);
}
