/* OpenSHMEM 1.4: puts, gets, atomics, quiet, waiting for a write of others, locks. */
#include "simulate/shmem/shmem.h"

#include <stdlib.h>

#include "common/array.h"
#include "model/match/shmem_writes.h"

enum { PHASE_ENTER, PHASE_ACT, PHASE_WAIT };

static uint64_t key_of(uint32_t rank, size_t call)
{
    return (uint64_t)rank << 40 | call;
}

/* --- operations */

/* Puts wait until their data have left, gets and fetching atomics until the data are there; _nbi for nothing. */
static enum step operate(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    enum call_kind kind = call_kind(call->call);
    bool waits = kind != CALL_SHMEM_PUT_NBI && kind != CALL_SHMEM_GET_NBI;
    uint32_t index = replay_member_index(replay, call->handle, rank), lock, op, request;
    switch (state->phase) {
    case PHASE_ENTER: return replay_spend(replay, state, replay->overhead_ps, PHASE_ACT);
    case PHASE_ACT:
        STEP_TRY(replay_lock_towards(replay, rank, index, call->peer, &lock));
        STEP_TRY(replay_make_op(replay, rank, &op));
        replay->outcome->transfers++;
        replay->outcome->transfer_bytes += (uint64_t)call->bytes;
        state->missing = 0;
        state->phase = PHASE_WAIT;
        if (waits) STEP_TRY(replay_collective_request(replay, rank, &request));
        if (waits) replay->ops[op].request = request;
        STEP_TRY(replay_issue(replay, op));
        return STEP_AGAIN;
    default: return state->missing > 0 ? STEP_BLOCK : replay_exit(state, replay->now_ps);
    }
}

/* All operations of the rank are known to be complete. */
static bool is_quiet(struct replay *replay, uint32_t rank)
{
    if (!replay->shmem) return true;
    const struct trace_comm *comm = &replay->trace->comms[replay->trace->windows[replay->shmem->window].comm];
    int32_t place = trace_comm_rank(comm, (int32_t)rank);
    if (place == TRACE_NONE) return true;
    uint32_t member = replay->windows[replay->shmem->window].first_member + (uint32_t)place;
    return replay_all_complete(replay, replay->members[member].all);
}

/* --- waiting for a write */

const struct watch *replay_shmem_watch(const struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const uint64_t *index = map_find(&replay->shmem->watches_of_waits, key_of(rank, state->next));
    return index ? &replay->shmem->watches[*index] : NULL;
}

static enum step wait_write(struct replay *replay, uint32_t rank)
{
    const struct watch *watch = replay_shmem_watch(replay, rank);
    struct rank_state *state = &replay->ranks[rank];
    if (watch && !watch->arrived) return STEP_BLOCK;
    if (watch && watch->origin != rank && watch->arrived_ps > state->enter_ps)
        totals_add(&replay->outcome->totals, PATTERN_WAIT_FOR_WRITE, rank, watch->arrived_ps - state->enter_ps);
    return replay_exit(state, replay->now_ps);
}

void replay_shmem_written(struct replay *replay, uint32_t op, int64_t at_ps)
{
    const struct op *by = &replay->ops[op];
    if (replay->members[by->member].window != replay->shmem->window) return;
    const uint64_t *index = map_find(&replay->shmem->watches_of_writes, key_of(by->origin, by->call));
    if (!index) return;
    struct watch *watch = &replay->shmem->watches[*index];
    watch->arrived = true;
    watch->arrived_ps = at_ps;
    replay_wake(replay, watch->waiter);
}

/* --- locks */

static enum status lock_of(struct replay *replay, uint32_t object, uint32_t *lock)
{
    struct shmem *shmem = replay->shmem;
    uint64_t *index;
    TRY(map_put(&shmem->lock_names, object, shmem->lock_count, &index, replay->err));
    if (*index == shmem->lock_count) {
        struct shmem_lock made = {NO_INDEX, NO_INDEX, NO_INDEX, NO_INDEX, 0, false};
        ARRAY_PUSH(shmem->locks, shmem->lock_count, shmem->lock_capacity, made, replay->err);
    }
    *lock = (uint32_t)*index;
    return STATUS_OK;
}

const struct shmem_lock *replay_shmem_lock(const struct replay *replay, uint32_t object)
{
    const uint64_t *index = map_find(&replay->shmem->lock_names, object);
    return index ? &replay->shmem->locks[*index] : NULL;
}

static enum status grant(struct replay *replay, uint32_t lock, uint32_t rank)
{
    replay->shmem->locks[lock].holder = rank;
    replay->shmem->locks[lock].released = false;
    return replay_send_control(replay, MESSAGE_SHMEM_GRANT, replay->shmem->home, rank, lock, 0);
}

enum status replay_on_shmem_ask(struct replay *replay, const struct engine_note *message)
{
    struct shmem *shmem = replay->shmem;
    struct shmem_lock *lock = &shmem->locks[message->ref];
    uint32_t rank = message->source;
    if (lock->holder == NO_INDEX) return grant(replay, message->ref, rank);
    shmem->next_waiting[rank] = NO_INDEX;
    if (lock->first == NO_INDEX)
        lock->first = rank;
    else
        shmem->next_waiting[lock->last] = rank;
    lock->last = rank;
    return STATUS_OK;
}

enum status replay_on_shmem_grant(struct replay *replay, const struct engine_note *message)
{
    replay->shmem->granted[message->destination] = true;
    replay_wake(replay, message->destination);
    return STATUS_OK;
}

enum status replay_on_shmem_release(struct replay *replay, const struct engine_note *message)
{
    struct shmem_lock *lock = &replay->shmem->locks[message->ref];
    uint32_t next = lock->first;
    lock->holder = NO_INDEX;
    if (next == NO_INDEX) return STATUS_OK;
    lock->first = replay->shmem->next_waiting[next];
    return grant(replay, message->ref, next);
}

/* Lock Contention: until who held the lock before had cleared it. A test_lock that got it is no wait of the program. */
static enum status account_contention(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    const struct rank_state *state = &replay->ranks[rank];
    uint32_t index;
    TRY(lock_of(replay, call->ref, &index));
    const struct shmem_lock *lock = &replay->shmem->locks[index];
    bool other = lock->cleared_by != NO_INDEX && lock->cleared_by != rank;
    if (call_kind(call->call) == CALL_SHMEM_SET_LOCK && other && lock->cleared_ps > state->enter_ps)
        totals_add(&replay->outcome->totals, PATTERN_LOCK_CONTENTION, rank, lock->cleared_ps - state->enter_ps);
    return STATUS_OK;
}

static enum step set_lock(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t lock, home = replay->shmem->home;
    switch (state->phase) {
    case PHASE_ENTER: return replay_spend(replay, state, rank == home ? 0 : replay->overhead_ps, PHASE_ACT);
    case PHASE_ACT:
        STEP_TRY(lock_of(replay, call->ref, &lock));
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

/* What was written under the lock is complete before anybody else has it (9.11). */
static enum step clear_lock(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t lock, home = replay->shmem->home;
    STEP_TRY(lock_of(replay, call->ref, &lock));
    struct shmem_lock *cleared = &replay->shmem->locks[lock];
    if (cleared->holder != rank || cleared->released)
        return replay_fail(replay, rank, "lock %u is not held by this rank", call->ref), STEP_FAIL;
    if (state->phase == PHASE_ENTER) {
        if (!is_quiet(replay, rank)) return STEP_BLOCK;
        return replay_spend(replay, state, rank == home ? 0 : replay->overhead_ps, PHASE_ACT);
    }
    STEP_TRY(replay_send_control(replay, MESSAGE_SHMEM_RELEASE, rank, home, lock, 0));
    cleared->cleared_by = rank;
    cleared->cleared_ps = replay->now_ps;
    cleared->released = true;
    return replay_exit(state, replay->now_ps);
}

enum step replay_step_shmem(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    switch (call_kind(call->call)) {
    case CALL_SHMEM_QUIET: return is_quiet(replay, rank) ? replay_exit(state, replay->now_ps) : STEP_BLOCK;
    case CALL_SHMEM_FENCE: return replay_exit(state, replay->now_ps); /* a NIC keeps the order of a pair */
    case CALL_SHMEM_BARRIER:
        if (state->phase == PHASE_ENTER && !is_quiet(replay, rank)) return STEP_BLOCK;
        return replay_step_barrier(replay, rank);
    case CALL_SHMEM_WAIT:
    case CALL_SHMEM_TEST: return wait_write(replay, rank);
    case CALL_SHMEM_SET_LOCK:
    case CALL_SHMEM_TEST_LOCK: return set_lock(replay, rank, call);
    case CALL_SHMEM_CLEAR_LOCK: return clear_lock(replay, rank, call);
    default: return operate(replay, rank, call);
    }
}

static enum status watch(struct replay *replay, uint32_t rank, size_t call, const struct shmem_write *cause)
{
    struct shmem *shmem = replay->shmem;
    uint64_t *of_write, *of_wait;
    TRY(map_put(&shmem->watches_of_writes, key_of(cause->origin, cause->call), shmem->watch_count, &of_write,
                replay->err));
    TRY(map_put(&shmem->watches_of_waits, key_of(rank, call), *of_write, &of_wait, replay->err));
    if (*of_write < shmem->watch_count) return STATUS_OK;
    struct watch made = {.origin = cause->origin, .waiter = rank, .call = cause->call};
    ARRAY_PUSH(shmem->watches, shmem->watch_count, shmem->watch_capacity, made, replay->err);
    return STATUS_OK;
}

static enum status find_watches(struct replay *replay)
{
    struct shmem_writes writes;
    TRY(shmem_writes_find(replay->trace, &writes, replay->err));
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < replay->trace->rank_count; rank++)
        for (size_t i = 0; status == STATUS_OK && i < replay->trace->ranks[rank].count; i++) {
            const struct shmem_write *cause = shmem_writes_cause(&writes, replay->trace, rank, i);
            if (cause) status = watch(replay, rank, i, cause);
        }
    shmem_writes_clear(&writes);
    return status;
}

static enum status open_memory(struct replay *replay, int32_t window)
{
    const struct trace_comm *comm = &replay->trace->comms[replay->trace->windows[window].comm];
    uint32_t ranks = replay->trace->rank_count;
    struct shmem *shmem = calloc(1, sizeof *shmem);
    if (!shmem) return err_memory(replay->err);
    replay->shmem = shmem;
    shmem->window = window;
    shmem->home = (uint32_t)comm->members[0];
    shmem->next_waiting = calloc(ranks, sizeof *shmem->next_waiting);
    shmem->granted = calloc(ranks, sizeof *shmem->granted);
    if (!shmem->next_waiting || !shmem->granted) return err_memory(replay->err);
    for (uint32_t m = 0; m < comm->count; m++) {
        struct member *member = &replay->members[replay->windows[window].first_member + m];
        TRY(replay_all_locks_new(replay, comm->count, &member->all));
        member->all_nocheck = true;
    }
    return find_watches(replay);
}

enum status replay_prepare_shmem(struct replay *replay)
{
    for (size_t i = 0; i < replay->trace->window_count; i++)
        if (replay->trace->windows[i].flavor == 'h' && !replay->shmem) TRY(open_memory(replay, (int32_t)i));
    return STATUS_OK;
}

void replay_clear_shmem(struct replay *replay)
{
    struct shmem *shmem = replay->shmem;
    if (!shmem) return;
    map_clear(&shmem->lock_names);
    map_clear(&shmem->watches_of_writes);
    map_clear(&shmem->watches_of_waits);
    free(shmem->locks);
    free(shmem->next_waiting);
    free(shmem->granted);
    free(shmem->watches);
    free(shmem);
}
