/* Locks of passive target synchronisation (MPI-3.1 11.5.3): the lock epochs of the origin and the lock queue of the
 * target. Requests are served in the order of their arrival. A blocking lock sends its request in MPI_Win_lock, a lazy
 * one in the call that needs the grant, or where its list is [ask] in MPI_Win_lock, which does not wait. */
#ifndef SIMULATE_WINDOWS_LOCK_H
#define SIMULATE_WINDOWS_LOCK_H

#include "simulate/windows/lock_epoch.h"

/* Opens a shared lock epoch of the origin's side towards the target. It becomes one of lock_all's, or one in the rank's
 * list. */
enum status replay_lock_new(struct replay *replay, uint32_t member, uint32_t target, bool nocheck, uint32_t *lock);
/* Opens lock_all's lock epoch towards the rank `place` of the communicator. */
enum status replay_lock_new_of_all(struct replay *replay, uint32_t member, uint32_t place);
/* Finds the open lock epoch towards the target; if lock_all is open, makes it where it is missing. NO_INDEX: none is
 * open. */
enum status replay_lock_towards(struct replay *replay, uint32_t rank, uint32_t member, int32_t target, uint32_t *lock);
enum status replay_lock_ask(struct replay *replay, uint32_t lock);
/* MPI_Win_lock returns before its grant. */
static inline bool replay_locks_lazily(const struct replay *replay, int32_t window)
{
    return replay->modes[window].lock.form != FORM_LOCK_GRANT;
}
/* [ask]: MPI_Win_lock, and under lock_all the first operation on a target, send the request for a lazy lock. */
static inline bool replay_asks_when_called(const struct replay *replay, int32_t window)
{
    return replay->modes[window].lock.form == FORM_LOCK_ASK;
}
/* Queued and held operations may leave. Requests the lock if it has not been requested yet. */
enum status replay_lock_hurry(struct replay *replay, uint32_t lock);
/* Whether a call that lets queued operations leave sends anything, and so pays overhead. releases: it also releases the
 * lock. */
static inline bool replay_lock_sends(const struct lock_epoch *epoch, bool releases)
{
    bool locked = !epoch->nocheck && (epoch->asked || !epoch->of_all);
    return epoch->queue.first != NO_INDEX || (releases && epoch->target != epoch->origin && locked);
}
/* Sends a query, which the target answers when it has everything that was sent before. Sends none if nothing was sent since the
 * last one, unless the call asks all, and none for QUERY_NONE. With always it sends the query even if everything is known to be
 * complete. */
enum status replay_lock_flush(struct replay *replay, uint32_t lock, enum steps_query query, bool always);
/* [issue, release, answer, acknowledged]: the release leaves behind the data, and they need not be known to be complete. */
static inline bool replay_lock_ends_early(const struct replay *replay, const struct lock_epoch *epoch)
{
    const struct call_steps *unlock = &replay->platform->protocol.calls[STEPS_UNLOCK];
    return unlock->form == FORM_UNLOCK_WITH_DATA && !epoch->nocheck && epoch->origin != epoch->target;
}
/* How an unlock asks. Where the release is the question, a lock that has none (NOCHECK) is flushed. */
static inline enum steps_query replay_unlock_query(const struct replay *replay)
{
    const struct call_steps *calls = replay->platform->protocol.calls;
    return calls[calls[STEPS_UNLOCK].form == FORM_UNLOCK_WITH_DATA ? STEPS_FLUSH : STEPS_UNLOCK].query;
}
/* Called when all operations are complete, or have been sent where that is enough. Sends the release and ends the epoch at the
 * origin. */
enum status replay_lock_end(struct replay *replay, uint32_t lock);
/* Notes in the predicted trace when the current unlock released its lock. The unlock then waits for the answer. */
void replay_note_release(struct replay *replay, uint32_t rank);
/* The time until which other origins held the lock before this epoch got it; at most the current time. */
int64_t replay_lock_contended_ps(const struct replay *replay, uint32_t lock);

/* Handlers of arriving messages. The driver of one-sided calls has them in its rows. */
enum status replay_on_lock_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_grant(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_release(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_released(struct replay *replay, const struct engine_note *message);

#endif
