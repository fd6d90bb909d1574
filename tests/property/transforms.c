#include "tests/property/transforms.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/match/timelines.h"
#include "predictors/transforms/transform.h"
#include "simulate/replay/replay.h"
#include "tests/property/knobs.h"
#include "tests/property/lawful.h"

struct row {
    const char *specs[4]; /* one after another */
};
static const struct row rows[] = {
    {{"post-early"}},
    {{"complete-early"}},
    {{"wait-late"}},
    {{"fence=pscw"}},
    {{"merge-puts"}},
    {{"merge-gets", "merge-puts"}},
    {{"lock=lock_all"}},
    {{"put=rput"}},
    {{"lock=lock_all", "put=rput", "merge-puts"}},
    {{"fence=pscw", "wait-late", "post-early", "complete-early"}},
    {{"post-early", "complete-early"}},
    {{"complete-early", "merge-puts", "wait-late"}},
    {{"fence=pscw", "lock=lock_all", "merge-puts", "scale:/=1"}},
    {{"scale:/=1"}},
    {{"p2p=pscw"}},
    {{"p2p=fence"}},
    {{"p2p=flush"}},
    {{"p2p=notify"}},
    {{"p2p=get-pscw"}},
    {{"p2p=get-fence"}},
    {{"p2p=get-flush"}},
    {{"p2p=get-notify"}},
    {{"pscw=notify"}},
    {{"fence=pscw", "pscw=notify"}},
    {{"polls"}},
    {{"flag=notify"}},
    {{"rma=p2p"}},
};

static void __attribute__((format(printf, 3, 4)))
fail(struct verdict *verdict, const char *spec, const char *format, ...)
{
    if (verdict->failed) return;
    verdict->failed = true;
    snprintf(verdict->what, sizeof verdict->what, "%s", spec);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->detail, sizeof verdict->detail, format, arguments);
    va_end(arguments);
}

/* What a replay computes before a call of a thread: the time since the call before it, since time zero, or, where a recorded call
 * made the thread, since that; or what the trace says instead. */
static int64_t gap_ps(const struct trace *trace, uint32_t rank, const struct timeline *timeline, size_t k)
{
    const struct trace_call *call = timeline_call(timeline, k);
    bool made = k == 0 && timeline->creator != TIMELINE_NO_CREATOR;
    int64_t since_ps = k > 0  ? timeline_call(timeline, k - 1)->exit_ps
                       : made ? timeline->calls[timeline->creator].exit_ps
                              : trace_begin_ps(trace);
    if (made && call_kind(call->call) == CALL_THREAD_BEGIN) return 0;
    int64_t time_ps = trace_compute_ps(&trace->ranks[rank], timeline_index(timeline, k), call->enter_ps - since_ps);
    return time_ps > 0 ? time_ps : 0;
}

static enum status computing_ps(const struct trace *trace, uint32_t rank, int64_t *sum_ps, struct err *err)
{
    struct timelines timelines;
    TRY(timelines_build(trace, &timelines, err));
    *sum_ps = 0;
    for (uint32_t t = 0; t < trace_thread_count(trace, rank); t++) {
        struct timeline timeline = timeline_of(&timelines, rank, t);
        for (size_t k = 0; k < timeline.count; k++) *sum_ps += gap_ps(trace, rank, &timeline, k);
    }
    timelines_clear(&timelines);
    return STATUS_OK;
}

static size_t spec_count(const struct row *row)
{
    size_t count = 1;
    while (count < 4 && row->specs[count]) count++;
    return count;
}

static enum lawful_change change_of(const struct row *row)
{
    enum lawful_change found = LAWFUL_MOVED;
    for (int i = 0; i < 4 && row->specs[i]; i++) {
        if (strncmp(row->specs[i], "p2p=", 4) == 0) return LAWFUL_TURNED;
        if (strncmp(row->specs[i], "merge-", 6) == 0) found = LAWFUL_MERGED;
    }
    return found;
}

static bool drops_polls(const struct row *row)
{
    return strcmp(row->specs[0], "polls") == 0 || strcmp(row->specs[0], "flag=notify") == 0;
}

/* Whether operations become other ones, or messages, or go. */
static bool makes_others(const struct row *row)
{
    const char *last = row->specs[spec_count(row) - 1];
    return drops_polls(row) || strcmp(last, "pscw=notify") == 0 || strcmp(last, "rma=p2p") == 0;
}

static enum status check_kept(const struct trace *before, const struct trace *after, const struct row *row,
                              struct verdict *verdict, struct err *err)
{
    char text[VERDICT_DETAIL_BYTES];
    bool same = true;
    if (!makes_others(row)) TRY(lawful_same_operations(before, after, change_of(row), &same, text, sizeof text, err));
    if (!same) fail(verdict, row->specs[0], "%s", text);
    for (uint32_t r = 0; !drops_polls(row) && r < before->rank_count; r++) { /* the time between polls goes with them */
        int64_t before_ps, after_ps;
        TRY(computing_ps(before, r, &before_ps, err));
        TRY(computing_ps(after, r, &after_ps, err));
        if (before_ps != after_ps)
            fail(verdict, row->specs[0], "rank %" PRIu32 ": computing differs by %" PRId64 " ps", r,
                 after_ps - before_ps);
    }
    uint64_t faults = lawful_faults(after);
    if (faults > lawful_faults(before)) fail(verdict, row->specs[0], "%" PRIu64 " calls against MPI-3.1", faults);
    return STATUS_OK;
}

/* Predicted under the letter, some window is locked and exposed at once. */
static enum status is_unlawful(const struct trial *trial, const struct program *program, const struct trace *trace,
                               const char *semantics, bool *found, char *text, size_t room, struct err *err)
{
    struct platform *platform;
    TRY(knobs_platform(program, semantics, &platform, err));
    struct replay_options options = {.engine = trial->engine, .keep_trace = true};
    struct replay_outcome outcome;
    enum status status = replay_run(trace, platform, &options, &outcome, err);
    if (status == STATUS_OK) {
        status = lawful_locked_while_exposed(outcome.trace, found, text, room, err);
        replay_outcome_clear(&outcome);
    }
    platform_free(platform);
    return status;
}

static enum status check_row_lawful(const struct trial *trial, const struct program *program, const struct trace *trace,
                                    const struct row *row, const char *semantics, struct verdict *verdict,
                                    struct err *err)
{
    char text[VERDICT_DETAIL_BYTES];
    struct rewrite rewrite;
    struct err refused;
    bool found = false;
    if (rewrite_run(trace, row->specs, spec_count(row), &rewrite, &refused) != STATUS_OK) return STATUS_OK;
    enum status status = STATUS_OK;
    if (rewrite.trace) status = is_unlawful(trial, program, rewrite.trace, semantics, &found, text, sizeof text, err);
    if (found) fail(verdict, row->specs[0], "%s", text);
    rewrite_clear(&rewrite);
    return status;
}

/* With a barrier behind each phase exposure epochs and locks of a window are apart, and stay so. */
static enum status check_lawful(const struct trial *trial, const struct program *program, const struct trace *trace,
                                struct verdict *verdict, struct err *err)
{
    static const char *const letters[] = {"mpi.rma.semantics=a", "mpi.rma.semantics=d"};
    char text[VERDICT_DETAIL_BYTES];
    for (int i = 0; i < 2 && !verdict->failed; i++) {
        bool found;
        TRY(is_unlawful(trial, program, trace, letters[i], &found, text, sizeof text, err));
        if (found) fail(verdict, "not separated", "%s", text);
        for (size_t k = 0; k < sizeof rows / sizeof *rows && !verdict->failed; k++)
            TRY(check_row_lawful(trial, program, trace, &rows[k], letters[i], verdict, err));
    }
    return STATUS_OK;
}

static enum status check_separated(const struct trial *trial, const struct program *program, struct verdict *verdict,
                                   struct err *err)
{
    struct program separated;
    struct trace *trace = NULL;
    TRY(program_separate(program, &separated, err));
    enum status status = program_trace(&separated, &trace, err);
    if (status == STATUS_OK && lawful_asks_for_times(trace))
        status = check_lawful(trial, &separated, trace, verdict, err);
    trace_free(trace);
    program_clear(&separated);
    return status;
}

static enum status check_replays(const struct trial *trial, const struct program *program, const struct trace *trace,
                                 const char *spec, struct verdict *verdict, struct err *err)
{
    for (const char *letter = "abcd"; *letter && !verdict->failed; letter++) {
        char semantics[] = "mpi.rma.semantics=?";
        semantics[sizeof semantics - 2] = *letter;
        struct platform *platform;
        TRY(knobs_platform(program, semantics, &platform, err));
        struct replay_options options = {.engine = trial->engine};
        struct replay_outcome outcome;
        struct err why;
        if (replay_run(trace, platform, &options, &outcome, &why) == STATUS_OK) {
            if (trial->counts) trial->counts->transfers += outcome.transfers;
            replay_outcome_clear(&outcome);
        } else {
            fail(verdict, spec, "under %c: %s", *letter, why.text);
        }
        platform_free(platform);
    }
    return STATUS_OK;
}

static enum status check_row(const struct trial *trial, const struct program *program, const struct trace *trace,
                             const struct row *row, struct verdict *verdict, struct err *err)
{
    struct rewrite once, twice;
    size_t count = spec_count(row);
    const char *spec = row->specs[0];
    enum status status = rewrite_run(trace, row->specs, count, &once, err);
    if (status != STATUS_OK) { /* refused */
        if (status != STATUS_DATA || !strstr(err->text, "changes nothing")) fail(verdict, spec, "%s", err->text);
        return STATUS_OK;
    }
    const struct trace *after = once.trace ? once.trace : trace;
    status = check_kept(trace, after, row, verdict, err);
    if (status == STATUS_OK) status = check_replays(trial, program, after, row->specs[count - 1], verdict, err);
    /* Messages that stayed are looked at anew, and so are the last polls of rows, and fences behind epochs that went. */
    bool anew = change_of(row) == LAWFUL_TURNED || strcmp(spec, "polls") == 0 || strcmp(spec, "rma=p2p") == 0;
    if (status == STATUS_OK && count == 1 && !anew && rewrite_run(after, row->specs, 1, &twice, err) == STATUS_OK) {
        if (twice.reports[0].changed > 0) fail(verdict, spec, "again: %s", twice.reports[0].summary);
        rewrite_clear(&twice);
    }
    rewrite_clear(&once);
    return status;
}

enum status check_transforms(const struct trial *trial, const struct program *program, const struct trace *trace,
                             struct verdict *verdict, struct err *err)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !verdict->failed; i++)
        TRY(check_row(trial, program, trace, &rows[i], verdict, err));
    if (!verdict->failed) TRY(check_separated(trial, program, verdict, err));
    if (!trial->counts) return STATUS_OK;
    trial->counts->programs++;
    for (uint32_t r = 0; r < trace->rank_count; r++) trial->counts->calls += trace->ranks[r].count;
    return STATUS_OK;
}
