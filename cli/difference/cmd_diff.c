/* rmacast diff BEFORE AFTER: what differs between two runs of a program, by call path. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/difference/difference_output.h"
#include "cli/files.h"
#include "cli/prediction_options.h"
#include "validate/validate.h"

enum { KEY_JSON = 1000, KEY_CSV, KEY_TOP };

static const struct argp_option options[] = {
    {"json", KEY_JSON, "FILE", 0, "write all differences as JSON; - is standard output, without the table", 0},
    CSV_ROWS_OPTION(KEY_CSV),
    {"top", KEY_TOP, "N", 0, "print only the N call paths that differ most (default 10)", 0},
    WAIT_OPTIONS,
    {0}};

struct settings {
    const char *files[2], *json, *csv;
    int64_t top;
    struct analyze_options analyze;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_CSV: settings->csv = argument; return 0;
    case KEY_TOP: return cli_count(state, "--top", argument, 1, INT64_MAX, &settings->top);
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) return cli_usage(state, "unexpected argument '%s', expected BEFORE AFTER", argument);
        settings->files[state->arg_num] = argument;
        return 0;
    case ARGP_KEY_END: return cli_needs_argument(state, settings->files[1], "BEFORE AFTER");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status run_diff(const struct settings *settings, struct err *err)
{
    struct trace *traces[2] = {NULL, NULL};
    struct result *results[2] = {NULL, NULL};
    struct difference *difference = NULL;
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < 2; i++)
        status = validate_open_run(settings->files[i], NULL, true, &settings->analyze, &traces[i], &results[i], err);
    if (status == STATUS_OK)
        status = difference_new(results[0], settings->files[0], results[1], settings->files[1], -1, &difference, err);
    if (status == STATUS_OK)
        status = difference_output(difference, settings->json, settings->csv, (size_t)settings->top, false, err);
    difference_free(difference);
    for (int i = 0; i < 2; i++) {
        result_free(results[i]);
        trace_free(traces[i]);
    }
    return status;
}

enum status cmd_diff(int argc, char **argv, struct err *err)
{
    struct settings settings = {.top = 10, .analyze = ANALYZE_DEFAULTS};
    settings.analyze.intervals = true;
    settings.analyze.interval_source = INTERVALS_OF_CALLPATHS;
    const struct argp argp = {
        options, parse_option, "BEFORE AFTER",
        "Compares two runs of a program by call path, traces or their results, as 'rmacast diff old.rma new.rma'.",
        NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    const struct cli_output outputs[] = {{CLI_WRITES, "--json", settings.json}, {CLI_WRITES, "--csv", settings.csv}};
    if (status == STATUS_OK) status = cli_claim_outputs(outputs, 2, err);
    return status == STATUS_OK ? run_diff(&settings, err) : status;
}
