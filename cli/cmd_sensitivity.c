/* rmacast sensitivity TRACE --platform FILE: what the run time is worth in the platform's values. */
#include <stdlib.h>
#include <string.h>

#include "cli/output_set.h"
#include "cli/prediction_options.h"
#include "common/units.h"
#include "predictors/sensitivity/sensitivity.h"

enum { KEY_SEMANTICS = 1000, KEY_OF, KEY_RANGE, KEY_SLACK, KEY_GAINS, KEY_VERIFY, KEY_CSV, KEY_SVG, KEY_JSON };

static const struct argp_option options[] = {
    REPLAY_OPTIONS("loggp (default): links are queues; simgrid: shared links, slopes by replay alone"),
    {"semantics", KEY_SEMANTICS, "LIST", 0, SEMANTICS_HELP "; a list as a,b,c,d has a table for each; else as the platform says",
     0},
    {"of", KEY_OF, "KEY,...", 0, "times and rates of the platform, as network.latency_s (default: all)", 0},
    {"range", KEY_RANGE, "KEY=LO..HI", 0,
     "values between which the curve is found, as network.latency_s=0..100us (default: 0 to 10 times the platform's; of a rate a "
     "tenth to 10 times); repeatable",
     0},
    {"slack", KEY_SLACK, "FILE", 0, "write how much later each call could come without a longer run, as CSV", 0},
    {"gains", KEY_GAINS, NULL, 0,
     "find the run time if the computing of each call path took 0 to 2 times as long, in however many replays", 0},
    {"verify", KEY_VERIFY, NULL, 0, "replay each curve at 20 other values: off one of them it is by replay, or an error if it is "
                                    "proven", 0},
    {"csv", KEY_CSV, "FILE", 0, "write the corners of the curves, and the gains, as CSV", 0},
    {"svg", KEY_SVG, "FILE", 0, "draw the curves", 0},
    {"json", KEY_JSON, "FILE", 0, "write the result as JSON; - is standard output, without the table", 0},
    {0}};

struct settings {
    const char *trace, *json, *csv, *svg, *slack;
    bool gains, verify;
    char *semantics[SENSITIVITY_ROWS_MAX], *keys[SENSITIVITY_KEYS_MAX]; /* owned */
    size_t semantics_count, key_count;
    struct sensitivity_range ranges[SENSITIVITY_KEYS_MAX];
    size_t range_count;
    struct prediction_options prediction;
};

static error_t add_items(const struct argp_state *state, const char *option, const char *list, char **items, size_t *count,
                         size_t most)
{
    char item[VALUE_KEY_BYTES];
    while (cli_next_item(&list, item, sizeof item)) {
        if (*item == '\0' || *count == most) return cli_usage(state, "%s %s, expected 1 to %zu names", option, item, most);
        for (size_t i = 0; i < *count; i++)
            if (strcmp(items[i], item) == 0) return cli_usage(state, "%s has %s twice, expected each once", option, item);
        if (!(items[*count] = strdup(item))) return ENOMEM;
        ++*count;
    }
    return 0;
}

static error_t add_semantics(const struct argp_state *state, const char *list, struct settings *settings)
{
    error_t failed =
        add_items(state, "--semantics", list, settings->semantics, &settings->semantics_count, SENSITIVITY_ROWS_MAX);
    for (size_t i = 0; !failed && i < settings->semantics_count; i++)
        failed = prediction_semantics_check(state, "--semantics", settings->semantics[i]);
    return failed;
}

/* A number with the unit of a duration or a rate. */
static bool parse_value(const char *text, double *value)
{
    return units_parse_duration(text, value) || units_parse_rate(text, value);
}

static error_t add_range(const struct argp_state *state, char *text, struct settings *settings)
{
    char *values = strchr(text, '='), *high = values ? strstr(values, "..") : NULL;
    struct sensitivity_range range = {.key = text};
    if (high) *high = '\0';
    bool given = high && parse_value(values + 1, &range.low) && parse_value(high + 2, &range.high) && range.low < range.high;
    if (high) *high = '.';
    if (!given || settings->range_count == SENSITIVITY_KEYS_MAX)
        return cli_usage(state, "--range %s, expected KEY=LO..HI with 0 <= LO < HI, as network.latency_s=0..100us", text);
    *values = '\0';
    for (size_t i = 0; i < settings->range_count; i++)
        if (strcmp(settings->ranges[i].key, text) == 0) return cli_usage(state, "--range has %s twice, expected each once", text);
    settings->ranges[settings->range_count++] = range;
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_SEMANTICS: return add_semantics(state, argument, settings);
    case KEY_OF: return add_items(state, "--of", argument, settings->keys, &settings->key_count, SENSITIVITY_KEYS_MAX);
    case KEY_RANGE: return add_range(state, argument, settings);
    case KEY_SLACK: settings->slack = argument; return 0;
    case KEY_GAINS: settings->gains = true; return 0;
    case KEY_VERIFY: settings->verify = true; return 0;
    case KEY_SVG: settings->svg = argument; return 0;
    case KEY_CSV: settings->csv = argument; return 0;
    case KEY_JSON: settings->json = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &settings->trace);
    case ARGP_KEY_END: {
        error_t failed = cli_needs_argument(state, settings->trace, "TRACE");
        if (!settings->prediction.engine) settings->prediction.engine = engine_by_name("loggp");
        return failed ? failed : prediction_options_end(state, &settings->prediction);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status write_file(void (*write)(const struct sensitivity *, FILE *), const struct sensitivity *made, const char *file,
                             struct err *err)
{
    FILE *out;
    if (!file) return STATUS_OK;
    TRY(output_set_open(file, &out, err));
    write(made, out);
    return output_set_close(file, out, STATUS_OK, err);
}

static enum status write_outputs(const struct settings *settings, const struct sensitivity *made, struct err *err)
{
    enum status files = settings->json ? cli_write_fields(sensitivity_fields, made, 0, settings->json, err) : STATUS_OK;
    if (files == STATUS_OK) files = write_file(sensitivity_write_csv, made, settings->csv, err);
    if (files == STATUS_OK) files = write_file(sensitivity_write_svg, made, settings->svg, err);
    if (files == STATUS_OK) files = write_file(sensitivity_write_slack, made, settings->slack, err);
    if (cli_is_output(settings->json)) return files;
    sensitivity_print(made, cli_table());
    result_print_notes(made->notes, made->note_count, cli_table());
    return cli_flush_behind(files, err);
}

static enum status run_sensitivity(struct settings *settings, struct err *err)
{
    static const char *const as_platform[] = {"platform"};
    struct trace *trace;
    struct sensitivity made;
    settings->prediction.keeps = true;
    TRY(prediction_options_check(&settings->prediction, NULL, settings->trace, err));
    TRY(prediction_options_trace(&settings->prediction, settings->trace, &trace, NULL, err));
    const bool semantics = settings->semantics_count > 0;
    const struct sensitivity_options find = {
        .scenes = prediction_options_scenes(&settings->prediction),
        .engine = settings->prediction.engine,
        .semantics = semantics ? (const char *const *)settings->semantics : as_platform,
        .semantics_count = semantics ? settings->semantics_count : 1,
        .keys = settings->key_count > 0 ? (const char *const *)settings->keys : NULL,
        .key_count = settings->key_count,
        .ranges = settings->ranges,
        .range_count = settings->range_count,
        .slack = settings->slack != NULL,
        .gains = settings->gains,
        .verify = settings->verify};
    enum status status = sensitivity_find(trace, &find, &made, err);
    if (status == STATUS_OK) {
        status = write_outputs(settings, &made, err);
        sensitivity_clear(&made);
    }
    trace_free(trace);
    return status;
}

enum status cmd_sensitivity(int argc, char **argv, struct err *err)
{
    struct settings settings = {.trace = NULL};
    const struct argp argp = {
        options,
        parse_option,
        "TRACE",
        "Tells what the run time is worth in the platform's values: how many latencies, bytes and seconds of computing decide "
        "it, up to where, and how much of each the program can take, as 'rmacast sensitivity app.rma --platform infiniband-64'.",
        NULL,
        NULL,
        NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    settings.prediction.outputs[0] = (struct cli_output){CLI_WRITES, "--json", settings.json};
    settings.prediction.outputs[1] = (struct cli_output){CLI_WRITES, "--csv", settings.csv};
    settings.prediction.outputs[2] = (struct cli_output){CLI_WRITES, "--slack", settings.slack};
    settings.prediction.outputs[3] = (struct cli_output){CLI_WRITES, "--svg", settings.svg};
    if (status == STATUS_OK) status = prediction_options_claim_outputs(&settings.prediction, err);
    if (status == STATUS_OK) status = run_sensitivity(&settings, err);
    for (size_t i = 0; i < settings.semantics_count; i++) free(settings.semantics[i]);
    for (size_t i = 0; i < settings.key_count; i++) free(settings.keys[i]);
    prediction_options_clear(&settings.prediction);
    return status;
}
