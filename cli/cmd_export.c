/* rmacast export: a trace in another tool's format. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/output_set.h"
#include "cli/written.h"
#include "export/export.h"
#include "trace/open.h"

struct options {
    struct cli_strings traces;
    const char *output, *json;
    const struct export_format *format;
    struct export_options export;
};

enum { KEY_ARROWS = 0x100, KEY_JSON };

static const struct argp_option rows[] = {
    {"to", 't', "FORMAT", 0,
     "otf2 (an archive, -o names its directory), chrome, paje, cube, goal, extrap (of several traces) or csv (a file)",
     0},
    {"model", 'm', "MODEL", 0,
     "otf2: where transfers end: base (with their operation), extended (with the synchronisation that completes them); "
     "for "
     "viewers closed (extended, with an arrow from each get to its target), logical (gets as late as possible), "
     "dependencies (with arrows between synchronisation calls). Without it the archive is as packed",
     0},
    {"data-arrows", KEY_ARROWS, NULL, 0, "with --model: transfers are messages, too, for viewers that draw no others",
     0},
    {"output", 'o', "FILE", 0, "what to write; - is standard output", 0},
    {"json", KEY_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0},
};

enum { FORMATS_BYTES = 128 };

static const char *list_formats(char text[FORMATS_BYTES])
{
    size_t used = 0;
    for (const struct export_format *row = export_formats; row->name && used < FORMATS_BYTES; row++)
        used += (size_t)snprintf(text + used, FORMATS_BYTES - used, "%s%s", used ? ", " : "", row->name);
    return text;
}

static error_t find_format(const struct argp_state *state, const char *name, const struct export_format **format)
{
    for (const struct export_format *row = export_formats; row->name; row++)
        if (strcmp(row->name, name) == 0) {
            *format = row;
            return 0;
        }
    char known[FORMATS_BYTES];
    return cli_usage(state, "--to %s, expected one of %s", name, list_formats(known));
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

static error_t check_options(const struct argp_state *state, const struct options *options)
{
    char known[FORMATS_BYTES];
    if (!options->format) return cli_usage(state, "--to is missing, expected one of %s", list_formats(known));
    if (!options->output) return cli_usage(state, "-o is missing, expected the file or directory to write");
    if (options->export.model && !options->format->models)
        return cli_usage(state, "--model with --to %s, expected --to otf2", options->format->name);
    if (options->format->models && strcmp(options->output, "-") == 0)
        return cli_usage(state, "-o - with --to %s, expected the directory of the archive", options->format->name);
    if (options->traces.count > 1 && !options->format->write_several)
        return cli_usage(state, "%zu traces with --to %s, expected one", options->traces.count, options->format->name);
    return cli_needs_argument(state, options->traces.count ? options->traces.items[0] : NULL, "TRACE");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 't': return find_format(state, argument, &options->format);
    case 'm': return find_model(state, argument, &options->export.model);
    case KEY_ARROWS: options->export.data_arrows = true; return 0;
    case 'o': options->output = argument; return 0;
    case KEY_JSON: options->json = argument; return 0;
    case ARGP_KEY_ARG: return cli_add_string(state, &options->traces, argument);
    case ARGP_KEY_END: return check_options(state, options);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows, parse_option, "TRACE...", "Writes a trace for other tools (docs/export.md).", NULL, NULL, NULL,
};

static enum status write_file(const struct options *options, const struct trace *const *traces, struct export_report *report,
                              struct err *err)
{
    FILE *out;
    const struct export_format *format = options->format;
    TRY(output_set_open(options->output, &out, err));
    enum status status = format->write_several ? format->write_several(traces, options->traces.count, out, err)
                                               : format->write_file(traces[0], &options->export, out, report, err);
    return output_set_close(options->output, out, status, err);
}

static enum status write_json(const struct options *options, const struct export_report *report, struct err *err)
{
    struct written written;
    written_begin(&written, options->json, "export", options->output);
    written_count(&written, "traces", options->traces.count);
    written_count(&written, "transfers_without_end", report->endless);
    written_count(&written, "messages_left_out", report->unmatched);
    written_count(&written, "arrows_left_out", report->backward);
    return written_end(&written, err);
}

static enum status claim_outputs(const struct options *options, struct err *err)
{
    const struct cli_output outputs[] = {
        {options->format->directory ? CLI_WRITES_ARCHIVE : CLI_WRITES, "-o", options->output},
        {CLI_WRITES, "--json", options->json}};
    return cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err);
}

static enum status write_all(const struct options *options, struct err *err)
{
    struct export_report report = {0};
    size_t count = options->traces.count;
    struct trace **traces = calloc(count, sizeof *traces);
    enum status status = traces ? claim_outputs(options, err) : err_memory(err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) status = trace_open(options->traces.items[i], &traces[i], err);
    if (status == STATUS_OK)
        status = options->format->directory
                     ? options->format->write_directory(traces[0], &options->export, options->output, &report, err)
                     : write_file(options, (const struct trace *const *)traces, &report, err);
    if (status == STATUS_OK) {
        if (report.endless)
            cli_note("warning: transfers without an end, since their closing call is missing: %" PRIu64 " of %" PRIu64,
                     report.endless, report.transfers);
        if (report.unmatched)
            cli_note("warning: sends and receives left out, since their other end is missing: %" PRIu64, report.unmatched);
        if (report.backward)
            cli_note("warning: arrows left out, since they would end before they begin: %" PRIu64, report.backward);
    }
    if (status == STATUS_OK) status = write_json(options, &report, err);
    for (size_t i = 0; traces && i < count; i++) trace_free(traces[i]);
    free(traces);
    return status;
}

enum status cmd_export(int argc, char **argv, struct err *err)
{
    struct options options = {.output = NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &options, err);
    if (status == STATUS_OK) status = write_all(&options, err);
    free(options.traces.items);
    return status;
}
