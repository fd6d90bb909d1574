/* Passive target synchronisation (MPI-3.1 11.5.3): the origin's lock epochs and the target's lock queue. Requests are
 * served in the order of their arrival; blocking locks ask in MPI_Win_lock, lazy ones in the call that needs the grant.
 */
#include "simulate/replay/core.h"

enum { PHASE_ENTER, PHASE_ASK, PHASE_GRANT, PHASE_FLUSH, PHASE_COMPLETE, PHASE_ANSWER };

uint32_t replay_open_lock(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target)
{
    const struct member *origin = &replay->members[member];
    if (origin->all) return origin->all->locks[trace_comm_rank(replay_comm_of(replay, origin), target)];
    uint32_t lock = replay->ranks[rank].lock_list;
    for (; lock != NO_INDEX; lock = replay->lock_epochs[lock].next) {
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        if (epoch->member == member && epoch->target == (uint32_t)target) return lock;
    }
    return NO_INDEX;
}

/* --- target ----------------------------------------------------------------------------------------------------------
 */

static enum status issue_queued(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    uint32_t first = epoch->queue_first, last = replay->deferred ? epoch->leaves_to : epoch->queue_last;
    if (!epoch->granted || first == NO_INDEX || last == NO_INDEX) return STATUS_OK;
    epoch->queue_first = replay->ops[last].next;
    epoch->leaves_to = NO_INDEX; /* what comes later is held again */
    replay->ops[last].next = NO_INDEX;
    return replay_issue_chain(replay, first);
}

static enum status granted(struct replay *replay, uint32_t lock)
{
    replay->lock_epochs[lock].granted = true;
    TRY(issue_queued(replay, lock));
    if (replay->lock_epochs[lock].flushing) TRY(replay_lock_flush(replay, lock, true));
    replay_wake(replay, replay->lock_epochs[lock].origin);
    return STATUS_OK;
}

static enum status send_grant(struct replay *replay, uint32_t lock)
{
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    if (epoch->origin == epoch->target) return granted(replay, lock);
    return replay_send_control(replay, MESSAGE_LOCK_GRANT, epoch->target, epoch->origin, lock, 0);
}

/* The link to the request that is served next, NULL: none can be now. The head of the queue; nobody overtakes it but,
 * on a lock that is held shared, requests of MPI_Win_lock_all: two of those, each holding a lock that the other asks for
 * behind an exclusive request, would wait for ever. */
static uint32_t *next_request(struct replay *replay, struct member *target)
{
    uint32_t *link = &target->queue_first;
    if (*link == NO_INDEX || target->exclusive_held) return NULL;
    if (target->shared_holders == 0 || !replay->lock_epochs[*link].exclusive) return link;
    while (*link != NO_INDEX && !replay->lock_epochs[*link].of_all) link = &replay->lock_epochs[*link].next_waiting;
    return *link == NO_INDEX ? NULL : link;
}

static void unlink_request(struct replay *replay, struct member *target, uint32_t *link)
{
    uint32_t lock = *link;
    *link = replay->lock_epochs[lock].next_waiting;
    replay->lock_epochs[lock].queued = false;
    if (lock != target->queue_last) return;
    for (uint32_t at = target->queue_first; at != NO_INDEX; at = replay->lock_epochs[at].next_waiting)
        target->queue_last = at;
}

/* Grants as long as the holders allow it. */
static enum status grant_next(struct replay *replay, struct member *target)
{
    uint32_t *link;
    while ((link = next_request(replay, target))) {
        uint32_t lock = *link;
        struct lock_epoch *epoch = &replay->lock_epochs[lock];
        epoch->held_until_ps = target->unlock_exit_ps[1];
        if (epoch->exclusive && target->unlock_exit_ps[0] > epoch->held_until_ps)
            epoch->held_until_ps = target->unlock_exit_ps[0];
        if (epoch->exclusive)
            target->exclusive_held = true;
        else
            target->shared_holders++;
        unlink_request(replay, target, link);
        if (epoch->waits) TRY(replay_watch_all(replay, target->rank, false));
        TRY(send_grant(replay, lock));
    }
    return STATUS_OK;
}

static struct member *target_of(struct replay *replay, uint32_t lock)
{
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    int32_t window = replay->members[epoch->member].window;
    return &replay->members[replay_member_index(replay, window, epoch->target)];
}

static enum status request(struct replay *replay, uint32_t lock)
{
    struct member *target = target_of(replay, lock);
    replay->lock_epochs[lock].next_waiting = NO_INDEX;
    if (target->queue_first == NO_INDEX)
        target->queue_first = lock;
    else
        replay->lock_epochs[target->queue_last].next_waiting = lock;
    target->queue_last = lock;
    replay->lock_epochs[lock].queued = true;
    uint32_t rank = target->rank;
    TRY(grant_next(replay, target));
    if (!replay->lock_epochs[lock].queued) return STATUS_OK;
    replay->lock_epochs[lock].waits = true;
    return replay_watch_all(replay, rank, true);
}

/* The release has reached the target; the epoch ends. */
static enum status release(struct replay *replay, uint32_t lock)
{
    struct member *target = target_of(replay, lock);
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    int64_t *latest_ps = &target->unlock_exit_ps[epoch->exclusive];
    if (epoch->unlock_exit_ps > *latest_ps) *latest_ps = epoch->unlock_exit_ps;
    uint32_t origin = epoch->origin;
    bool answers = epoch->releasing;
    if (epoch->exclusive)
        target->exclusive_held = false;
    else
        target->shared_holders--;
    if (!answers) replay_release_lock_epoch(replay, lock);
    uint32_t rank = target->rank;
    TRY(grant_next(replay, target)); /* before the answer, as MPICH 4.0.2: src/mpid/ch4/src/mpidig_rma_callbacks.c */
    return answers ? replay_send_control(replay, MESSAGE_LOCK_RELEASED, rank, origin, lock, 0) : STATUS_OK;
}

enum status replay_on_lock_ask(struct replay *replay, const struct engine_note *message)
{
    return request(replay, message->ref);
}

enum status replay_on_lock_grant(struct replay *replay, const struct engine_note *message)
{
    return granted(replay, message->ref);
}

enum status replay_on_lock_release(struct replay *replay, const struct engine_note *message)
{
    return release(replay, message->ref);
}

enum status replay_on_lock_released(struct replay *replay, const struct engine_note *message)
{
    struct lock_epoch *epoch = &replay->lock_epochs[message->ref];
    struct all_locks *all = epoch->of_all ? replay->members[epoch->member].all : NULL;
    epoch->answered = true;
    if (all) all->unanswered--;
    replay_wake(replay, epoch->origin);
    return STATUS_OK;
}

enum status replay_lock_flush(struct replay *replay, uint32_t lock, bool always)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    if (replay->platform->protocol.flush != FLUSH_REQUESTED || !epoch->unflushed || epoch->origin == epoch->target)
        return STATUS_OK;
    if (!always && epoch->outstanding == 0) return STATUS_OK;
    epoch->flushing = !epoch->granted;
    if (epoch->flushing) return STATUS_OK;
    epoch->unflushed = false;
    epoch->outstanding++;
    return replay_send_control(replay, MESSAGE_FLUSH_ASK, epoch->origin, epoch->target, lock, MESSAGE_LOCK_FLUSHED);
}

enum status replay_on_flush_ask(struct replay *replay, const struct engine_note *message)
{
    return replay_send_control(replay, (enum message_type)message->extra, message->destination, message->source,
                               message->ref, 0);
}

enum status replay_on_lock_flushed(struct replay *replay, const struct engine_note *message)
{
    struct lock_epoch *epoch = &replay->lock_epochs[message->ref];
    if (--epoch->outstanding == 0) replay_wake(replay, epoch->origin);
    return STATUS_OK;
}

/* --- origin ----------------------------------------------------------------------------------------------------------
 */

enum status replay_lock_ask(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->asked = true;
    if (epoch->origin == epoch->target) return request(replay, lock);
    return replay_send_control(replay, MESSAGE_LOCK_ASK, epoch->origin, epoch->target, lock, 0);
}

enum status replay_lock_hurry(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->leaves_to = epoch->queue_first == NO_INDEX ? NO_INDEX : epoch->queue_last;
    if (!epoch->granted && !epoch->asked) TRY(replay_lock_ask(replay, lock));
    return issue_queued(replay, lock);
}

enum status replay_lock_new(struct replay *replay, const struct lock_epoch *made, uint32_t *lock)
{
    TRY(replay_take_lock_epoch(replay, lock));
    struct lock_epoch *epoch = &replay->lock_epochs[*lock];
    *epoch = *made;
    epoch->next = epoch->next_waiting = epoch->queue_first = epoch->leaves_to = NO_INDEX;
    epoch->granted = made->nocheck;
    epoch->last_left_ps = INT64_MIN;
    return STATUS_OK;
}

/* MPI_Win_lock returns: from now on the rank's other threads may use the epoch. */
static enum step return_locked(struct replay *replay, uint32_t rank, uint32_t lock)
{
    replay->lock_epochs[lock].returned = true;
    return replay_exit(&replay->ranks[rank], replay->now_ps);
}

static enum step open_lock(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    uint32_t member = (uint32_t)(replay_member(replay, call, rank) - replay->members), lock;
    if (replay->members[member].all || replay_open_lock(replay, rank, member, call->peer) != NO_INDEX)
        return replay_fail(replay, rank, "window %d of rank %d is already locked by this rank", call->handle,
                           call->peer),
               STEP_FAIL;
    bool nocheck = call->flags & TRACE_NOCHECK;
    struct lock_epoch made = {.origin = rank,
                              .target = (uint32_t)call->peer,
                              .member = member,
                              .thread = state->thread,
                              .exclusive = call->flags & TRACE_EXCLUSIVE,
                              .nocheck = nocheck};
    STEP_TRY(replay_lock_new(replay, &made, &lock));
    replay->lock_epochs[lock].next = state->lock_list;
    state->lock_list = lock;
    if (nocheck || replay->modes[call->handle].lock == LOCK_LAZY) return return_locked(replay, rank, lock);
    return replay_spend(replay, state, (uint32_t)call->peer == rank ? 0 : replay->overhead_ps, PHASE_ASK);
}

int64_t replay_lock_contended_ps(const struct replay *replay, uint32_t lock)
{
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    if (epoch->nocheck) return INT64_MIN;
    return epoch->held_until_ps < replay->now_ps ? epoch->held_until_ps : replay->now_ps;
}

/* Lock Contention of the call that asked: while others held the lock incompatibly. */
static void account_contention(struct replay *replay, uint32_t rank, uint32_t lock)
{
    int64_t until_ps = replay_lock_contended_ps(replay, lock), enter_ps = replay->ranks[rank].enter_ps;
    replay->ranks[rank].contended_until_ps = until_ps;
    if (until_ps > enter_ps) totals_add(&replay->outcome->totals, PATTERN_LOCK_CONTENTION, rank, until_ps - enter_ps);
}

enum step replay_step_lock(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE) return replay_exit(state, replay->now_ps); /* MPI_PROC_NULL */
    if (state->phase == PHASE_ENTER) {
        enum step step = open_lock(replay, rank, call);
        if (step != STEP_AGAIN) return step;
    }
    uint32_t member = (uint32_t)(replay_member(replay, call, rank) - replay->members);
    uint32_t lock = replay_open_lock(replay, rank, member, call->peer);
    if (state->phase == PHASE_ASK) {
        state->phase = PHASE_GRANT;
        replay->lock_epochs[lock].awaited = !state->threads;
        STEP_TRY(replay_lock_ask(replay, lock));
    }
    if (!replay->lock_epochs[lock].granted) return STEP_BLOCK;
    account_contention(replay, rank, lock);
    return return_locked(replay, rank, lock);
}

void replay_note_release(struct replay *replay, uint32_t rank)
{
    if (replay->made) replay->made->ranks[rank].sim[replay->ranks[rank].next].released_ps = replay->now_ps;
}

enum status replay_lock_end(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->unlock_exit_ps = replay->now_ps;
    if (epoch->nocheck) {
        replay_release_lock_epoch(replay, lock);
        return STATUS_OK;
    }
    if (epoch->origin == epoch->target) return release(replay, lock);
    epoch->releasing = replay->platform->protocol.unlock == UNLOCK_ACKNOWLEDGED;
    return replay_send_control(replay, MESSAGE_LOCK_RELEASE, epoch->origin, epoch->target, lock, 0);
}

static void unlink_lock(struct replay *replay, uint32_t rank, uint32_t lock)
{
    uint32_t *link = &replay->ranks[rank].lock_list;
    while (*link != lock) link = &replay->lock_epochs[*link].next;
    *link = replay->lock_epochs[lock].next;
}

/* All operations are complete. Where the target has to say that it knows of the release, the epoch ends when it has. */
static enum step end_lock(struct replay *replay, uint32_t rank, uint32_t lock)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    bool waits = replay->platform->protocol.unlock == UNLOCK_ACKNOWLEDGED && !epoch->nocheck &&
                 epoch->origin != epoch->target;
    if (!waits) unlink_lock(replay, rank, lock);
    STEP_TRY(replay_lock_end(replay, lock));
    if (!waits) return replay_exit(state, replay->now_ps);
    replay_note_release(replay, rank);
    state->phase = PHASE_ANSWER;
    return STEP_BLOCK;
}

enum step replay_step_unlock(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE) return replay_exit(state, replay->now_ps);
    uint32_t member = (uint32_t)(replay_member(replay, call, rank) - replay->members);
    uint32_t lock = replay->members[member].all ? NO_INDEX : replay_open_lock(replay, rank, member, call->peer);
    if (lock == NO_INDEX)
        return replay_fail(replay, rank, "window %d of rank %d is not locked by this rank", call->handle, call->peer),
               STEP_FAIL;
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    if (state->phase == PHASE_ENTER) {
        epoch->unlocking = true;
        bool sends = replay_lock_sends(epoch, true);
        enum step step = replay_spend(replay, state, sends ? replay->overhead_ps : 0, PHASE_ASK);
        if (step != STEP_AGAIN) return step;
    }
    if (state->phase == PHASE_ASK) {
        state->phase = PHASE_FLUSH;
        epoch->awaited = !epoch->asked && !state->threads;
        STEP_TRY(replay_lock_hurry(replay, lock));
        epoch = &replay->lock_epochs[lock];
    }
    if (!epoch->granted) return STEP_BLOCK;
    if (state->phase == PHASE_FLUSH) {
        state->phase = PHASE_COMPLETE;
        STEP_TRY(replay_lock_flush(replay, lock, true));
        epoch = &replay->lock_epochs[lock];
    }
    if (epoch->outstanding > 0) return STEP_BLOCK;
    if (state->phase == PHASE_ANSWER) {
        if (!epoch->answered) return STEP_BLOCK;
        unlink_lock(replay, rank, lock);
        replay_release_lock_epoch(replay, lock);
        return replay_exit(state, replay->now_ps);
    }
    if (replay->modes[call->handle].lock == LOCK_LAZY) account_contention(replay, rank, lock);
    return end_lock(replay, rank, lock);
}
