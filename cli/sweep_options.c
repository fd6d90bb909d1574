#include "cli/sweep_options.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/output_set.h"
#include "cli/terminal/activity.h"
#include "common/files/output_file.h"
#include "common/json.h"
#include "common/text/text.h"
#include "predictors/sweep/table.h"

error_t sweep_options_parse(int key, char *argument, struct argp_state *state, struct sweep_options *options)
{
    switch (key) {
    case 'o':
        if (cli_is_output(argument))
            return cli_usage(state, "-o - is no file that can be continued, expected --json - for standard output");
        options->output = argument;
        return 0;
    case SWEEP_JSON: options->json = argument; return 0;
    case SWEEP_CSV: options->csv = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &options->config);
    case ARGP_KEY_END: return cli_needs_argument(state, options->config, "CONFIG.json");
    default: return ARGP_ERR_UNKNOWN;
    }
}

enum status sweep_options_open(const struct sweep_options *options, struct sweep *sweep, struct err *err)
{
    struct sweep made;
    bool cut = false;
    const struct cli_output outputs[] = {{CLI_WRITES, "-o", options->output},
                                         {CLI_WRITES, "--json", options->json},
                                         {CLI_WRITES, "--csv", options->csv}};
    enum status status = STATUS_OK;
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    TRY(sweep_open(options->config, &made, err));
    if (options->output) status = sweep_keep(&made, options->output, &cut, err);
    if (status == STATUS_OK && (made.taken > 0 || cut))
        cli_note("note: %s %s; %zu of %zu points are taken from it", options->output, cut ? "breaks off" : "is continued",
                 made.taken, made.count);
    if (status == STATUS_OK && made.damaged > 0)
        cli_note("note: %s:%zu: the line is not as a sweep wrote it%s; what it held is simulated again", options->output,
                 made.damaged_line, made.damaged > 1 ? ", nor are others behind it" : "");
    GIVE(status, *sweep = made, sweep_close(&made));
}

static bool shown;

static void show_progress(void *context, const struct sweep *sweep)
{
    (void)context;
    if (!isatty(STDERR_FILENO) || cli_is_quiet()) return;
    activity_end();
    fputs("\r\033[K", stderr);
    text_print(stderr, "%zu of %zu points, %zu failed", sweep->done + sweep->failed, sweep->count, sweep->failed);
    fflush(stderr);
    shown = true;
}

struct sweep_observer sweep_options_progress(void)
{
    return (struct sweep_observer){.told = show_progress};
}

void sweep_options_progress_end(void)
{
    if (shown) fputs("\r\033[K", stderr);
    shown = false;
}

static enum status write_json(const struct sweep *sweep, FILE *out, struct err *err)
{
    (void)err;
    sweep_write(sweep, out);
    return STATUS_OK;
}

static enum status write_file(const struct sweep *sweep, const char *file,
                              enum status (*write)(const struct sweep *, FILE *, struct err *), struct err *err)
{
    FILE *out;
    if (!file) return STATUS_OK;
    TRY(output_set_open(file, &out, err));
    return output_set_close(file, out, write(sweep, out, err), err);
}

enum status sweep_options_write(const struct sweep_options *options, struct sweep *sweep, struct err *err)
{
    TRY(sweep_end(sweep, err));
    enum status files = write_file(sweep, options->json, write_json, err);
    if (files == STATUS_OK) files = write_file(sweep, options->csv, sweep_write_csv, err);
    if (files == STATUS_OK && !cli_is_output(options->json) && !cli_is_output(options->csv))
        files = sweep_print(sweep, cli_table(), err);
    TRY(cli_flush_behind(files, err));
    size_t first = 0;
    while (first < sweep->count && sweep->points[first].state != SWEEP_FAILED) first++;
    if (first == sweep->count) return STATUS_OK;
    struct json_document point;
    TRY(json_parse(sweep->points[first].line, sweep->config.file, &point, err));
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(point.root, "reason"));
    enum status status = err_set(err, STATUS_DATA, sweep->config.file, NULL, "%zu of %zu points failed, the first: %s",
                                 sweep->failed, sweep->count, reason ? reason : "");
    json_close(&point);
    return status;
}
