/* rmacast analyze TRACE: wait states, properties and transfer bounds of a recorded or simulated trace. */
#include "cli/analysis.h"
#include "model/checks.h"
#include "model/relations.h"
#include "model/stream.h"
#include "trace/open.h"

enum { KEY_VERIFY = ANALYSIS_OPTIONS_END, KEY_WHOLE, KEY_SLICES, KEY_KEEP_GOING };

static const struct argp_option options[] = {
    ANALYSIS_OPTIONS,
    {"verify", KEY_VERIFY, NULL, 0, "check the figures against each other; exit with 1 if they do not agree", 0},
    {"keep-going", KEY_KEEP_GOING, NULL, 0,
     "analyze a faulty trace: of each rank what comes before its first fault; the result says what is left out", 0},
    {"whole", KEY_WHOLE, NULL, 0,
     "keep the whole trace in memory however large it is: --keep-going does so", 0},
    {"slices", KEY_SLICES, NULL, 0,
     "read the archive in slices however small it is, in memory that does not grow with its length (default from 8 "
     "million records on)",
     0},
    {0}};

struct settings {
    struct analysis analysis;
    bool keep_going, whole, slices;
};

static bool needs_whole(const struct settings *settings)
{
    return settings->whole || settings->keep_going;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case KEY_WHOLE: settings->whole = true; return 0;
    case KEY_SLICES: settings->slices = true; return 0;
    case KEY_VERIFY: settings->analysis.options.verify = true; return 0;
    case KEY_KEEP_GOING: settings->keep_going = true; return 0;
    case ARGP_KEY_END:
        if (settings->slices && needs_whole(settings))
            return cli_usage(state, "--slices, expected none of the options that need the whole trace: --whole, "
                                    "--keep-going");
        /* fallthrough */
    default: return analysis_parse(key, argument, state, &settings->analysis);
    }
}

static enum status open_partly(const char *path, struct trace **trace, struct err *err)
{
    struct trace *made;
    TRY(trace_open_partly(path, &made, err));
    enum status status = relations_keep_going(made, err);
    for (size_t i = 0; status == STATUS_OK && i < made->fault_count; i++)
        fprintf(stderr, "rmacast: %s (left out from there on)\n", made->faults[i].text);
    if (status == STATUS_OK)
        *trace = made;
    else
        trace_free(made);
    return status;
}

/* An archive of so many records is analysed in slices: some 300 MB in memory as a whole. */
enum { SLICES_FROM_RECORDS = 8 << 20 };

static enum status analyze_slices(const struct settings *settings, struct trace_source *source, struct err *err)
{
    struct result *result;
    TRY(analysis_check(&settings->analysis, source->trace, err));
    TRY(model_stream(source, &settings->analysis.options, stream_calls(source->trace->rank_count), &result, err));
    enum status status = analysis_write(&settings->analysis, source->trace, result, err);
    if (!checks_hold(result)) cli_exit_with(1);
    result_free(result);
    return status;
}

/* *done false: the trace is to be analysed as a whole. */
static enum status try_slices(const struct settings *settings, bool *done, struct err *err)
{
    struct trace_source source;
    uint64_t records;
    *done = false;
    if (needs_whole(settings)) return STATUS_OK;
    TRY(trace_open_source(settings->analysis.trace, &source, done, &records, err));
    if (settings->slices && !*done)
        return err_set(err, STATUS_DATA, settings->analysis.trace, NULL,
                       "cannot be read in slices, expected an archive of rmacast with one thread per rank");
    if (!*done) return STATUS_OK;
    *done = settings->slices || records >= SLICES_FROM_RECORDS;
    enum status status = *done ? analyze_slices(settings, &source, err) : STATUS_OK;
    source_close(&source);
    return status;
}

static enum status analyze_whole(const struct settings *settings, struct err *err)
{
    struct trace *trace;
    struct result *result;
    TRY(settings->keep_going ? open_partly(settings->analysis.trace, &trace, err)
                             : trace_open(settings->analysis.trace, &trace, err));
    enum status status = analysis_check(&settings->analysis, trace, err);
    if (status == STATUS_OK) status = model_analyze(trace, &settings->analysis.options, &result, err);
    if (status == STATUS_OK) {
        status = analysis_write(&settings->analysis, trace, result, err);
        if (!checks_hold(result)) cli_exit_with(1);
        result_free(result);
    }
    trace_free(trace);
    return status;
}

enum status cmd_analyze(int argc, char **argv, struct err *err)
{
    struct settings settings = {.analysis = ANALYSIS_DEFAULTS};
    const struct argp argp = {options, parse, "TRACE", "Finds where a trace lost time.", NULL, NULL, NULL};
    bool done;
    TRY(cli_parse(&argp, argc, argv, 0, &settings, err));
    settings.analysis.options.intervals = true;
    TRY(analysis_read_runs(&settings.analysis, err));
    if (settings.analysis.csv) TRY(transfer_log_new(&settings.analysis.options.transfers, err));
    enum status status = try_slices(&settings, &done, err);
    if (status == STATUS_OK && !done) status = analyze_whole(&settings, err);
    transfer_log_free(settings.analysis.options.transfers);
    return status;
}
