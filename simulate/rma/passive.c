/* Passive target synchronisation (MPI-3.1 11.5.3, 11.5.4): locks, unlocks, flushes. A lock_all is one shared lock per
 * target. Blocking ones are all requested at once; lazy ones and those with NOCHECK begin with the first operation on
 * their target. */
#include <stdlib.h>

#include "common/array.h"
#include "simulate/replay/connections.h"
#include "simulate/replay/message.h"
#include "simulate/rma/rma.h"
#include "simulate/windows/lock.h"

enum { PHASE_ENTER, PHASE_ASK, PHASE_GRANT, PHASE_WAIT, PHASE_RELEASE, PHASE_ANSWER };

/* --- the locks that a call concerns --- */

struct placed {
    int32_t place;
    uint32_t lock;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Keeps the lock epochs that have something outstanding or a get that no flush has followed, in the order of their targets. */
static enum status sort_busy(struct replay *replay, const struct member *member)
{
    struct all_locks *all = *replay_all_locks(replay, member);
    struct placed *busy = NULL;
    size_t count = 0, capacity = 0;
    bool sorted = true;
    for (uint32_t lock = all->busy_first; lock != NO_INDEX; lock = replay->lock_epochs[lock].next) {
        struct lock_epoch *epoch = &replay->lock_epochs[lock];
        epoch->busy = false;
        if (epoch->open.outstanding == 0 && !epoch->got) continue;
        struct placed made = {trace_comm_rank(replay_comm_of(replay, member), (int32_t)epoch->target), lock};
        sorted = sorted && (count == 0 || busy[count - 1].place < made.place);
        ARRAY_PUSH(busy, count, capacity, made, replay->err);
    }
    if (!sorted) qsort(busy, count, sizeof *busy, compare_places);
    all->busy_first = NO_INDEX;
    for (size_t i = 0; i < count; i++) replay_lock_busy(replay, all, busy[i].lock);
    free(busy);
    return STATUS_OK;
}

/* The lock epochs that a call visits: under lock_all a flush of all visits the busy ones, else all that the call may
 * concern. Another thread may move what is busy. With query_all the others are asked, too. */
struct lock_walk {
    bool busy, one; /* one: that of the target which the call names */
    uint32_t at;    /* communicator rank, or busy lock epoch */
    uint32_t lock;
};

static struct lock_walk walk_of(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    const uint32_t member = replay_member_index(replay, call->handle, rank);
    if (call->peer != TRACE_NONE)
        return (struct lock_walk){.one = true, .lock = replay_open_lock(replay, rank, member, call->peer)};
    enum call_kind kind = call_kind(call->call);
    bool flushes = kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL;
    const struct all_locks *all = replay->all_locks[member];
    bool busy = flushes && all && !replay->ranks[rank].threads &&
                replay->platform->protocol.calls[STEPS_FLUSH].query != QUERY_ALL;
    return (struct lock_walk){.busy = busy, .at = busy ? all->busy_first : 0};
}

/* False: there are no more. *lock may be NO_INDEX. */
static bool walk_next(const struct replay *replay, uint32_t rank, const struct trace_call *call, struct lock_walk *walk,
                      uint32_t *lock)
{
    if (walk->one) {
        *lock = walk->lock;
        return walk->at++ == 0;
    }
    if (!walk->busy) return replay_lock_at(replay, rank, call, walk->at++, lock);
    *lock = walk->at;
    if (*lock == NO_INDEX) return false;
    walk->at = replay->lock_epochs[*lock].next;
    return true;
}

/* --- lock, lock_all --- */

static bool locks_any(const struct replay *replay, uint32_t rank, uint32_t member)
{
    uint32_t lock = replay->ranks[rank].lock_list;
    while (lock != NO_INDEX && replay->lock_epochs[lock].member != member) lock = replay->lock_epochs[lock].next;
    return lock != NO_INDEX;
}

static enum step open_all(struct replay *replay, struct rank_state *state, uint32_t index,
                          const struct trace_call *call)
{
    struct member *member = &replay->members[index];
    struct all_locks **all = &replay->all_locks[index];
    uint32_t size = replay_comm_of(replay, member)->count;
    if (*all || locks_any(replay, member->rank, index))
        return replay_fail(replay, member->rank, "window %d is already locked by this rank", call->handle), STEP_FAIL;
    STEP_TRY(replay_all_locks_new(replay, size, all));
    (*all)->thread = state->thread;
    member->all_nocheck = call->flags & TRACE_NOCHECK;
    (*all)->returned = member->all_nocheck || replay_locks_lazily(replay, call->handle);
    bool asked_later = (*all)->returned && protocol_queries(&replay->platform->protocol, QUERY_ALL);
    for (uint32_t i = 0; asked_later && i < size; i++) STEP_TRY(replay_lock_new_of_all(replay, index, i));
    if (replay->all_locks[index]->returned) return replay_exit(state, replay->now_ps);
    int64_t overhead_ps = size > 1 ? replay_overhead_ps(replay, state) : 0;
    return replay_spend(replay, state, replay_own_ps(replay, state) + overhead_ps, PHASE_ASK);
}

/* Lock Contention of a call that waited for several locks: until the last one was free. */
static void account_contention(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    int64_t until_ps = replay->ranks[rank].enter_ps, enter_ps = until_ps;
    struct lock_walk walk = walk_of(replay, rank, call);
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock);) {
        if (lock == NO_INDEX) continue;
        int64_t contended_ps = replay_lock_contended_ps(replay, lock);
        if (contended_ps > until_ps) until_ps = contended_ps;
    }
    replay->ranks[rank].lacked_until_ps = until_ps;
    if (until_ps > enter_ps) totals_add(&replay->outcome->totals, PATTERN_LOCK_CONTENTION, rank, until_ps - enter_ps);
}

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
    account_contention(replay, rank, call);
    return return_locked(replay, rank, lock);
}

enum step replay_step_lock_all(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    uint32_t index = replay_member_index(replay, call->handle, rank), lock;
    const struct member *member = &replay->members[index];
    switch (state->phase) {
    case PHASE_ENTER: return open_all(replay, state, index, call);
    case PHASE_ASK:
        for (uint32_t i = 0; i < replay_comm_of(replay, member)->count; i++) {
            STEP_TRY(replay_lock_new_of_all(replay, index, i));
            STEP_TRY(replay_lock_ask(replay, replay->all_locks[index]->locks[i]));
        }
        state->phase = PHASE_WAIT;
        return STEP_AGAIN;
    default:
        for (; replay_lock_at(replay, rank, call, state->step, &lock); state->step++)
            if (lock != NO_INDEX && !replay->lock_epochs[lock].granted) return STEP_BLOCK;
        account_contention(replay, rank, call);
        replay->all_locks[index]->returned = true;
        return replay_exit(state, replay->now_ps);
    }
}

static bool flush_sends(struct replay *replay, uint32_t rank, const struct trace_call *call, bool releases)
{
    struct lock_walk walk = walk_of(replay, rank, call);
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock);) {
        if (lock != NO_INDEX && replay_lock_sends(&replay->lock_epochs[lock], releases)) return true;
    }
    return false;
}

/* Issues everything that waits for the call. */
static enum status hurry_operations(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct lock_walk walk = walk_of(replay, rank, call);
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock);) {
        struct lock_epoch *epoch = lock == NO_INDEX ? NULL : &replay->lock_epochs[lock];
        bool asks = epoch && !epoch->granted && call_kind(call->call) == CALL_UNLOCK;
        if (asks) epoch->awaited = !epoch->asked && !replay->ranks[rank].threads;
        if (asks || (epoch && epoch->queue.first != NO_INDEX)) TRY(replay_lock_hurry(replay, lock));
    }
    return STATUS_OK;
}

/* A lock epoch with another rank among those of the call, where the answers of other ranks count; NO_INDEX: none. */
static uint32_t epoch_of_others(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    uint32_t lock;
    for (uint32_t place = 0; replay_lock_at(replay, rank, call, place, &lock); place++) {
        if (lock == NO_INDEX || replay->lock_epochs[lock].target == rank) continue;
        struct all_locks *all = *replay_all_locks(replay, replay_member(replay, call, rank));
        if (all && !replay->lock_epochs[lock].busy) replay_lock_busy(replay, all, lock);
        return lock;
    }
    return NO_INDEX;
}

/* A call that names its target sends the query in any case. One for all targets sends it only where something is not known to be
 * complete, or with query_all. */
static enum status request_flush(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    const bool unlocks = call_kind(call->call) == CALL_UNLOCK || call_kind(call->call) == CALL_UNLOCK_ALL;
    const enum steps_query query = unlocks ? replay_unlock_query(replay) : replay->platform->protocol.calls[STEPS_FLUSH].query;
    bool names = call->peer != TRACE_NONE, always = names || query == QUERY_ALL;
    struct lock_walk walk = walk_of(replay, rank, call);
    if (query == QUERY_NONE) return STATUS_OK;
    uint32_t queried = NO_INDEX;
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock);) {
        if (lock == NO_INDEX) continue;
        uint32_t before = replay->lock_epochs[lock].open.outstanding;
        TRY(replay_lock_flush(replay, lock, query, always));
        if (replay->lock_epochs[lock].open.outstanding > before) queried = lock;
    }
    if (names || query != QUERY_CONNECTED) return STATUS_OK;
    bool asks = replay_flush_asks_others(replay, replay_member_index(replay, call->handle, rank));
    if (asks && queried == NO_INDEX) queried = epoch_of_others(replay, rank, call);
    if (queried == NO_INDEX) return STATUS_OK;
    struct access *open = &replay->lock_epochs[queried].open;
    return replay_query_connections(replay, rank, replay_ref_of_lock(replay, queried), &open->outstanding);
}

/* query_connected: whether flush_local does what flush does. The library has no local flush (docs/protocols.md, Flush). */
static bool asks_locally(const struct replay *replay, struct lock_walk walk, uint32_t rank, const struct trace_call *call)
{
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock);)
        if (lock != NO_INDEX && replay->lock_epochs[lock].got) return true;
    return false;
}

/* Answers to this and the following busy epochs, or to this one alone. */
static uint32_t count_outstanding(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                                  struct lock_walk walk, const struct lock_epoch *epoch)
{
    uint32_t count = epoch->open.outstanding;
    for (uint32_t lock; walk.busy && walk_next(replay, rank, call, &walk, &lock);)
        count += replay->lock_epochs[lock].open.outstanding;
    return count;
}

/* Where what the call concerns must be complete: at the origin; known to be at the target; sent there, if that is enough for
 * the release. */
enum completion { AT_ORIGIN, AT_TARGET, SENT };

static bool is_missing(const struct replay *replay, const struct lock_epoch *epoch, enum completion where)
{
    if (where == SENT && replay_lock_ends_early(replay, epoch)) return (epoch->asked && !epoch->granted) || epoch->uncleared > 0;
    if ((where == AT_ORIGIN && epoch->granted ? epoch->open.lefts : epoch->open.outstanding) > 0) return true;
    return epoch->flushing && where == AT_TARGET;
}

/* Continues at rank.step. STEP_EXIT: everything that the call concerns is granted and complete there. */
static enum step step_completed(struct replay *replay, uint32_t rank, const struct trace_call *call, enum completion where)
{
    struct rank_state *state = &replay->ranks[rank];
    struct lock_walk walk = walk_of(replay, rank, call);
    walk.at = state->step;
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock); state->step = walk.at) {
        if (lock == NO_INDEX) continue;
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        if (is_missing(replay, epoch, where)) {
            uint32_t answers = where == AT_TARGET ? count_outstanding(replay, rank, call, walk, epoch) : 0;
            if (answers > 0) state->need = replay_least_messages(replay, answers);
            return STEP_BLOCK;
        }
        if (where == AT_ORIGIN && epoch->open.last_left_ps > replay->now_ps)
            return replay_wait_until(state, epoch->open.last_left_ps, PHASE_WAIT);
    }
    return STEP_EXIT;
}

/* --- unlock, unlock_all --- */

static bool answers_release(const struct replay *replay, const struct lock_epoch *epoch)
{
    bool answers = replay->platform->protocol.calls[STEPS_UNLOCK].form != FORM_UNLOCK_RELEASED;
    return answers && epoch->asked && epoch->origin != epoch->target;
}

/* The epoch is no longer open at its origin. place: of its target, under lock_all. */
static void unlink_lock(struct replay *replay, struct all_locks *all, uint32_t place, uint32_t lock)
{
    uint32_t *link = all ? &all->locks[place] : &replay->ranks[replay->lock_epochs[lock].origin].lock_list;
    while (*link != lock) link = &replay->lock_epochs[*link].next;
    *link = all ? NO_INDEX : replay->lock_epochs[lock].next;
}

/* Those epochs remain whose targets answer the release; *unanswered: how many. */
static enum status release_locks(struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t *unanswered)
{
    struct all_locks *all = *replay_all_locks(replay, replay_member(replay, call, rank));
    struct lock_walk walk = walk_of(replay, rank, call);
    *unanswered = 0;
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock);) {
        if (lock == NO_INDEX) continue;
        bool answers = answers_release(replay, &replay->lock_epochs[lock]);
        *unanswered += answers;
        if (!answers) unlink_lock(replay, all, walk.at - 1, lock);
        TRY(replay_lock_end(replay, lock));
    }
    return STATUS_OK;
}

static enum step leave_unlock(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct all_locks **all = replay_all_locks(replay, replay_member(replay, call, rank));
    struct lock_walk walk = walk_of(replay, rank, call);
    for (uint32_t lock; walk_next(replay, rank, call, &walk, &lock);) {
        if (lock == NO_INDEX) continue;
        unlink_lock(replay, *all, walk.at - 1, lock);
        replay_release_lock_epoch(replay, lock);
    }
    free(*all);
    *all = NULL;
    return replay_exit(&replay->ranks[rank], replay->now_ps);
}

static bool pays_at_release(const struct replay *replay, const struct trace_call *call)
{
    return replay_unlocks_behind(replay, call) && !replay->deferred && !replay_locks_lazily(replay, call->handle);
}

/* What the call sends first has its overhead. */
static int64_t unlock_ps(struct replay *replay, uint32_t rank, const struct trace_call *call, bool releases)
{
    bool pays = pays_at_release(replay, call) == releases && flush_sends(replay, rank, call, true);
    return pays ? replay_overhead_ps(replay, &replay->ranks[rank]) : 0;
}

enum step replay_step_unlock(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    const bool one = call_kind(call->call) == CALL_UNLOCK;
    if (one && call->peer == TRACE_NONE) return replay_exit(state, replay->now_ps);
    uint32_t index = replay_member_index(replay, call->handle, rank);
    struct all_locks *all = replay->all_locks[index];
    uint32_t lock = one && !all ? replay_open_lock(replay, rank, index, call->peer) : NO_INDEX;
    if (one && lock == NO_INDEX)
        return replay_fail(replay, rank, "window %d of rank %d is not locked by this rank", call->handle, call->peer), STEP_FAIL;
    if (!one && !all)
        return replay_fail(replay, rank, "window %d is not locked by MPI_Win_lock_all", call->handle), STEP_FAIL;
    const struct lock_epoch *epoch = one ? &replay->lock_epochs[lock] : NULL;
    bool early = one ? replay_lock_ends_early(replay, epoch)
                     : replay->platform->protocol.calls[STEPS_UNLOCK].form == FORM_UNLOCK_WITH_DATA &&
                           !replay->members[index].all_nocheck;
    enum step step;
    switch (state->phase) {
    case PHASE_ENTER:
        *(one ? &replay->lock_epochs[lock].unlocking : &all->unlocking) = true;
        return replay_spend(replay, state, unlock_ps(replay, rank, call, false), PHASE_ASK);
    case PHASE_ASK:
        state->phase = PHASE_GRANT;
        STEP_TRY(hurry_operations(replay, rank, call));
        /* before the grant, which sends the query behind the queued operations */
        if (!early) STEP_TRY(request_flush(replay, rank, call));
        if (one && replay->called) replay_lock_flushed(replay, &replay->lock_epochs[lock]);
        return STEP_AGAIN;
    case PHASE_GRANT:
        if (one && !epoch->granted) return STEP_BLOCK;
        state->phase = PHASE_WAIT;
        return STEP_POLL;
    case PHASE_ANSWER:
        if (one ? !epoch->answered : all->unanswered > 0) {
            state->need = replay_least_messages(replay, one ? 1 : all->unanswered);
            return STEP_BLOCK;
        }
        step = step_completed(replay, rank, call, AT_TARGET);
        return step == STEP_EXIT ? leave_unlock(replay, rank, call) : step;
    default: break;
    }
    step = step_completed(replay, rank, call, early ? SENT : AT_TARGET);
    if (step != STEP_EXIT) return step;
    if (state->phase == PHASE_WAIT && replay_unlocks_behind(replay, call))
        return replay_spend(replay, state, replay_call_ps(replay, state) + unlock_ps(replay, rank, call, true), PHASE_RELEASE);
    if (replay_locks_lazily(replay, call->handle)) account_contention(replay, rank, call);
    uint32_t unanswered;
    STEP_TRY(release_locks(replay, rank, call, &unanswered));
    if (unanswered == 0) return leave_unlock(replay, rank, call);
    if (all) all->unanswered = unanswered;
    replay_note_release(replay, rank);
    state->phase = PHASE_ANSWER;
    state->step = 0;
    return STEP_BLOCK;
}

/* --- flush --- */

enum step replay_step_flush(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE && (call_row(call->call)->needed & F_TARGET)) /* MPI_PROC_NULL */
        return replay_exit(state, replay->now_ps);
    if (state->phase == PHASE_ENTER) {
        uint32_t index = replay_member_index(replay, call->handle, rank);
        bool locked = replay->all_locks[index] ||
                      (call->peer == TRACE_NONE ? locks_any(replay, rank, index)
                                                : replay_open_lock(replay, rank, index, call->peer) != NO_INDEX);
        if (!locked)
            return replay_fail(replay, rank,
                               "no lock is open on window %d, expected MPI_Win_lock or MPI_Win_lock_all before",
                               call->handle),
                   STEP_FAIL;
        if (walk_of(replay, rank, call).busy) STEP_TRY(sort_busy(replay, &replay->members[index]));
        return replay_spend(replay, state, flush_sends(replay, rank, call, false) ? replay_overhead_ps(replay, state) : 0,
                            PHASE_ASK);
    }
    if (state->phase == PHASE_ASK) {
        bool flushes = call_kind(call->call) == CALL_FLUSH || asks_locally(replay, walk_of(replay, rank, call), rank, call);
        state->phase = flushes ? PHASE_ANSWER : PHASE_WAIT;
        STEP_TRY(hurry_operations(replay, rank, call));
        if (flushes) STEP_TRY(request_flush(replay, rank, call));
        state->step = walk_of(replay, rank, call).at;
        return STEP_POLL;
    }
    enum completion where = state->phase == PHASE_ANSWER ? AT_TARGET : AT_ORIGIN;
    enum step step = step_completed(replay, rank, call, where);
    /* also waits for operations that another thread made meanwhile: issue them */
    if (step == STEP_BLOCK && state->threads) {
        STEP_TRY(hurry_operations(replay, rank, call));
        step = step_completed(replay, rank, call, where);
    }
    if (step != STEP_EXIT) return step;
    if (replay_locks_lazily(replay, call->handle)) account_contention(replay, rank, call);
    return replay_exit(state, replay->now_ps);
}
