/* Lock epochs: items of the pool replay.lock_epochs, and those of one lock_all. lock.h has what happens to them. */
#ifndef SIMULATE_WINDOWS_LOCK_EPOCH_H
#define SIMULATE_WINDOWS_LOCK_EPOCH_H

#include "simulate/windows/window.h"

struct all_locks {
    /* The lock epochs that may have incomplete operations, chained by lock_epoch.next. A flush of all targets visits
     * them. */
    uint32_t busy_first, busy_last;
    uint32_t thread;          /* the thread that called MPI_Win_lock_all */
    bool returned, unlocking; /* MPI_Win_lock_all has returned; MPI_Win_unlock_all has begun */
    uint32_t unanswered;      /* releases whose answers are awaited */
    uint32_t locks[]; /* per rank of the communicator its lock epoch, NO_INDEX: none yet */
};

struct lock_epoch {
    uint32_t origin, target, member; /* member: the origin's side of the window */
    uint32_t next;                   /* of the origin's open ones, of lock_all's busy ones, or the free list */
    uint32_t next_waiting;           /* in the target's queue */
    bool exclusive, nocheck, asked, granted;
    bool of_all;           /* of lock_all */
    bool busy;             /* in the list of all_locks.busy_first */
    bool awaited;          /* the origin's rank waits for the grant */
    bool queued;           /* in the target's queue */
    bool waits;            /* in the target's queue, behind holders */
    bool returned;         /* MPI_Win_lock has returned */
    bool unlocking;        /* MPI_Win_unlock has begun */
    bool releasing;        /* the release has been sent, the answer of the target is awaited */
    bool answered;         /* the answer has arrived */
    bool unflushed;        /* puts or gets were issued since the last query: replay_lock_unflushed() */
    bool got;              /* query_connected: the last put or get since the last flush was a get */
    bool flushing;         /* a flush waits for the grant and sends its query then */
    union {
        int64_t held_until_ps; /* from the grant on: until then others held the lock incompatibly (exit of their unlocks) */
        int64_t lock_exit_ps;  /* before it: of an MPI_Win_lock that has returned without the grant it asked for, else 0 */
    };
    union {
        int64_t unlock_exit_ps;
        int64_t lock_enter_ps; /* before the grant: as lock_exit_ps */
    };
    struct access open;
    struct op_queue queue;
    uint32_t leaves_to;   /* issue = deferred: the last queued operation that may leave, NO_INDEX: none */
    uint32_t uncleared;   /* operations whose data wait for the clear to send */
    uint32_t called_round; /* struct called */
    uint32_t thread;      /* the thread of the origin that called MPI_Win_lock */
};

/* The ref of answers to queries names the access: that of a member, or behind these that of a lock epoch. */
static inline uint32_t replay_ref_of_lock(const struct replay *replay, uint32_t lock)
{
    return (uint32_t)replay->member_count + lock;
}
static inline struct access *replay_access(const struct replay *replay, uint32_t ref)
{
    return ref < replay->member_count ? &replay->members[ref].open : &replay->lock_epochs[ref - replay->member_count].open;
}

/* The epoch that the origin's side has open towards the target; NO_INDEX: none. */
uint32_t replay_open_lock_of_all(const struct replay *replay, uint32_t member, int32_t target); /* of lock_all */
static inline uint32_t replay_open_lock(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target)
{
    if (replay->all_locks[member]) return replay_open_lock_of_all(replay, member, target);
    uint32_t lock = replay->ranks[rank].lock_list;
    for (; lock != NO_INDEX; lock = replay->lock_epochs[lock].next) {
        const struct lock_epoch *epoch = &replay->lock_epochs[lock];
        if (epoch->member == member && epoch->target == (uint32_t)target) return lock;
    }
    return NO_INDEX;
}

#endif
