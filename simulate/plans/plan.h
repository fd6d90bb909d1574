/* What the files of plans share. Not for use outside simulate/plans/. */
#ifndef SIMULATE_PLANS_PLAN_H
#define SIMULATE_PLANS_PLAN_H

#include "simulate/plans/collectives.h"

/* Reductions fold sizes that are no power of two: of the first 2 * rest ranks every other one drops out. */
struct coll_fold {
    uint32_t power, rest, keeper; /* keeper: 1 = odd ranks stay, 0 = even ones */
    int32_t place;                /* among the `power` ranks that stay, -1 = dropped out */
};

struct coll_fold coll_fold_of(uint32_t rank, uint32_t n, uint32_t keeper);
uint32_t coll_unfold(const struct coll_fold *fold, uint32_t place);

/* All-to-all at once: MPICH posts 32 receives, itself the first, then as many sends, and waits for them (MPIR_CVAR_ALLTOALL_THROTTLE).
 * What the step number `number` does, and whether the next one need not wait; false behind the last one. */
struct coll_at_once {
    bool receives, overlap; /* else it sends */
    uint32_t distance;      /* upwards to whom it receives from, downwards to whom it sends */
};
bool coll_at_once(uint32_t number, uint32_t size, struct coll_at_once *place);

/* Steps of collectives with counts, reduce-scatters, scans; of *step only what is not empty is set. */
bool coll_step_v(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step);

/* The member's call of this turn; NULL: it is not known. */
const struct trace_call *coll_call_of(const struct coll_shape *shape, uint32_t member);

/* Steps of a collective between two groups (shape->between > 0): a root stands alone in the first one. */
bool coll_step_between(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step);

#endif
