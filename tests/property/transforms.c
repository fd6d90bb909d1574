#include "tests/property/transforms.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "predictors/transform.h"
#include "simulate/replay.h"
#include "tests/property/knobs.h"

struct row {
    const char *specs[4]; /* one after another */
};
static const struct row rows[] = {
    {{"post-early"}},
    {{"complete-early"}},
    {{"wait-late"}},
    {{"fence=pscw"}},
    {{"merge-puts"}},
    {{"lock=lock_all"}},
    {{"put=rput"}},
    {{"lock=lock_all", "put=rput", "merge-puts"}},
    {{"fence=pscw", "wait-late", "post-early", "complete-early"}},
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

/* From time zero to the last event, less the calls. */
static int64_t computing_ps(const struct trace *trace, uint32_t rank)
{
    const struct trace_rank *stream = &trace->ranks[rank];
    if (stream->count == 0) return 0;
    int64_t sum_ps = trace_rank_end_ps(trace, rank) - trace_begin_ps(trace);
    for (size_t i = 0; i < stream->count; i++) sum_ps -= stream->calls[i].exit_ps - stream->calls[i].enter_ps;
    return sum_ps;
}

static void add_bytes(const struct trace *trace, int64_t sign, int64_t *pairs)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (call_row(call->call)->allowed & F_TARGET && call->peer != TRACE_NONE)
                pairs[r * trace->rank_count + (uint32_t)call->peer] += sign * call->bytes;
        }
}

static enum status check_kept(const struct trace *before, const struct trace *after, const char *spec,
                              struct verdict *verdict, struct err *err)
{
    size_t ranks = before->rank_count;
    int64_t *pairs = calloc(ranks * ranks + 1, sizeof *pairs);
    if (!pairs) return err_memory(err);
    add_bytes(before, 1, pairs);
    add_bytes(after, -1, pairs);
    for (size_t i = 0; i < ranks * ranks; i++)
        if (pairs[i] != 0) fail(verdict, spec, "rank %zu to %zu: bytes differ", i / ranks, i % ranks);
    for (uint32_t r = 0; r < ranks; r++)
        if (computing_ps(before, r) != computing_ps(after, r))
            fail(verdict, spec, "rank %" PRIu32 ": computing differs", r);
    free(pairs);
    return STATUS_OK;
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
            if (trial->tally) trial->tally->transfers += outcome.transfers;
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
    size_t count = 1;
    while (count < 4 && row->specs[count]) count++;
    const char *spec = row->specs[0];
    enum status status = rewrite_run(trace, row->specs, count, &once, err);
    if (status != STATUS_OK) { /* refused */
        if (status != STATUS_DATA || !strstr(err->text, "changes nothing")) fail(verdict, spec, "%s", err->text);
        return STATUS_OK;
    }
    status = check_kept(trace, once.trace, spec, verdict, err);
    if (status == STATUS_OK) status = check_replays(trial, program, once.trace, spec, verdict, err);
    if (status == STATUS_OK && count == 1 && rewrite_run(once.trace, row->specs, 1, &twice, err) == STATUS_OK) {
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
    if (!trial->tally) return STATUS_OK;
    trial->tally->programs++;
    for (uint32_t r = 0; r < trace->rank_count; r++) trial->tally->calls += trace->ranks[r].count;
    return STATUS_OK;
}
