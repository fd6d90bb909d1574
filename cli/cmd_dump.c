/* rmacast dump: a trace as text. */
#include <stdint.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/output_set.h"
#include "cli/terminal/activity.h"
#include "cli/written.h"
#include "trace/open.h"
#include "trace/text/text.h"

enum { KEY_JSON = 1000 };

struct options {
    const char *trace, *output, *json;
    struct text_range range;
    bool part;
};

static const struct argp_option rows[] = {
    {"rank", 'r', "RANK", 0, "only this rank's calls", 0},
    {"thread", 'T', "THREAD", 0, "only the calls of this thread of each rank", 0},
    {"from", 'f', "TIME", 0, "only calls that end at TIME or later, counted from the trace's first event", 0},
    {"to", 't', "TIME", 0, "only calls that begin at TIME or earlier", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {"json", KEY_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    int64_t rank, thread;
    options->part = options->part || key == 'r' || key == 'T' || key == 'f' || key == 't';
    switch (key) {
    case 'r':
        if (cli_count(state, "--rank", argument, 0, INT32_MAX, &rank)) return EINVAL;
        options->range.rank = (int32_t)rank;
        return 0;
    case 'T':
        if (cli_count(state, "--thread", argument, 0, TRACE_THREADS_MAX - 1, &thread)) return EINVAL;
        options->range.by_thread = true;
        options->range.thread = (uint32_t)thread;
        return 0;
    case 'f': return cli_duration_ps(state, "--from", argument, &options->range.from_ps);
    case 't': return cli_duration_ps(state, "--to", argument, &options->range.to_ps);
    case 'o': options->output = argument; return 0;
    case KEY_JSON: options->json = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &options->trace);
    case ARGP_KEY_END:
        if (options->range.from_ps > options->range.to_ps) return cli_usage(state, "--to is before --from");
        return cli_needs_argument(state, options->trace, "TRACE");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "TRACE",
    "Writes a trace as text (docs/format-text.md). A part may lack the beginning of what it ends: such waits and user "
    "regions "
    "are left out, so that every dump can be read back.",
    NULL,
    NULL,
    NULL,
};

static enum status dump_trace(const struct options *options, const struct trace *trace, struct err *err)
{
    FILE *out;
    if (options->range.rank >= (int32_t)trace->rank_count)
        return err_set(err, STATUS_USAGE, NULL, NULL, "--rank %d, expected 0 to %u", (int)options->range.rank,
                       trace->rank_count - 1);
    TRY(output_set_open(options->output, &out, err));
    TRY(output_set_close(options->output, out, text_write(trace, options->part ? &options->range : NULL, out, err), err));
    struct written written;
    written_begin(&written, options->json, "dump", options->output);
    written_count(&written, "ranks", trace->rank_count);
    if (!options->part) written_count(&written, "calls", trace_all_calls(trace));
    return written_end(&written, err);
}

enum status cmd_dump(int argc, char **argv, struct err *err)
{
    struct options options = {.output = "-", .range = {.rank = TRACE_NONE, .from_ps = INT64_MIN, .to_ps = INT64_MAX}};
    struct trace *trace;
    TRY(cli_parse(&argp, argc, argv, CLI_READS_TRACES, &options, err));
    const struct cli_output outputs[] = {{CLI_WRITES, "-o", options.output}, {CLI_WRITES, "--json", options.json}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    if (!cli_is_output(options.output)) activity_begin("rmacast dump");
    TRY(trace_open(options.trace, &trace, err));
    enum status status = dump_trace(&options, trace, err);
    trace_free(trace);
    return status;
}
