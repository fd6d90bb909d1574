/* rmacast validate --predicted FILE --measured FILE...: the errors of a prediction, compared with real runs. */
#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/files.h"
#include "cli/output_set.h"
#include "cli/prediction_options.h"
#include "common/array.h"
#include "common/text/text.h"
#include "platforms/platform_file.h"
#include "validate/explain/explain.h"
#include "validate/ranking.h"
#include "validate/validate.h"

enum {
    KEY_PREDICTED = 1000,
    KEY_MEASURED,
    KEY_TOLERANCE,
    KEY_SEMANTICS,
    KEY_JSON,
    KEY_CSV,
    KEY_SVG,
    KEY_EXPLAIN,
    KEY_VARIANT,
    KEY_LATENCY,
    KEY_BANDWIDTH
};

static const struct argp_option options[] = {
    {"predicted", KEY_PREDICTED, "FILE", 0, "the prediction: a trace, a result or a comparison", 0},
    {"measured", KEY_MEASURED, "FILE", 0, "a real run: a trace or a result; more files are repetitions", 0},
    {"tolerance", KEY_TOLERANCE, "SHARE", 0,
     "exit status 1 unless run time, rank times and wait states fit within SHARE, as 5%", 0},
    {"semantics", KEY_SEMANTICS, "ROW", 0, "which result of a comparison is the prediction: its row, as a or a+post-early", 0},
    {"json", KEY_JSON, "FILE", 0, "write the errors as JSON; - is standard output, without the table", 0},
    {"csv", KEY_CSV, "DIR", 0, "write tables: quantities.csv, callpaths.csv, calls.csv", 0},
    {"svg", KEY_SVG, "FILE", 0, "draw predicted against measured times", 0},
    {"explain", KEY_EXPLAIN, NULL, 0,
     "say which calls make the error; with --platform which of its values, changed, would explain it best", 0},
    {"platform", OPTION_PLATFORM, "FILE", 0, "the platform of the prediction, for --explain", 0},
    {"set", OPTION_SET, "KEY=VALUE", 0, "a value of the platform that the prediction replaced", 0},
    {"variant", KEY_VARIANT, "NAME=PREDICTED,MEASURED[,...]", 0,
     "instead of --predicted and --measured: one of several variants, whose order is compared; repeatable", 0},
    {"latency", KEY_LATENCY, "TIME", 0,
     "with --bandwidth: latency of the network of the runs, from which Wait for Progress of recordings is inferred", 0},
    {"bandwidth", KEY_BANDWIDTH, "RATE", 0, "rate of the network of --latency, as 12.5GB/s", 0},
    WAIT_OPTIONS,
    {0}};

struct settings {
    const char *predicted, *semantics, *json, *csv, *svg;
    struct cli_strings measured, variants;
    bool explain;
    struct prediction_options prediction; /* platform and overrides, for explain */
    double tolerance; /* < 0: none */
    struct analyze_options analyze;
};

static error_t parse_end(const struct argp_state *state, const struct settings *settings)
{
    if (settings->variants.count > RANKING_VARIANTS_MAX)
        return cli_usage(state, "%zu times --variant, expected up to %d", settings->variants.count, RANKING_VARIANTS_MAX);
    if (settings->variants.count == 1) return cli_usage(state, "one --variant, expected two or more to compare");
    if (settings->variants.count > 0) return 0;
    if (!settings->predicted) return cli_usage(state, "--predicted FILE is missing");
    return settings->measured.count ? 0 : cli_usage(state, "--measured FILE is missing");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_PREDICTED:
        if (settings->predicted) return cli_usage(state, "--predicted is given twice");
        settings->predicted = argument;
        return 0;
    case KEY_TOLERANCE: return cli_fraction(state, "--tolerance", argument, &settings->tolerance);
    case KEY_SEMANTICS: settings->semantics = argument; return 0;
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_CSV: settings->csv = argument; return 0;
    case KEY_SVG: settings->svg = argument; return 0;
    case OPTION_PLATFORM:
    case OPTION_SET: return prediction_options_parse(key, argument, state, &settings->prediction);
    case KEY_EXPLAIN: settings->explain = true; return 0;
    case KEY_LATENCY: return cli_duration(state, "--latency", argument, &settings->analyze.latency_s);
    case KEY_BANDWIDTH: return bandwidth_option_parse(state, argument, &settings->analyze);
    case KEY_VARIANT: return cli_add_string(state, &settings->variants, argument);
    case KEY_MEASURED: return cli_add_string(state, &settings->measured, argument);
    case ARGP_KEY_ARG:
        if (settings->measured.count == 0)
            return cli_usage(state, "unexpected argument '%s', expected --measured FILE...", argument);
        return cli_add_string(state, &settings->measured, argument);
    case ARGP_KEY_END: return parse_end(state, settings);
    default: return ARGP_ERR_UNKNOWN;
    }
}

enum { PATH_BYTES = 4096, CALLPATHS_SHOWN = 16, CHANGES_SHOWN = 12, VARIANT_FILES = 65 };

typedef void write_table(const struct validation *validation, FILE *out);
static const struct {
    const char *name;
    write_table *write;
} tables[] = {{"quantities.csv", validation_write_quantities},
              {"callpaths.csv", validation_write_callpaths},
              {"calls.csv", validation_write_calls}};
enum { TABLES = sizeof tables / sizeof *tables };

static enum status write_file(const char *path, const struct validation *validation, write_table *write, struct err *err)
{
    FILE *out;
    TRY(output_set_open(path, &out, err));
    write(validation, out);
    return output_set_close(path, out, STATUS_OK, err);
}

static enum status write_json(const struct settings *settings, const struct validation *validation,
                              const struct explanation *explanation, struct err *err)
{
    cJSON *json;
    TRY(validation_to_json(validation, settings->tolerance, &json, err));
    if (explanation) fields_write(explanation_fields, explanation, 0, json);
    enum status status = cli_write_json(json, settings->json, err);
    cJSON_Delete(json);
    return status;
}

/* explanation may be NULL. */
static enum status write_outputs(const struct settings *settings, const struct validation *validation,
                                 const struct explanation *explanation, struct err *err)
{
    if (settings->json) TRY(write_json(settings, validation, explanation, err));
    if (settings->csv) {
        char path[PATH_BYTES];
        TRY(output_set_directory(settings->csv, err));
        for (size_t i = 0; i < TABLES; i++) {
            snprintf(path, sizeof path, "%s/%s", settings->csv, tables[i].name);
            TRY(write_file(path, validation, tables[i].write, err));
        }
    }
    if (settings->svg) TRY(write_file(settings->svg, validation, validation_write_svg, err));
    struct err broken;
    bool holds = settings->tolerance < 0 || validate_tolerance(validation, settings->tolerance, &broken) == STATUS_OK;
    if (!cli_is_output(settings->json)) {
        validation_print(validation, cli_table());
        if (settings->explain) validation_print_callpaths(validation, CALLPATHS_SHOWN, stdout);
        if (explanation) explanation_print(explanation, CHANGES_SHOWN, stdout);
        if (settings->tolerance >= 0 && holds) text_print(stdout, "Tolerance %g%% holds.\n", settings->tolerance * 100);
    }
    TRY(cli_flush(err));
    if (validation->difference) return err_set(err, STATUS_DATA, NULL, NULL, "%s", validation->difference);
    if (!holds && err) *err = broken;
    return holds ? STATUS_OK : STATUS_DATA;
}

/* The prediction and the real runs; traces[i] is NULL where runs[i] was a result. */
struct runs {
    struct trace **traces;
    struct result **results;
    size_t count;
};

static void clear_runs(struct runs *runs)
{
    for (size_t i = 0; runs->traces && i < runs->count; i++) trace_free(runs->traces[i]);
    for (size_t i = 0; runs->results && i < runs->count; i++) result_free(runs->results[i]);
    FREE_ALL(runs->traces, runs->results);
}

/* files[0] is the prediction; row and own_name as of validate_open_run(). */
static enum status open_runs(const char *const *files, size_t count, const char *row, bool own_name,
                             const struct analyze_options *analyze, struct runs *runs, struct err *err)
{
    *runs = (struct runs){calloc(count, sizeof *runs->traces), calloc(count, sizeof *runs->results), count};
    if (!runs->traces || !runs->results) return err_memory(err);
    for (size_t i = 0; i < count; i++) {
        TRY(validate_open_run(files[i], i == 0 ? row : NULL, own_name, analyze, &runs->traces[i], &runs->results[i], err));
        if (i > 0) TRY(validate_check_ended(files[i], runs->traces[i], runs->results[i], err));
    }
    /* A result keeps the waits that its own analysis counted. */
    const char *option = cli_given("epsilon late-post eager latency");
    size_t results = 0, last = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (!runs->traces[i]) results++, last = i;
    if (!option || results == 0) return STATUS_OK;
    if (results == runs->count)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--%s is for traces, and %s is a result, as are all others", option,
                       files[last]);
    cli_note("note: --%s counts in traces only: %s is a result, and keeps the waits that its own analysis counted", option,
             files[last]);
    return STATUS_OK;
}

static bool all_traces(const struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (!runs->traces[i]) return false;
    return true;
}

/* Explaining replays all runs on the platform with the overrides. */
static enum status check_overrides(const struct settings *settings, const char *file, const struct runs *runs, struct err *err)
{
    const struct prediction_options *prediction = &settings->prediction;
    struct platform *platform;
    enum status status = STATUS_OK;
    TRY(platform_open(file, (const char *const *)prediction->overrides, prediction->override_count, &platform, err));
    for (size_t i = 0; status == STATUS_OK && i < runs->count; i++)
        status = prediction_options_check_windows(prediction, NULL, runs->traces[i], platform, err);
    platform_free(platform);
    return status;
}

static enum status explain_errors(const struct settings *settings, const struct runs *runs,
                                  const struct validation *validation, struct err *err)
{
    char platform[PLATFORM_PATH_BYTES];
    struct explanation explanation;
    TRY(platform_file_find(settings->prediction.platform, platform, err));
    TRY(check_overrides(settings, platform, runs, err));
    struct explain_input input = {
        .platform = platform,
        .overrides = (const char *const *)settings->prediction.overrides,
        .override_count = settings->prediction.override_count,
        .predicted = runs->traces[0],
        .measured = (const struct trace *const *)runs->traces + 1,
        .repetitions = runs->count - 1,
        .measured_run_time_s = validation->run_time.measured_s,
        .analyze = &settings->analyze,
    };
    for (size_t i = 0; i < validation->repetitions; i++) {
        if (!validation->disturbance[i].known) continue;
        input.mpi_s += validation->disturbance[i].mpi_s;
        input.mpi_waited_s += validation->disturbance[i].mpi_waited_s;
    }
    TRY(explain_run(&input, &explanation, err));
    enum status status = write_outputs(settings, validation, &explanation, err);
    explanation_clear(&explanation);
    return status;
}

static enum status compare_results(const struct settings *settings, const struct runs *runs, const struct result *inferred,
                                   struct validation **validation, struct err *err)
{
    const struct result *const *measured = (const struct result *const *)runs->results + 1;
    TRY(validate_results(runs->results[0], settings->predicted, measured, settings->measured.items, runs->count - 1,
                         validation, err));
    enum status status = inferred ? validate_inferred(*validation, inferred, measured, err) : STATUS_OK;
    if (status != STATUS_OK) validation_free(*validation);
    return status;
}

static enum status compare_runs(const struct settings *settings, const struct runs *runs, struct err *err)
{
    struct validation *validation;
    struct result *inferred;
    if (settings->explain && !all_traces(runs))
        return err_set(err, STATUS_USAGE, NULL, NULL, "--explain compares calls, expected traces, not results");
    TRY(validate_infer(runs->traces, runs->results, runs->count, &settings->analyze, &inferred, err));
    enum status status = compare_results(settings, runs, inferred, &validation, err);
    result_free(inferred);
    TRY(status);
    if (all_traces(runs))
        status = validate_traces(validation, runs->traces[0], (const struct trace *const *)runs->traces + 1,
                                 &settings->analyze, err);
    if (status == STATUS_OK && settings->explain && validation->difference)
        status = err_set(err, STATUS_DATA, NULL, NULL, "--explain compares calls, and they differ: %s", validation->difference);
    if (status == STATUS_OK)
        status = settings->prediction.platform ? explain_errors(settings, runs, validation, err)
                                               : write_outputs(settings, validation, NULL, err);
    validation_free(validation);
    return status;
}

static enum status claim_outputs(const struct settings *settings, struct err *err)
{
    char paths[TABLES][PATH_BYTES];
    struct cli_output outputs[TABLES + 2] = {{CLI_WRITES, "--json", settings->json}, {CLI_WRITES, "--svg", settings->svg}};
    for (size_t i = 0; settings->csv && i < TABLES; i++) {
        snprintf(paths[i], PATH_BYTES, "%s/%s", settings->csv, tables[i].name);
        outputs[2 + i] = (struct cli_output){CLI_WRITES_IN, "--csv", paths[i]};
    }
    return cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err);
}

static enum status run_validate(const struct settings *settings, struct err *err)
{
    size_t count = settings->measured.count + 1;
    const char **files = calloc(count, sizeof *files);
    struct runs runs = {0};
    if (!files) return err_memory(err);
    files[0] = settings->predicted;
    memcpy(files + 1, settings->measured.items, (count - 1) * sizeof *files);
    enum status status = open_runs(files, count, settings->semantics, false, &settings->analyze, &runs, err);
    if (status == STATUS_OK) status = compare_runs(settings, &runs, err);
    clear_runs(&runs);
    free(files);
    return status;
}

/* text is "NAME=PREDICTED,MEASURED,..."; it is cut into its parts. Of a comparison the prediction is the result of
 * row NAME. */
static enum status read_variant(char *text, const struct settings *settings, struct ranking_variant *variant,
                                struct err *err)
{
    const char *files[VARIANT_FILES];
    size_t count = 0;
    struct runs runs = {0};
    struct validation *validation;
    char *rest = strchr(text, '=');
    if (!rest || rest == text)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--variant %s, expected NAME=PREDICTED,MEASURED", text);
    *rest++ = '\0';
    for (char *file = strtok_r(rest, ",", &rest); file && count < VARIANT_FILES; file = strtok_r(NULL, ",", &rest))
        files[count++] = file;
    if (rest && *rest)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--variant %s has more than %d runs", text, VARIANT_FILES - 1);
    if (count < 2)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--variant %s has no measured run, expected NAME=PREDICTED,MEASURED", text);
    enum status status = open_runs(files, count, text, true, &settings->analyze, &runs, err);
    if (status == STATUS_OK)
        status = validate_results(runs.results[0], files[0], (const struct result *const *)runs.results + 1, files + 1,
                                  count - 1, &validation, err);
    clear_runs(&runs);
    TRY(status);
    const struct validate_value *time = &validation->run_time;
    *variant = (struct ranking_variant){text, time->predicted_s, time->measured_s, time->measured_min_s, time->measured_max_s};
    validation_free(validation);
    return STATUS_OK;
}

static enum status write_ranking(const struct settings *settings, const struct ranking *ranking, struct err *err)
{
    if (settings->json) TRY(cli_write_fields(ranking_fields, ranking, 0, settings->json, err));
    if (cli_is_output(settings->json)) return STATUS_OK;
    ranking_print(ranking, cli_table());
    return cli_flush(err);
}

static enum status rank_variants(const struct settings *settings, struct err *err)
{
    size_t count = settings->variants.count;
    struct ranking_variant *variants = calloc(count, sizeof *variants);
    char **texts = calloc(count, sizeof *texts);
    enum status status = variants && texts ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        texts[i] = strdup(settings->variants.items[i]);
        status = texts[i] ? read_variant(texts[i], settings, &variants[i], err) : err_memory(err);
    }
    if (status == STATUS_OK) {
        const struct ranking ranking = ranking_of(variants, count);
        status = write_ranking(settings, &ranking, err);
    }
    for (size_t i = 0; texts && i < count; i++) free(texts[i]);
    FREE_ALL(texts, variants);
    return status;
}

enum status cmd_validate(int argc, char **argv, struct err *err)
{
    struct settings settings = {.tolerance = -1, .analyze = ANALYZE_DEFAULTS};
    const struct argp argp = {
        options, parse_option, "[FILE...]",
        "Compares a prediction with real runs, as 'rmacast validate --predicted result.json --measured run.rma'.",
        NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    if (status == STATUS_OK) status = claim_outputs(&settings, err);
    if (status == STATUS_OK)
        status = settings.variants.count > 0 ? rank_variants(&settings, err) : run_validate(&settings, err);
    FREE_ALL(settings.measured.items, settings.variants.items);
    prediction_options_clear(&settings.prediction);
    return status;
}
