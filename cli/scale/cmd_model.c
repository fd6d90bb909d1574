/* rmacast model TRACE...: the program that traces at several numbers of ranks have in common, as text. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/written.h"
#include "common/files/output_file.h"
#include "predictors/scale/scale.h"
#include "trace/open.h"

struct settings {
    struct cli_strings traces;
    const char *output, *json;
};

enum { KEY_JSON = 1000 };

static const struct argp_option rows[] = {
    {"output", 'o', "FILE", 0, "where the model is written; - is standard output (-)", 0},
    {"json", KEY_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case 'o': settings->output = argument; return 0;
    case KEY_JSON: settings->json = argument; return 0;
    case ARGP_KEY_ARG: return cli_add_string(state, &settings->traces, argument);
    case ARGP_KEY_END: return settings->traces.count ? 0 : cli_usage(state, "TRACE... is missing");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse,
    "TRACE...",
    "Finds the program that runs at several numbers of ranks have in common, and writes it as a program model: a text "
    "that can be read, edited, and used as a trace at any number of ranks (docs/scaling.md). One program model is "
    "written again in the usual form.",
    NULL,
    NULL,
    NULL,
};

static enum status learn(const struct settings *settings, struct program_model **model, struct err *err)
{
    size_t count = settings->traces.count;
    struct trace **traces = calloc(count, sizeof *traces);
    struct program *program = NULL;
    enum status status = traces ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        status = trace_open(settings->traces.items[i], &traces[i], err);
        if (status == STATUS_OK) status = trace_use_computing(traces[i], COMPUTING_DEFAULT, err); /* as predict */
    }
    if (status == STATUS_OK) status = scale_learn((const struct trace *const *)traces, count, &program, err);
    if (status == STATUS_OK) status = program_to_model(program, model, err);
    for (size_t i = 0; traces && i < count; i++) trace_free(traces[i]);
    free(traces);
    program_free(program);
    return status;
}

static enum status write_model(const struct settings *settings, const struct program_model *model, struct err *err)
{
    FILE *out;
    TRY(output_file_open(settings->output, &out, err));
    program_model_write(model, out);
    TRY(output_file_close(settings->output, out, STATUS_OK, err));
    struct written written;
    written_begin(&written, settings->json, "model", settings->output);
    written_count(&written, "traces", settings->traces.count);
    return written_end(&written, err);
}

static enum status run(const struct settings *settings, struct err *err)
{
    struct program_model *model;
    const char *first = settings->traces.items[0];
    const struct cli_file output = {CLI_WRITES, "-o", settings->output}, json = {CLI_WRITES, "--json", settings->json};
    for (size_t i = 0; i < settings->traces.count; i++) {
        const struct cli_file files[] = {{CLI_READS, "the trace", settings->traces.items[i]}, output, json};
        TRY(cli_check_files(files, sizeof files / sizeof *files, err));
    }
    bool alone = settings->traces.count == 1 && trace_is_model(first);
    TRY(alone ? program_model_open(first, &model, err) : learn(settings, &model, err));
    enum status status = write_model(settings, model, err);
    program_model_free(model);
    return status;
}

enum status cmd_model(int argc, char **argv, struct err *err)
{
    struct settings settings = {.output = "-"};
    enum status status = cli_parse(&argp, argc, argv, 0, &settings, err);
    if (status == STATUS_OK) status = run(&settings, err);
    free(settings.traces.items);
    return status;
}
