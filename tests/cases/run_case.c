/* Runs one hand-worked case (case_platform.h): run_case FILE LETTER ENGINE [--update]
 *
 * Replays the file's trace on its platform under the letter and compares calls, true transfer intervals and wait states
 * (the simulator's account and the detector's on the predicted trace) with what it expects. One line for each
 * difference; exit 1 if there is one. --update prints what was obtained in the format of the section, for a person to
 * check. With loggp the result is the same, too, when the trace is analysed while it is made.
 * One process for each run: SimGrid allows one simulation per process. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/analyze.h"
#include "simulate/replay/replay.h"
#include "tests/cases/case_platform.h"
#include "tests/cases/expected.h"
#include "tests/slices/same_growing.h"
#include "trace/text/text.h"

#define TOLERANCE_PS INT64_C(1000) /* 1e-9 s, issue "First light" */

enum { PATH_BYTES = 1024 };

struct run {
    const char *file, *engine;
    char letter;
    int differences;
    struct trace *trace;
    struct platform *platform;
    struct replay_outcome outcome;
    struct totals detected; /* the detector's view of the predicted trace */
};

static void __attribute__((format(printf, 2, 3))) differ(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %c %s: ", run->file, run->letter, run->engine);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    run->differences++;
}

static double us(int64_t ps)
{
    return (double)ps * 1e-6;
}

static void compare_time(struct run *run, const char *place, const char *what, int64_t expected_ps, int64_t got_ps)
{
    if (llabs(expected_ps - got_ps) <= TOLERANCE_PS) return;
    differ(run, "%s: %s expected %.6f us, got %.6f us", place, what, us(expected_ps), us(got_ps));
}

static const struct trace_rank *find_call(const struct trace *trace, uint32_t rank, uint32_t event)
{
    if (rank >= trace->rank_count || event < 1 || event > trace->ranks[rank].count) return NULL;
    return &trace->ranks[rank];
}

static void compare_calls(struct run *run, const struct expected *expected)
{
    const struct trace *trace = run->outcome.trace;
    size_t total = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) total += trace->ranks[rank].count;
    if (total != expected->call_count) differ(run, "expected %zu calls, got %zu", expected->call_count, total);
    for (size_t i = 0; i < expected->call_count; i++) {
        const struct expected_call *want = &expected->calls[i];
        const struct trace_rank *process = find_call(trace, want->rank, want->event);
        if (!process) {
            differ(run, "rank %u has no event %u in the predicted trace", want->rank, want->event);
            continue;
        }
        const struct trace_call *call = &process->calls[want->event - 1];
        char place[TRACE_PLACE_BYTES];
        trace_place(trace, want->rank, want->event - 1, place);
        const char *name = call_name((enum mpi_call)call->call);
        if (strcmp(name, want->name) != 0) differ(run, "%s: expected a %s", place, want->name);
        compare_time(run, place, "enter", want->enter_ps, call->enter_ps);
        compare_time(run, place, "exit", want->exit_ps, call->exit_ps);
    }
}

static bool is_transfer(const struct trace_call *call)
{
    enum call_kind kind = call_kind((enum mpi_call)call->call);
    bool shmem = kind >= CALL_SHMEM_PUT && kind <= CALL_SHMEM_FETCH;
    bool mpi = kind == CALL_PUT || kind == CALL_GET || kind == CALL_ACCUMULATE || kind == CALL_GET_ACCUMULATE;
    return (mpi || shmem) && call->peer != TRACE_NONE;
}

static void compare_xfers(struct run *run, const struct expected *expected)
{
    const struct trace *trace = run->outcome.trace;
    size_t total = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) total += is_transfer(&trace->ranks[rank].calls[i]);
    if (total != expected->xfer_count) differ(run, "expected %zu transfers, got %zu", expected->xfer_count, total);
    for (size_t i = 0; i < expected->xfer_count; i++) {
        const struct expected_xfer *want = &expected->xfers[i];
        const struct trace_rank *process = find_call(trace, want->rank, want->event);
        if (!process || !is_transfer(&process->calls[want->event - 1]) || !process->sim) {
            differ(run, "rank %u, event %u is no transfer with a known interval", want->rank, want->event);
            continue;
        }
        const struct trace_sim *sim = &process->sim[want->event - 1];
        char place[TRACE_PLACE_BYTES];
        trace_place(trace, want->rank, want->event - 1, place);
        compare_time(run, place, "begin of transfer", want->start_ps, sim->xfer_start_ps);
        compare_time(run, place, "end of transfer", want->end_ps, sim->xfer_end_ps);
    }
}

static void compare_account(struct run *run, const struct expected *expected, const struct totals *totals,
                            bool detector)
{
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        const int64_t *want_ps = expected->severity_ps[pattern];
        if (!want_ps && !expected_always((enum pattern)pattern)) continue;
        if (expected->detector_only[pattern] && !detector) continue;
        for (uint32_t rank = 0; rank < expected->rank_count; rank++) {
            char place[96];
            snprintf(place, sizeof place, "rank %u, %s account", rank, detector ? "detector's" : "simulator's");
            compare_time(run, place, pattern_row((enum pattern)pattern)->name, want_ps ? want_ps[rank] : 0,
                         totals->severity_ps[pattern][rank]);
        }
    }
}

/* A rank's time is the exit of its last call: expected lists every call. */
static void compare_rank_times(struct run *run, const struct expected *expected)
{
    int64_t run_time_ps = 0;
    for (uint32_t rank = 0; rank < expected->rank_count; rank++) {
        int64_t end_ps = 0;
        for (size_t i = 0; i < expected->call_count; i++)
            if (expected->calls[i].rank == rank && expected->calls[i].exit_ps > end_ps)
                end_ps = expected->calls[i].exit_ps;
        char place[32];
        snprintf(place, sizeof place, "rank %u", rank);
        compare_time(run, place, "rank time", end_ps, units_ps(run->outcome.rank_time_s[rank]));
        if (end_ps > run_time_ps) run_time_ps = end_ps;
    }
    compare_time(run, "trace", "run time", run_time_ps, units_ps(run->outcome.run_time_s));
}

static void print_calls(const struct trace *trace)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            const struct trace_call *call = &trace->ranks[rank].calls[i];
            printf("%u %zu %s %.10g %.10g\n", rank, i + 1, call_name((enum mpi_call)call->call), us(call->enter_ps),
                   us(call->exit_ps));
        }
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++) {
            if (!is_transfer(&trace->ranks[rank].calls[i]) || !trace->ranks[rank].sim) continue;
            const struct trace_sim *sim = &trace->ranks[rank].sim[i];
            printf("xfer %u %zu %.10g %.10g\n", rank, i + 1, us(sim->xfer_start_ps), us(sim->xfer_end_ps));
        }
}

static void print_obtained(const struct run *run)
{
    printf("unit us\nsemantics %c\n", run->letter);
    print_calls(run->outcome.trace);
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        if (totals_severity_ps(&run->outcome.totals, (enum pattern)pattern) == 0) continue;
        printf("wait %s", pattern_row((enum pattern)pattern)->name);
        for (uint32_t rank = 0; rank < run->trace->rank_count; rank++)
            printf(" %.10g", us(run->outcome.totals.severity_ps[pattern][rank]));
        printf("\n");
    }
}

static enum status replay(struct run *run, struct err *err)
{
    const struct engine_descriptor *engine = engine_by_name(run->engine);
    if (!engine) return err_set(err, STATUS_USAGE, NULL, NULL, "unknown engine '%s'", run->engine);
    TRY(platform_check_ranks(run->platform, run->trace->rank_count, err));
    struct replay_options options = {.engine = engine, .keep_trace = true};
    return replay_run(run->trace, run->platform, &options, &run->outcome, err);
}

static void check_error(struct run *run, const struct expected *expected, enum status status, const struct err *err)
{
    if (status != STATUS_DATA) {
        differ(run, "status %d, expected an error of the data (%d)", (int)status, (int)STATUS_DATA);
        return;
    }
    for (size_t i = 0; i < expected->error_count; i++)
        if (!strstr(err->text, expected->errors[i].text))
            differ(run, "expected '%s' in the message, got: %s", expected->errors[i].text, err->text);
}

static void compare_growing(struct run *run)
{
    char what[SAME_RESULT_BYTES];
    struct err err;
    bool same;
    if (strcmp(run->engine, "loggp") != 0) return;
    if (same_while_made(run->trace, run->platform, &same, NULL, what, &err) != STATUS_OK)
        differ(run, "%s", err.text);
    else if (!same)
        differ(run, "%s", what);
}

static void check(struct run *run, const struct expected *expected)
{
    struct err err = {0};
    enum status status = replay(run, &err);
    compare_growing(run);
    if (expected->error_count > 0) {
        check_error(run, expected, status, &err);
        return;
    }
    if (status == STATUS_OK) status = model_totals(run->outcome.trace, NULL, &run->detected, &err);
    if (status != STATUS_OK) {
        differ(run, "%s", err.text);
        return;
    }
    compare_calls(run, expected);
    compare_xfers(run, expected);
    compare_rank_times(run, expected);
    compare_account(run, expected, &run->outcome.totals, false);
    compare_account(run, expected, &run->detected, true);
}

static enum status open_case(struct run *run, const char *base, struct err *err)
{
    TRY(text_read_by(0, run->file, false, &run->trace, err));
    TRY(trace_check(run->trace, err));
    return case_platform_open(base, run->file, run->letter, &run->platform, err);
}

static enum status update(struct run *run, struct err *err)
{
    TRY(replay(run, err));
    print_obtained(run);
    return STATUS_OK;
}

static enum status compare(struct run *run, struct err *err)
{
    struct expected expected = {0};
    enum status status = expected_open(run->file, run->letter, run->trace->rank_count, &expected, err);
    if (status == STATUS_OK) check(run, &expected);
    expected_clear(&expected);
    return status;
}

int main(int argc, char **argv)
{
    bool updating = argc == 5 && strcmp(argv[4], "--update") == 0;
    if ((argc != 4 && !updating) || strlen(argv[2]) != 1) {
        fprintf(stderr, "usage: %s FILE LETTER ENGINE [--update]\n", argv[0]);
        return STATUS_USAGE;
    }
    struct run run = {.file = argv[1], .letter = argv[2][0], .engine = argv[3]};
    char base[PATH_BYTES];
    int length = (int)(strrchr(run.file, '/') ? strrchr(run.file, '/') - run.file : 0);
    snprintf(base, sizeof base, "%.*s/../base.json", length, run.file);
    struct err err = {0};
    enum status status = open_case(&run, base, &err);
    if (status == STATUS_OK) status = updating ? update(&run, &err) : compare(&run, &err);
    if (status != STATUS_OK) fprintf(stderr, "run_case: %s\n", err.text);
    totals_clear(&run.detected);
    replay_outcome_clear(&run.outcome);
    platform_free(run.platform);
    trace_free(run.trace);
    return status != STATUS_OK || run.differences > 0;
}
