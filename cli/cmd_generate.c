/* rmacast generate: traces of regular exchange patterns. */

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/terminal/activity.h"
#include "cli/written.h"
#include "trace/generate/generate.h"
#include "trace/limits.h"
#include "trace/open.h"
#include "trace/otf2/otf2.h"

struct options {
    struct generate_options generate;
    const char *output, *json;
};

enum { KEY_JSON = 1000 };

static const struct argp_option rows[] = {
    {"ranks", 'n', "N", 0, "number of ranks (4)", 0},
    {"iterations", 'i', "I", 0, "how often the pattern is repeated (10)", 0},
    {"bytes", 'b', "B", 0, "size of one transfer, as 1024 or 64K (1K)", 0},
    {"compute", 'c', "TIME", 0, "computing of one rank in one iteration (1ms)", 0},
    {"imbalance", 'u', "FRACTION", 0, "by which the computing of a rank differs at most, as 0.2 or 20% (0)", 0},
    {"sync", 's', "SYNC", 0, "pscw, fence, lock, flush (lock_all, a flush per target) or p2p (pscw)", 0},
    {"seed", 'r', "SEED", 0, "of the imbalance (1)", 0},
    {"output", 'o', "TRACE", 0, "*.txt or - is text, anything else the directory of an archive (-)", 0},
    {"json", KEY_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0},
};

static error_t parse_count(const struct argp_state *state, const char *option, const char *text, int64_t high,
                           uint32_t *count)
{
    int64_t value;
    error_t failed = cli_count(state, option, text, 1, high, &value);
    if (!failed) *count = (uint32_t)value;
    return failed;
}

static error_t parse_sync(const struct argp_state *state, const char *text, const char **sync)
{
    size_t index;
    error_t failed = cli_choice(state, "--sync", text, generate_syncs(), &index);
    if (!failed) *sync = generate_syncs()[index];
    return failed;
}

static error_t parse_pattern(const struct argp_state *state, const char *text, const char **pattern)
{
    size_t index;
    if (*pattern) return cli_usage(state, "unexpected argument '%s'", text);
    error_t failed = cli_choice(state, "pattern", text, generate_patterns(), &index);
    if (!failed) *pattern = generate_patterns()[index];
    return failed;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    struct generate_options *generate = &options->generate;
    int64_t seed;
    error_t failed;
    switch (key) {
    case 'n': return parse_count(state, "--ranks", argument, TRACE_RANKS_MAX, &generate->ranks);
    case 'i': return parse_count(state, "--iterations", argument, 1 << 30, &generate->iterations);
    case 'b': return cli_size(state, "--bytes", argument, &generate->bytes);
    case 'c': return cli_duration(state, "--compute", argument, &generate->compute_s);
    case 'u': return cli_fraction(state, "--imbalance", argument, &generate->imbalance);
    case 's': return parse_sync(state, argument, &generate->sync);
    case 'r':
        failed = cli_count(state, "--seed", argument, 0, INT64_MAX, &seed);
        if (!failed) generate->seed = (uint64_t)seed;
        return failed;
    case 'o': options->output = argument; return 0;
    case KEY_JSON: options->json = argument; return 0;
    case ARGP_KEY_ARG: return parse_pattern(state, argument, &generate->pattern);
    case ARGP_KEY_END: return cli_needs_argument(state, generate->pattern, "PATTERN");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "PATTERN",
    "Makes a trace of halo2d (every rank of a 2-D grid exchanges with its neighbours), ring (with the next rank) or "
    "transpose "
    "(with all others). Calls take no time in it; the same options make the same trace.",
    NULL,
    NULL,
    NULL,
};

static enum status write_json(const struct options *options, uint64_t calls, struct err *err)
{
    struct written written;
    written_begin(&written, options->json, "generate", options->output);
    written_count(&written, "ranks", options->generate.ranks);
    written_count(&written, "calls", calls);
    return written_end(&written, err);
}

static enum status save_text(const struct options *options, uint64_t *calls, struct err *err)
{
    struct trace *trace;
    TRY(generate_trace(&options->generate, &trace, err));
    *calls = trace_all_calls(trace);
    enum status status = cli_save_trace(trace, options->output, err);
    trace_free(trace);
    return status;
}

/* Rank by rank: the trace may be larger than memory. */
static enum status save_archive(const struct options *options, uint64_t *calls, struct err *err)
{
    struct generator *generator;
    TRY(generate_open(&options->generate, &generator, err));
    enum status status = otf2_write_ranks(generate_definitions(generator), generate_rank, generator, options->output, err);
    *calls = generate_calls(generator);
    generate_close(generator);
    return status;
}

enum status cmd_generate(int argc, char **argv, struct err *err)
{
    struct options options = {
        .generate = {.sync = "pscw", .ranks = 4, .iterations = 10, .bytes = 1024, .compute_s = 1e-3, .seed = 1},
        .output = "-",
    };
    uint64_t calls;
    TRY(cli_parse(&argp, argc, argv, 0, &options, err));
    const struct cli_output outputs[] = {{CLI_WRITES_TRACE, "-o", options.output}, {CLI_WRITES, "--json", options.json}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    if (!cli_is_output(options.output)) activity_begin("rmacast generate");
    TRY((trace_is_text_name(options.output) ? save_text : save_archive)(&options, &calls, err));
    return write_json(&options, calls, err);
}
