#include "simulate/replay/gap.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"
#include "common/wide.h"
#include "simulate/engine/cost.h"
#include "simulate/replay/core.h"
#include "simulate/replay/thread.h"
#include "simulate/replay/walk.h"

enum gap_state { GAP_NONE, GAP_COMPUTES, GAP_SLEEPS };

struct gap_timeline {             /* of a thread */
    int64_t left_ps;              /* computing that is left, on a core of its own */
    int64_t since_ps;             /* at this time, which may lie ahead: the gap begins then */
    int64_t due_ps;               /* when the state ends unless a share changes; other timers are out of date */
    int64_t slept_ps, alone_ps;   /* of the gap: sleep; when it would end on a core of its own */
    int64_t waited_ps;            /* of the gap: core wait in the predicted trace */
    size_t index;                 /* of the call behind the gap */
    uint32_t rank, thread;
    uint32_t next;                /* of the same node, NO_INDEX: none */
    enum gap_state state;
    bool runs;                    /* it needs a core: it computes, or is in MPI, which polls */
};

struct gap_node {
    uint32_t cores, running; /* cores 0: no share on it ever changes */
    uint32_t first;          /* timeline */
};

struct gaps {
    struct gap_node *nodes;
    struct gap_timeline *timelines; /* of ranks, then of core.thread_names */
};

/* Whether the rank at times leaves a core to others. */
static bool leaves_core(const struct replay *replay, uint32_t number)
{
    const struct replay_source *source = core_of(replay)->options->source;
    const struct trace_rank *rank = &replay->trace->ranks[number];
    const int64_t *slept_ps = rank->before_ps[BEFORE_SLEPT];
    if (rank->thread_count > 0) return true;
    if (source) return replay_source_sleeps(source, number);
    for (size_t i = 0; slept_ps && i < rank->count; i++)
        if (slept_ps[i] > 0) return true;
    return false;
}

enum status replay_prepare_cores(struct replay *replay, const uint32_t *threads)
{
    struct gap_node *nodes = NULL;
    int32_t count = replay->platform->node_count;
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        const int32_t node = replay->nodes[rank];
        uint32_t cores = (uint32_t)platform_rank_cores(replay->platform, platform_group_of(replay->platform, node));
        bool known = threads[node] <= cores || (nodes && nodes[node].cores > 0);
        if (known || !leaves_core(replay, rank)) continue;
        if (!nodes) nodes = calloc((size_t)count + 1, sizeof *nodes);
        if (!nodes) return err_memory(replay->err);
        nodes[node] = (struct gap_node){.cores = cores, .first = NO_INDEX};
    }
    if (!nodes) return STATUS_OK;
    struct gaps *gaps = calloc(1, sizeof *gaps);
    core_of(replay)->gaps = gaps;
    if (gaps)
        gaps->nodes = nodes;
    else
        free(nodes);
    return gaps ? STATUS_OK : err_memory(replay->err);
}

bool replay_shares_cores(const struct replay *replay, uint32_t rank)
{
    const struct gaps *gaps = core_of(replay)->gaps;
    return gaps && gaps->nodes[replay->nodes[rank]].cores > 0;
}

static uint32_t timeline_of(const struct replay *replay, uint32_t rank, uint32_t thread)
{
    const struct rank_state *state = &replay->ranks[rank];
    return state->threads ? replay->trace->rank_count + state->threads->first_id + thread : rank;
}

enum status replay_prepare_gaps(struct replay *replay)
{
    struct gaps *gaps = core_of(replay)->gaps;
    if (!gaps) return STATUS_OK;
    size_t count = replay->trace->rank_count;
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++)
        if (replay->ranks[rank].threads) count += replay->ranks[rank].threads->count;
    gaps->timelines = calloc(count + 1, sizeof *gaps->timelines);
    if (!gaps->timelines) return err_memory(replay->err);
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        struct gap_node *node = &gaps->nodes[replay->nodes[rank]];
        uint32_t threads = replay->ranks[rank].threads ? replay->ranks[rank].threads->count : 1;
        for (uint32_t t = 0; t < threads && node->cores > 0; t++) {
            uint32_t made = timeline_of(replay, rank, t);
            gaps->timelines[made] = (struct gap_timeline){.index = SIZE_MAX, .rank = rank, .thread = t, .next = node->first};
            node->first = made;
        }
    }
    return STATUS_OK;
}

void replay_clear_gaps(struct replay *replay)
{
    struct gaps *gaps = core_of(replay)->gaps;
    if (!gaps) return;
    FREE_ALL(gaps->nodes, gaps->timelines, gaps);
}

/* A thread on a core of its own computes as long as time passes; one that shares, cores / running of that. */
static uint32_t count_running(const struct gap_node *node)
{
    return node->running > node->cores ? node->running : node->cores;
}

static void compute_until(struct gap_timeline *timeline, const struct gap_node *node, int64_t now_ps)
{
    if (now_ps <= timeline->since_ps) return;
    wide_ps done_ps = (wide_ps)(now_ps - timeline->since_ps) * node->cores / count_running(node);
    timeline->left_ps = done_ps < timeline->left_ps ? timeline->left_ps - (int64_t)done_ps : 0;
    timeline->since_ps = now_ps;
}

static enum status set_due(struct replay *replay, uint32_t number, wide_ps due_ps)
{
    struct gap_timeline *timeline = &core_of(replay)->gaps->timelines[number];
    timeline->due_ps = due_ps > COST_BEYOND_PS ? COST_BEYOND_PS : (int64_t)due_ps;
    if (replay_past_end(replay, timeline->rank, timeline->due_ps)) return STATUS_DATA;
    return replay_timer(replay, timeline->due_ps, timeline->rank, TIMER_GAP, number);
}

static enum status compute_on(struct replay *replay, uint32_t number, const struct gap_node *node)
{
    const struct gap_timeline *timeline = &core_of(replay)->gaps->timelines[number];
    wide_ps takes_ps = ((wide_ps)timeline->left_ps * count_running(node) + node->cores - 1) / node->cores;
    return set_due(replay, number, timeline->since_ps + takes_ps);
}

/* What has been computed is rounded down to whole picoseconds. */
static enum status change_running(struct replay *replay, struct gap_timeline *of, bool runs)
{
    struct gap_timeline *timelines = core_of(replay)->gaps->timelines;
    struct gap_node *node = &core_of(replay)->gaps->nodes[replay->nodes[of->rank]], before = *node;
    if (of->runs == runs) return STATUS_OK;
    of->runs = runs;
    node->running = runs ? node->running + 1 : node->running - 1;
    if (count_running(node) == count_running(&before)) return STATUS_OK;
    for (uint32_t t = node->first; t != NO_INDEX; t = timelines[t].next)
        if (timelines[t].state == GAP_COMPUTES) compute_until(&timelines[t], &before, replay->now_ps);
    for (uint32_t t = node->first; t != NO_INDEX; t = timelines[t].next)
        if (timelines[t].state == GAP_COMPUTES) TRY(compute_on(replay, t, node));
    return STATUS_OK;
}

enum status replay_set_running(struct replay *replay, uint32_t rank, uint32_t thread, bool runs)
{
    if (!replay_shares_cores(replay, rank)) return STATUS_OK;
    return change_running(replay, &core_of(replay)->gaps->timelines[timeline_of(replay, rank, thread)], runs);
}

static enum status note_before(struct replay *replay, uint32_t rank, size_t index, enum trace_before what, int64_t ps)
{
    if (!replay->made || ps <= 0) return STATUS_OK;
    if (!replay->made->sink) return trace_set_before(replay->made->trace, rank, index, what, ps, replay->err);
    trace_sum_before(replay->made->trace, rank, what, ps);
    return STATUS_OK;
}

/* Such a gap takes its length: that it was computing is only assumed, and the predicted trace does not have its begin. */
static bool has_unseen_begin(const struct replay *replay, uint32_t rank, uint32_t thread, size_t index)
{
    const struct threads *threads = replay->ranks[rank].threads;
    return threads && thread > 0 && index == threads->items[thread].first && threads->items[thread].created_by == NO_INDEX;
}

enum status replay_begin_gap(struct replay *replay, uint32_t rank, uint32_t thread, int64_t from_ps, size_t index,
                             int64_t gap_ps, int64_t *enter_ps)
{
    const struct trace_rank *process = &replay->trace->ranks[rank];
    int64_t all_ps = trace_compute_ps(process, index, gap_ps), slept_ps = trace_slept_ps(process, index, all_ps);
    int64_t computing_ps = replay_compute_ps(replay, &replay->ranks[rank], all_ps - slept_ps);
    if (slept_ps > COST_BEYOND_PS) slept_ps = COST_BEYOND_PS;
    TRY(note_before(replay, rank, index, BEFORE_SLEPT, slept_ps));
    *enter_ps = from_ps + computing_ps;
    if (replay_past_end(replay, rank, *enter_ps)) return STATUS_DATA;
    *enter_ps += slept_ps;
    if (!replay_shares_cores(replay, rank) || has_unseen_begin(replay, rank, thread, index)) return STATUS_OK;
    TRY(replay_set_running(replay, rank, thread, true));
    uint32_t number = timeline_of(replay, rank, thread);
    struct gap_timeline *timeline = &core_of(replay)->gaps->timelines[number];
    timeline->left_ps = computing_ps;
    timeline->since_ps = from_ps;
    timeline->slept_ps = slept_ps;
    timeline->alone_ps = *enter_ps;
    timeline->waited_ps = 0;
    timeline->index = index;
    if (computing_ps + slept_ps == 0) return STATUS_OK;
    timeline->state = GAP_COMPUTES;
    *enter_ps = GAP_LATER;
    return compute_on(replay, number, &core_of(replay)->gaps->nodes[replay->nodes[rank]]);
}

uint32_t replay_rank_of_gap(const struct replay *replay, uint32_t timeline)
{
    return core_of(replay)->gaps->timelines[timeline].rank;
}

/* What the gap has taken longer than on a core of its own is a core wait of the predicted trace. */
static enum status note_wait(struct replay *replay, struct gap_timeline *timeline)
{
    if (replay->made) replay->made->trace->ranks[timeline->rank].before_sum_ps[BEFORE_CORE_WAIT] -= timeline->waited_ps;
    timeline->waited_ps = replay->now_ps - timeline->alone_ps;
    return note_before(replay, timeline->rank, timeline->index, BEFORE_CORE_WAIT, timeline->waited_ps);
}

enum status replay_note_outside(struct replay *replay, uint32_t rank, uint32_t thread, size_t index)
{
    if (!replay_shares_cores(replay, rank)) return STATUS_OK;
    struct gap_timeline *timeline = &core_of(replay)->gaps->timelines[timeline_of(replay, rank, thread)];
    return timeline->index == index ? note_wait(replay, timeline) : STATUS_OK;
}

enum status replay_change_gap(struct replay *replay, uint32_t number, bool *ends, uint32_t *thread)
{
    struct gap_timeline *timeline = &core_of(replay)->gaps->timelines[number];
    *ends = false;
    *thread = timeline->thread;
    if (timeline->state == GAP_NONE || timeline->due_ps != replay->now_ps) return STATUS_OK;
    if (timeline->state == GAP_COMPUTES && timeline->slept_ps > 0) {
        timeline->state = GAP_SLEEPS;
        TRY(set_due(replay, number, (wide_ps)replay->now_ps + timeline->slept_ps));
        return change_running(replay, timeline, false);
    }
    TRY(change_running(replay, timeline, true));
    timeline->state = GAP_NONE;
    *ends = true;
    TRY(note_wait(replay, timeline));
    replay->outcome->core_wait_s += units_s(timeline->waited_ps);
    return STATUS_OK;
}
