/* Locks of passive target synchronisation (MPI-3.1 11.5.3): the lock epochs of the origin and the lock queue of the
 * target. Requests are served in the order of their arrival. A blocking lock sends its request in MPI_Win_lock, a lazy
 * one in the call that needs the grant. */
#ifndef SIMULATE_WINDOWS_LOCK_H
#define SIMULATE_WINDOWS_LOCK_H

#include "simulate/windows/lock_epoch.h"

/* Opens an epoch towards the target, of lock_all or in the rank's list. */
enum status replay_lock_new(struct replay *replay, const struct lock_epoch *epoch, uint32_t *lock);
/* Opens one of lock_all towards the communicator rank `place`. */
enum status replay_lock_new_of_all(struct replay *replay, uint32_t member, uint32_t place);
/* The open lock epoch towards the target. An open lock_all makes one. NO_INDEX: there is none. */
enum status replay_lock_towards(struct replay *replay, uint32_t rank, uint32_t member, int32_t target, uint32_t *lock);
enum status replay_lock_ask(struct replay *replay, uint32_t lock);
/* Queued and held operations may leave: requests the lock if that has not happened. */
enum status replay_lock_hurry(struct replay *replay, uint32_t lock);
/* Whether a call that lets queued operations leave, and releases the lock or not, sends anything: if so, it pays
 * overhead. */
static inline bool replay_lock_sends(const struct lock_epoch *epoch, bool releases)
{
    return epoch->queue_first != NO_INDEX || (releases && epoch->target != epoch->origin && !epoch->nocheck);
}
/* mpi.rma.protocol.flush = requested: requests an answer from the target when it has everything that was sent before.
 * Not if all that was requested before; with always, even if all of it is known to be complete. */
enum status replay_lock_flush(struct replay *replay, uint32_t lock, bool always);
/* All operations are complete: the release leaves, and the origin ends the epoch. */
enum status replay_lock_end(struct replay *replay, uint32_t lock);
/* Notes in the predicted trace when the current unlock released the lock whose answer it then awaits. */
void replay_note_release(struct replay *replay, uint32_t rank);
/* The time, up to now, until which others held the lock before this epoch got it. */
int64_t replay_lock_contended_ps(const struct replay *replay, uint32_t lock);

/* The arrivals of these messages: rows of the driver of one-sided calls. */
enum status replay_on_lock_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_grant(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_release(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_released(struct replay *replay, const struct engine_note *message);
enum status replay_on_flush_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_flushed(struct replay *replay, const struct engine_note *message);

#endif
