/* The rows of the driver of collective calls; MPI_Init and MPI_Finalize, where they are barriers. */
#include <stdlib.h>

#include "common/units.h"
#include "simulate/collectives/collective.h"
#include "simulate/replay/barrier.h"

static enum step step_barrier(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    bool between = call->handle >= 0 && replay->trace->definitions.comms[call->handle].first_group > 0;
    if (call_makes_request(call->call) || between) return replay_step_collective(replay, rank);
    return replay_step_comm_barrier(replay, rank);
}

/* mpi.init_s, mpi.finalize_s: the rank works for that time and does not wait. So calls that serve only while they wait
 * serve nothing. */
static enum step add_own_time(struct replay *replay, uint32_t rank, enum step step, double own_s)
{
    struct rank_state *state = &replay->ranks[rank];
    if (step != STEP_EXIT || own_s == 0) return step;
    int64_t own_ps = units_ps(own_s);
    if (replay->needs_call)
        return replay_spend(replay, state, units_max_ps(state->resume_ps - replay->now_ps, 0) + own_ps, PHASE_LEAVE);
    state->busy_ps += own_ps;
    return replay_exit(state, state->resume_ps + own_ps);
}

/* MPICH synchronises all processes in MPI_Init and MPI_Finalize. In an incomplete trace only some ranks have them. */
static enum step step_init(struct replay *replay, uint32_t rank)
{
    enum step step = replay->init_is_barrier ? step_barrier(replay, rank) : replay_step_local(replay, rank);
    return add_own_time(replay, rank, step, replay->platform->init_s);
}

/* shmem_finalize begins with a quiet (OpenSHMEM 1.4 9.1.4). */
static enum step step_finalize(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    bool quiets = call_is_shmem(state->calls[state->next].call) && state->phase == 0 && replay->is_quiet;
    if (quiets && !replay->is_quiet(replay, rank)) return STEP_BLOCK;
    enum step step = replay->finalize_is_barrier ? step_barrier(replay, rank) : replay_step_local(replay, rank);
    return add_own_time(replay, rank, step, replay->platform->finalize_s);
}

static const struct call_step steps[] = {{CALL_INIT, .step = step_init},
                                         {CALL_FINALIZE, .step = step_finalize},
                                         {CALL_BARRIER, .step = step_barrier},
                                         {CALL_BCAST, CALL_NEIGHBOR, .step = replay_step_collective},
                                         {CALL_COMM_CREATE, .step = replay_step_comm_create},
                                         {CALL_COMM_FREE, .step = replay_step_local},
                                         {0}};

static const struct message_row messages[] = {
    {MESSAGE_BARRIER, .act = replay_on_barrier, SERVICE_NONE, EFFECT_COUNTS, .two_sided = true},
    {MESSAGE_TASK, .act = replay_on_task, SERVICE_RENDEZVOUS},
    {0}};

static enum status reach_parts(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                               struct reach *to)
{
    int32_t comm;
    struct coll_shape shape;
    for (uint32_t i = 0; replay_comm_part(replay, rank, call, i, &comm, &shape); i++)
        if (comm != TRACE_NONE) TRY(replay_reach_plan(to, comm, &shape));
    return STATUS_OK;
}

static enum status reach_ranks(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                               struct reach *to)
{
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_INIT || kind == CALL_FINALIZE) return replay_reach_barrier(to, replay, 0);
    if (call->handle == TRACE_NONE || kind == CALL_COMM_FREE) return STATUS_OK;
    if (kind == CALL_COMM_CREATE) return reach_parts(replay, rank, call, to);
    struct coll_shape shape = replay_shape_of(replay, call);
    shape.counts = NULL; /* no block counts as empty, whatever the sizes */
    shape.bytes += shape.bytes == 0;
    return replay_reach_plan(to, call->handle, &shape);
}

static enum status prepare_collectives(struct replay *replay)
{
    replay->free_task = NO_INDEX;
    replay->task_received = replay_task_received;
    return STATUS_OK;
}

static void clear_collectives(struct replay *replay)
{
    replay_clear_peer_counts(replay);
    free(replay->tasks);
}

const struct call_driver collectives_driver = {
    .name = "collectives",
    .steps = steps,
    .messages = messages,
    .prepare = prepare_collectives,
    .clear = clear_collectives,
    .reach = reach_ranks,
};
