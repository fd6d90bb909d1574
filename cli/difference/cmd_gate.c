/* rmacast gate BASE NEW --platform FILE: whether a program got slower, on a described cluster. */
#include <stdlib.h>

#include "cli/difference/difference_output.h"
#include "cli/prediction_options.h"
#include "cli/terminal/progress_bar.h"
#include "predictors/prediction.h"

enum { KEY_SEMANTICS = 1000, KEY_MAX, KEY_JSON, KEY_CSV, KEY_TOP };

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"semantics", KEY_SEMANTICS, "LETTER", 0, SEMANTICS_HELP "; else as the platform says", 0},
    {"max", KEY_MAX, "SHARE", 0, "how much longer the run of NEW may take, as 5% (default 2%)", 0},
    {"top", KEY_TOP, "N", 0, "print only the N call paths that got slower most (default 10)", 0},
    {"json", KEY_JSON, "FILE", 0, "write all differences as JSON; - is standard output, without the table", 0},
    CSV_ROWS_OPTION(KEY_CSV),
    WAIT_OPTIONS,
    {0}};

struct settings {
    const char *files[2], *semantics, *json, *csv;
    double max;
    int64_t top;
    struct prediction_options prediction;
    struct analyze_options analyze;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (shared == ARGP_ERR_UNKNOWN) shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_SEMANTICS:
        settings->semantics = argument;
        return prediction_semantics_check(state, "--semantics", argument);
    case KEY_MAX: return cli_fraction(state, "--max", argument, &settings->max);
    case KEY_TOP: return cli_count(state, "--top", argument, 1, INT64_MAX, &settings->top);
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_CSV: settings->csv = argument; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) return cli_usage(state, "unexpected argument '%s', expected BASE NEW", argument);
        settings->files[state->arg_num] = argument;
        return 0;
    case ARGP_KEY_END: {
        error_t failed = cli_needs_argument(state, settings->files[1], "BASE NEW");
        return failed ? failed : prediction_options_end(state, &settings->prediction);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status predict_rewritten(const struct settings *settings, const struct trace *trace, struct progress_bar *bar,
                                     size_t share, struct prediction *prediction, struct err *err)
{
    struct rewrite rewrite;
    struct platform *platform;
    const char *const *specs = (const char *const *)settings->prediction.rewrites;
    TRY(rewrite_run(trace, specs, settings->prediction.rewrite_count, &rewrite, err));
    const struct trace *as = rewrite.trace ? rewrite.trace : trace;
    enum status status = prediction_options_open(&settings->prediction, settings->semantics, as, &platform, err);
    if (status == STATUS_OK) {
        *prediction = (struct prediction){.trace = as,
                                          .platform = platform,
                                          .engine = settings->prediction.engine,
                                          .analyze = &settings->analyze,
                                          .apart = settings->prediction.engine->once_per_process,
                                          .keep_going = settings->prediction.keep_going,
                                          .progress = progress_bar_show,
                                          .progress_context = progress_bar_share(bar, share)};
        status = prediction_run(prediction, err);
        platform_free(platform);
    }
    rewrite_clear(&rewrite);
    return status;
}

static enum status predict_file(const struct settings *settings, const char *file, struct progress_bar *bar, size_t share,
                                struct prediction *prediction, struct err *err)
{
    struct trace *trace;
    struct warnings warnings;
    TRY(prediction_options_trace(&settings->prediction, file, &trace, &warnings, err));
    enum status status = predict_rewritten(settings, trace, bar, share, prediction, err);
    warnings_clear(&warnings);
    trace_free(trace);
    return status;
}

static enum status run_gate(const struct settings *settings, struct err *err)
{
    struct prediction predictions[2] = {{.trace = NULL}};
    struct difference *difference = NULL;
    struct progress_bar *bar;
    enum status status = progress_bar_begin(2, &bar, err);
    for (size_t i = 0; status == STATUS_OK && i < 2; i++)
        status = predict_file(settings, settings->files[i], bar, i, &predictions[i], err);
    progress_bar_end(bar);
    if (status == STATUS_OK)
        status = difference_new(predictions[0].result, settings->files[0], predictions[1].result, settings->files[1],
                                settings->max, &difference, err);
    if (status == STATUS_OK)
        status = difference_output(difference, settings->json, settings->csv, (size_t)settings->top, !difference->holds, err);
    difference_free(difference);
    for (int i = 0; i < 2; i++) prediction_clear(&predictions[i]);
    return status;
}

enum status cmd_gate(int argc, char **argv, struct err *err)
{
    struct settings settings = {.max = 0.02, .top = 10, .analyze = ANALYZE_DEFAULTS};
    settings.analyze.eager_bytes = EAGER_OF_PLATFORM;
    settings.analyze.intervals = true;
    settings.analyze.interval_source = INTERVALS_OF_CALLPATHS;
    const struct argp argp = {
        options, parse_option, "BASE NEW",
        "Predicts two recordings of a program on the same cluster, and ends with 1 where the run of the second one takes longer "
        "than allowed, as 'rmacast gate base.rma new.rma --platform infiniband-64 --max 2%'. Predictions do not vary from run to "
        "run; the computing in the recordings does.",
        NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    settings.prediction.outputs[0] = (struct cli_output){CLI_WRITES, "--json", settings.json};
    settings.prediction.outputs[1] = (struct cli_output){CLI_WRITES, "--csv", settings.csv};
    if (status == STATUS_OK) status = prediction_options_claim_outputs(&settings.prediction, err);
    if (status == STATUS_OK) status = run_gate(&settings, err);
    prediction_options_clear(&settings.prediction);
    return status;
}
