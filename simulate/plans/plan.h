/* Shared by the files of simulate/plans/. Not for use outside. */
#ifndef SIMULATE_PLANS_PLAN_H
#define SIMULATE_PLANS_PLAN_H

#include "simulate/plans/collectives.h"

/* Reductions fold a size that is no power of two: among the first 2 * rest ranks every other one drops out. */
struct coll_fold {
    uint32_t power, rest, keeper; /* keeper: 1 = odd ranks stay, 0 = even ones */
    int32_t place;                /* among the `power` ranks that stay, -1 = dropped out */
};

struct coll_fold coll_fold_of(uint32_t rank, uint32_t n, uint32_t keeper);
uint32_t coll_unfold(const struct coll_fold *fold, uint32_t place);

/* Sends so many bytes this far up the ring of ranks, and receives from as far down. */
static inline bool coll_step_around(uint32_t size, uint32_t rank, uint32_t distance, int64_t bytes,
                                    struct coll_step *step)
{
    step->send_to = (int32_t)((rank + distance) % size);
    step->receive_from = (int32_t)((rank + size - distance) % size);
    step->send_bytes = bytes;
    return true;
}

/* All-to-all at once: MPICH posts 32 receives, the own one first, then as many sends, and waits for them
 * (MPIR_CVAR_ALLTOALL_THROTTLE). What step `number` does, and whether the next one need not wait. False: there are no
 * more. */
struct coll_at_once {
    bool receives, overlap; /* else it sends */
    uint32_t distance;      /* up to the rank that it receives from, down to the rank that it sends to */
};
bool coll_at_once(uint32_t number, uint32_t size, struct coll_at_once *place);

/* Steps of collectives with counts, reduce-scatters and scans. Sets only the members of *step that are not empty. */
bool coll_step_v(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step);

/* The member's call of this turn; NULL: not known. */
const struct trace_call *coll_call_of(const struct coll_shape *shape, uint32_t member);

/* Steps of a collective on an intercommunicator (shape->first_group > 0). A root is alone in the first group. */
bool coll_step_between(const struct coll_shape *shape, uint32_t rank, uint32_t number, struct coll_step *step);

#endif
