/* rmacast model TRACE...: the program that traces at several numbers of ranks have in common, as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output_set.h"
#include "cli/scale/model_options.h"
#include "cli/written.h"
#include "common/array.h"
#include "common/units.h"
#include "model/violations/violations.h"
#include "predictors/scale/scale.h"
#include "trace/program_model/edit.h"
#include "trace/open.h"

struct settings {
    struct model_options options;
    const char *output, *json;
    struct {
        const char *path;
        bool reduced;
    } blocks[MODEL_CHANGES_MAX];
    size_t block_count;
    int64_t threads; /* 0: as recorded */
};

enum { KEY_JSON = 1000, KEY_REDUCE, KEY_EXPAND, KEY_THREADS };

static const struct argp_option rows[] = {
    {"output", 'o', "FILE", 0, "where the model is written; - is standard output (-)", 0},
    MODEL_OPTIONS,
    {"threads", KEY_THREADS, "N", 0,
     "share the parallel regions of each rank's threads among so many, and make them computing", 0},
    {"reduce", KEY_REDUCE, "PATH", 0, "reduce a region, as solve or step/solve, to its time", 0},
    {"expand", KEY_EXPAND, "PATH", 0, "expand a region that was reduced", 0},
    {"json", KEY_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0},
};

static error_t add_block(const struct argp_state *state, struct settings *settings, const char *path, bool reduced)
{
    if (settings->block_count == MODEL_CHANGES_MAX)
        return cli_usage(state, "more than %d --reduce and --expand", MODEL_CHANGES_MAX);
    settings->blocks[settings->block_count].path = path;
    settings->blocks[settings->block_count++].reduced = reduced;
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = model_options_parse(key, argument, state, &settings->options);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_REDUCE:
    case KEY_EXPAND: return add_block(state, settings, argument, key == KEY_REDUCE);
    case 'o': settings->output = argument; return 0;
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_THREADS: return cli_count(state, "--threads", argument, 1, TRACE_THREADS_MAX, &settings->threads);
    case ARGP_KEY_END: return model_options_end(state, &settings->options);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "TRACE[:NAME=VALUE]...",
    "Finds the program that runs at several numbers of ranks have in common, and writes it as a program model: a text "
    "that can be read, edited, and used as a trace at any number of ranks (docs/scaling.md). One program model is "
    "written again in the usual form.",
    NULL,
    NULL,
    NULL,
};

static void tell_lines(char *text)
{
    char *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        cli_note("note: %s", line);
}

/* At two and four times the ranks of the largest run. */
static enum status tell_doubts(const struct program *program, const struct program_model *model, struct err *err)
{
    uint32_t largest = (uint32_t)program_largest(program)->ranks, ranks[] = {2 * largest, 4 * largest};
    char *text;
    tell_lines(program->statistics);
    TRY(model_options_doubts(program, model, ranks, 2, &text, err));
    tell_lines(text);
    free(text);
    return STATUS_OK;
}

/* Every number of ranks up to RANKS_TRIED is tried until so many calls were made: some seconds. */
enum { RANKS_TRIED = 16, CALLS_TRIED = 1 << 24 };

struct windows {
    bool *used, *created; /* by number: calls work on it, create it */
    size_t count;
};

static void clear_windows(struct windows *windows)
{
    FREE_ALL(windows->used, windows->created);
}

static enum status find_windows(const struct trace *trace, struct windows *made, struct err *err)
{
    made->count = trace->definitions.window_count;
    made->used = calloc(made->count + 1, sizeof *made->used);
    made->created = calloc(made->count + 1, sizeof *made->created);
    if (!made->used || !made->created) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (!(call_row(call->call)->needed & F_WIN) || call->handle == TRACE_NONE) continue;
            (call_kind(call->call) == CALL_WIN_CREATE ? made->created : made->used)[call->handle] = true;
        }
    return STATUS_OK;
}

/* Whether the run at a number of ranks contradicts MPI; then err says where first. Fails if there is no such run. Adds its calls
 * to *calls. The caller clears *windows. */
static enum status check_run(const struct program_model *model, uint32_t ranks, uint64_t *calls, bool *contradicts,
                             struct windows *windows, struct err *err)
{
    struct program_model_options options = PROGRAM_MODEL_DEFAULTS;
    struct result_violations violations = {.known = false};
    struct trace *trace;
    options.ranks = ranks;
    *contradicts = false;
    TRY(program_model_make(model, &options, &trace, err));
    for (uint32_t r = 0; r < trace->rank_count; r++) *calls += trace->ranks[r].count;
    enum status status = violations_find(trace, &violations, err);
    if (status == STATUS_OK && violations.total > 0) {
        const struct result_violation *first = &violations.items[0];
        *contradicts = true;
        err_set(err, STATUS_DATA, model->file, NULL, "rank %" PRIu32 ", event %" PRIu64 " (%s): %s", first->call.rank,
                first->call.event, first->call.function, first->sentence);
    }
    result_violations_clear(&violations);
    if (status == STATUS_OK) status = find_windows(trace, windows, err);
    trace_free(trace);
    return status;
}

/* A text may leave out who creates a window, so no creation is no contradiction. But the region has it if the whole has. */
static bool lacks_window(const struct windows *reduced, const struct windows *whole, struct err *err)
{
    for (size_t w = 0; w < reduced->count && w < whole->count; w++) {
        if (!reduced->used[w] || reduced->created[w] || !whole->created[w]) continue;
        err_set(err, STATUS_DATA, NULL, NULL, "window %zu is not created", w);
        return true;
    }
    return false;
}

/* Without its regions a program may lack a request, an epoch, a lock, a window, a message or a member of a collective call. Then
 * it fails, or contradicts MPI, at a number of ranks where the whole one does not. */
struct reduction {
    const struct program_model *whole, *reduced;
    uint64_t calls;
    bool runs;       /* the whole program does at a number of ranks that was tried */
    struct err last; /* why not at the last one */
};

static enum status compare_runs(struct reduction *check, uint32_t ranks, struct windows windows[2], struct err *err)
{
    struct err why;
    bool contradicts, whole_contradicts = false;
    enum status status = check_run(check->reduced, ranks, &check->calls, &contradicts, &windows[0], &why), whole = STATUS_OK;
    if (status == STATUS_SYSTEM) return err_set(err, status, NULL, NULL, "%s", why.text);
    bool differs = status != STATUS_OK || contradicts, creates = false;
    for (size_t w = 0; w < windows[0].count; w++) creates = creates || (windows[0].used[w] && !windows[0].created[w]);
    if (differs || creates)
        whole = check_run(check->whole, ranks, &check->calls, &whole_contradicts, &windows[1], &check->last);
    if (whole == STATUS_OK) check->runs = true;
    differs = differs || (creates && whole == STATUS_OK && lacks_window(&windows[0], &windows[1], &why));
    if (!differs || whole != STATUS_OK || whole_contradicts) return STATUS_OK;
    return err_set(err, STATUS_DATA, NULL, NULL,
                   "%s; not so in the whole program, which has %" PRIu32
                   " rank%s here: expected a region that other calls do not need",
                   why.text, ranks, units_plural(ranks));
}

static enum status check_reduction(struct reduction *check, uint32_t ranks, struct err *err)
{
    struct windows windows[2] = {{.count = 0}, {.count = 0}}; /* of the reduced program, of the whole one */
    enum status status = compare_runs(check, ranks, windows, err);
    for (int i = 0; i < 2; i++) clear_windows(&windows[i]);
    return status;
}

static enum status check_reductions(const struct program_model *whole, const struct program_model *reduced,
                                    struct err *err)
{
    struct reduction check = {.whole = whole, .reduced = reduced};
    if (whole->ranks > 0) TRY(check_reduction(&check, whole->ranks, err));
    if (whole->observed.ranks > 0) TRY(check_reduction(&check, whole->observed.ranks, err));
    for (size_t i = 0; i < whole->recorded_count; i++) TRY(check_reduction(&check, whole->recorded[i].ranks, err));
    for (uint32_t ranks = 1; ranks <= RANKS_TRIED && check.calls < CALLS_TRIED; ranks++)
        TRY(check_reduction(&check, ranks, err));
    if (check.runs) return STATUS_OK;
    return err_set(err, STATUS_DATA, NULL, NULL,
                   "%s: the program runs at none of 1 to %d ranks, so it is not known what its calls need of the region; "
                   "expected a line \"ranks N\" with which it runs",
                   check.last.text, RANKS_TRIED);
}

static enum status reduce_model(const struct settings *settings, const struct program_model *whole,
                                struct program_model **model, struct err *err)
{
    bool reduced = false;
    for (size_t i = 0; i < settings->block_count; i++) {
        struct program_model *made;
        TRY(program_model_reduce(*model, settings->blocks[i].path, settings->blocks[i].reduced, &made, err));
        if (*model != whole) program_model_free(*model);
        *model = made;
        reduced = reduced || settings->blocks[i].reduced;
    }
    return reduced ? check_reductions(whole, *model, err) : STATUS_OK;
}

static enum status change_model(const struct settings *settings, struct program_model **model, struct err *err)
{
    struct program_model *whole = *model;
    TRY(model_options_apply(&settings->options, whole, err));
    enum status status = reduce_model(settings, whole, model, err);
    if (*model != whole) program_model_free(whole);
    return status;
}

static enum status open_run(const void *context, const char *file, enum trace_computing computing, struct trace **trace,
                            struct err *err)
{
    (void)context;
    TRY(trace_open(file, trace, err));
    return trace_use_computing(*trace, computing, err);
}

static enum status learn_model(const struct settings *settings, struct program_model **model, struct err *err)
{
    size_t count = settings->options.traces.count;
    struct trace **traces = calloc(count, sizeof *traces);
    struct program *program = NULL;
    enum status status = traces ? model_options_open_runs(&settings->options, COMPUTING_DEFAULT, open_run, NULL, traces, err)
                                : err_memory(err); /* computing as predict has it */
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = model_options_fold((uint32_t)settings->threads, TRACE_THREADS_MAX, &traces[i], err);
    const struct scale_runs runs = model_options_runs(&settings->options, traces);
    if (status == STATUS_OK) status = scale_learn(&runs, &program, err);
    if (status == STATUS_OK) status = program_to_model(program, model, err);
    if (status == STATUS_OK) status = tell_doubts(program, *model, err);
    for (size_t i = 0; traces && i < count; i++) trace_free(traces[i]);
    free(traces);
    program_free(program);
    return status;
}

static enum status write_model(const struct settings *settings, const struct program_model *model, struct err *err)
{
    FILE *out;
    TRY(output_set_open(settings->output, &out, err));
    program_model_write(model, out);
    TRY(output_set_close(settings->output, out, STATUS_OK, err));
    struct written written;
    written_begin(&written, settings->json, "model", settings->output);
    written_count(&written, "traces", settings->options.traces.count);
    return written_end(&written, err);
}

static enum status run_model(const struct settings *settings, struct err *err)
{
    struct program_model *model;
    const char *first = settings->options.traces.items[0];
    const struct cli_output outputs[] = {{CLI_WRITES, "-o", settings->output}, {CLI_WRITES, "--json", settings->json}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    enum trace_form form;
    TRY(trace_recognise(first, &form, err));
    bool alone = settings->options.traces.count == 1 && form == TRACE_FORM_MODEL;
    if (alone && settings->options.parameter)
        return err_set(err, STATUS_USAGE, first, NULL, "a program model has parameters of its own, expected --parameter %s=VALUE",
                       settings->options.parameter);
    TRY(alone ? program_model_open(first, &model, err) : learn_model(settings, &model, err));
    enum status status = change_model(settings, &model, err);
    if (status == STATUS_OK) status = write_model(settings, model, err);
    program_model_free(model);
    return status;
}

enum status cmd_model(int argc, char **argv, struct err *err)
{
    struct settings settings = {.output = "-"};
    enum status status = cli_parse(&argp, argc, argv, 0, &settings, err);
    if (status == STATUS_OK) status = run_model(&settings, err);
    model_options_clear(&settings.options);
    return status;
}
