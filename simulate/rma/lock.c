/* MPI_Win_lock and MPI_Win_unlock (MPI-3.1 11.5.3). */
#include "simulate/replay/message.h"
#include "simulate/rma/rma.h"
#include "simulate/windows/lock.h"

enum { PHASE_ENTER, PHASE_ASK, PHASE_GRANT, PHASE_FLUSH, PHASE_COMPLETE, PHASE_RELEASE, PHASE_ANSWER };

/* MPI_Win_lock returns: from now on other threads of the rank may use the epoch. */
static enum step return_locked(struct replay *replay, uint32_t rank, uint32_t lock)
{
    replay->lock_epochs[lock].returned = true;
    return replay_exit(&replay->ranks[rank], replay->now_ps);
}

static enum step open_lock(struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t member,
                           uint32_t *opened)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t lock;
    if (replay->all_locks[member] || replay_open_lock(replay, rank, member, call->peer) != NO_INDEX)
        return replay_fail(replay, rank, "window %d of rank %d is already locked by this rank", call->handle,
                           call->peer),
               STEP_FAIL;
    bool nocheck = call->flags & TRACE_NOCHECK;
    STEP_TRY(replay_lock_new(replay, member, (uint32_t)call->peer, nocheck, &lock));
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->thread = state->thread;
    epoch->exclusive = call->flags & TRACE_EXCLUSIVE;
    epoch->next = state->lock_list;
    state->lock_list = *opened = lock;
    if (nocheck || replay->modes[call->handle].lock.form == FORM_LOCK_LAZY) return return_locked(replay, rank, lock);
    int64_t overhead_ps = (uint32_t)call->peer == rank ? 0 : replay_overhead_ps(replay, state);
    return replay_spend(replay, state, replay_own_ps(replay, state) + overhead_ps, PHASE_ASK);
}

/* Lock Contention of the call that sent the request: while others held the lock incompatibly. */
static void account_contention(struct replay *replay, uint32_t rank, uint32_t lock)
{
    int64_t until_ps = replay_lock_contended_ps(replay, lock), enter_ps = replay->ranks[rank].enter_ps;
    replay->ranks[rank].lacked_until_ps = until_ps;
    if (until_ps > enter_ps) totals_add(&replay->outcome->totals, PATTERN_LOCK_CONTENTION, rank, until_ps - enter_ps);
}

/* Another lock of the rank on the window has been asked for and is not granted. */
static bool awaits_other_lock(const struct replay *replay, uint32_t rank, uint32_t member)
{
    for (uint32_t lock = replay->ranks[rank].lock_list; lock != NO_INDEX; lock = replay->lock_epochs[lock].next) {
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        if (epoch->member == member && epoch->asked && !epoch->granted) return true;
    }
    return false;
}

/* Returns without the grant. */
static enum step return_asked(struct replay *replay, uint32_t rank, uint32_t lock)
{
    replay->lock_epochs[lock].lock_enter_ps = replay->ranks[rank].enter_ps;
    replay->lock_epochs[lock].lock_exit_ps = replay->now_ps;
    return return_locked(replay, rank, lock);
}

enum step replay_step_lock(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE) return replay_exit(state, replay->now_ps); /* MPI_PROC_NULL */
    uint32_t member = replay_member_index(replay, call->handle, rank);
    uint32_t lock;
    if (state->phase == PHASE_ENTER) {
        enum step step = open_lock(replay, rank, call, member, &lock);
        if (step != STEP_AGAIN) return step;
    } else {
        lock = replay_open_lock(replay, rank, member, call->peer);
    }
    bool lazy = replay_locks_lazily(replay, call->handle);
    if (state->phase == PHASE_ASK) {
        if (lazy && awaits_other_lock(replay, rank, member)) return STEP_BLOCK;
        state->phase = PHASE_GRANT;
        replay->lock_epochs[lock].awaited = !lazy && !state->threads;
        STEP_TRY(replay_lock_ask(replay, lock));
        if (lazy && (uint32_t)call->peer != rank) return return_asked(replay, rank, lock);
    }
    if (!replay->lock_epochs[lock].granted) return STEP_BLOCK;
    account_contention(replay, rank, lock);
    return return_locked(replay, rank, lock);
}

static void unlink_lock(struct replay *replay, uint32_t rank, uint32_t lock)
{
    uint32_t *link = &replay->ranks[rank].lock_list;
    while (*link != lock) link = &replay->lock_epochs[*link].next;
    *link = replay->lock_epochs[lock].next;
}

/* All operations are complete, or sent where that is enough (replay_lock_ends_early). If the target has to answer the release,
 * the epoch ends with the answer. */
static enum step end_lock(struct replay *replay, uint32_t rank, uint32_t lock)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    bool waits = replay->platform->protocol.calls[STEPS_UNLOCK].form != FORM_UNLOCK_RELEASED && !epoch->nocheck &&
                 epoch->origin != epoch->target;
    if (!waits) unlink_lock(replay, rank, lock);
    STEP_TRY(replay_lock_end(replay, lock));
    if (!waits) return replay_exit(state, replay->now_ps);
    replay_note_release(replay, rank);
    state->phase = PHASE_ANSWER;
    return STEP_BLOCK;
}

bool replay_pays_at_release(const struct replay *replay, const struct trace_call *call)
{
    return replay_unlocks_behind(replay, call) && !replay->deferred && !replay_locks_lazily(replay, call->handle);
}

enum step replay_step_unlock(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE) return replay_exit(state, replay->now_ps);
    uint32_t member = replay_member_index(replay, call->handle, rank);
    uint32_t lock = replay->all_locks[member] ? NO_INDEX : replay_open_lock(replay, rank, member, call->peer);
    if (lock == NO_INDEX)
        return replay_fail(replay, rank, "window %d of rank %d is not locked by this rank", call->handle, call->peer),
               STEP_FAIL;
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    if (state->phase == PHASE_ENTER) {
        epoch->unlocking = true;
        bool sends = replay_lock_sends(epoch, true) && !replay_pays_at_release(replay, call);
        enum step step = replay_spend(replay, state, sends ? replay_overhead_ps(replay, state) : 0, PHASE_ASK);
        if (step != STEP_AGAIN) return step;
    }
    if (state->phase == PHASE_ASK) {
        state->phase = PHASE_FLUSH;
        if (!epoch->granted || epoch->queue.first != NO_INDEX) {
            epoch->awaited = !epoch->asked && !state->threads;
            STEP_TRY(replay_lock_hurry(replay, lock));
            epoch = &replay->lock_epochs[lock];
        }
        /* before the grant, which sends the query behind the queued operations */
        if (!replay_lock_ends_early(replay, epoch)) STEP_TRY(replay_lock_flush(replay, lock, replay_unlock_query(replay), true));
        if (replay->called) replay_lock_flushed(replay, &replay->lock_epochs[lock]);
    }
    if (!epoch->granted) return STEP_BLOCK;
    bool early = replay_lock_ends_early(replay, epoch);
    if (state->phase == PHASE_FLUSH) {
        state->phase = PHASE_COMPLETE;
        return STEP_POLL;
    }
    if (early && state->phase == PHASE_COMPLETE && epoch->uncleared > 0) return STEP_BLOCK;
    if ((!early || state->phase == PHASE_ANSWER) && epoch->open.outstanding > 0) {
        state->need = replay_least_messages(replay, epoch->open.outstanding);
        return STEP_BLOCK;
    }
    if (state->phase == PHASE_ANSWER) {
        if (!epoch->answered) return STEP_BLOCK;
        unlink_lock(replay, rank, lock);
        replay_release_lock_epoch(replay, lock);
        return replay_exit(state, replay->now_ps);
    }
    if (state->phase != PHASE_RELEASE && replay_unlocks_behind(replay, call)) {
        bool pays = replay_pays_at_release(replay, call) && replay_lock_sends(epoch, true);
        int64_t overhead_ps = pays ? replay_overhead_ps(replay, state) : 0;
        enum step step = replay_spend(replay, state, replay_call_ps(replay, state) + overhead_ps, PHASE_RELEASE);
        if (step != STEP_AGAIN) return step;
    }
    if (replay_locks_lazily(replay, call->handle)) account_contention(replay, rank, lock);
    return end_lock(replay, rank, lock);
}
