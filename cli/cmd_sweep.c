/* rmacast sweep CONFIG.json: platforms x mappings x transforms x semantics x ranks, one prediction each. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "cli/sweep_options.h"
#include "common/children.h"
#include "common/text/text.h"

enum { KEY_SERVE = SWEEP_OPTIONS_END, JOBS_MAX = 4096 };

static const struct argp_option options[] = {SWEEP_OPTIONS,
                                             {"jobs", 'j', "N", 0, "points at once (default: one per processor)", 0},
                                             {"serve", KEY_SERVE, NULL, OPTION_HIDDEN, NULL, 0},
                                             {0}};

struct settings {
    struct sweep_options sweep;
    int64_t jobs;
    bool serve;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case 'j': return cli_count(state, "-j", argument, 1, JOBS_MAX, &settings->jobs);
    case KEY_SERVE: settings->serve = true; return 0;
    default: return sweep_options_parse(key, argument, state, &settings->sweep);
    }
}

static enum status write_outcome(int outcome, const char *text, struct err *err)
{
    text_print(stdout, "%d %zu\n%s", outcome, strlen(text), text);
    return cli_flush(err);
}

static enum status serve_point(const struct sweep_input *input, size_t point, struct err *err)
{
    struct sweep_one one = {input, point};
    struct child_answer answer;
    TRY(children_run(sweep_run_one, &one, 1, 1, &answer, err));
    enum status status = write_outcome(answer.status, answer.status == STATUS_OK ? answer.data : answer.err.text, err);
    child_answers_clear(&answer, 1);
    return status;
}

/* For rmacast-sweep: a number of a point per line of standard input; to each "STATUS BYTES", a newline and so many
 * bytes, the point's line or why it failed. Status -1: no point can be run. Every point runs in a child process. */
static enum status serve_points(const struct sweep *sweep, struct err *err)
{
    struct sweep_input input;
    size_t point;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    enum status opened = sweep_input_open(sweep, &input, err), status = STATUS_OK;
    while (status == STATUS_OK && scanf("%zu", &point) == 1 && point < sweep->count)
        status = opened == STATUS_OK ? serve_point(&input, point, err) : write_outcome(-1, err->text, err);
    sweep_input_close(&input);
    return status;
}

static enum status run_sweep_command(const struct settings *settings, struct sweep *sweep, struct err *err)
{
    struct sweep_observer progress = sweep_options_progress();
    if (settings->serve) return serve_points(sweep, err);
    enum status status = sweep_run(sweep, (size_t)settings->jobs, &progress, err);
    sweep_options_progress_end();
    return status == STATUS_OK ? sweep_options_write(&settings->sweep, sweep, err) : status;
}

enum status cmd_sweep(int argc, char **argv, struct err *err)
{
    struct settings settings = {.jobs = 0};
    struct sweep sweep;
    const struct argp argp = {
        options,
        parse_option,
        "CONFIG.json",
        "Predicts every combination of the platforms, mappings, transforms, semantics and numbers of ranks "
        "that a configuration lists, in processes of this computer. rmacast-sweep does it under mpiexec.",
        NULL,
        NULL,
        NULL};
    TRY(cli_parse(&argp, argc, argv, 0, &settings, err));
    TRY(sweep_options_open(&settings.sweep, &sweep, err));
    enum status status = run_sweep_command(&settings, &sweep, err);
    sweep_close(&sweep);
    return status;
}
