/* Locks of passive target synchronisation (MPI-3.1 11.5.3): the origin's lock epochs and the target's lock queue. Requests are
 * served in the order of their arrival; blocking locks ask in MPI_Win_lock, lazy ones in the call that needs the grant. */
#ifndef SIMULATE_WINDOWS_LOCK_H
#define SIMULATE_WINDOWS_LOCK_H

#include "simulate/windows/window.h"

/* Opens an epoch towards the target; of lock_all or in the rank's list. */
enum status replay_lock_new(struct replay *replay, const struct lock_epoch *epoch, uint32_t *lock);
/* Of lock_all towards the member's place. */
enum status replay_lock_new_of_all(struct replay *replay, uint32_t member, uint32_t place);
/* The open lock epoch towards the target; made if a lock_all is open; NO_INDEX: there is none. */
enum status replay_lock_towards(struct replay *replay, uint32_t rank, uint32_t member, int32_t target, uint32_t *lock);
enum status replay_lock_ask(struct replay *replay, uint32_t lock);
/* What is queued or held may leave: asks for the lock if nobody did. */
enum status replay_lock_hurry(struct replay *replay, uint32_t lock);
/* Whether a call that lets queued operations go, and releases the lock or not, sends something: it pays overhead then. */
static inline bool replay_lock_sends(const struct lock_epoch *epoch, bool releases)
{
    return epoch->queue_first != NO_INDEX || (releases && epoch->target != epoch->origin && !epoch->nocheck);
}
/* mpi.rma.protocol.flush = requested: asks the target to say when it has all that was sent before, if there is anything that
 * was not asked for; always: also if all of that is known to be complete. */
enum status replay_lock_flush(struct replay *replay, uint32_t lock, bool always);
/* All operations are complete: the release leaves, the origin forgets the epoch. */
enum status replay_lock_end(struct replay *replay, uint32_t lock);
/* The predicted trace says when the unlock that the rank is in let go of what it then waits to hear of. */
void replay_note_release(struct replay *replay, uint32_t rank);
/* Until when, up to now, others held the lock that this epoch was then given. */
int64_t replay_lock_contended_ps(const struct replay *replay, uint32_t lock);

/* What their messages do: rows of the driver of one-sided calls. */
enum status replay_on_lock_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_grant(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_release(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_released(struct replay *replay, const struct engine_note *message);
enum status replay_on_flush_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_flushed(struct replay *replay, const struct engine_note *message);

#endif
