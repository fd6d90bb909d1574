/* OpenSHMEM in the replay: the symmetric memory is a window that every PE has locked for all, without asking anybody,
 * from the beginning to the end. Not for use outside simulate/replay/ and the rooms of its calls. */
#ifndef SIMULATE_SHMEM_SHMEM_H
#define SIMULATE_SHMEM_SHMEM_H

#include "simulate/replay/core.h"

/* A write that a wait of the recording waited for. */
struct watch {
    uint32_t origin, waiter; /* ranks */
    size_t call;             /* of the origin */
    bool arrived;
    int64_t arrived_ps; /* when it took effect */
};

struct shmem_lock { /* its queue is at the window's first rank */
    uint32_t holder, first, last;
    uint32_t cleared_by; /* last; NO_INDEX nobody yet */
    int64_t cleared_ps;  /* when that clear_lock returned */
    bool released;       /* the holder has cleared it, its release is on the way */
};

struct shmem {
    int32_t window;
    uint32_t home; /* rank that keeps the locks */
    struct map lock_names; /* object to index in locks */
    struct shmem_lock *locks;
    size_t lock_count, lock_capacity;
    uint32_t *next_waiting; /* per rank */
    bool *granted;          /* per rank: the lock that it waits for */
    struct map watches_of_writes, watches_of_waits; /* by rank and call */
    struct watch *watches;
    size_t watch_count, watch_capacity;
};

/* replay.shmem, NULL if the trace has no symmetric memory. */
enum status replay_prepare_shmem(struct replay *replay);
void replay_clear_shmem(struct replay *replay);

enum step replay_step_shmem(struct replay *replay, uint32_t rank);
/* The operation has taken effect at its target, at that time. May wake the target. */
void replay_shmem_written(struct replay *replay, uint32_t op, int64_t at_ps);

/* What the loaded call of the rank waits for; NULL: not known. */
const struct watch *replay_shmem_watch(const struct replay *replay, uint32_t rank);
const struct shmem_lock *replay_shmem_lock(const struct replay *replay, uint32_t object);

#endif
