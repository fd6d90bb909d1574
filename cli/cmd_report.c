/* rmacast report X... -o report.html: a page about runs, predictions and comparisons. */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/output_set.h"
#include "cli/written.h"
#include "platforms/platform.h"
#include "report/report.h"
#include "trace/open.h"

enum { KEY_FROM = 1000, KEY_TO, KEY_TITLE, KEY_CALLS, KEY_SLICES, KEY_JSON };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "the page (report.html); - is standard output", 0},
    {"title", KEY_TITLE, "TEXT", 0, "title of the page (the name of the first input)", 0},
    {"from", KEY_FROM, "TIME", 0, "show calls from this time of the run on", 0},
    {"to", KEY_TO, "TIME", 0, "show calls up to this time of the run", 0},
    {"calls", KEY_CALLS, "N", 0, "show each call of a run with at most N, else levels of detail (60000)", 0},
    {"slices", KEY_SLICES, NULL, 0,
     "read archives in slices however small they are, in memory that does not grow with their length (default from 4 million "
     "records on, without --from and --to)",
     0},
    {"json", KEY_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0}};

struct settings {
    struct cli_strings inputs;
    const char *output, *title, *json;
    struct timeline_options timeline;
    bool slices;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    int64_t calls;
    error_t failed;
    switch (key) {
    case 'o': settings->output = argument; return 0;
    case KEY_TITLE: settings->title = argument; return 0;
    case KEY_FROM: return cli_duration_ps(state, "--from", argument, &settings->timeline.from_ps);
    case KEY_TO: return cli_duration_ps(state, "--to", argument, &settings->timeline.until_ps);
    case KEY_CALLS:
        failed = cli_count(state, "--calls", argument, 1, INT64_MAX, &calls);
        if (!failed) settings->timeline.calls_max = (uint64_t)calls;
        return failed;
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_SLICES: settings->slices = true; return 0;
    case ARGP_KEY_ARG: return cli_add_string(state, &settings->inputs, argument);
    case ARGP_KEY_END:
        if (settings->inputs.count == 0) return cli_usage(state, "TRACE|RESULT... is missing");
        if (settings->timeline.until_ps && settings->timeline.until_ps <= settings->timeline.from_ps)
            return cli_usage(state, "--to is not behind --from");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* A platform on the page names files that the page does not open: who opens the platform says that they are inputs. What is no
 * platform is told by who reads it. */
static enum status claim_platform(const char *file, struct err *err)
{
    enum { PLATFORM_BYTES_MOST = 1 << 20 };
    struct stat about;
    struct platform *platform;
    struct err why;
    if (stat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > PLATFORM_BYTES_MOST) return STATUS_OK;
    enum status status = platform_open(file, NULL, 0, &platform, &why);
    if (status == STATUS_OK) platform_free(platform);
    if (status != STATUS_USAGE) return STATUS_OK;
    *err = why;
    return status;
}

/* What is said of traces needs one. */
static enum status check_traces(const struct settings *settings, struct err *err)
{
    const char *option = cli_given("from to calls slices ranks parameter");
    enum trace_form form = TRACE_FORM_OTHER;
    for (size_t i = 0; option && form == TRACE_FORM_OTHER && i < settings->inputs.count; i++)
        TRY(trace_recognise(settings->inputs.items[i], &form, err));
    if (!option || form != TRACE_FORM_OTHER) return STATUS_OK;
    return err_set(err, STATUS_USAGE, NULL, NULL, "--%s is for traces, and there is none among the inputs", option);
}

static enum status run_report(const struct settings *settings, struct err *err)
{
    const struct report_options report = {.inputs = settings->inputs.items,
                                          .input_count = settings->inputs.count,
                                          .title = settings->title,
                                          .timeline = settings->timeline,
                                          .slices = settings->slices};
    FILE *out;
    const struct cli_output outputs[] = {{CLI_WRITES, "-o", settings->output}, {CLI_WRITES, "--json", settings->json}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    TRY(check_traces(settings, err));
    for (size_t i = 0; i < settings->inputs.count; i++) TRY(claim_platform(settings->inputs.items[i], err));
    TRY(output_set_open(settings->output, &out, err));
    TRY(output_set_close(settings->output, out, report_write(&report, out, err), err));
    struct written written;
    written_begin(&written, settings->json, "report", settings->output);
    written_count(&written, "inputs", settings->inputs.count);
    return written_end(&written, err);
}

enum status cmd_report(int argc, char **argv, struct err *err)
{
    struct settings settings = {.output = "report.html", .timeline = {.calls_max = 60000}};
    const struct argp argp = {
        options,
        parse_option,
        "TRACE|RESULT...",
        "Writes one page, without need of a network, that shows where time goes, who waits for whom, and what "
        "predictions say. Inputs are traces, what --json of analyze, simulate, compare, predict, advise and validate "
        "wrote, results of campaigns, and platform files, as in 'rmacast report before.rma after.rma -o page.html'.",
        NULL,
        NULL,
        NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    if (status == STATUS_OK) status = run_report(&settings, err);
    free(settings.inputs.items);
    return status;
}
