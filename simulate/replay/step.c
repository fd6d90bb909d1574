/* What step functions of calls return, and costs (simulate/replay/walk.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "simulate/engine/cost.h"
#include "simulate/replay/core.h"
#include "simulate/replay/walk.h"

enum status replay_fail(struct replay *replay, uint32_t rank, const char *format, ...)
{
    if (core_of(replay)->failed) return STATUS_DATA;
    char message[768], place[TRACE_PLACE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    size_t next = replay->ranks[rank].next; /* a thread without calls has none */
    size_t count = replay->ranks[rank].count;
    if (count > 0) trace_place(replay->trace, rank, next < count ? next : count - 1, place);
    else snprintf(place, sizeof place, "rank %u", rank); /* it has ended, and its calls are gone */
    core_of(replay)->failed = true;
    enum status status = err_set(replay->err, STATUS_DATA, replay->trace->name, place, "%s", message);
    if (!replay->err || count == 0) return status;
    replay->err->list = rank;
    replay->err->item = (int64_t)(next < count ? next : count - 1);
    return status;
}

enum step replay_wait_until(struct rank_state *rank, int64_t until_ps, uint8_t phase)
{
    rank->resume_ps = until_ps;
    rank->phase = phase;
    return STEP_WAIT;
}

bool replay_stays_on_node(const struct trace *trace, const struct platform *platform, uint32_t rank,
                          const struct trace_call *call)
{
    const struct trace_comm *comm = trace_call_comm(trace, call);
    enum call_arm arm = call_arm(call_kind(call->call));
    int32_t node = platform_node_of(platform, rank);
    if (call->peer >= 0 && (arm == ARM_RMA || arm == ARM_SYNC || arm == ARM_MESSAGE))
        return platform_node_of(platform, (uint32_t)call->peer) == node;
    if (!comm) comm = &trace->definitions.comms[0];
    for (uint32_t i = 0; i < comm->count; i++)
        if (platform_node_of(platform, (uint32_t)comm->members[i]) != node) return false;
    return true;
}

static bool stays_on_node(const struct replay *replay, const struct rank_state *rank)
{
    const struct trace_call *call = &rank->calls[rank->next];
    return replay_stays_on_node(replay->trace, replay->platform, (uint32_t)(rank - replay->ranks), call);
}

int64_t replay_overhead_by_node(const struct replay *replay, const struct rank_state *rank)
{
    return stays_on_node(replay, rank) ? replay->loopback_overhead_ps : replay->overhead_ps;
}

/* What the call takes longer, which ends the pause. */
static int64_t end_pause(struct replay *replay, struct rank_state *rank, bool within)
{
    const struct platform *platform = replay->platform;
    struct rank_rare *rare = replay_rare(replay, rank);
    rare->ends_pause = true;
    return cost_pause_ps(within ? &platform->loopback_pause : &platform->pause, rank->enter_ps - rare->paused_from_ps);
}

bool replay_unlocks_behind(const struct replay *replay, const struct trace_call *call)
{
    const struct call_steps *unlock = &replay->platform->protocol.calls[STEPS_UNLOCK];
    const enum call_kind kind = call_kind(call->call);
    return (kind == CALL_UNLOCK_ALL || (kind == CALL_UNLOCK && call->peer != TRACE_NONE)) &&
           unlock->form == FORM_UNLOCK_ANSWERED && unlock->query == QUERY_NONE;
}

static bool has_own_time(const struct replay *replay, const struct rank_state *rank)
{
    const enum mpi_call call = rank->calls[rank->next].call;
    return core_of(replay)->has_own_times && call < MPI_FUNCTION_COUNT && call_kind(call) != CALL_LOCAL && !rank->threads;
}

int64_t replay_call_ps(const struct replay *replay, const struct rank_state *rank)
{
    const struct core *core = core_of(replay);
    if (!has_own_time(replay, rank)) return 0;
    const bool within = core->times_by_node && stays_on_node(replay, rank);
    return core->call_ps[within] ? core->call_ps[within][rank->calls[rank->next].call] : 0;
}

int64_t replay_own_ps(struct replay *replay, struct rank_state *rank)
{
    const struct trace_call *call = &rank->calls[rank->next];
    const bool later = (call_kind(call->call) == CALL_COMPLETE && replay->complete_remote) || replay_unlocks_behind(replay, call);
    const int64_t call_ps = later ? 0 : replay_call_ps(replay, rank);
    if (!core_of(replay)->has_pauses || !has_own_time(replay, rank)) return call_ps;
    return call_ps + end_pause(replay, rank, stays_on_node(replay, rank));
}

enum step replay_spend(struct replay *replay, struct rank_state *rank, int64_t cost_ps, uint8_t phase)
{
    rank->phase = phase;
    if (cost_ps == 0) return STEP_AGAIN;
    rank->busy_ps += cost_ps;
    rank->resume_ps = replay->now_ps + cost_ps;
    return STEP_SPEND;
}

int64_t replay_copy_ps(const struct replay *replay, uint32_t rank, int64_t bytes)
{
    return cost_of_bytes_ps(replay->platform, platform_copy_s(replay->platform, replay->nodes[rank], bytes));
}

enum step replay_exit(struct rank_state *rank, int64_t at_ps)
{
    rank->resume_ps = at_ps;
    return STEP_EXIT;
}

int64_t replay_compute_ps(const struct replay *replay, const struct rank_state *rank, int64_t recorded_ps)
{
    if (recorded_ps <= 0) return 0;
    if (rank->stretch == 1.0) return recorded_ps < COST_BEYOND_PS ? recorded_ps : COST_BEYOND_PS;
    return cost_in_grains_ps(replay->platform, (double)recorded_ps * rank->stretch);
}

void replay_fail_past_end(struct replay *replay, uint32_t rank)
{
    replay_fail(
        replay, rank,
        "the simulated time passes 50 days, expected an earlier end: are all _s of the platform in seconds, all _Bps "
        "in bytes per second?");
}

enum step replay_step_local(struct replay *replay, uint32_t rank)
{
    return replay_exit(&replay->ranks[rank], replay->now_ps);
}

enum status replay_timer(struct replay *replay, int64_t at_ps, uint32_t key, enum timer_kind kind, uint32_t item)
{
    const struct core *core = core_of(replay);
    return core->engine_kind->timer(core->engine, at_ps, key, item | (uint32_t)kind << TIMER_SHIFT, replay->err);
}
