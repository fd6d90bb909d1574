/* rmacast compare TRACE --platform FILE: the same trace under several semantics, side by side. */
#include "cli/prediction_options.h"
#include "predictors/comparison.h"
#include "trace/open.h"

enum { KEY_SEMANTICS = 1000, KEY_JSON, KEY_HTML, ROWS_MAX = 16, LETTER_BYTES = 8 };

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"semantics", KEY_SEMANTICS, "LIST", 0, "the rows, as a,b,c,d (default)", 0},
    {"json", KEY_JSON, "FILE", 0, "write all results as JSON; - is standard output, without the table", 0},
    {"html", KEY_HTML, "FILE", 0, "not available yet", 0},
    ANALYZE_OPTIONS,
    {0}};

struct settings {
    const char *trace, *json;
    char rows[ROWS_MAX][LETTER_BYTES];
    size_t row_count;
    struct prediction_options prediction;
    struct analyze_options analyze;
};

static error_t parse_rows(const struct argp_state *state, const char *list, struct settings *settings)
{
    settings->row_count = 0;
    char item[LETTER_BYTES];
    size_t index;
    while (cli_next_item(&list, item, sizeof item)) {
        error_t failed = cli_choice(state, "--semantics", item, semantics_letters, &index);
        if (failed) return failed;
        if (settings->row_count == ROWS_MAX) return cli_usage(state, "--semantics has more than %d rows", ROWS_MAX);
        snprintf(settings->rows[settings->row_count++], LETTER_BYTES, "%s", item);
    }
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (shared == ARGP_ERR_UNKNOWN) shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_SEMANTICS: return parse_rows(state, argument, settings);
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_HTML: return cli_usage(state, "--html is not available yet, use --json %s", argument);
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &settings->trace);
    case ARGP_KEY_END: {
        error_t failed = cli_needs_argument(state, settings->trace, "TRACE");
        return failed ? failed : prediction_options_end(state, &settings->prediction);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status write_outputs(const struct settings *settings, const struct comparison *comparison, struct err *err)
{
    if (settings->json) {
        cJSON *json;
        TRY(comparison_to_json(comparison, &json, err));
        enum status status = cli_write_json(json, settings->json, err);
        cJSON_Delete(json);
        TRY(status);
    }
    if (cli_json_only(settings->json)) return STATUS_OK;
    comparison_print(comparison, stdout);
    return cli_close("standard output", stdout, err);
}

static enum status compare(const struct settings *settings, const struct trace *trace, struct err *err)
{
    struct platform *platforms[ROWS_MAX] = {NULL};
    struct comparison_row rows[ROWS_MAX];
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) {
        status =
            prediction_options_open(&settings->prediction, settings->rows[i], trace->rank_count, &platforms[i], err);
        rows[i] = (struct comparison_row){.name = settings->rows[i], .platform = platforms[i]};
    }
    struct comparison comparison = {NULL, 0};
    if (status == STATUS_OK)
        status = comparison_run(trace, rows, settings->row_count, settings->prediction.engine, &settings->analyze,
                                &comparison, err);
    if (status == STATUS_OK) status = write_outputs(settings, &comparison, err);
    comparison_clear(&comparison);
    for (size_t i = 0; i < settings->row_count; i++) platform_free(platforms[i]);
    return status;
}

static enum status run(const struct settings *settings, struct err *err)
{
    struct trace *trace;
    TRY(trace_open(settings->trace, &trace, err));
    enum status status = compare(settings, trace, err);
    trace_free(trace);
    return status;
}

enum status cmd_compare(int argc, char **argv, struct err *err)
{
    struct settings settings = {.analyze = ANALYZE_DEFAULTS, .rows = {"a", "b", "c", "d"}, .row_count = 4};
    const struct argp argp = {options, parse, "TRACE", "Replays a trace under several semantics and compares them.",
                              NULL,    NULL,  NULL};
    enum status status = cli_parse(&argp, argc, argv, 0, &settings, err);
    if (status == STATUS_OK) status = run(&settings, err);
    prediction_options_clear(&settings.prediction);
    return status;
}
