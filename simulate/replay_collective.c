/* Collective operations: the steps of a plan (simulate/collectives.h) as point-to-point messages in the communicator's own
 * context, so that they never match the program's. */
#include "simulate/collectives.h"
#include "simulate/replay_core.h"

/* MPICH agrees on a context id by an all-reduce of its mask of free ids: 64 words and the lowest id (commutil, 4.0.2). */
enum { CONTEXT_MASK_BYTES = 260 };

/* Messages of one step: requests that count down rank.missing and are never seen by the program. */
static enum status start_step(struct replay *replay, uint32_t rank, int32_t comm_id, const struct coll_step *step)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_comm *comm = &replay->trace->comms[comm_id];
    struct match match = {(uint32_t)comm_id * 2 + 1, rank, rank, 0};
    uint32_t request;
    if (step->receive_from >= 0) {
        match.source = (uint32_t)comm->members[step->receive_from];
        TRY(replay_collective_request(replay, rank, &request));
        state->received++;
        TRY(replay_receive_side(replay, &match, request));
    }
    if (step->send_to >= 0) {
        match.source = rank;
        match.destination = (uint32_t)comm->members[step->send_to];
        TRY(replay_collective_request(replay, rank, &request));
        bool rendezvous = step->send_bytes > replay->platform->eager_bytes;
        TRY(replay_send_side(replay, &match, step->send_bytes, rendezvous ? SEND_RENDEZVOUS : SEND_EAGER, request));
    }
    return STATUS_OK;
}

enum step replay_run_plan(struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape, bool pays_overhead,
                          bool *done)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t own = (uint32_t)trace_comm_rank(&replay->trace->comms[comm], (int32_t)rank);
    int64_t overhead_ps = pays_overhead ? replay->overhead_ps : 0;
    struct coll_step step;
    *done = false;
    for (;;) {
        if (state->missing > 0 && !state->overlap) return STEP_BLOCK;
        if (state->received > 0 && !state->overlap) { /* each message taken in costs overhead */
            int64_t cost_ps = (int64_t)state->received * overhead_ps;
            state->received = 0;
            if (cost_ps > 0) return replay_spend(replay, state, cost_ps, state->phase);
        }
        if (!coll_step(shape, own, state->step, &step)) {
            *done = true;
            return STEP_AGAIN;
        }
        if (step.send_to >= 0 && overhead_ps > 0 && !state->paid) {
            state->paid = true;
            return replay_spend(replay, state, overhead_ps, state->phase);
        }
        state->paid = false;
        state->step++;
        state->overlap = step.overlap;
        STEP_TRY(start_step(replay, rank, comm, &step));
    }
}

/* Of an allgatherv; without counts nobody knows: the algorithm for long ones does not ask. */
static int64_t total_bytes(const struct coll_shape *shape)
{
    int64_t total = 0;
    if (!shape->counts) return INT64_MAX;
    for (uint32_t i = 0; i < shape->size; i++) total += shape->counts[i];
    return total;
}

static struct coll_shape shape_of(const struct replay *replay, const struct trace_call *call)
{
    const struct trace_comm *comm = &replay->trace->comms[call->handle];
    enum call_kind kind = call_kind(call->call);
    struct coll_shape shape = {.size = comm->count, .bytes = kind == CALL_COMM_CREATE ? CONTEXT_MASK_BYTES : call->bytes};
    shape.counts = trace_call_counts(replay->trace, call);
    int64_t chosen_by = kind == CALL_ALLGATHERV ? total_bytes(&shape) : shape.bytes;
    shape.algorithm = coll_choose(kind, shape.size, chosen_by);
    if (call->peer != TRACE_NONE) shape.root = (uint32_t)trace_comm_rank(comm, call->peer);
    return shape;
}

enum step replay_step_collective(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call_makes_request(call->call))
        return replay_fail(replay, rank, "%s is not known to the replay", call_name(call->call)), STEP_FAIL;
    struct coll_shape shape = shape_of(replay, call);
    if (call_kind(call->call) == CALL_SCATTERV && call->peer == (int32_t)rank && !shape.counts)
        return replay_fail(replay, rank, "the root's %s lacks counts, expected bytes per rank", call_name(call->call)), STEP_FAIL;
    bool done;
    enum step step = replay_run_plan(replay, rank, call->handle, &shape, true, &done);
    return done ? replay_exit(state, replay->now_ps) : step;
}
