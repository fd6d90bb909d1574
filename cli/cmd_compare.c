/* rmacast compare TRACE --platform FILE: the same trace under several semantics and rewritten, side by side. */
#include <stdlib.h>
#include <string.h>

#include "cli/prediction_options.h"
#include "cli/progress_bar.h"
#include "predictors/comparison.h"
#include "predictors/prediction.h"
#include "trace/open.h"

enum { KEY_SEMANTICS = 1000, KEY_JSON, ROWS_MAX = 32, ROW_BYTES = 256, SPECS_MAX = 16 };

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"semantics", KEY_SEMANTICS, "LIST", 0,
     "the rows, as a,b,c,d (default); +NAME behind a letter rewrites the trace for this row, as a,a+post-early; "
     "@WINDOW=LETTER differs on one window, as a,a@3=c; platform in a letter's place is what the platform file says, "
     "such "
     "as a mixed table",
     0},
    {"rows", KEY_SEMANTICS, "LIST", 0, "the same as --semantics", 0},
    {"json", KEY_JSON, "FILE", 0, "write all results as JSON; - is standard output, without the table", 0},
    ANALYZE_OPTIONS,
    {0}};

/* "a+post-early+merge-puts:64K": text holds its parts, each ended by a NUL. */
struct row {
    char name[ROW_BYTES], text[ROW_BYTES];
    const char *specs[SPECS_MAX];
    size_t spec_count;
};

struct settings {
    const char *trace, *json;
    struct row rows[ROWS_MAX];
    size_t row_count;
    struct prediction_options prediction;
    struct analyze_options analyze;
};

static error_t parse_row(const struct argp_state *state, const char *item, struct row *row)
{
    struct err err;
    snprintf(row->name, ROW_BYTES, "%s", item);
    snprintf(row->text, ROW_BYTES, "%s", item);
    row->spec_count = 0;
    char *rest = row->text, *part = strsep(&rest, "+");
    error_t failed = prediction_semantics_check(state, part);
    while (!failed && (part = strsep(&rest, "+"))) {
        if (row->spec_count == SPECS_MAX) return cli_usage(state, "a row has more than %d rewrites", SPECS_MAX);
        if (transform_check(part, &err) != STATUS_OK) return cli_usage(state, "%s", err.text);
        row->specs[row->spec_count++] = part;
    }
    return failed;
}

static error_t parse_rows(const struct argp_state *state, const char *list, struct settings *settings)
{
    settings->row_count = 0;
    char item[ROW_BYTES];
    while (list && strcspn(list, ",") < ROW_BYTES && cli_next_item(&list, item, sizeof item)) {
        if (settings->row_count == ROWS_MAX) return cli_usage(state, "--semantics has more than %d rows", ROWS_MAX);
        /* a row's name is what tells it from the others in the result */
        for (size_t i = 0; i < settings->row_count; i++)
            if (strcmp(settings->rows[i].name, item) == 0)
                return cli_usage(state, "--semantics has the row %s twice, expected each once", item);
        error_t failed = parse_row(state, item, &settings->rows[settings->row_count++]);
        if (failed) return failed;
    }
    return list ? cli_usage(state, "--semantics %.20s..., expected rows of less than %d characters", list, ROW_BYTES)
                : 0;
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
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &settings->trace);
    case ARGP_KEY_END: {
        if (settings->analyze.per_rank && !settings->json)
            return cli_usage(state, "--per-rank needs --json FILE: the table has no place for it");
        error_t failed = cli_needs_argument(state, settings->trace, "TRACE");
        return failed ? failed : prediction_options_end(state, &settings->prediction);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* What one row replays. */
struct scene {
    struct platform *platform;
    struct rewrite rewrite;
    struct err refused; /* the rewrites change nothing: the row fails */
};

static enum status write_outputs(const struct settings *settings, const struct comparison *comparison,
                                 const struct scene *scenes, struct err *err)
{
    if (settings->json) {
        cJSON *json;
        TRY(comparison_to_json(comparison, &json, err));
        enum status status = cli_write_json(json, settings->json, err);
        cJSON_Delete(json);
        TRY(status);
    }
    if (cli_is_output(settings->json)) return STATUS_OK;
    comparison_print(comparison, stdout);
    bool begun = false;
    for (size_t i = 0; i < settings->row_count; i++) {
        if (!begun && scenes[i].rewrite.count > 0) fputc('\n', stdout);
        begun = begun || scenes[i].rewrite.count > 0;
        rewrite_print(&scenes[i].rewrite, settings->rows[i].name, stdout);
    }
    return cli_flush(err);
}

static enum status set_scene(const struct settings *settings, const struct row *row, const struct trace *trace,
                             struct scene *scene, struct err *err)
{
    const struct prediction_options *shared = &settings->prediction;
    const char *semantics = *row->text ? row->text : row->name; /* what stands before the first rewrite */
    TRY(prediction_options_open_rewritten(shared, semantics, row->specs, row->spec_count, trace, &scene->platform,
                                          err));
    size_t count = shared->rewrite_count + row->spec_count;
    const char **specs = calloc(count + 1, sizeof *specs);
    if (!specs) return err_memory(err);
    for (size_t i = 0; i < count; i++)
        specs[i] = i < shared->rewrite_count ? shared->rewrites[i] : row->specs[i - shared->rewrite_count];
    enum status status = rewrite_run(trace, specs, count, &scene->rewrite, &scene->refused);
    free(specs);
    if (status == STATUS_OK || status == STATUS_DATA) return STATUS_OK;
    if (err) *err = scene->refused;
    return status;
}

static enum status compare(const struct settings *settings, const struct trace *trace, struct err *err)
{
    struct scene scenes[ROWS_MAX] = {{.platform = NULL}};
    struct comparison_row rows[ROWS_MAX];
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) {
        status = set_scene(settings, &settings->rows[i], trace, &scenes[i], err);
        rows[i] = (struct comparison_row){.name = settings->rows[i].name,
                                          .platform = scenes[i].platform,
                                          .rewrite = &scenes[i].rewrite,
                                          .refused = &scenes[i].refused,
                                          .progress = progress_bar_show,
                                          .keep_going = settings->prediction.keep_going};
    }
    struct progress_bar *bar = NULL;
    if (status == STATUS_OK) status = progress_bar_begin(settings->row_count, &bar, err);
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++)
        rows[i].progress_context = progress_bar_share(bar, i);
    struct comparison comparison = {.count = 0};
    struct warnings warnings = {.choice = CHOICE_WAITS};
    if (status == STATUS_OK) status = prediction_options_warnings(&settings->prediction, trace, &warnings, err);
    if (status == STATUS_OK)
        status = comparison_run(trace, rows, settings->row_count, settings->prediction.engine, &settings->analyze,
                                &comparison, err);
    progress_bar_end(bar);
    comparison.warnings = &warnings;
    if (comparison_has_results(&comparison)) { /* of some rows, maybe: then the first one's error stays */
        struct err failed;
        enum status written = write_outputs(settings, &comparison, scenes, status == STATUS_OK ? err : &failed);
        if (status == STATUS_OK) status = written;
    }
    comparison_clear(&comparison);
    warnings_clear(&warnings);
    for (size_t i = 0; i < settings->row_count; i++) {
        platform_free(scenes[i].platform);
        rewrite_clear(&scenes[i].rewrite);
    }
    return status;
}

static enum status run(const struct settings *settings, struct err *err)
{
    struct trace *trace;
    TRY(prediction_options_trace(&settings->prediction, settings->trace, &trace, err));
    enum status status = compare(settings, trace, err);
    trace_free(trace);
    return status;
}

enum status cmd_compare(int argc, char **argv, struct err *err)
{
    struct settings settings = {.analyze = ANALYZE_DEFAULTS,
                                .rows = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}},
                                .row_count = 4};
    settings.analyze.eager_bytes = EAGER_OF_PLATFORM;
    const struct argp argp = {options, parse, "TRACE", "Replays a trace under several semantics and compares them.",
                              NULL,    NULL,  NULL};
    enum status status = cli_parse(&argp, argc, argv, 0, &settings, err);
    settings.prediction.outputs[0] = (struct cli_file){CLI_WRITES, "--json", settings.json};
    if (status == STATUS_OK) status = prediction_options_check_files(&settings.prediction, settings.trace, err);
    if (status == STATUS_OK) status = run(&settings, err);
    prediction_options_clear(&settings.prediction);
    return status;
}
