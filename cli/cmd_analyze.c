/* rmacast analyze TRACE: wait states, properties and transfer bounds of a recorded or simulated trace. */
#include "cli/analysis.h"
#include "model/result/checks.h"
#include "model/slices/slices.h"
#include "model/violations/violations.h"
#include "trace/open.h"

enum { KEY_VERIFY = ANALYSIS_OPTIONS_END, KEY_WHOLE, KEY_SLICES, KEY_KEEP_GOING, KEY_CHECK };

static const struct argp_option options[] = {
    ANALYSIS_OPTIONS,
    {"verify", KEY_VERIFY, NULL, 0, "check the figures against each other; exit with 1 if they do not agree", 0},
    {"check", KEY_CHECK, NULL, 0,
     "list what contradicts MPI, and where; exit with 1 if something does", 0},
    {"keep-going", KEY_KEEP_GOING, NULL, 0,
     "analyze a faulty trace: each rank up to its first fault; the result says what is left out", 0},
    {"whole", KEY_WHOLE, NULL, 0, "keep the whole trace in memory, however large it is", 0},
    {"slices", KEY_SLICES, NULL, 0,
     "an archive of rmacast with one thread per rank is read in slices, in memory that does not grow with its length; with "
     "this option a note says why another trace is not",
     0},
    {0}};

struct settings {
    struct analysis analysis;
    analyze_source *open_source;
    bool several; /* other processes read */
    struct section section; /* of an analysis in slices */
    struct main_loop loop;  /* the same */
    struct source_cuts cuts; /* and what it leaves out */
    bool keep_going, whole, slices, check;
    bool faulty; /* faults are left out */
    bool written;   /* the result is: what fails now is no fault of the trace */
    struct violation_finder *finder; /* while an analysis runs */
    struct analyze_watcher watcher;
    struct result_violations violations; /* found, once all has been read */
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case KEY_WHOLE: settings->whole = true; return 0;
    case KEY_SLICES: settings->slices = true; return 0;
    case KEY_CHECK: settings->check = true; return 0;
    case KEY_VERIFY: settings->analysis.options.verify = true; return 0;
    case KEY_KEEP_GOING: settings->keep_going = true; return 0;
    default: return analysis_parse(key, argument, state, &settings->analysis);
    }
}

static enum status take_calls(void *context, const struct trace *trace, const struct callpaths *paths, struct err *err)
{
    struct settings *settings = context;
    return violations_take(settings->finder, trace, paths, err);
}

static enum status take_messages(void *context, const struct relations *relations, bool last, struct err *err)
{
    struct settings *settings = context;
    TRY(violations_match(settings->finder, relations, last, err));
    if (!last) return STATUS_OK;
    enum status status = violations_end(settings->finder, &settings->violations, err);
    violations_free(settings->finder);
    settings->finder = NULL;
    return status;
}

/* Once faults are left out one process reads. */
static enum status open_trace(struct settings *settings, struct trace_source *source, bool *possible, uint64_t *records,
                               struct err *err)
{
    analyze_source *open_it = settings->faulty ? trace_open_source : settings->open_source;
    TRY(open_it(settings->analysis.trace, source, possible, records, err));
    enum status status = settings->faulty && *possible ? source_cut_ranks(source, &settings->cuts, err) : STATUS_OK;
    if (status == STATUS_OK)
        source->keeps_going = settings->keep_going;
    else
        source_close(source);
    return status;
}

/* The archive is read once more, since the last mark of a rank may be anywhere. */
static enum status find_section(struct settings *settings, struct trace_source *source, struct err *err)
{
    struct analyze_options *made = &settings->analysis.options;
    uint64_t records;
    bool possible;
    if (!section_is_set(&made->section)) return STATUS_OK;
    section_clear(&settings->section);
    TRY(section_find_in(source, &made->section, &settings->section, err));
    source_close(source);
    made->filter.section = &settings->section;
    made->filter.callpath = made->section.callpath;
    return open_trace(settings, source, &possible, &records, err);
}

/* What the analysis looks for beside waits: what contradicts MPI. */
static enum status begin_check(struct settings *settings, struct err *err)
{
    violations_free(settings->finder);
    result_violations_clear(&settings->violations);
    settings->finder = NULL;
    settings->watcher = (struct analyze_watcher){
        .context = settings, .read = take_calls, .matched = take_messages, .reads_on = settings->check};
    settings->analysis.options.watcher = &settings->watcher;
    return violations_new(&settings->finder, err);
}

static const char *why_whole(const struct settings *settings)
{
    return settings->whole ? "--whole" : "only an archive of rmacast with one thread per rank is read in slices";
}

static enum status write_result(struct settings *settings, const struct trace *trace, struct result *result,
                                struct err *err)
{
    settings->written = true;
    TRY(analysis_write(&settings->analysis, trace, result, err));
    if (!settings->check) return STATUS_OK;
    if (result->violations.total > 0) cli_exit_with(1);
    if (cli_is_output(settings->analysis.json)) return STATUS_OK;
    result_print_violations(&result->violations, cli_table());
    return cli_flush(err);
}

/* Writes the result of an analysis, in slices or not, and says whether it is as it should be. */
static enum status conclude_analysis(struct settings *settings, const struct trace *trace, bool whole,
                                     struct result *result, struct err *err)
{
    bool told = settings->check || settings->violations.total > 0;
    enum status status = told ? violations_report(&settings->violations, result, err) : STATUS_OK;
    if (status == STATUS_OK && whole && settings->slices)
        status = result_add_note(result, err, "the trace was read as a whole: %s", why_whole(settings));
    if (status == STATUS_OK) status = write_result(settings, trace, result, err);
    if (status == STATUS_OK && !settings->check && !settings->keep_going)
        status = violations_expect(&result->violations, trace->name, err);
    if (status == STATUS_OK) status = checks_expect(result, err);
    result_free(result);
    return status;
}

static enum status analyze_slices(struct settings *settings, struct trace_source *source, struct err *err)
{
    struct result *result;
    TRY(analysis_check(&settings->analysis, source->trace, err));
    TRY(find_section(settings, source, err));
    if (settings->keep_going || !settings->violations.known) TRY(begin_check(settings, err));
    TRY(model_analyze_slices(source, &settings->analysis.options, slice_calls(source), &result,
                             err));
    analysis_tell_faults(source->trace);
    return conclude_analysis(settings, source->trace, false, result, err);
}

/* What follows a fault that shows late is left out when the archive is read again: what was matched with it before is counted
 * already. *again false: the analysis fails for another reason. */
static enum status leave_out(struct settings *settings, const struct err *cause, bool *again, struct err *err)
{
    struct transfer_log **transfers = &settings->analysis.options.transfers;
    bool first = !settings->faulty;
    *again = (settings->keep_going || settings->violations.known) && !settings->written; /* known: it can be read */
    if (!*again) return STATUS_OK;
    settings->faulty = true;
    settings->analysis.options.watcher = NULL;
    TRY(source_cuts_add(&settings->cuts, cause, again, err));
    *again = *again || (first && settings->several); /* who reads alone leaves it out */
    transfer_log_free(*transfers);
    *transfers = NULL;
    return settings->analysis.csv ? transfer_log_new(transfers, err) : STATUS_OK;
}

/* *done false: the trace is to be analysed as a whole. */
static enum status try_slices(struct settings *settings, bool *done, struct err *err)
{
    *done = false;
    if (!settings->whole)
        TRY(analysis_find_loop(settings->analysis.trace, settings->keep_going, &settings->analysis.options, &settings->loop,
                               err));
    for (bool again = !settings->whole; again;) {
        struct trace_source source;
        struct err cause;
        uint64_t records;
        enum status status = open_trace(settings, &source, done, &records, err);
        if (status != STATUS_OK || !*done) return status;
        status = analyze_slices(settings, &source, err);
        source_close(&source);
        if (status != STATUS_DATA) return status;
        cause = *err;
        TRY(leave_out(settings, &cause, &again, err));
        if (!again) *err = cause;
        if (!again) return status;
    }
    return STATUS_OK;
}

/* Analyses a trace. A trace that contradicts MPI may be more than an analysis accepts: with --check only the calls
 * before are analysed. */
static enum status analyze_trace(struct settings *settings, struct trace *trace, struct result **result, struct err *err)
{
    TRY(begin_check(settings, err));
    enum status status = model_analyze(trace, &settings->analysis.options, result, err);
    if (status != STATUS_DATA || !settings->check || !settings->violations.known) return status;
    settings->analysis.options.watcher = NULL;
    TRY(analysis_keep_going(trace, err));
    return model_analyze(trace, &settings->analysis.options, result, err);
}

static enum status analyze_whole(struct settings *settings, struct err *err)
{
    struct trace *trace;
    struct result *result;
    TRY(settings->keep_going ? analysis_open_partly(settings->analysis.trace, &trace, err)
                             : trace_open(settings->analysis.trace, &trace, err));
    if (settings->several) cli_note("%s: read by one process: %s", trace->name, why_whole(settings));
    enum status status = analysis_check(&settings->analysis, trace, err);
    if (status == STATUS_OK) status = analyze_trace(settings, trace, &result, err);
    if (status == STATUS_OK) status = conclude_analysis(settings, trace, true, result, err);
    trace_free(trace);
    return status;
}

enum status analyze_command(int argc, char **argv, analyze_source *open_source, struct err *err)
{
    struct settings settings = {.analysis = ANALYSIS_DEFAULTS, .open_source = open_source};
    settings.several = open_source != trace_open_source;
    const struct argp argp = {options, parse_option, "TRACE",
                              "Finds where a trace lost time, as 'rmacast analyze app.rma'.", NULL, NULL, NULL};
    bool done;
    TRY(cli_parse(&argp, argc, argv, 0, &settings, err));
    TRY(analysis_claim_outputs(settings.analysis.json, settings.analysis.csv, err));
    settings.analysis.options.intervals = true;
    enum status status = analysis_read_runs(&settings.analysis, err);
    if (status == STATUS_OK && settings.analysis.csv) status = transfer_log_new(&settings.analysis.options.transfers, err);
    if (status == STATUS_OK) status = try_slices(&settings, &done, err);
    if (status == STATUS_OK && !done) status = analyze_whole(&settings, err);
    section_clear(&settings.section);
    main_loop_clear(&settings.loop);
    source_cuts_clear(&settings.cuts);
    violations_free(settings.finder);
    result_violations_clear(&settings.violations);
    analysis_clear(&settings.analysis);
    return status;
}

enum status cmd_analyze(int argc, char **argv, struct err *err)
{
    return analyze_command(argc, argv, trace_open_source, err);
}
