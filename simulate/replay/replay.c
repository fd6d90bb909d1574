/* A replay from begin to end, and the engine's callbacks. */
#include "simulate/replay/replay.h"

#include <string.h>
#include <time.h>

#include "simulate/replay/collective_matching.h"
#include "simulate/replay/core.h"
#include "simulate/replay/deadlock.h"
#include "simulate/replay/driver.h"
#include "simulate/replay/message.h"
#include "simulate/replay/open.h"

static void on_timer(void *context, uint32_t id, int64_t now_ps)
{
    struct replay *replay = context;
    uint32_t item = id & ((UINT32_C(1) << TIMER_SHIFT) - 1);
    enum timer_kind kind = (enum timer_kind)(id >> TIMER_SHIFT);
    const struct timer_row *row = core_of(replay)->timers_of[kind];
    uint32_t rank = kind == TIMER_RANK ? item : row->rank_of(replay, item);
    replay->now_ps = now_ps;
    enum status status = replay_poll(replay, rank);
    if (status == STATUS_OK && kind != TIMER_RANK)
        status = row->act(replay, item);
    else if (status == STATUS_OK)
        replay_advance(replay, rank);
    if (status != STATUS_OK) core_of(replay)->failed = true;
}

static void on_arrived(void *context, const struct engine_note *note, int64_t now_ps)
{
    struct replay *replay = context;
    replay->now_ps = now_ps;
    if (replay_past_end(replay, note->source, now_ps)) return;
    if (replay_arrived(replay, note) != STATUS_OK) core_of(replay)->failed = true;
}

/* The first message behind the last possible time, or NULL. */
static const struct engine_query *first_past_end(const struct engine_query *messages, uint32_t count)
{
    uint32_t at = count;
    while (at > 0 && messages[at - 1].time_ps > COST_END_PS) at--;
    return at < count ? &messages[at] : NULL;
}

static void on_queries(void *context, const struct engine_query *queries, uint32_t query_count,
                       const struct engine_query *answers, uint32_t answer_count)
{
    struct replay *replay = context;
    const int64_t query_ps = query_count > 0 ? queries[query_count - 1].time_ps : 0;
    const int64_t answer_ps = answer_count > 0 ? answers[answer_count - 1].time_ps : 0;
    replay->now_ps = query_ps > answer_ps ? query_ps : answer_ps;
    if (replay->now_ps > COST_END_PS) {
        const struct engine_query *query = first_past_end(queries, query_count), *answer = first_past_end(answers, answer_count);
        const struct engine_query *first = answer && (!query || answer->time_ps < query->time_ps) ? answer : query;
        if (replay_past_end(replay, first->source, first->time_ps)) return;
    }
    if (replay_queried(replay, queries, query_count, answers, answer_count) != STATUS_OK) core_of(replay)->failed = true;
}

static void on_left(void *context, const struct engine_note *note, int64_t began_ps, int64_t now_ps)
{
    struct replay *replay = context;
    replay->now_ps = now_ps;
    if (replay_past_end(replay, note->source, now_ps)) return;
    if (replay_left(replay, note, began_ps, now_ps) != STATUS_OK) core_of(replay)->failed = true;
}

static void on_prefetch(void *context, uint32_t id, const struct engine_note *note, enum engine_distance distance,
                        struct prefetch_lines *wanted)
{
    const struct replay *replay = context;
    if (note || id >> TIMER_SHIFT == TIMER_RANK) core_of(replay)->prefetch(replay, id, note, distance, wanted);
}

static bool on_stop(void *context)
{
    const struct replay *replay = context;
    return core_of(replay)->failed;
}

static enum status find_leftovers(struct replay *replay)
{
    for (const struct call_driver *const *driver = core_of(replay)->drivers; *driver; driver++)
        if ((*driver)->find_leftovers) TRY((*driver)->find_leftovers(replay));
    return STATUS_OK;
}

enum status replay_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       struct replay_outcome *outcome, struct err *err)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct core core;
    struct replay *replay = &core.replay;
    memset(outcome, 0, sizeof *outcome);
    const struct engine_callbacks callbacks = {.context = replay,
                                               .left = on_left,
                                               .arrived = on_arrived,
                                               .lazy.queries = on_queries,
                                               .timer = on_timer,
                                               .stop = on_stop,
                                               .prefetch = on_prefetch,
                                               .explain_route = replay_explain_route};
    enum status status = replay_open(replay, trace, platform, options, outcome, &callbacks, err);
    bool watch = status == STATUS_OK && core.engine_kind->once_per_process;
    if (watch) replay_watch_aborts(replay);
    if (status == STATUS_OK) status = core.engine_kind->run(core.engine, &outcome->stats, err);
    if (watch) replay_unwatch_aborts();
    if (status == STATUS_OK && core.failed) status = err && err->status ? err->status : STATUS_DATA;
    if (status == STATUS_OK && core.done_count < trace->rank_count) status = replay_report_deadlock(replay);
    if (status == STATUS_OK) status = find_leftovers(replay);
    if (status == STATUS_OK) status = replay_note_agreements(replay);
    if (status == STATUS_OK) status = replay_finish(replay);
    replay_close(replay);
    if (status != STATUS_OK) {
        replay_outcome_clear(outcome);
        return status;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    outcome->wall_s = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return STATUS_OK;
}
