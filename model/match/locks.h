/* Who held a lock: inferred from the order of the releases (docs/patterns.md). */
#ifndef MODEL_MATCH_LOCKS_H
#define MODEL_MATCH_LOCKS_H

#include "model/match/relations.h"

struct holding { /* one lock epoch whose unlock was seen to return */
    int32_t window, target;
    uint32_t origin;
    bool exclusive;
    int64_t release_ps; /* the lock was free by then */
    int64_t asked_ps, locked_ps, unlocking_ps; /* enter and exit of lock, enter of unlock (lazy: of what asks) */
    const struct access_epoch *shown_by[2]; /* recorded traces: later holders whose unlocks returned by then; NULL */
    const struct access_epoch *epoch;
    size_t wait_call; /* lock_all: where it waits for this target; EPOCH_NONE: as any lock */
    int64_t
        next_ps; /* release by a third origin that would let it in last without the holder; INT64_MIN: there is none */
};

typedef enum status holding_visitor(void *context, const struct holding *holding, const struct holding *holder);

/* Calls visit for every holding, by window and target in the order of the grants, with the holding before it that
 * excludes it, or NULL. Of a slice: those that are final now. */
enum status locks_visit(const struct relations *relations, holding_visitor *visit, void *context, struct err *err);

typedef void holder_keeper(void *context, const struct access_epoch *epoch);

/* Calls keep for the epochs of a slice that a lock to come may have waited for: of each lock the last holders, of each
 * window the last ones that held all of its locks. */
enum status locks_last_holders(const struct relations *relations, holder_keeper *keep, void *context, struct err *err);

/* Of a slice, final or not, per access epoch that is a lock: when its first target's lock was free at the latest;
 * INT64_MAX: it is not closed. Others: any value. */
enum status locks_first_releases(const struct relations *relations, int64_t *release_ps, struct err *err);

#endif
