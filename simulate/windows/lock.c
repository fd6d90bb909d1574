#include "simulate/windows/lock.h"

#include <stdlib.h>

#include "simulate/replay/message.h"
#include "simulate/replay/walk.h"
#include "simulate/windows/transfer.h"

/* The lock of a window at one target. */
struct lock_queue {
    int64_t unlock_exit_ps[2];  /* last exit of the unlocks released here: [shared, exclusive] */
    uint32_t waiting;           /* requests */
    uint32_t first, last;       /* valid while there is one */
    uint32_t shared_holders : 31, exclusive_held : 1;
};

static enum status issue_queued(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    uint32_t first = epoch->queue.first, last = replay->deferred ? epoch->leaves_to : epoch->queue.last;
    if (!epoch->granted || first == NO_INDEX || last == NO_INDEX) return STATUS_OK;
    epoch->queue.first = replay->ops[last].next;
    epoch->leaves_to = NO_INDEX; /* later operations are held again */
    replay->ops[last].next = NO_INDEX;
    return replay_issue_chain(replay, first);
}

static enum status send_query(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->flushing = epoch->got = false;
    replay_lock_flushed(replay, epoch);
    return replay_query_target(replay, replay_ref_of_lock(replay, lock), epoch->origin, epoch->target);
}

static enum status lock_granted(struct replay *replay, uint32_t lock)
{
    uint32_t origin = replay->lock_epochs[lock].origin;
    replay->lock_epochs[lock].granted = true;
    replay->rare[origin].issues_queue = true;
    TRY(issue_queued(replay, lock));
    replay->rare[origin].issues_queue = false;
    if (replay->lock_epochs[lock].flushing) TRY(send_query(replay, lock));
    replay_wake(replay, origin);
    return STATUS_OK;
}

/* The link to the request that is served next; NULL: none can be now. It is the head of the queue. On a lock that is
 * held shared, a request of MPI_Win_lock_all may overtake: otherwise two of these, each holding a lock that the other
 * requests behind an exclusive request, would wait for ever. */
static uint32_t *next_request(struct replay *replay, struct lock_queue *queue)
{
    if (queue->waiting == 0 || queue->exclusive_held) return NULL;
    uint32_t *link = &queue->first;
    if (queue->shared_holders == 0 || !replay->lock_epochs[*link].exclusive) return link;
    while (*link != NO_INDEX && !replay->lock_epochs[*link].of_all) link = &replay->lock_epochs[*link].next_waiting;
    return *link == NO_INDEX ? NULL : link;
}

static void unlink_request(struct replay *replay, struct lock_queue *queue, uint32_t *link)
{
    uint32_t lock = *link;
    *link = replay->lock_epochs[lock].next_waiting;
    replay->lock_epochs[lock].queued = false;
    if (--queue->waiting == 0 || lock != queue->last) return;
    for (uint32_t at = queue->first; at != NO_INDEX; at = replay->lock_epochs[at].next_waiting) queue->last = at;
}

/* [ask]: Lock Contention of an MPI_Win_lock that returned before its grant, but after the lock was free. */
static void account_returned(struct replay *replay, const struct lock_epoch *epoch, int64_t held_until_ps)
{
    if (held_until_ps > epoch->lock_enter_ps && held_until_ps <= epoch->lock_exit_ps)
        totals_add(&replay->outcome->totals, PATTERN_LOCK_CONTENTION, epoch->origin, held_until_ps - epoch->lock_enter_ps);
}

/* Grants requests while the holders allow it. */
static enum status grant_next(struct replay *replay, struct lock_queue *queue, uint32_t rank)
{
    uint32_t *link;
    while ((link = next_request(replay, queue))) {
        uint32_t lock = *link;
        struct lock_epoch *epoch = &replay->lock_epochs[lock];
        int64_t held_until_ps = queue->unlock_exit_ps[1];
        if (epoch->exclusive && queue->unlock_exit_ps[0] > held_until_ps) held_until_ps = queue->unlock_exit_ps[0];
        if (epoch->lock_exit_ps > 0) account_returned(replay, epoch, held_until_ps);
        epoch->held_until_ps = held_until_ps;
        if (epoch->exclusive)
            queue->exclusive_held = true;
        else
            queue->shared_holders++;
        unlink_request(replay, queue, link);
        if (epoch->waits) TRY(replay_watch_all(replay, rank, false));
        epoch = &replay->lock_epochs[lock];
        TRY(epoch->origin == epoch->target
                ? lock_granted(replay, lock)
                : replay_send_control(replay, MESSAGE_LOCK_GRANT, epoch->target, epoch->origin, lock, 0));
    }
    return STATUS_OK;
}

static struct lock_queue *queue_of(const struct replay *replay, const struct lock_epoch *epoch)
{
    int32_t window = replay->members[epoch->member].window;
    return &replay->lock_queues[replay_member_index(replay, window, epoch->target)];
}

static enum status request_lock(struct replay *replay, uint32_t lock)
{
    if (!replay->lock_queues && !(replay->lock_queues = calloc(replay->member_count, sizeof *replay->lock_queues)))
        return err_memory(replay->err);
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    struct lock_queue *queue = queue_of(replay, epoch);
    uint32_t rank = epoch->target;
    *(queue->waiting++ == 0 ? &queue->first : &replay->lock_epochs[queue->last].next_waiting) = lock;
    queue->last = lock;
    epoch->next_waiting = NO_INDEX;
    epoch->queued = true;
    TRY(grant_next(replay, queue, rank));
    if (!replay->lock_epochs[lock].queued) return STATUS_OK;
    replay->lock_epochs[lock].waits = true;
    return replay_watch_all(replay, rank, true);
}

/* The release has reached the target; the epoch ends. */
static enum status release_lock(struct replay *replay, uint32_t lock)
{
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    struct lock_queue *queue = queue_of(replay, epoch);
    int64_t *latest_ps = &queue->unlock_exit_ps[epoch->exclusive];
    if (epoch->unlock_exit_ps > *latest_ps) *latest_ps = epoch->unlock_exit_ps;
    uint32_t origin = epoch->origin, rank = epoch->target;
    bool answers = epoch->releasing;
    if (epoch->exclusive)
        queue->exclusive_held = false;
    else
        queue->shared_holders--;
    if (!answers) replay_release_lock_epoch(replay, lock);
    /* before the answer, as in MPICH 4.0.2: src/mpid/ch4/src/mpidig_rma_callbacks.c */
    if (queue->waiting > 0) TRY(grant_next(replay, queue, rank));
    return answers ? replay_send_control(replay, MESSAGE_LOCK_RELEASED, rank, origin, lock, 0) : STATUS_OK;
}

enum status replay_on_lock_ask(struct replay *replay, const struct engine_note *message)
{
    return request_lock(replay, message->ref);
}

enum status replay_on_lock_grant(struct replay *replay, const struct engine_note *message)
{
    return lock_granted(replay, message->ref);
}

enum status replay_on_lock_release(struct replay *replay, const struct engine_note *message)
{
    return release_lock(replay, message->ref);
}

enum status replay_on_lock_released(struct replay *replay, const struct engine_note *message)
{
    struct lock_epoch *epoch = &replay->lock_epochs[message->ref];
    struct all_locks *all = epoch->of_all ? replay->all_locks[epoch->member] : NULL;
    epoch->answered = true;
    if (all) all->unanswered--;
    replay_wake(replay, epoch->origin);
    return STATUS_OK;
}

enum status replay_lock_flush(struct replay *replay, uint32_t lock, enum steps_query query, bool always)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->got = false;
    if (query == QUERY_NONE || epoch->origin == epoch->target) return STATUS_OK;
    if (!epoch->flushing && query != QUERY_ALL && !replay_lock_unflushed(replay, epoch)) return STATUS_OK;
    if (!always && epoch->open.outstanding == 0) return STATUS_OK;
    epoch->flushing = epoch->asked && !epoch->granted;
    return epoch->flushing ? STATUS_OK : send_query(replay, lock);
}

enum status replay_lock_ask(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->asked = true;
    if (epoch->origin == epoch->target) return request_lock(replay, lock);
    return replay_send_control(replay, MESSAGE_LOCK_ASK, epoch->origin, epoch->target, lock, 0);
}

enum status replay_lock_hurry(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->leaves_to = epoch->queue.first == NO_INDEX ? NO_INDEX : epoch->queue.last;
    if (!epoch->granted && !epoch->asked) TRY(replay_lock_ask(replay, lock));
    return issue_queued(replay, lock);
}

enum status replay_lock_new(struct replay *replay, uint32_t member, uint32_t target, bool nocheck, uint32_t *lock)
{
    TRY(replay_take_lock_epoch(replay, lock));
    struct lock_epoch *epoch = &replay->lock_epochs[*lock];
    epoch->origin = replay->members[member].rank;
    epoch->target = target;
    epoch->member = member;
    epoch->nocheck = epoch->granted = nocheck;
    epoch->next = epoch->next_waiting = epoch->queue.first = epoch->leaves_to = NO_INDEX;
    epoch->open.last_left_ps = INT64_MIN;
    return STATUS_OK;
}

int64_t replay_lock_contended_ps(const struct replay *replay, uint32_t lock)
{
    const struct lock_epoch *epoch = &replay->lock_epochs[lock];
    if (epoch->nocheck) return INT64_MIN;
    return epoch->held_until_ps < replay->now_ps ? epoch->held_until_ps : replay->now_ps;
}

void replay_note_release(struct replay *replay, uint32_t rank)
{
    if (replay->made) predicted_sim(replay->made, rank, replay_call_number(replay, rank))->released_ps = replay->now_ps;
}

enum status replay_lock_end(struct replay *replay, uint32_t lock)
{
    struct lock_epoch *epoch = &replay->lock_epochs[lock];
    epoch->unlock_exit_ps = replay->now_ps;
    if (epoch->nocheck || !epoch->asked) {
        replay_release_lock_epoch(replay, lock);
        return STATUS_OK;
    }
    if (epoch->origin == epoch->target) return release_lock(replay, lock);
    epoch->releasing = replay->platform->protocol.calls[STEPS_UNLOCK].form != FORM_UNLOCK_RELEASED;
    return replay_send_control(replay, MESSAGE_LOCK_RELEASE, epoch->origin, epoch->target, lock, 0);
}

enum status replay_lock_new_of_all(struct replay *replay, uint32_t index, uint32_t place)
{
    struct member *member = &replay->members[index];
    uint32_t *lock = &replay->all_locks[index]->locks[place];
    uint32_t target = (uint32_t)replay_comm_of(replay, member)->members[place];
    TRY(replay_lock_new(replay, index, target, member->all_nocheck, lock));
    replay->lock_epochs[*lock].of_all = true;
    return STATUS_OK;
}

enum status replay_lock_towards(struct replay *replay, uint32_t rank, uint32_t index, int32_t target, uint32_t *lock)
{
    const struct member *member = &replay->members[index];
    *lock = replay_open_lock(replay, rank, index, target);
    if (*lock != NO_INDEX || !replay->all_locks[index]) return STATUS_OK;
    uint32_t place = (uint32_t)trace_comm_rank(replay_comm_of(replay, member), target);
    TRY(replay_lock_new_of_all(replay, index, place));
    *lock = replay->all_locks[index]->locks[place];
    return STATUS_OK;
}
