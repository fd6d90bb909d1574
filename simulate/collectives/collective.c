/* Collective operations: blocking ones run their plan in the call, non-blocking ones as a task. */

#include "simulate/collectives/collective.h"
#include "simulate/replay/barrier.h"
#include "simulate/replay/collective_matching.h"
#include "simulate/replay/envelope.h"
#include "simulate/replay/message.h"
#include "simulate/replay/request.h"
#include "simulate/replay/plan_run.h"

DEFINE_POOL(task, next, replay);

struct coll_shape replay_shape_of(const struct replay *replay, const struct trace_call *call)
{
    struct coll_shape shape = coll_shape_of(replay->trace, call);
    bool barrier = call_kind(call->call) == CALL_BARRIER && shape.algorithm != COLL_COMM_IDUP;
    if (barrier) shape.bytes = replay->platform->control_bytes;
    return shape;
}

/* --- non-blocking ones: a task per rank, which goes on as its messages come --- */

static enum status start_task_step(struct replay *replay, uint32_t index, const struct coll_step *step)
{
    const struct coll_task task = replay->tasks[index];
    const struct trace_comm *comm = &replay->trace->definitions.comms[task.comm];
    struct match match = {task.comm * 2 + 1, task.rank, task.rank, (int32_t)task.instance, 0};
    uint32_t request;
    if (step->receive_from >= 0) {
        match.source = coll_partner(&task.shape, comm, step->receive_from);
        TRY(replay_task_request(replay, index, &request));
        TRY(replay_receive_side(replay, &match, request));
    }
    if (step->send_to < 0) return STATUS_OK;
    match.source = task.rank;
    match.destination = coll_partner(&task.shape, comm, step->send_to);
    TRY(replay_task_request(replay, index, &request));
    return replay_send_side(replay, &match, step->send_bytes, replay_plan_protocol(replay, step), request);
}

/* The call that begins the task advances it as far as nothing must arrive. After that it needs the rank's progress. */
static enum status advance_task(struct replay *replay, uint32_t index, bool begins)
{
    const struct trace_comm *comm = &replay->trace->definitions.comms[replay->tasks[index].comm];
    uint32_t own = (uint32_t)trace_comm_rank(comm, (int32_t)replay->tasks[index].rank);
    for (;;) {
        struct coll_task *task = &replay->tasks[index];
        struct coll_step step;
        if (task->missing > 0 && !task->overlap) return STATUS_OK;
        bool served = replay_serves(replay, task->rank) || begins;
        if (replay->platform->progress == PROGRESS_CALL && !served)
            return replay_postpone(replay, MESSAGE_TASK, task->rank, index);
        if (!coll_step(&task->shape, own, task->step, &step)) {
            uint32_t request = task->request;
            replay_resume(replay, task->rank);
            replay_release_task(replay, index);
            return replay_request_done(replay, request);
        }
        task->step++;
        task->overlap = step.overlap;
        task->missing++; /* sends that are done at once must not advance the task from within */
        TRY(start_task_step(replay, index, &step));
        replay->tasks[index].missing--;
    }
}

enum status replay_task_received(struct replay *replay, uint32_t task)
{
    return --replay->tasks[task].missing > 0 ? STATUS_OK : advance_task(replay, task, false);
}

enum status replay_on_task(struct replay *replay, const struct engine_note *message)
{
    return advance_task(replay, message->ref, false);
}

static bool sends_something(const struct coll_shape *shape)
{
    if (shape->algorithm == COLL_NEIGHBOR_LINEAR) return shape->neighbors.destination_count > 0;
    return shape->size > 1 && shape->algorithm != COLL_NOTHING;
}

enum step replay_step_collective(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    int32_t comm = call->handle;
    if (comm == TRACE_NONE) return replay_exit(state, replay->now_ps);
    const struct trace_comm *members = &replay->trace->definitions.comms[comm];
    bool enters = state->phase == 0 && state->step == 0 && !state->paid;
    if (enters)
        STEP_TRY(replay_match_collectives(replay, rank, comm, (uint32_t)trace_comm_rank(members, (int32_t)rank)));
    struct coll_shape shape = replay_shape_of(replay, call);
    STEP_TRY(replay_learn_peer_counts(replay, rank, call, &shape));
    if (call_kind(call->call) == CALL_SCATTERV && call->peer == (int32_t)rank && !shape.counts)
        return replay_fail(replay, rank, "the root's %s lacks counts, expected bytes per rank", call_name(call->call)),
               STEP_FAIL;
    if (call_makes_request(call->call)) {
        /* The call pays overhead once. Later steps cost time of the network, of the helper thread, of another call. */
        enum { PHASE_ENTER, PHASE_BEGIN };
        if (state->phase == PHASE_ENTER)
            return replay_spend(replay, state, sends_something(&shape) ? replay_overhead_ps(replay, state) : 0, PHASE_BEGIN);
        uint32_t own = (uint32_t)trace_comm_rank(&replay->trace->definitions.comms[call->handle], (int32_t)rank),
                 request, task;
        STEP_TRY(replay_new_request(replay, rank, call->ref, false, &request));
        STEP_TRY(replay_take_task(replay, &task));
        uint32_t instance = replay_next_task(replay, call->handle, own);
        replay->tasks[task] = (struct coll_task){.rank = rank,
                                                 .comm = (uint32_t)call->handle,
                                                 .request = request,
                                                 .instance = instance,
                                                 .next = NO_INDEX,
                                                 .shape = shape};
        replay_await(replay, rank);
        STEP_TRY(advance_task(replay, task, true));
        return replay_exit(state, replay->now_ps);
    }
    bool done;
    enum step step = replay_run_plan(replay, rank, comm, &shape, true, &done);
    return done ? replay_exit(state, replay->now_ps) : step;
}
