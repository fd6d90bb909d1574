/* Passive target synchronisation (MPI-3.1 11.5.3, 11.5.4): locks, unlocks, flushes. A lock_all is one shared lock per
 * target. Blocking ones are all requested at once; lazy ones and those with NOCHECK begin with the first operation on
 * their target. */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/replay/message.h"
#include "simulate/rma/rma.h"
#include "simulate/rma/steps.h"
#include "simulate/windows/lock.h"
#include "simulate/windows/transfer.h"

/* --- the locks that a call concerns --- */

struct placed {
    int32_t place;
    uint32_t lock;
};

ORDER(compare_places, struct placed, UP(place))

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

static struct lock_walk walk_of(const struct steps_run *run)
{
    if (run->call->peer != TRACE_NONE)
        return (struct lock_walk){.one = true, .lock = replay_open_lock(run->replay, run->rank, run->index, run->call->peer)};
    enum call_kind kind = call_kind(run->call->call);
    bool flushes = kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL;
    const struct all_locks *all = run->replay->all_locks[run->index];
    bool busy = flushes && all && !run->state->threads &&
                run->replay->platform->protocol.calls[STEPS_FLUSH].query != QUERY_ALL;
    return (struct lock_walk){.busy = busy, .at = busy ? all->busy_first : 0};
}

/* False: there are no more. */
static bool walk_next(const struct steps_run *run, struct lock_walk *walk, uint32_t *lock)
{
    *lock = walk->one ? walk->lock : walk->at;
    if (walk->one) return walk->at++ == 0 && *lock != NO_INDEX;
    if (walk->busy && *lock == NO_INDEX) return false;
    if (walk->busy) return walk->at = run->replay->lock_epochs[*lock].next, true;
    while (replay_lock_at(run->replay, run->rank, run->call, walk->at++, lock))
        if (*lock != NO_INDEX) return true;
    return false;
}

/* --- lock, lock_all --- */

static bool locks_any(const struct replay *replay, uint32_t rank, uint32_t member)
{
    uint32_t lock = replay->ranks[rank].lock_list;
    while (lock != NO_INDEX && replay->lock_epochs[lock].member != member) lock = replay->lock_epochs[lock].next;
    return lock != NO_INDEX;
}

static enum step open_all(const struct steps_run *run)
{
    struct replay *replay = run->replay;
    struct all_locks **all = &replay->all_locks[run->index];
    const uint32_t size = replay_comm_of(replay, run->member)->count;
    const int32_t window = run->call->handle;
    if (*all || locks_any(replay, run->rank, run->index))
        return replay_fail(replay, run->rank, "window %d is already locked by this rank", window), STEP_FAIL;
    STEP_TRY(replay_all_locks_new(replay, size, all));
    (*all)->thread = run->state->thread;
    run->member->all_nocheck = run->call->flags & TRACE_NOCHECK;
    (*all)->returned = run->member->all_nocheck || replay_locks_lazily(replay, window);
    bool asked_later = (*all)->returned && protocol_queries(&replay->platform->protocol, QUERY_ALL);
    for (uint32_t i = 0; asked_later && i < size; i++) STEP_TRY(replay_lock_new_of_all(replay, run->index, i));
    if ((*all)->returned) return replay_exit(run->state, replay->now_ps);
    int64_t overhead_ps = size > 1 ? replay_overhead_ps(replay, run->state) : 0;
    return replay_spend(replay, run->state, replay_own_ps(replay, run->state) + overhead_ps, PHASE_STEPS);
}

/* Lock Contention of a call that waited for several locks: until the last one was free. */
static void account_contention(const struct steps_run *run)
{
    int64_t until_ps = run->state->enter_ps, enter_ps = until_ps;
    struct lock_walk walk = walk_of(run);
    for (uint32_t lock; walk_next(run, &walk, &lock);) {
        int64_t contended_ps = replay_lock_contended_ps(run->replay, lock);
        if (contended_ps > until_ps) until_ps = contended_ps;
    }
    run->state->lacked_until_ps = until_ps;
    if (until_ps > enter_ps) totals_add(&run->replay->outcome->totals, PATTERN_LOCK_CONTENTION, run->rank, until_ps - enter_ps);
}

static enum step open_lock(const struct steps_run *run)
{
    struct replay *replay = run->replay;
    struct rank_state *state = run->state;
    const struct trace_call *call = run->call;
    uint32_t lock;
    if (replay->all_locks[run->index] || replay_open_lock(replay, run->rank, run->index, call->peer) != NO_INDEX)
        return replay_fail(replay, run->rank, "window %d of rank %d is already locked by this rank", call->handle, call->peer),
               STEP_FAIL;
    bool nocheck = call->flags & TRACE_NOCHECK;
    STEP_TRY(replay_lock_new(replay, run->index, (uint32_t)call->peer, nocheck, &lock));
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->thread = state->thread;
    epoch->exclusive = call->flags & TRACE_EXCLUSIVE;
    epoch->next = state->lock_list;
    state->lock_list = lock;
    epoch->returned = nocheck || replay->modes[call->handle].lock.form == FORM_LOCK_LAZY;
    if (epoch->returned) return replay_exit(state, replay->now_ps);
    int64_t overhead_ps = (uint32_t)call->peer == run->rank ? 0 : replay_overhead_ps(replay, state);
    return replay_spend(replay, state, replay_own_ps(replay, state) + overhead_ps, PHASE_STEPS);
}

/* Another lock of the rank on the window has been asked for and is not granted. */
static bool awaits_other_lock(const struct steps_run *run)
{
    for (uint32_t lock = run->state->lock_list; lock != NO_INDEX; lock = run->replay->lock_epochs[lock].next) {
        const struct lock_epoch *epoch = &run->replay->lock_epochs[lock];
        if (epoch->member == run->index && epoch->asked && !epoch->granted) return true;
    }
    return false;
}

static enum step ask_lock(const struct steps_run *run)
{
    struct replay *replay = run->replay;
    const bool lazy = replay_locks_lazily(replay, run->call->handle);
    if (lazy && awaits_other_lock(run)) return STEP_BLOCK;
    const uint32_t lock = replay_open_lock(replay, run->rank, run->index, run->call->peer);
    replay->lock_epochs[lock].awaited = !lazy && !run->state->threads;
    STEP_TRY(replay_lock_ask(replay, lock));
    return STEP_AGAIN;
}

static enum step ask_all_locks(const struct steps_run *run)
{
    for (uint32_t i = 0; i < replay_comm_of(run->replay, run->member)->count; i++) {
        STEP_TRY(replay_lock_new_of_all(run->replay, run->index, i));
        STEP_TRY(replay_lock_ask(run->replay, run->replay->all_locks[run->index]->locks[i]));
    }
    return STEP_AGAIN;
}

static enum step await_grants(const struct steps_run *run)
{
    uint32_t lock;
    for (; replay_lock_at(run->replay, run->rank, run->call, run->state->step, &lock); run->state->step++)
        if (lock != NO_INDEX && !run->replay->lock_epochs[lock].granted) return STEP_BLOCK;
    return STEP_AGAIN;
}

/* [ask]: waits for the grant of the rank's own lock alone. */
static enum step await_own_grant(const struct steps_run *run)
{
    return (uint32_t)run->call->peer == run->rank ? await_grants(run) : STEP_AGAIN;
}

static const struct step_row lock_steps[DO_COUNT] = {[DO_ASK] = {{ask_lock, await_own_grant}}, [DO_GRANT] = {{await_grants}}};
static const struct step_row lock_all_steps[DO_COUNT] = {[DO_ASK] = {{ask_all_locks}}, [DO_GRANT] = {{await_grants}}};

/* From the return on, other threads of the rank may use the epoch. */
enum step replay_step_lock(struct replay *replay, uint32_t rank)
{
    const struct steps_run run = steps_run(replay, rank);
    if (run.call->peer == TRACE_NONE) return replay_exit(run.state, replay->now_ps); /* MPI_PROC_NULL */
    if (run.state->phase == PHASE_ENTER) return open_lock(&run);
    enum step step = steps_walk(&run, &replay->modes[run.call->handle].steps[STEPS_LOCK], lock_steps);
    if (step != STEP_EXIT) return step;
    struct lock_epoch *epoch = &replay->lock_epochs[replay_open_lock(replay, rank, run.index, run.call->peer)];
    epoch->returned = true;
    if (epoch->granted) {
        account_contention(&run);
    } else {
        epoch->lock_enter_ps = run.state->enter_ps;
        epoch->lock_exit_ps = replay->now_ps;
    }
    return replay_exit(run.state, replay->now_ps);
}

enum step replay_step_lock_all(struct replay *replay, uint32_t rank)
{
    const struct steps_run run = steps_run(replay, rank);
    if (run.state->phase == PHASE_ENTER) return open_all(&run);
    enum step step = steps_walk(&run, &replay->modes[run.call->handle].steps[STEPS_LOCK], lock_all_steps);
    if (step != STEP_EXIT) return step;
    account_contention(&run);
    replay->all_locks[run.index]->returned = true;
    return replay_exit(run.state, replay->now_ps);
}

static bool flush_sends(const struct steps_run *run, bool releases)
{
    struct lock_walk walk = walk_of(run);
    for (uint32_t lock; walk_next(run, &walk, &lock);)
        if (replay_lock_sends(&run->replay->lock_epochs[lock], releases)) return true;
    return false;
}

/* Issues everything that waits for the call. */
static enum step hurry_operations(const struct steps_run *run)
{
    struct lock_walk walk = walk_of(run);
    for (uint32_t lock; walk_next(run, &walk, &lock);) {
        struct lock_epoch *epoch = &run->replay->lock_epochs[lock];
        bool asks = !epoch->granted && call_kind(run->call->call) == CALL_UNLOCK;
        if (asks) epoch->awaited = !epoch->asked && !run->state->threads;
        if (asks || epoch->queue.first != NO_INDEX) STEP_TRY(replay_lock_hurry(run->replay, lock));
    }
    return STEP_AGAIN;
}

/* A lock epoch with another rank among those of the call, where the answers of other ranks count; NO_INDEX: none. */
static uint32_t epoch_of_others(const struct steps_run *run)
{
    uint32_t lock;
    for (uint32_t place = 0; replay_lock_at(run->replay, run->rank, run->call, place, &lock); place++) {
        if (lock == NO_INDEX || run->replay->lock_epochs[lock].target == run->rank) continue;
        struct all_locks *all = run->replay->all_locks[run->index];
        if (all && !run->replay->lock_epochs[lock].busy) replay_lock_busy(run->replay, all, lock);
        return lock;
    }
    return NO_INDEX;
}

/* A call that names its target sends the query in any case. One for all targets sends it only where something is not known to be
 * complete, or with query_all. */
static enum status request_flush(const struct steps_run *run)
{
    const bool unlocks = call_kind(run->call->call) == CALL_UNLOCK || call_kind(run->call->call) == CALL_UNLOCK_ALL;
    const struct call_steps *calls = run->replay->platform->protocol.calls;
    const enum steps_query query = unlocks ? replay_unlock_query(run->replay) : calls[STEPS_FLUSH].query;
    bool names = run->call->peer != TRACE_NONE, always = names || query == QUERY_ALL;
    struct lock_walk walk = walk_of(run);
    if (query == QUERY_NONE) return STATUS_OK;
    uint32_t queried = NO_INDEX;
    for (uint32_t lock; walk_next(run, &walk, &lock);) {
        uint32_t before = run->replay->lock_epochs[lock].open.outstanding;
        TRY(replay_lock_flush(run->replay, lock, query, always));
        if (run->replay->lock_epochs[lock].open.outstanding > before) queried = lock;
    }
    if (names || query != QUERY_CONNECTED) return STATUS_OK;
    bool asks = replay_flush_asks_others(run->replay, run->index);
    if (asks && queried == NO_INDEX) queried = epoch_of_others(run);
    if (queried == NO_INDEX) return STATUS_OK;
    return replay_query_others(run->replay, run->rank, replay_ref_of_lock(run->replay, queried));
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

/* Continues at rank.step. STEP_AGAIN: everything that the call concerns is granted and complete there. */
static enum step step_completed(const struct steps_run *run, enum completion where)
{
    struct lock_walk walk = walk_of(run);
    struct rank_state *state = run->state;
    walk.at = state->step;
    for (uint32_t lock; walk_next(run, &walk, &lock); state->step = walk.at) {
        const struct lock_epoch *epoch = &run->replay->lock_epochs[lock];
        if (is_missing(run->replay, epoch, where)) {
            uint32_t answers = epoch->open.outstanding; /* and to the following busy epochs */
            while (where == AT_TARGET && walk.busy && walk_next(run, &walk, &lock))
                answers += run->replay->lock_epochs[lock].open.outstanding;
            if (where == AT_TARGET && answers > 0) state->need = replay_least_messages(run->replay, answers);
            return STEP_BLOCK;
        }
        if (where == AT_ORIGIN && epoch->open.last_left_ps > run->replay->now_ps)
            return replay_wait_until(state, epoch->open.last_left_ps, state->phase);
    }
    return STEP_AGAIN;
}

/* --- unlock, unlock_all --- */

/* The epoch is no longer open at its origin. place: of its target, under lock_all. */
static void unlink_lock(struct replay *replay, struct all_locks *all, uint32_t place, uint32_t lock)
{
    uint32_t *link = all ? &all->locks[place] : &replay->ranks[replay->lock_epochs[lock].origin].lock_list;
    while (*link != lock) link = &replay->lock_epochs[*link].next;
    *link = all ? NO_INDEX : replay->lock_epochs[lock].next;
}

static enum step leave_unlock(const struct steps_run *run)
{
    struct all_locks **all = &run->replay->all_locks[run->index];
    struct lock_walk walk = walk_of(run);
    for (uint32_t lock; walk_next(run, &walk, &lock);) {
        unlink_lock(run->replay, *all, walk.at - 1, lock);
        replay_release_lock_epoch(run->replay, lock);
    }
    free(*all);
    *all = NULL;
    return replay_exit(run->state, run->replay->now_ps);
}

/* What the call sends first has its overhead. */
static int64_t unlock_ps(const struct steps_run *run, bool releases)
{
    const struct replay *replay = run->replay;
    bool pays_behind = replay_unlocks_behind(replay, run->call) && !replay->deferred &&
                       !replay_locks_lazily(replay, run->call->handle);
    return pays_behind == releases && flush_sends(run, true) ? replay_overhead_ps(replay, run->state) : 0;
}

/* The lock epoch that the call names; NULL: unlock_all. */
static struct lock_epoch *named_epoch(const struct steps_run *run)
{
    if (run->call->peer == TRACE_NONE) return NULL;
    return &run->replay->lock_epochs[replay_open_lock(run->replay, run->rank, run->index, run->call->peer)];
}

/* The release leaves behind the data, which need not be known to be complete. */
static bool ends_early(const struct steps_run *run)
{
    const struct lock_epoch *epoch = named_epoch(run);
    if (epoch) return replay_lock_ends_early(run->replay, epoch);
    return run->replay->platform->protocol.calls[STEPS_UNLOCK].form == FORM_UNLOCK_WITH_DATA && !run->member->all_nocheck;
}

/* Queries are sent before the grant, which sends them behind the queued operations. */
static enum step issue_for_unlock(const struct steps_run *run)
{
    struct lock_epoch *epoch = named_epoch(run);
    const bool early = ends_early(run);
    if (hurry_operations(run) == STEP_FAIL) return STEP_FAIL;
    if (!early) STEP_TRY(request_flush(run));
    if (epoch && run->replay->called) replay_lock_flushed(run->replay, epoch);
    return STEP_AGAIN;
}

static enum step poll_behind_grant(const struct steps_run *run)
{
    const struct lock_epoch *epoch = named_epoch(run);
    return epoch && !epoch->granted ? STEP_BLOCK : STEP_POLL;
}

static enum step await_operations(const struct steps_run *run)
{
    return step_completed(run, ends_early(run) ? SENT : AT_TARGET);
}

static enum step pay_release(const struct steps_run *run)
{
    if (!replay_unlocks_behind(run->replay, run->call)) return STEP_AGAIN;
    return steps_pay(run, replay_call_ps(run->replay, run->state) + unlock_ps(run, true));
}

/* The epochs remain whose targets answer. */
static enum step release_targets(const struct steps_run *run)
{
    struct replay *replay = run->replay;
    struct all_locks *all = replay->all_locks[run->index];
    const bool answered = replay->platform->protocol.calls[STEPS_UNLOCK].form != FORM_UNLOCK_RELEASED;
    uint32_t unanswered = 0;
    if (replay_locks_lazily(replay, run->call->handle)) account_contention(run);
    struct lock_walk walk = walk_of(run);
    for (uint32_t lock; walk_next(run, &walk, &lock);) {
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        const bool answers = answered && epoch->asked && epoch->origin != epoch->target;
        unanswered += answers;
        if (!answers) unlink_lock(replay, all, walk.at - 1, lock);
        STEP_TRY(replay_lock_end(replay, lock));
    }
    if (unanswered == 0) return STEP_EXIT;
    if (all) all->unanswered = unanswered;
    replay_note_release(replay, run->rank);
    run->state->step = 0;
    return STEP_AGAIN;
}

/* Of queries, or of the release, which may be the question. */
static enum step await_answers(const struct steps_run *run)
{
    const struct lock_epoch *epoch = named_epoch(run);
    const uint32_t missing = epoch ? epoch->releasing && !epoch->answered : run->replay->all_locks[run->index]->unanswered;
    if (missing == 0) return step_completed(run, AT_TARGET);
    run->state->need = replay_least_messages(run->replay, missing);
    return STEP_BLOCK;
}

static const struct step_row unlock_steps[DO_COUNT] = {[DO_ISSUE] = {{issue_for_unlock, poll_behind_grant}},
                                                       [DO_ANSWER] = {{await_answers}},
                                                       [DO_RELEASE] = {{await_operations, pay_release, release_targets}}};

enum step replay_step_unlock(struct replay *replay, uint32_t rank)
{
    const struct steps_run run = steps_run(replay, rank);
    const struct trace_call *call = run.call;
    if (call_kind(call->call) == CALL_UNLOCK && call->peer == TRACE_NONE) return replay_exit(run.state, replay->now_ps);
    if (run.state->phase == PHASE_ENTER) {
        struct all_locks *all = replay->all_locks[run.index];
        const bool one = call_kind(call->call) == CALL_UNLOCK;
        const uint32_t lock = one && !all ? replay_open_lock(replay, rank, run.index, call->peer) : NO_INDEX;
        if (one && lock == NO_INDEX)
            return replay_fail(replay, rank, "window %d of rank %d is not locked by this rank", call->handle, call->peer),
                   STEP_FAIL;
        if (!one && !all)
            return replay_fail(replay, rank, "window %d is not locked by MPI_Win_lock_all", call->handle), STEP_FAIL;
        *(one ? &replay->lock_epochs[lock].unlocking : &all->unlocking) = true;
        return replay_spend(replay, run.state, unlock_ps(&run, false), PHASE_STEPS);
    }
    enum step step = steps_walk(&run, &replay->modes[call->handle].steps[STEPS_UNLOCK], unlock_steps);
    return step == STEP_EXIT ? leave_unlock(&run) : step;
}

/* --- flush --- */

/* flush_local that asks nobody goes on with `left`, the last step. It asks behind a get where a flush has query_connected: the
 * library has no local flush (docs/protocols.md, Flush). */
static enum step ask_for_flush(const struct steps_run *run)
{
    bool asks = call_kind(run->call->call) == CALL_FLUSH;
    struct lock_walk walk = walk_of(run);
    for (uint32_t lock; !asks && walk_next(run, &walk, &lock);) asks = run->replay->lock_epochs[lock].got;
    const unsigned last = run->replay->modes[run->call->handle].steps[STEPS_FLUSH].count - 1u;
    if (asks)
        STEP_TRY(request_flush(run));
    else
        run->state->phase = (uint8_t)(PHASE_STEPS + STEP_PARTS * last);
    run->state->step = walk_of(run).at;
    return STEP_POLL;
}

/* With threads, also for operations that another one made meanwhile: issues them. */
static enum step await_flush(const struct steps_run *run, enum completion where)
{
    enum step step = step_completed(run, where);
    if (step == STEP_BLOCK && run->state->threads) {
        if (hurry_operations(run) == STEP_FAIL) return STEP_FAIL;
        step = step_completed(run, where);
    }
    return step == STEP_AGAIN ? STEP_EXIT : step;
}

static enum step await_answered(const struct steps_run *run)
{
    return await_flush(run, AT_TARGET);
}

static enum step await_left(const struct steps_run *run)
{
    return await_flush(run, AT_ORIGIN);
}

static const struct step_row flush_steps[DO_COUNT] = {[DO_ISSUE] = {{hurry_operations}},
                                                      [DO_ACKNOWLEDGED] = {{ask_for_flush, await_answered}},
                                                      [DO_QUERY] = {{ask_for_flush}},
                                                      [DO_ANSWER] = {{await_answered}},
                                                      [DO_LEFT] = {{await_left}}};

enum step replay_step_flush(struct replay *replay, uint32_t rank)
{
    const struct steps_run run = steps_run(replay, rank);
    const struct trace_call *call = run.call;
    if (call->peer == TRACE_NONE && (call_row(call->call)->needed & F_TARGET)) /* MPI_PROC_NULL */
        return replay_exit(run.state, replay->now_ps);
    if (run.state->phase == PHASE_ENTER) {
        bool locked = replay->all_locks[run.index] ||
                      (call->peer == TRACE_NONE ? locks_any(replay, rank, run.index)
                                                : replay_open_lock(replay, rank, run.index, call->peer) != NO_INDEX);
        if (!locked)
            return replay_fail(replay, rank,
                               "no lock is open on window %d, expected MPI_Win_lock or MPI_Win_lock_all before",
                               call->handle),
                   STEP_FAIL;
        if (walk_of(&run).busy) STEP_TRY(sort_busy(replay, run.member));
        return replay_spend(replay, run.state, flush_sends(&run, false) ? replay_overhead_ps(replay, run.state) : 0,
                            PHASE_STEPS);
    }
    enum step step = steps_walk(&run, &replay->modes[call->handle].steps[STEPS_FLUSH], flush_steps);
    if (step != STEP_EXIT) return step;
    if (replay_locks_lazily(replay, call->handle)) account_contention(&run);
    return replay_exit(run.state, replay->now_ps);
}
