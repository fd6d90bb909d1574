/* rmacast validate --predicted FILE --measured FILE...: how far a prediction is from real runs. */
#include <stdlib.h>

#include "cli/files.h"
#include "cli/prediction_options.h"
#include "validate/validate.h"

enum { KEY_PREDICTED = 1000, KEY_MEASURED, KEY_TOLERANCE, KEY_SEMANTICS, KEY_JSON };

static const struct argp_option options[] = {
    {"predicted", KEY_PREDICTED, "FILE", 0, "the prediction: a trace, a result or a comparison", 0},
    {"measured", KEY_MEASURED, "FILE", 0, "a real run: a trace or a result; more files are repetitions", 0},
    {"tolerance", KEY_TOLERANCE, "SHARE", 0,
     "exit status 1 unless run time, rank times and wait states fit within SHARE, as 5%", 0},
    {"semantics", KEY_SEMANTICS, "LETTER", 0, "which result of a comparison is the prediction", 0},
    {"json", KEY_JSON, "FILE", 0, "write the errors as JSON; - is standard output, without the table", 0},
    ANALYZE_OPTIONS,
    {0}};

struct settings {
    const char *predicted, *semantics, *json;
    struct cli_strings measured;
    double tolerance; /* < 0: none */
    struct analyze_options analyze;
};

static error_t parse_end(const struct argp_state *state, const struct settings *settings)
{
    if (!settings->predicted) return cli_usage(state, "--predicted FILE is missing");
    return settings->measured.count ? 0 : cli_usage(state, "--measured FILE is missing");
}

static error_t parse(int key, char *argument, struct argp_state *state)
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
    case KEY_MEASURED: return cli_add_string(state, &settings->measured, argument);
    case ARGP_KEY_ARG:
        if (settings->measured.count == 0)
            return cli_usage(state, "unexpected argument '%s', expected --measured FILE...", argument);
        return cli_add_string(state, &settings->measured, argument);
    case ARGP_KEY_END: return parse_end(state, settings);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status write_outputs(const struct settings *settings, const struct validation *validation, struct err *err)
{
    if (settings->json) {
        cJSON *json;
        TRY(validation_to_json(validation, settings->tolerance, &json, err));
        enum status status = cli_write_json(json, settings->json, err);
        cJSON_Delete(json);
        TRY(status);
    }
    struct err broken;
    bool holds = settings->tolerance < 0 || validate_tolerance(validation, settings->tolerance, &broken) == STATUS_OK;
    if (!cli_is_output(settings->json)) {
        validation_print(validation, stdout);
        if (settings->tolerance >= 0 && holds) printf("Tolerance %g%% holds.\n", settings->tolerance * 100);
        TRY(cli_flush(err));
    }
    if (!holds && err) *err = broken;
    return holds ? STATUS_OK : STATUS_DATA;
}

static enum status compare(const struct settings *settings, const struct result *predicted, struct result **measured,
                           struct err *err)
{
    struct validation *validation;
    size_t count = settings->measured.count;
    for (size_t i = 0; i < count; i++)
        TRY(validate_open(settings->measured.items[i], NULL, &settings->analyze, &measured[i], err));
    TRY(validate_results(predicted, settings->predicted, (const struct result *const *)measured,
                         settings->measured.items, count, &validation, err));
    enum status status = write_outputs(settings, validation, err);
    validation_free(validation);
    return status;
}

static enum status check_files(const struct settings *settings, struct err *err)
{
    size_t measured = settings->measured.count;
    struct cli_file *files = calloc(measured + 2, sizeof *files);
    if (!files) return err_memory(err);
    for (size_t i = 0; i < measured; i++)
        files[i] = (struct cli_file){CLI_READS, "the measured run", settings->measured.items[i]};
    files[measured] = (struct cli_file){CLI_READS, "the prediction", settings->predicted};
    files[measured + 1] = (struct cli_file){CLI_WRITES, "--json", settings->json};
    enum status status = cli_check_files(files, measured + 2, err);
    free(files);
    return status;
}

static enum status run(const struct settings *settings, struct err *err)
{
    struct result *predicted;
    TRY(validate_open(settings->predicted, settings->semantics, &settings->analyze, &predicted, err));
    struct result **measured = calloc(settings->measured.count, sizeof *measured);
    enum status status = measured ? compare(settings, predicted, measured, err) : err_memory(err);
    for (size_t i = 0; measured && i < settings->measured.count; i++) result_free(measured[i]);
    free(measured);
    result_free(predicted);
    return status;
}

enum status cmd_validate(int argc, char **argv, struct err *err)
{
    struct settings settings = {.tolerance = -1, .analyze = ANALYZE_DEFAULTS};
    const struct argp argp = {options, parse, "[FILE...]", "Compares a prediction with real runs.", NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, 0, &settings, err);
    if (status == STATUS_OK) status = check_files(&settings, err);
    if (status == STATUS_OK) status = run(&settings, err);
    free(settings.measured.items);
    return status;
}
