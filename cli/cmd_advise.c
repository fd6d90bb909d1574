/* rmacast advise TRACE --platform FILE: how much each change of the program or of the semantics gains. */
#include <math.h>
#include <stdlib.h>

#include "cli/prediction_options.h"
#include "predictors/advise/advise.h"
#include "predictors/draws.h"

enum { KEY_JSON = 1000, KEY_CSV, KEY_ERROR, KEY_DRAWS };
enum { DRAWS = 20 }; /* without the option */

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"error", KEY_ERROR, "SHARE", 0,
     "error of run times on this platform, relative, as validate says it (default: the parts of docs/trust.md)", 0},
    {"draws", KEY_DRAWS, "N", 0,
     "predict the best changes N times with other latencies, as compare --draws, if the platform has network.jitter_s "
     "(default 20, 0: never)", 0},
    {"json", KEY_JSON, "FILE", 0, "write the changes as JSON; - is standard output, without the table", 0},
    CSV_ROWS_OPTION(KEY_CSV),
    {0}};

struct settings {
    const char *trace, *json, *csv;
    double error;
    int64_t draws;
    bool one_engine; /* the user chose it */
    struct prediction_options prediction;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (key == OPTION_ENGINE) settings->one_engine = true;
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_ERROR: return cli_fraction(state, "--error", argument, &settings->error);
    case KEY_DRAWS: return cli_count(state, "--draws", argument, 0, DRAWS_MAX, &settings->draws);
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

static enum status write_outputs(const struct advice *advice, const char *json, const char *csv, struct err *err)
{
    const struct csv_rows rows = {csv, "changes", "row,gain_s,error_s,advised,confirmed,reason,where"};
    enum status files = json ? cli_write_fields(advice_fields, advice, 0, json, err) : STATUS_OK;
    if (files == STATUS_OK) files = csv_rows_write_fields(&rows, advice_fields, advice, err);
    if (cli_is_output(json) || cli_is_output(csv)) return files;
    if (!cli_is_wide() && advice->options->recorded) TRY(result_shorten_names(advice->options->recorded, err));
    advice_print(advice, cli_table());
    return cli_flush_behind(files, err);
}

static enum status run_advise(struct settings *settings, struct err *err)
{
    struct trace *trace;
    struct advice *advice = NULL;
    struct result *recorded = NULL;
    struct prediction_options *prediction = &settings->prediction;
    const struct engine_descriptor *chosen = prediction->engine;
    prediction->recorded = &recorded;
    prediction->keeps = true;
    TRY(prediction_options_check(prediction, NULL, settings->trace, err));
    TRY(prediction_options_trace(prediction, settings->trace, &trace, NULL, err));
    const struct advice_options find = {.scenes = prediction_options_scenes(prediction),
                                        .error = settings->error,
                                        .recorded = recorded,
                                        .draws = (size_t)settings->draws,
                                        .fast = settings->one_engine ? chosen : engine_by_name("loggp"),
                                        .confirms = settings->one_engine ? NULL : chosen};
    enum status status = advice_find(trace, &find, &advice, err);
    if (status == STATUS_OK) status = write_outputs(advice, settings->json, settings->csv, err);
    advice_free(advice);
    result_free(recorded);
    trace_free(trace);
    return status;
}

enum status cmd_advise(int argc, char **argv, struct err *err)
{
    struct settings settings = {.error = NAN, .draws = DRAWS};
    const struct argp argp = {
        options,
        parse_option,
        "TRACE [AGAIN...]",
        "Tries every semantics and every rewriting that applies, alone and the best in pairs, and says which "
        "gains more than the error of its prediction, as 'rmacast advise app.rma --platform infiniband-64'.",
        NULL,
        NULL,
        NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    settings.prediction.outputs[0] = (struct cli_output){CLI_WRITES, "--json", settings.json};
    settings.prediction.outputs[1] = (struct cli_output){CLI_WRITES, "--csv", settings.csv};
    if (status == STATUS_OK) status = prediction_options_claim_outputs(&settings.prediction, err);
    if (status == STATUS_OK) status = run_advise(&settings, err);
    prediction_options_clear(&settings.prediction);
    return status;
}
