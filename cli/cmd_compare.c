/* rmacast compare TRACE --platform FILE: the same trace under several semantics and rewritten, side by side. */
#include <stdlib.h>
#include <string.h>

#include "cli/prediction_options.h"
#include "cli/terminal/progress_bar.h"
#include "common/json/json_write.h"
#include "common/text/text.h"
#include "platforms/profile.h"
#include "predictors/comparison_draws.h"
#include "predictors/prediction.h"
#include "predictors/scenes.h"
#include "predictors/sensitivity/sensitivity.h"
#include "validate/difference.h"

enum { KEY_SEMANTICS = 1000, KEY_ROWS, KEY_PROFILES, KEY_JSON, KEY_CSV, KEY_DRAWS, KEY_SEED, KEY_SENSITIVITY };
enum { ROWS_MAX = SENSITIVITY_ROWS_MAX };

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"semantics", KEY_SEMANTICS, "LIST", 0,
     "the rows, as a,b,c,d (default). " SEMANTICS_HELP ". +NAME behind a letter rewrites the trace for this row, as "
     "a,a+post-early; +SECTION.KEY=VALUE sets a value of the platform for this row, as a,a+network.latency_s=5us; @WINDOW=LETTER "
     "differs on one window, as a,a@3=c; platform in a letter's place is what the platform file says, such as a mixed table",
     0},
    {"rows", KEY_ROWS, "LIST", 0, "the same as --semantics", 0},
    {"profiles", KEY_PROFILES, "LIST", 0,
     "rows of MPI libraries: what the platform file says, and in its place each profile of the list, or all installed ones "
     "(all); also which calls take longer or shorter with each (rmacast platform profiles)",
     0},
    {"draws", KEY_DRAWS, "N", 0,
     "replay each row N times more, with latencies that are drawn around the stated ones (network.jitter_s): median and range "
     "of the run times, and in how many draws a row is faster than each other row; needs --engine loggp",
     0},
    {"seed", KEY_SEED, "NUMBER", 0, "seed of the draws, the same for all rows (default 1)", 0},
    {"sensitivity", KEY_SENSITIVITY, NULL, 0,
     "also say how many latencies each row's run time has, and with which latency it is 1 % longer (rmacast sensitivity)", 0},
    {"json", KEY_JSON, "FILE", 0, "write all results as JSON; - is standard output, without the table", 0},
    CSV_ROWS_OPTION(KEY_CSV),
    ANALYZE_OPTIONS,
    {0}};

struct settings {
    const char *trace, *json, *csv;
    struct scene rows[ROWS_MAX];
    size_t row_count;
    int64_t draws; /* 0: none */
    int64_t seed;
    bool asks_sensitivity, asks_profiles;
    struct prediction_options prediction;
    struct analyze_options analyze;
};

static error_t parse_row(const struct argp_state *state, const char *option, const char *item, struct scene *row)
{
    struct err err;
    if (!scene_name(row, item)) return cli_usage(state, "a row has more than %d rewrites", SCENE_SPECS_MAX);
    error_t failed = prediction_semantics_check(state, option, row->text);
    for (size_t i = 0; !failed && i < row->spec_count; i++)
        if (transform_check(row->specs[i], &err) != STATUS_OK) failed = cli_usage(state, "%s", err.text);
    return failed;
}

static error_t parse_rows(const struct argp_state *state, const char *option, const char *list,
                          struct settings *settings)
{
    settings->row_count = 0;
    settings->prediction.semantics_option = option;
    char item[SCENE_NAME_BYTES];
    while (list && strcspn(list, ",") < SCENE_NAME_BYTES && cli_next_item(&list, item, sizeof item)) {
        if (settings->row_count == ROWS_MAX) return cli_usage(state, "%s has more than %d rows", option, ROWS_MAX);
        /* a row's name is what tells it from the others in the result */
        for (size_t i = 0; i < settings->row_count; i++)
            if (strcmp(settings->rows[i].name, item) == 0)
                return cli_usage(state, "%s has the row %s twice, expected each once", option, item);
        error_t failed = parse_row(state, option, item, &settings->rows[settings->row_count++]);
        if (failed) return failed;
    }
    if (!list) return 0;
    return cli_usage(state, "%s %.20s..., expected rows of less than %d characters", option, list, SCENE_NAME_BYTES);
}

/* "A,B" is short for the rows platform, platform+mpi.profile=A, platform+mpi.profile=B. */
static error_t parse_profiles(const struct argp_state *state, const char *list, struct settings *settings)
{
    char item[SCENE_NAME_BYTES], installed[PROFILE_NAMES_BYTES], *rows = strdup("platform");
    settings->asks_profiles = true;
    if (strcmp(list, "all") == 0) {
        struct err err;
        if (profile_list(NULL, installed, sizeof installed, &err) != STATUS_OK) {
            free(rows);
            return cli_usage(state, "%s", err.text);
        }
        list = installed;
    }
    while (rows && list && strcspn(list, ",") < SCENE_NAME_BYTES && cli_next_item(&list, item, sizeof item)) {
        char *longer;
        if (asprintf(&longer, "%s,platform+mpi.profile=%s", rows, item + strspn(item, " ")) < 0) longer = NULL;
        free(rows);
        rows = longer;
    }
    error_t failed = !rows ? ENOMEM : list ? cli_usage(state, "--profiles %.20s..., expected names of profiles", list)
                                           : parse_rows(state, "--profiles", rows, settings);
    free(rows);
    return failed;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (shared == ARGP_ERR_UNKNOWN) shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_SEMANTICS: return parse_rows(state, "--semantics", argument, settings);
    case KEY_ROWS: return parse_rows(state, "--rows", argument, settings);
    case KEY_DRAWS: return cli_count(state, "--draws", argument, 1, DRAWS_MAX, &settings->draws);
    case KEY_SEED: return cli_count(state, "--seed", argument, 0, DRAWS_SEED_MAX, &settings->seed);
    case KEY_SENSITIVITY: settings->asks_sensitivity = true; return 0;
    case KEY_PROFILES: return parse_profiles(state, argument, settings);
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_CSV: settings->csv = argument; return 0;
    case ARGP_KEY_ARG: return prediction_options_argument(state, argument, &settings->trace, &settings->prediction);
    case ARGP_KEY_END: {
        error_t failed = cli_needs_argument(state, settings->trace, "TRACE");
        return failed ? failed : prediction_options_end(state, &settings->prediction);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* CSV cannot say that a row has failed: then there is none. */
static bool has_all_rows(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (!comparison->results[i]) return false;
    return true;
}

static enum status write_files(const struct comparison *comparison, const struct sensitivity *sensitivity,
                               const struct settings *settings, struct err *err)
{
    const struct csv_rows rows = {has_all_rows(comparison) ? settings->csv : NULL, "results",
                                  "row,platform,semantics,engine,run_time_s,error_s,properties.mpi_share,properties.user_s,"
                                  "patterns.*.severity_s"};
    cJSON *json;
    if (!settings->json && !settings->csv) return STATUS_OK;
    TRY(comparison_to_json(comparison, &json, err));
    if (sensitivity->row_count > 0)
        fields_write(sensitivity_fields, sensitivity, 0, json_add_object(json, "sensitivity"));
    enum status status = settings->json ? cli_write_json(json, settings->json, err) : STATUS_OK;
    if (status == STATUS_OK) status = csv_rows_write(&rows, json, err);
    cJSON_Delete(json);
    return status;
}

/* Which calls make the difference between the first row and each other one. */
static enum status print_calls(const struct comparison *comparison, struct err *err)
{
    enum { CALLS = 3 };
    for (size_t i = 1; i < comparison->count && comparison->results[0]; i++) {
        struct difference *difference;
        if (!comparison->results[i]) continue;
        TRY(difference_new(comparison->results[0], comparison->names[0], comparison->results[i], comparison->names[i], -1,
                           &difference, err));
        text_print(stdout, "Calls of all ranks, %s against %s: ", comparison->names[i], comparison->names[0]);
        difference_print_line(difference, CALLS, stdout);
        fputc('\n', stdout);
        difference_free(difference);
    }
    return STATUS_OK;
}

static enum status write_outputs(const struct settings *settings, const struct comparison *comparison,
                                 const struct sensitivity *sensitivity, struct err *err)
{
    enum status files = write_files(comparison, sensitivity, settings, err);
    if (cli_is_output(settings->json) || cli_is_output(settings->csv)) return files;
    comparison_print(comparison, cli_table());
    if (settings->asks_profiles) TRY(print_calls(comparison, err));
    sensitivity_print_rows(sensitivity, cli_table());
    bool begun = false;
    for (size_t i = 0; i < settings->row_count; i++) {
        const struct scene *row = &settings->rows[i];
        if (!begun && row->rewrite.count > 0) fputc('\n', stdout);
        begun = begun || row->rewrite.count > 0;
        rewrite_print(&row->rewrite, row->name, stdout);
    }
    return cli_flush_behind(files, err);
}

/* In a row that fails no draw runs, and the bar ends early. */
static enum status run_draws(const struct trace *trace, const struct comparison_row *rows, const struct draws_request *asked,
                             struct comparison *comparison, struct draws *draws, struct err *err)
{
    struct draws_request request = *asked;
    struct progress_bar *bar;
    TRY(progress_bar_begin(comparison->count * request.count, &bar, err));
    request.progress = progress_bar_show;
    request.progress_contexts = progress_bar_shares(bar);
    enum status status = comparison_draws_run(trace, rows, &request, comparison, draws, err);
    progress_bar_end(bar);
    return status;
}

/* Of the rows that have a platform, with their latency alone. */
static enum status find_sensitivity(const struct settings *settings, const struct trace *trace, struct sensitivity *made,
                                    struct err *err)
{
    const char *names[ROWS_MAX];
    for (size_t i = 0; i < settings->row_count; i++) names[i] = settings->rows[i].name;
    const struct sensitivity_options find = {.scenes = prediction_options_scenes(&settings->prediction),
                                             .engine = engine_by_name("loggp"),
                                             .semantics = names,
                                             .semantics_count = settings->row_count,
                                             .first = true};
    return sensitivity_find(trace, &find, made, err);
}

/* Whether some row has the trace rewritten. */
static bool rewrites_trace(const struct settings *settings)
{
    for (size_t i = 0; i < settings->row_count; i++)
        for (size_t s = 0; s < settings->rows[i].spec_count; s++)
            if (transform_override(settings->rows[i].specs[s]) != settings->rows[i].specs[s]) return true; /* no setting */
    return false;
}

/* *done, with a recording: false if the rows are to be compared with the whole trace in memory, whose errors say more. */
static enum status compare_rows(struct settings *settings, const struct trace *trace, struct recording *recording,
                                const struct warnings *warnings, bool *done, struct err *err)
{
    struct comparison_row rows[ROWS_MAX];
    struct draws draws[ROWS_MAX] = {{.count = 0}};
    struct scene_options scenes = prediction_options_scenes(&settings->prediction);
    const struct draws_request request = {.engine = settings->prediction.engine,
                                          .analyze = &settings->analyze,
                                          .count = (size_t)settings->draws,
                                          .seed = (uint64_t)settings->seed};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) {
        status = scene_open(&scenes, trace, &settings->rows[i], err);
        rows[i] = scene_row(&scenes, &settings->rows[i]);
        rows[i].progress = progress_bar_show;
        rows[i].recording = recording;
        if (status == STATUS_OK && request.count > 0) status = draws_check(&request, rows[i].platform, trace->rank_count, err);
    }
    struct progress_bar *bar = NULL;
    if (status == STATUS_OK) status = progress_bar_begin(settings->row_count, &bar, err);
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++)
        rows[i].progress_context = progress_bar_share(bar, i);
    struct comparison comparison = {.count = 0};
    if (status == STATUS_OK)
        status = comparison_run(trace, rows, settings->row_count, settings->prediction.engine, &settings->analyze,
                                &comparison, err);
    progress_bar_end(bar);
    *done = !recording || status != STATUS_DATA;
    /* Of some rows, maybe: then the first one's error stays. */
    if (*done && comparison_has_results(&comparison) && request.count > 0) {
        struct err failed;
        enum status drawn = run_draws(trace, rows, &request, &comparison, draws, status == STATUS_OK ? err : &failed);
        if (status == STATUS_OK) status = drawn;
    }
    struct warnings told = *warnings; /* borrows; rewritten epochs may wait where the recorded ones do not */
    if (rewrites_trace(settings) || settings->prediction.rewrite_count > 0) told.choice = CHOICE_WAITS;
    comparison.warnings = &told;
    comparison.columns = cli_columns();
    if (*done && comparison_has_results(&comparison)) {
        struct err failed;
        struct sensitivity sensitivity = {.row_count = 0};
        if (settings->asks_sensitivity && status == STATUS_OK) status = find_sensitivity(settings, trace, &sensitivity, err);
        enum status written = write_outputs(settings, &comparison, &sensitivity, status == STATUS_OK ? err : &failed);
        sensitivity_clear(&sensitivity);
        if (status == STATUS_OK) status = written;
    }
    comparison_clear(&comparison);
    for (size_t i = 0; i < settings->row_count; i++) draws_clear(&draws[i]);
    for (size_t i = 0; i < settings->row_count; i++) scene_close(&settings->rows[i]);
    return status;
}

static bool has_specs(const struct settings *settings)
{
    for (size_t i = 0; i < settings->row_count; i++)
        if (settings->rows[i].spec_count > 0) return true;
    return false;
}

static enum status run_compare(struct settings *settings, struct err *err)
{
    struct trace *trace;
    struct warnings warnings = {.choice = CHOICE_WAITS};
    struct recording *recording = NULL;
    bool done = false;
    enum status failed = STATUS_OK;
    if (!has_specs(settings)) TRY(prediction_options_check(&settings->prediction, NULL, settings->trace, err));
    if (!rewrites_trace(settings) && !settings->asks_sensitivity)
        TRY(prediction_options_recording(&settings->prediction, settings->trace, &settings->analyze, &recording, &warnings, err));
    if (recording) {
        failed = compare_rows(settings, recording->trace, recording, &warnings, &done, err);
        warnings_clear(&warnings);
        recording_close(recording);
        if (done) return failed;
    }
    settings->prediction.keeps = section_is_set(&settings->analyze.section) || rewrites_trace(settings);
    TRY(prediction_options_trace_behind(&settings->prediction, settings->trace, failed, &trace, &warnings, err));
    enum status status = compare_rows(settings, trace, NULL, &warnings, &done, err);
    warnings_clear(&warnings);
    trace_free(trace);
    return status;
}

enum status cmd_compare(int argc, char **argv, struct err *err)
{
    struct settings settings = {.analyze = ANALYZE_DEFAULTS, .row_count = 4, .seed = 1};
    for (size_t i = 0; i < settings.row_count; i++) scene_name(&settings.rows[i], (const char[]){(char)('a' + i), '\0'});
    settings.analyze.eager_bytes = EAGER_OF_PLATFORM;
    const struct argp argp = {
        options, parse_option, "TRACE [AGAIN...]",
        "Replays a trace under several semantics and compares them, as 'rmacast compare app.rma --platform infiniband-64'.",
        NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    settings.prediction.outputs[0] = (struct cli_output){CLI_WRITES, "--json", settings.json};
    settings.prediction.outputs[1] = (struct cli_output){CLI_WRITES, "--csv", settings.csv};
    if (status == STATUS_OK) status = prediction_options_claim_outputs(&settings.prediction, err);
    if (status == STATUS_OK) status = run_compare(&settings, err);
    prediction_options_clear(&settings.prediction);
    return status;
}
