/* Locks of passive target synchronisation (MPI-3.1 11.5.3): the lock epochs of the origin and the lock queue of the
 * target. Requests are served in the order of their arrival. A blocking lock sends its request in MPI_Win_lock, a lazy
 * one in the call that needs the grant, or with mpi.rma.protocol.lock_request = called in MPI_Win_lock, which does not wait. */
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
/* mpi.rma.protocol.lock_request = called: MPI_Win_lock, and under lock_all the first operation on a target, send the request for
 * a lazy lock. */
static inline bool replay_asks_when_called(const struct replay *replay)
{
    return replay->platform->protocol.lock_request == LOCK_REQUEST_CALLED;
}
/* Queued and held operations may leave. Requests the lock if it has not been requested yet. */
enum status replay_lock_hurry(struct replay *replay, uint32_t lock);
/* Whether a call that lets queued operations leave sends anything, and so pays overhead. releases: it also releases the
 * lock. */
static inline bool replay_lock_sends(const struct lock_epoch *epoch, bool releases)
{
    bool locked = !epoch->nocheck && (epoch->asked || !epoch->of_all);
    return epoch->queue_first != NO_INDEX || (releases && epoch->target != epoch->origin && locked);
}
/* With mpi.rma.protocol.flush = requested: sends a query, which the target answers when it has everything that was sent before.
 * Sends no query if nothing was sent since the last one, unless flush_asks = always. With always it sends the query even if
 * everything is known to be complete. */
enum status replay_lock_flush(struct replay *replay, uint32_t lock, bool always);
/* mpi.rma.protocol.unlock = with_data: the release leaves behind the data, and they need not be known to be complete. */
static inline bool replay_lock_ends_early(const struct replay *replay, const struct lock_epoch *epoch)
{
    return replay->platform->protocol.unlock == UNLOCK_WITH_DATA && !epoch->nocheck && epoch->origin != epoch->target;
}
/* Called when all operations are complete, or (with_data) have been sent. Sends the release and ends the epoch at the origin. */
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
enum status replay_on_lock_flushed(struct replay *replay, const struct engine_note *message);

#endif
