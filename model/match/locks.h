/* Infers which origin held a window's lock when, from the order of the releases (docs/patterns.md, "Lock
 * Contention"). */
#ifndef MODEL_MATCH_LOCKS_H
#define MODEL_MATCH_LOCKS_H

#include "model/match/relations.h"

struct holding { /* one lock epoch whose unlock was seen to return */
    int32_t window, target;
    uint32_t origin;
    bool exclusive;
    int64_t release_ps; /* the lock was free by then */
    int64_t asked_ps, locked_ps, unlocking_ps; /* enter and exit of lock, enter of unlock (lazy: of the call that sends
                                                  the request) */
    const struct access_epoch *shown_by[2]; /* recorded traces: later holders whose unlocks returned by then; NULL */
    const struct access_epoch *epoch;
    size_t wait_call; /* lock_all: where it waits for this target; EPOCH_NONE: as any lock */
    int64_t
        next_ps; /* the last release by a third origin, for which it would wait if the holder were not there; INT64_MIN:
                    there is none */
};

typedef enum status holding_visitor(void *context, const struct holding *holding, const struct holding *holder);

/* Calls visit for every holding, by window and target, in the order of the grants. holder is the holding before it that
 * excludes it, or NULL. In a slice it visits only holdings that are final in this round. */
enum status locks_visit(const struct relations *relations, holding_visitor *visit, void *context, struct err *err);

typedef void holder_keeper(void *context, const struct access_epoch *epoch);

/* Calls keep for the epochs of a slice that a lock in a later slice may have waited for. Each lock keeps its last
 * holders, and each window the last holders of all its locks. */
enum status locks_last_holders(const struct relations *relations, holder_keeper *keep, void *context, struct err *err);

/* Writes, for each access epoch of a slice that is a lock, final or not, the latest time by which its first target's
 * lock was free; INT64_MAX if the epoch is not closed. release_ps has an element per access epoch; those of other kinds
 * have no meaning. */
enum status locks_first_releases(const struct relations *relations, int64_t *release_ps, struct err *err);

#endif
