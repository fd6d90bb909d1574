#include "simulate/replay/plan_run.h"

#include "simulate/replay/request.h"

enum send_protocol replay_plan_protocol(const struct replay *replay, const struct coll_step *step)
{
    if (step->send_bytes > replay->platform->eager_bytes && !step->control) return SEND_RENDEZVOUS;
    return step->synchronous ? SEND_SYNC : SEND_EAGER;
}

/* Sends and receives of one step. Their requests count down rank.missing; the program never sees them. */
static enum status start_step(struct replay *replay, uint32_t rank, int32_t comm_id, const struct coll_shape *shape,
                              const struct coll_step *step)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_comm *comm = &replay->trace->definitions.comms[comm_id];
    struct match match = {(uint32_t)comm_id * 2 + 1, rank, rank, 0, 0};
    uint32_t request;
    if (step->receive_from >= 0) {
        match.source = coll_partner(shape, comm, step->receive_from);
        TRY(replay_collective_request(replay, rank, &request));
        state->received++;
        TRY(replay_receive_side(replay, &match, request));
    }
    if (step->send_to >= 0) {
        match.source = rank;
        match.destination = coll_partner(shape, comm, step->send_to);
        TRY(replay_collective_request(replay, rank, &request));
        TRY(replay_send_side(replay, &match, step->send_bytes, replay_plan_protocol(replay, step), request));
    }
    return STATUS_OK;
}

enum step replay_run_plan(struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                          bool pays_overhead, bool *done)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t own = (uint32_t)trace_comm_rank(&replay->trace->definitions.comms[comm], (int32_t)rank);
    int64_t overhead_ps = pays_overhead ? replay_overhead_ps(replay, state) : 0;
    struct coll_step step;
    *done = false;
    for (;;) {
        if (state->missing > 0 && !state->overlap) return STEP_BLOCK;
        if (state->received > 0 && !state->overlap) { /* each message received costs overhead */
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
        STEP_TRY(start_step(replay, rank, comm, shape, &step));
    }
}
