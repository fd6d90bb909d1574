/* Fences, creation and freeing of windows. */
#include "simulate/plans/collectives.h"
#include "simulate/replay/barrier.h"
#include "simulate/replay/connections.h"
#include "simulate/replay/plan_run.h"
#include "simulate/rma/rma.h"
#include "simulate/rma/steps.h"
#include "simulate/windows/transfer.h"

/* All members enter an instance of create, fence or free before any member leaves it. So no member is ever two
 * instances ahead, and two slots hold the latest enter. */
static void sync_enter(struct replay *replay, struct member *member, int64_t enter_ps)
{
    struct window_state *window = &replay->windows[member->window];
    uint32_t instance = ++member->sync_instance, slot = instance & 1;
    if (window->latest_instance[slot] != instance || window->latest_enter_ps[slot] < enter_ps)
        window->latest_enter_ps[slot] = enter_ps;
    window->latest_instance[slot] = instance;
}

static void sync_exit(struct replay *replay, struct member *member, enum pattern pattern, int64_t exit_ps)
{
    int64_t latest_ps = replay->windows[member->window].latest_enter_ps[member->sync_instance & 1];
    int64_t until_ps = exit_ps < latest_ps ? exit_ps : latest_ps;
    totals_add(&replay->outcome->totals, pattern, member->rank, until_ps - replay->ranks[member->rank].enter_ps);
}

static uint32_t window_size(const struct replay *replay, const struct member *member)
{
    return replay_comm_of(replay, member)->count;
}

enum { PHASE_GATHER = 1, PHASE_BARRIER, PHASE_PARTS };

struct coll_shape replay_gather_shape(const struct replay *replay, uint32_t size)
{
    return (struct coll_shape){.algorithm =
                                   coll_is_power_of_two(size) ? COLL_ALLGATHER_DOUBLING : COLL_ALLGATHER_BRUCK,
                               .size = size,
                               .bytes = replay->platform->window_info_bytes};
}

/* The messages with which MPICH 4.0.2 makes a window: a communicator of its own (MPI_Comm_dup), whether all went well,
 * remote keys and addresses; for MPI_Win_allocate, the rank with the largest size (docs/protocols.md). */
struct creation_part {
    enum call_kind kind;
    int64_t bytes;
};
static const struct creation_part allocation[] = {
    {CALL_ALLREDUCE, 260}, {CALL_BCAST, 4},     {CALL_ALLREDUCE, 1},  {CALL_ALLREDUCE, 1},  {CALL_ALLREDUCE, 12},
    {CALL_BCAST, 8},       {CALL_ALLREDUCE, 4}, {CALL_ALLGATHER, 8}, {CALL_ALLGATHER, 11}, {CALL_ALLGATHER, 16}, {0}};
static const struct creation_part shared_allocation[] = {
    {CALL_ALLREDUCE, 260}, {CALL_BCAST, 4}, {CALL_ALLREDUCE, 1},  {CALL_ALLGATHER, 24}, {CALL_ALLREDUCE, 1}, {CALL_ALLREDUCE, 12},
    {CALL_BCAST, 8},       {CALL_ALLREDUCE, 4}, {CALL_BCAST, 50}, {CALL_ALLREDUCE, 4},  {CALL_ALLREDUCE, 4}, {0}};
static const struct creation_part creation[] = {{CALL_ALLREDUCE, 260}, {CALL_BCAST, 4},      {CALL_ALLREDUCE, 1},
                                                {CALL_ALLGATHER, 8},   {CALL_ALLGATHER, 11}, {CALL_ALLGATHER, 16},
                                                {0}};
static const struct creation_part dynamic_creation[] = {{CALL_ALLREDUCE, 260}, {CALL_BCAST, 4}, {CALL_ALLREDUCE, 1}, {0}};

static const struct creation_part *creation_parts(enum mpi_call call)
{
    switch (call) {
    case ID_Win_create: return creation;
    case ID_Win_create_dynamic: return dynamic_creation;
    case ID_Win_allocate_shared: return shared_allocation;
    default: return allocation;
    }
}

/* Runs one part after the other, then the barrier, for which rank.phase has another value. */
static enum step create_as_mpich(struct replay *replay, uint32_t rank, struct member *member)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    for (;;) {
        const struct creation_part *part = creation_parts((enum mpi_call)call->call) + (state->phase - PHASE_PARTS);
        if (part->bytes == 0) break;
        struct coll_shape shape = {.size = window_size(replay, member), .bytes = part->bytes, .kind = part->kind};
        shape.algorithm = coll_choose(part->kind, false, shape.size, shape.bytes);
        bool done;
        enum step step =
            replay_run_plan(replay, rank, replay->trace->definitions.windows[member->window].comm, &shape, true, &done);
        if (!done) return step;
        state->phase++;
        state->step = 0;
    }
    replay_barrier_begin(replay, replay_barrier_of(replay, member));
    return replay_spend(replay, state, window_size(replay, member) > 1 ? replay_overhead_ps(replay, state) : 0, PHASE_BARRIER);
}

static bool has_own_memory(const struct trace_call *call)
{
    return call->call == ID_Win_create || call->call == ID_Win_allocate;
}

enum step replay_step_win_create(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    struct member *member = replay_member(replay, &state->calls[state->next], rank);
    uint32_t size = window_size(replay, member);
    bool done;
    switch (state->phase) {
    case PHASE_ENTER:
        if (member->created) return replay_fail(replay, rank, "window %d is created twice", member->window), STEP_FAIL;
        member->created = true;
        sync_enter(replay, member, state->enter_ps);
        if (has_own_memory(&state->calls[state->next]))
            STEP_TRY(replay_connect_members(replay, rank, replay->trace->definitions.windows[member->window].comm));
        if (replay->platform->window_creation == WINDOW_CREATION_MPICH) {
            state->phase = PHASE_PARTS;
            return STEP_AGAIN;
        }
        return replay_spend(replay, state, size > 1 ? replay_overhead_ps(replay, state) : 0, PHASE_GATHER);
    case PHASE_GATHER: {
        struct coll_shape shape = replay_gather_shape(replay, size);
        int32_t comm = replay->trace->definitions.windows[member->window].comm;
        enum step step = replay_run_plan(replay, rank, comm, &shape, false, &done);
        if (!done) return step;
        replay_barrier_begin(replay, replay_barrier_of(replay, member));
        state->phase = PHASE_BARRIER;
        return STEP_AGAIN;
    }
    default:
        if (state->phase >= PHASE_PARTS) return create_as_mpich(replay, rank, member);
        STEP_TRY(replay_barrier_step(replay, rank, replay_barrier_of(replay, member), &done));
        if (!done) return STEP_BLOCK;
        sync_exit(replay, member, PATTERN_WAIT_AT_CREATE, replay->now_ps);
        return replay_exit(state, replay->now_ps);
    }
}

enum step replay_step_win_free(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    struct member *member = replay_member(replay, &state->calls[state->next], rank);
    bool done;
    if (state->phase == PHASE_ENTER) {
        if (member->access_open || member->exposed || *replay_all_locks(replay, member))
            return replay_fail(replay, rank, "window %d is freed inside an epoch", member->window), STEP_FAIL;
        sync_enter(replay, member, state->enter_ps);
        replay_barrier_begin(replay, replay_barrier_of(replay, member));
        return replay_spend(replay, state, window_size(replay, member) > 1 ? replay_overhead_ps(replay, state) : 0,
                            PHASE_BARRIER);
    }
    STEP_TRY(replay_barrier_step(replay, rank, replay_barrier_of(replay, member), &done));
    if (!done) return STEP_BLOCK;
    sync_exit(replay, member, PATTERN_WAIT_AT_FREE, replay->now_ps);
    member->created = member->fence_open = false; /* another window may get its number */
    return replay_exit(state, replay->now_ps);
}

static enum step fence_enter(const struct steps_run *run, unsigned flags)
{
    struct replay *replay = run->replay;
    struct member *member = run->member;
    if (member->access_open)
        return replay_fail(replay, run->rank, "fence inside the access epoch of MPI_Win_start on window %d", member->window),
               STEP_FAIL;
    member->fence_open = !(flags & TRACE_NOSUCCEED);
    if (!replay->modes[member->window].fence.asserted) flags = 0;
    if ((flags & TRACE_NOPRECEDE) && (flags & TRACE_NOSUCCEED)) return replay_exit(run->state, replay->now_ps);
    sync_enter(replay, member, run->state->enter_ps);
    bool sends = window_size(replay, member) > 1 || (!(flags & TRACE_NOPRECEDE) && replay_holds(replay, member));
    return replay_spend(replay, run->state, sends ? replay_overhead_ps(replay, run->state) : 0, PHASE_STEPS);
}

static enum step issue_held(const struct steps_run *run)
{
    if (replay_holds(run->replay, run->member)) STEP_TRY(replay_issue_held(run->replay, run->member));
    return STEP_AGAIN;
}

/* A fence that queries asks every other rank that has answers open. */
static enum step request_flush(const struct steps_run *run)
{
    struct replay *replay = run->replay;
    const bool connected = replay->modes[run->member->window].fence.query == QUERY_CONNECTED;
    bool queries = connected && replay_flush_asks_others(replay, run->index);
    if (run->member->open.outstanding == 0 && !queries) return STEP_AGAIN;
    const struct fence_targets *targets = &replay->fence_targets[run->index];
    for (size_t i = 0; i < targets->count; i++) {
        const struct fence_target *target = &targets->items[i];
        if (target->member == run->index || target->answers == 0) continue;
        STEP_TRY(replay_query_target(replay, run->index, run->rank, replay->members[target->member].rank));
        queries = true;
    }
    if (queries && connected) STEP_TRY(replay_query_others(replay, run->rank, run->index));
    return STEP_AGAIN;
}

static enum step await_answers(const struct steps_run *run)
{
    const uint32_t outstanding = run->member->open.outstanding;
    if (outstanding == 0) return STEP_AGAIN;
    run->state->need = replay_least_messages(run->replay, outstanding);
    return STEP_BLOCK;
}

static enum step pay_call(const struct steps_run *run)
{
    return steps_pay(run, replay_own_ps(run->replay, run->state));
}

/* Behind rounds that carry counts the fence has taken its time. */
static enum step pay_barrier(const struct steps_run *run)
{
    const bool counted = window_mode_counts(&run->replay->modes[run->member->window]) && !(run->call->flags & TRACE_NOPRECEDE);
    return counted ? STEP_AGAIN : pay_call(run);
}

static enum step begin_barrier(const struct steps_run *run)
{
    replay_barrier_begin(run->replay, replay_barrier_of(run->replay, run->member));
    return STEP_AGAIN;
}

static enum step await_barrier(const struct steps_run *run)
{
    bool done;
    STEP_TRY(replay_barrier_step(run->replay, run->rank, replay_barrier_of(run->replay, run->member), &done));
    return done ? STEP_AGAIN : STEP_BLOCK;
}

/* The rank continues when its own operations are done and the closed epoch's operations on it have arrived. The rounds of the
 * barrier, or of the counts (a reduce-scatter), carry their number. */
static enum step await_incoming(const struct steps_run *run)
{
    struct incoming *incoming = &run->replay->incoming[2 * (size_t)run->index + ((run->member->sync_instance - 1) & 1)];
    if (run->member->open.outstanding > 0 || incoming->arrived != incoming->issued) return STEP_BLOCK;
    if (incoming->latest_ps > run->replay->now_ps) return replay_wait_until(run->state, incoming->latest_ps, PHASE_STEPS);
    incoming->issued = incoming->arrived = 0;
    return STEP_AGAIN;
}

static const struct step_row fence_steps[DO_COUNT] = {[DO_ISSUE] = {{issue_held}},
                                                      [DO_ACKNOWLEDGED] = {{await_answers}},
                                                      [DO_QUERY] = {{request_flush}},
                                                      [DO_ANSWER] = {{await_answers}},
                                                      [DO_BARRIER] = {{pay_barrier, begin_barrier, await_barrier}},
                                                      [DO_COUNTS] = {{pay_call, begin_barrier, await_barrier}},
                                                      [DO_INCOMING] = {{await_incoming}}};

/* With NOPRECEDE nothing is to be completed. Where the fence ignores that, one barrier carries the counts. */
static struct steps_list steps_of_fence(const struct window_mode *mode, unsigned flags)
{
    struct steps_list list = mode->steps[STEPS_FENCE];
    if (!(flags & TRACE_NOPRECEDE)) return list;
    if (mode->fence.asserted) return (struct steps_list){1, {DO_BARRIER}};
    list.count = (uint8_t)(list.count - window_mode_counts(mode));
    return list;
}

enum step replay_step_fence(struct replay *replay, uint32_t rank)
{
    const struct steps_run run = steps_run(replay, rank);
    if (run.state->phase == PHASE_ENTER) return fence_enter(&run, run.call->flags);
    const struct steps_list list = steps_of_fence(&replay->modes[run.member->window], run.call->flags);
    enum step step = steps_walk(&run, &list, fence_steps);
    if (step != STEP_EXIT) return step;
    sync_exit(replay, run.member, PATTERN_WAIT_AT_FENCE, replay->now_ps);
    return replay_exit(run.state, replay->now_ps);
}
