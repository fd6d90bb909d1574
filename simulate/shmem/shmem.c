/* OpenSHMEM 1.4: puts, gets, atomics, quiet, waiting for a write of others, locks. */
#include "simulate/shmem/shmem.h"

#include <stdlib.h>

#include "common/array.h"
#include "simulate/replay/barrier.h"
#include "simulate/replay/message.h"
#include "simulate/replay/request.h"
#include "simulate/windows/lock.h"
#include "simulate/windows/transfer.h"
#include "simulate/windows/watch.h"

struct shmem_lock { /* the window's first rank keeps the queue */
    uint32_t holder, first, last;
    int64_t cleared_ps; /* when the last clear_lock returned; 0: none did */
    bool released;      /* the holder has cleared it; its release is on the way */
};

struct shmem {
    int32_t window;
    uint32_t home; /* rank that keeps the locks */
    struct map lock_names; /* object to index in locks */
    struct shmem_lock *locks;
    size_t lock_count, lock_capacity;
    uint32_t *next_waiting; /* per rank */
    bool *granted;          /* per rank: the lock that it waits for */
};

enum { PHASE_ENTER, PHASE_ACT, PHASE_WAIT };

/* --- operations --- */

/* Puts wait until their data have left, gets and fetching atomics until the data are there, and _nbi calls for
 * nothing. */
static enum step operate_call(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    enum call_kind kind = call_kind(call->call);
    bool waits = kind != CALL_SHMEM_PUT_NBI && kind != CALL_SHMEM_GET_NBI;
    uint32_t index = replay_member_index(replay, call->handle, rank), lock, op, request;
    switch (state->phase) {
    case PHASE_ENTER: return replay_spend(replay, state, replay_overhead_ps(replay, state), PHASE_ACT);
    case PHASE_ACT:
        STEP_TRY(replay_lock_towards(replay, rank, index, call->peer, &lock));
        STEP_TRY(replay_make_op(replay, rank, false, &op));
        replay->outcome->transfers++;
        replay->outcome->transfer_bytes += (uint64_t)call->bytes;
        state->missing = 0;
        state->phase = PHASE_WAIT;
        if (call_makes_request(call->call)) {
            STEP_TRY(replay_new_request(replay, rank, call->rma.request, true, &request));
            replay->ops[op].request = request;
        }
        if (waits) STEP_TRY(replay_collective_request(replay, rank, &request));
        if (waits) replay->ops[op].request = request;
        STEP_TRY(call_puts_signal(call->call) ? replay_issue_behind(replay, op) : replay_issue(replay, op));
        return STEP_AGAIN;
    default: return state->missing > 0 ? STEP_BLOCK : replay_exit(state, replay->now_ps);
    }
}

/* Whether all operations of the rank are known to be complete. */
static bool is_quiet(struct replay *replay, uint32_t rank)
{
    if (!replay->shmem) return true;
    int32_t place = trace_comm_rank(replay_window_comm(replay, replay->shmem->window), (int32_t)rank);
    if (place == TRACE_NONE) return true;
    uint32_t member = replay->windows[replay->shmem->window].first_member + (uint32_t)place;
    return replay_all_complete(replay, replay->all_locks[member]);
}

/* --- waiting for a write --- */

static enum step wait_write(struct replay *replay, uint32_t rank)
{
    const struct watch *watch = replay_watch_of(replay, rank);
    struct rank_state *state = &replay->ranks[rank];
    if (watch && !watch->arrived) return STEP_BLOCK;
    if (watch && watch->origin != rank && watch->arrived_ps > state->enter_ps)
        totals_add(&replay->outcome->totals, pattern_of_write(state->calls[state->next].call), rank,
                   watch->arrived_ps - state->enter_ps);
    return replay_exit(state, replay->now_ps);
}

/* --- locks --- */

static enum status lock_of(struct replay *replay, uint32_t object, uint32_t *lock)
{
    struct shmem *shmem = replay->shmem;
    uint64_t *index;
    TRY(map_put(&shmem->lock_names, object, shmem->lock_count, &index, replay->err));
    if (*index == shmem->lock_count) {
        struct shmem_lock made = {NO_INDEX, NO_INDEX, NO_INDEX, 0, false};
        ARRAY_PUSH(shmem->locks, shmem->lock_count, shmem->lock_capacity, made, replay->err);
    }
    *lock = (uint32_t)*index;
    return STATUS_OK;
}

static const struct shmem_lock *find_lock(const struct replay *replay, uint32_t object)
{
    const uint64_t *index = map_find(&replay->shmem->lock_names, object);
    return index ? &replay->shmem->locks[*index] : NULL;
}

static enum status grant_lock(struct replay *replay, uint32_t lock, uint32_t rank)
{
    replay->shmem->locks[lock].holder = rank;
    replay->shmem->locks[lock].released = false;
    return replay_send_control(replay, MESSAGE_SHMEM_GRANT, replay->shmem->home, rank, lock, 0);
}

static enum status on_ask(struct replay *replay, const struct engine_note *message)
{
    struct shmem *shmem = replay->shmem;
    struct shmem_lock *lock = &shmem->locks[message->ref];
    uint32_t rank = message->source;
    if (lock->holder == NO_INDEX) return grant_lock(replay, message->ref, rank);
    shmem->next_waiting[rank] = NO_INDEX;
    if (lock->first == NO_INDEX)
        lock->first = rank;
    else
        shmem->next_waiting[lock->last] = rank;
    lock->last = rank;
    return STATUS_OK;
}

static enum status on_grant(struct replay *replay, const struct engine_note *message)
{
    replay->shmem->granted[message->destination] = true;
    replay_wake(replay, message->destination);
    return STATUS_OK;
}

static enum status on_release(struct replay *replay, const struct engine_note *message)
{
    struct shmem_lock *lock = &replay->shmem->locks[message->ref];
    uint32_t next = lock->first;
    lock->holder = NO_INDEX;
    if (next == NO_INDEX) return STATUS_OK;
    lock->first = replay->shmem->next_waiting[next];
    return grant_lock(replay, message->ref, next);
}

/* Lock Contention: until the previous holder had cleared the lock, which a PE itself did before it set it again. A test_lock that
 * got it did not wait. */
static enum status account_contention(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    const struct rank_state *state = &replay->ranks[rank];
    uint32_t index;
    TRY(lock_of(replay, call->shmem.lock, &index));
    const struct shmem_lock *lock = &replay->shmem->locks[index];
    if (call_kind(call->call) == CALL_SHMEM_SET_LOCK && lock->cleared_ps > state->enter_ps)
        totals_add(&replay->outcome->totals, PATTERN_LOCK_CONTENTION, rank, lock->cleared_ps - state->enter_ps);
    return STATUS_OK;
}

static enum step set_lock(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t lock, home = replay->shmem->home;
    switch (state->phase) {
    case PHASE_ENTER: return replay_spend(replay, state, rank == home ? 0 : replay_overhead_ps(replay, state), PHASE_ACT);
    case PHASE_ACT:
        STEP_TRY(lock_of(replay, call->shmem.lock, &lock));
        replay->shmem->granted[rank] = false;
        state->phase = PHASE_WAIT;
        STEP_TRY(replay_send_control(replay, MESSAGE_SHMEM_ASK, rank, home, lock, 0));
        return STEP_AGAIN;
    default:
        if (!replay->shmem->granted[rank]) return STEP_BLOCK;
        STEP_TRY(account_contention(replay, rank, call));
        return replay_exit(state, replay->now_ps);
    }
}

/* Writes under the lock are complete before another PE gets the lock (9.11). */
static enum step clear_lock(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t lock, home = replay->shmem->home;
    STEP_TRY(lock_of(replay, call->shmem.lock, &lock));
    struct shmem_lock *cleared = &replay->shmem->locks[lock];
    if (cleared->holder != rank || cleared->released)
        return replay_fail(replay, rank, "lock %u is not held by this rank", call->shmem.lock), STEP_FAIL;
    if (state->phase == PHASE_ENTER) {
        if (!is_quiet(replay, rank)) return STEP_BLOCK;
        return replay_spend(replay, state, rank == home ? 0 : replay_overhead_ps(replay, state), PHASE_ACT);
    }
    STEP_TRY(replay_send_control(replay, MESSAGE_SHMEM_RELEASE, rank, home, lock, 0));
    cleared->cleared_ps = replay->now_ps;
    cleared->released = true;
    return replay_exit(state, replay->now_ps);
}

static enum step step_shmem(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    switch (call_kind(call->call)) {
    case CALL_SHMEM_QUIET: return is_quiet(replay, rank) ? replay_exit(state, replay->now_ps) : STEP_BLOCK;
    case CALL_SHMEM_FENCE: return replay_exit(state, replay->now_ps); /* a NIC keeps the order of a pair */
    case CALL_SHMEM_BARRIER:
        if (state->phase == PHASE_ENTER && !is_quiet(replay, rank)) return STEP_BLOCK;
        return replay_step_comm_barrier(replay, rank);
    case CALL_SHMEM_WAIT:
    case CALL_SHMEM_TEST: return wait_write(replay, rank);
    case CALL_SHMEM_SET_LOCK:
    case CALL_SHMEM_TEST_LOCK: return set_lock(replay, rank, call);
    case CALL_SHMEM_CLEAR_LOCK: return clear_lock(replay, rank, call);
    default: return operate_call(replay, rank, call);
    }
}

static enum status open_memory(struct replay *replay, int32_t window)
{
    const struct trace_comm *comm = replay_window_comm(replay, window);
    uint32_t ranks = replay->trace->rank_count;
    struct shmem *shmem = calloc(1, sizeof *shmem);
    if (!shmem) return err_memory(replay->err);
    replay->shmem = shmem;
    replay->is_quiet = is_quiet;
    shmem->window = window;
    shmem->home = (uint32_t)comm->members[0];
    shmem->next_waiting = calloc(ranks, sizeof *shmem->next_waiting);
    shmem->granted = calloc(ranks, sizeof *shmem->granted);
    if (!shmem->next_waiting || !shmem->granted) return err_memory(replay->err);
    for (uint32_t m = 0; m < comm->count; m++) {
        struct member *member = &replay->members[replay->windows[window].first_member + m];
        TRY(replay_all_locks_new(replay, comm->count, replay_all_locks(replay, member)));
        member->all_nocheck = true;
    }
    return replay_prepare_watches(replay, window);
}

static enum status prepare_shmem(struct replay *replay)
{
    for (size_t i = 0; i < replay->trace->definitions.window_count; i++)
        if (replay->trace->definitions.windows[i].flavor == 'h' && !replay->shmem) TRY(open_memory(replay, (int32_t)i));
    return STATUS_OK;
}

static void clear_shmem(struct replay *replay)
{
    struct shmem *shmem = replay->shmem;
    replay_clear_watches(replay);
    if (!shmem) return;
    map_clear(&shmem->lock_names);
    FREE_ALL(shmem->locks, shmem->next_waiting, shmem->granted, shmem);
}

static void explain_shmem(const struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    enum call_kind kind = call_kind(call->call);
    bool write = kind == CALL_SHMEM_WAIT || kind == CALL_SHMEM_TEST;
    const struct watch *watch = write ? replay_watch_of(replay, rank) : NULL;
    bool locks = call_row(call->call)->needed & F_OBJECT;
    const struct shmem_lock *lock = locks ? find_lock(replay, call->shmem.lock) : NULL;
    if (watch)
        EXPLAIN(text, " the write of rank %u (event %zu)", watch->origin, watch->call + 1);
    else if (lock && lock->holder != NO_INDEX)
        EXPLAIN(text, " lock %u, held by rank %u", call->shmem.lock, lock->holder);
    else
        EXPLAIN(text, " its operations");
}

static void explain_wait(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text)
{
    if (call_row(call->call)->allowed & F_WIN)
        explain_shmem(replay, rank, call, text);
    else
        replay_explain_absent(replay, call, text);
}

/* A write wakes the waiting PEs of its memory at once. */
static bool nodes_are_apart(const struct replay *replay)
{
    return !replay->shmem;
}

static enum status reach_ranks(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                               struct reach *to)
{
    const struct trace_comm *comm = trace_call_comm(replay->trace, call);
    (void)rank;
    switch (call_kind(call->call)) {
    case CALL_SHMEM_BARRIER:
        return call->handle == TRACE_NONE ? STATUS_OK : replay_reach_barrier(to, replay, call->handle);
    case CALL_SHMEM_SET_LOCK:
    case CALL_SHMEM_TEST_LOCK: return comm ? replay_reach_rank(to, comm->members[0]) : STATUS_OK;
    default: return call_moves(call->call) ? replay_reach_rank(to, call->peer) : STATUS_OK;
    }
}

static const struct call_step steps[] = {{CALL_SHMEM_BARRIER, .step = step_shmem},
                                         {CALL_SHMEM_PUT, CALL_SHMEM_CLEAR_LOCK, .step = step_shmem},
                                         {CALL_SHMEM_TEST, .step = step_shmem, .traits = CALL_TESTS},
                                         {CALL_SHMEM_TEST_LOCK, .step = step_shmem, .traits = CALL_TESTS},
                                         {0}};

static const struct message_row messages[] = {{MESSAGE_SHMEM_ASK, .act = on_ask, SERVICE_LOCK, .passes = true},
                                              {MESSAGE_SHMEM_GRANT, .act = on_grant, SERVICE_NOTIFICATION, .passes = true},
                                              {MESSAGE_SHMEM_RELEASE, .act = on_release, SERVICE_RELEASE},
                                              {0}};

const struct call_driver shmem_driver = {
    .name = "shmem",
    .steps = steps,
    .messages = messages,
    .prepare = prepare_shmem,
    .clear = clear_shmem,
    .nodes_are_apart = nodes_are_apart,
    .reach = reach_ranks,
    .explain_wait = explain_wait,
};
