/* Fences, creation and freeing of windows. */
#include "simulate/plans/collectives.h"
#include "simulate/replay/barrier.h"
#include "simulate/replay/connections.h"
#include "simulate/replay/plan_run.h"
#include "simulate/rma/rma.h"
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

enum {
    PHASE_ENTER,
    PHASE_GATHER,
    PHASE_ISSUE,
    PHASE_COMPLETE_OPS,
    PHASE_WORK,
    PHASE_BARRIER,  /* or the exchange of counts */
    PHASE_INCOMING,
    PHASE_LAST,     /* the barrier behind an exchange of counts */
    PHASE_PARTS
};

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

/* A fence that queries asks every other rank that has answers open. */
static enum status request_flush(struct replay *replay, struct member *member)
{
    uint32_t own = (uint32_t)(member - replay->members);
    const enum steps_query query = replay->modes[member->window].fence.query;
    bool queries = query == QUERY_CONNECTED && replay_flush_asks_others(replay, own);
    if (query == QUERY_NONE || (member->open.outstanding == 0 && !queries)) return STATUS_OK;
    const struct fence_targets *targets = &replay->fence_targets[own];
    for (size_t i = 0; i < targets->count; i++) {
        const struct fence_target *target = &targets->items[i];
        if (target->member == own || target->answers == 0) continue;
        TRY(replay_query_target(replay, own, member->rank, replay->members[target->member].rank));
        queries = true;
    }
    if (!queries || query != QUERY_CONNECTED) return STATUS_OK;
    return replay_query_connections(replay, member->rank, own, &member->open.outstanding);
}

static enum step fence_enter(struct replay *replay, uint32_t rank, struct member *member, unsigned flags)
{
    struct rank_state *state = &replay->ranks[rank];
    if (member->access_open)
        return replay_fail(replay, rank, "fence inside the access epoch of MPI_Win_start on window %d", member->window),
               STEP_FAIL;
    member->fence_open = !(flags & TRACE_NOSUCCEED);
    if (!replay->modes[member->window].fence.asserted) flags = 0;
    if ((flags & TRACE_NOPRECEDE) && (flags & TRACE_NOSUCCEED)) return replay_exit(state, replay->now_ps);
    sync_enter(replay, member, state->enter_ps);
    replay_barrier_begin(replay, replay_barrier_of(replay, member));
    bool completes = !(flags & TRACE_NOPRECEDE);
    bool sends = window_size(replay, member) > 1 || (completes && replay_holds(replay, member));
    return replay_spend(replay, state, sends ? replay_overhead_ps(replay, state) : 0, completes ? PHASE_ISSUE : PHASE_WORK);
}

/* [issue, counts, incoming, barrier]: the rounds that carry the counts come before the barrier. */
static bool exchanges_counts(const struct replay *replay, const struct member *member, const struct trace_call *call)
{
    return window_mode_counts(&replay->modes[member->window]) && !(call->flags & TRACE_NOPRECEDE);
}

static enum step leave_fence(struct replay *replay, uint32_t rank, struct member *member)
{
    sync_exit(replay, member, PATTERN_WAIT_AT_FENCE, replay->now_ps);
    return replay_exit(&replay->ranks[rank], replay->now_ps);
}

enum step replay_step_fence(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    struct member *member = replay_member(replay, call, rank);
    bool done;
    switch (state->phase) {
    case PHASE_ENTER: return fence_enter(replay, rank, member, call->flags);
    case PHASE_ISSUE:
        if (replay_holds(replay, member)) STEP_TRY(replay_issue_held(replay, member));
        STEP_TRY(request_flush(replay, member));
        state->phase = replay->modes[member->window].fence.form == FORM_FENCE_BARRIER ? PHASE_COMPLETE_OPS : PHASE_WORK;
        return STEP_AGAIN;
    case PHASE_COMPLETE_OPS:
        if (member->open.outstanding > 0) {
            state->need = replay_least_messages(replay, member->open.outstanding);
            return STEP_BLOCK;
        }
        state->phase = PHASE_WORK;
        return STEP_AGAIN;
    case PHASE_WORK: return replay_spend(replay, state, replay_own_ps(replay, state), PHASE_BARRIER);
    case PHASE_BARRIER:
        STEP_TRY(replay_barrier_step(replay, rank, replay_barrier_of(replay, member), &done));
        if (!done) return STEP_BLOCK;
        state->phase = PHASE_INCOMING;
        return STEP_AGAIN;
    case PHASE_INCOMING: {
        const struct call_steps *fence = &replay->modes[member->window].fence;
        bool counts = !(call->flags & TRACE_NOPRECEDE) || !fence->asserted;
        if (counts && fence->form != FORM_FENCE_BARRIER) {
            /* The rank continues when its own operations are done and the closed epoch's operations on it have arrived.
             * The rounds of the barrier (a reduce-scatter of the counts) carry their number. */
            size_t index = (size_t)(member - replay->members);
            struct incoming *incoming = &replay->incoming[2 * index + ((member->sync_instance - 1) & 1)];
            if (member->open.outstanding > 0 || incoming->arrived != incoming->issued) return STEP_BLOCK;
            if (incoming->latest_ps > replay->now_ps)
                return replay_wait_until(state, incoming->latest_ps, PHASE_INCOMING);
            incoming->issued = incoming->arrived = 0;
        }
        if (!exchanges_counts(replay, member, call)) return leave_fence(replay, rank, member);
        replay_barrier_begin(replay, replay_barrier_of(replay, member));
        state->phase = PHASE_LAST;
        return STEP_AGAIN;
    }
    default:
        STEP_TRY(replay_barrier_step(replay, rank, replay_barrier_of(replay, member), &done));
        return done ? leave_fence(replay, rank, member) : STEP_BLOCK;
    }
}
