/* rmacast export: a trace in another tool's format. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "common/files/output_file.h"
#include "export/export.h"
#include "trace/open.h"

struct options {
    const char *trace, *output;
    const struct export_format *format;
    struct export_options export;
};

enum { KEY_ARROWS = 0x100 };

static const struct argp_option rows[] = {
    {"to", 't', "FORMAT", 0, "otf2 (an archive, -o names its directory), chrome, paje, cube, goal or csv (a file)", 0},
    {"model", 'm', "MODEL", 0,
     "otf2: where transfers end: base (with their operation), extended (with the synchronisation that completes them); "
     "for "
     "viewers closed (extended, with an arrow from each get to its target), logical (gets as late as possible), "
     "dependencies (with arrows between synchronisation calls). Without it the archive is as packed",
     0},
    {"data-arrows", KEY_ARROWS, NULL, 0, "with --model: transfers are messages, too, for viewers that draw no others",
     0},
    {"output", 'o', "FILE", 0, "what to write; - is standard output", 0},
    {0},
};

static error_t find_format(const struct argp_state *state, const char *name, const struct export_format **format)
{
    for (const struct export_format *row = export_formats; row->name; row++)
        if (strcmp(row->name, name) == 0) {
            *format = row;
            return 0;
        }
    char known[128] = "";
    for (const struct export_format *row = export_formats; row->name; row++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", row->name);
    }
    return cli_usage(state, "--to %s, expected one of %s", name, known);
}

static error_t find_model(const struct argp_state *state, const char *name, const struct merge_model **model)
{
    const char *names[MERGE_MODELS + 1] = {NULL};
    size_t index;
    for (int i = 0; i < MERGE_MODELS; i++) names[i] = merge_models[i].name;
    error_t error = cli_choice(state, "--model", name, names, &index);
    if (!error) *model = &merge_models[index];
    return error;
}

static error_t check(const struct argp_state *state, const struct options *options)
{
    if (!options->format) return cli_usage(state, "no --to, expected a format");
    if (!options->output) return cli_usage(state, "no -o, expected what to write");
    if (options->export.model && !options->format->models)
        return cli_usage(state, "--model with --to %s, expected --to otf2", options->format->name);
    if (options->export.data_arrows && !options->export.model) return cli_usage(state, "--data-arrows without --model");
    return cli_needs_argument(state, options->trace, "TRACE");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 't': return find_format(state, argument, &options->format);
    case 'm': return find_model(state, argument, &options->export.model);
    case KEY_ARROWS: options->export.data_arrows = true; return 0;
    case 'o': options->output = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &options->trace);
    case ARGP_KEY_END: return check(state, options);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows, parse, "TRACE", "Writes a trace for other tools (docs/export.md).", NULL, NULL, NULL,
};

static enum status write_file(const struct options *options, const struct trace *trace, struct export_report *report,
                              struct err *err)
{
    FILE *out;
    TRY(output_file_open(options->output, &out, err));
    enum status status = options->format->write_file(trace, &options->export, out, report, err);
    return output_file_close(options->output, out, status, err);
}

static void tell(const struct export_report *report)
{
    if (report->endless)
        cli_note("warning: %" PRIu64 " of %" PRIu64 " transfers have no end: their closing call is missing", report->endless,
                 report->transfers);
    if (report->unmatched)
        cli_note("warning: %" PRIu64 " sends and receives are left out: their other end is missing", report->unmatched);
    if (report->backward)
        cli_note("warning: %" PRIu64 " arrows are left out: they would end before they begin", report->backward);
}

enum status cmd_export(int argc, char **argv, struct err *err)
{
    struct options options = {0};
    struct export_report report = {0};
    struct trace *trace;
    TRY(cli_parse(&argp, argc, argv, CLI_READS_TRACES, &options, err));
    const struct cli_file files[] = {
        {CLI_READS, "the trace", options.trace},
        {options.format->directory ? CLI_WRITES_ARCHIVE : CLI_WRITES, "-o", options.output},
    };
    TRY(cli_check_files(files, sizeof files / sizeof *files, err));
    TRY(trace_open(options.trace, &trace, err));
    enum status status = options.format->directory
                             ? options.format->write_directory(trace, &options.export, options.output, &report, err)
                             : write_file(&options, trace, &report, err);
    if (status == STATUS_OK) tell(&report);
    trace_free(trace);
    return status;
}
