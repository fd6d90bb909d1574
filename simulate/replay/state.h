/* What services and drivers share of a replay. core.h has what simulate/replay/ alone sees; rank.h has the state of a
 * rank; the header of a service has the items that it keeps. Not for use outside simulate/replay/, simulate/windows/
 * and the rooms of the drivers. */
#ifndef SIMULATE_REPLAY_STATE_H
#define SIMULATE_REPLAY_STATE_H

#include "common/map.h"
#include "simulate/engine/engine.h"
#include "simulate/predicted/calls.h"
#include "simulate/replay/kinds.h"
#include "simulate/replay/pool.h"
#include "simulate/replay/rank.h"
#include "simulate/replay/replay.h"

struct decisions; /* simulate/tasks/decide.h */

struct thread_costs {
    int64_t create_ps, start_ps, join_ps, lock_ps, unlock_ps, barrier_ps;
};

struct put_copy { /* how long the call of a put copies, and how long before its data begin to leave */
    int64_t bytes, all_ps, before_ps;
};

/* The head of struct core. The headers of services define the items of pools; simulate/windows/ defines windows. Four
 * members are private to one file: shmem (simulate/shmem/shmem.c), watches (windows/watch.c), buffers
 * (windows/buffer.c), lock queues (windows/lock.c). */
struct replay {
    const struct trace *trace;    /* decisions' if there are some: it grows while ranks walk it */
    const struct trace *recorded; /* the caller's */
    struct decisions *decisions;  /* NULL: each rank makes its own calls */
    const struct platform *platform;
    struct replay_outcome *outcome;
    struct err *err;
    struct predicted *made; /* the predicted trace, or NULL */
    int64_t now_ps;
    int64_t overhead_ps, loopback_overhead_ps; /* of calls between nodes and within one: replay_overhead_ps() */
    struct rank_state *ranks;
    struct rank_rare *rare; /* by rank */
    int32_t *nodes; /* by rank */

    /* Of the platform. */
    struct thread_costs thread_costs;
    bool hardware;           /* NICs serve everything */
    bool needs_call;         /* something is served only while its rank is inside MPI */
    bool complete_remote;    /* MPI_Win_complete waits for acknowledgements */
    bool acknowledges_puts;  /* of active epochs */
    bool copies_puts;        /* the call of a put takes time by its bytes (mpi.rma.protocol.put_s_per_byte) */
    bool reverses;           /* some operation has a reverse_share */
    bool same_costs;         /* a message between two nodes costs the same, whichever nodes they are */
    struct put_copy put_copy; /* where same_costs: of the last put between two nodes */
    bool acknowledges_all;   /* puts and accumulates of active epochs that complete waits for */
    bool answers_late;       /* a message that is answered may act later than it arrives (replay/message.c) */
    bool deferred;           /* operations are held until the closing call */

    /* Of windows. */
    struct window_state *windows;
    struct window_mode *modes; /* by window */
    struct member *members;
    size_t member_count;
    struct map pair_index;
    struct pair *pairs;
    size_t pair_count, pair_capacity;
    POOL(op, op);
    POOL(lock_epoch, lock_epoch);
    struct buffers *buffers; /* NULL: they are not limited */
    struct incoming *incoming; /* by member and sync instance & 1; NULL: no window has fences with notify */
    struct op_queue *held;     /* by member: operations of a fence epoch until the closing fence; NULL: issue is not deferred */
    struct all_locks **all_locks; /* by member: lock_all, as origin; NULL: not open. Owned */
    struct lock_queue *lock_queues; /* by member; NULL: no lock has been requested */
    struct called *called; /* by member; NULL: no connections */
    uint32_t *unread_completes; /* by member: as envelope.unread, of its last notification; NULL: calls serve on entry */
    struct fence_targets *fence_targets; /* by member; NULL: flush is counted */
    uint32_t *servers;       /* per rank: its progress rank; NULL: there are none */
    int64_t *server_free_ps; /* per rank or progress rank: when it can apply the next accumulate, or serve the next message */
    struct watches *watches; /* NULL: no symmetric memory */

    /* Of the drivers. */
    struct shmem *shmem; /* NULL: no symmetric memory */
    /* whether the rank's operations on symmetric memory are complete; NULL: the trace has no symmetric memory */
    bool (*is_quiet)(struct replay *, uint32_t rank);
    bool init_is_barrier, finalize_is_barrier;
    POOL(coll_task, task);
    enum status (*task_received)(struct replay *, uint32_t task); /* a request of a non-blocking collective is done */
    struct coll_calls **coll_calls; /* by communicator, made when first asked for */
};

/* The number of the rank's call among all its calls, of which replay_source may have replaced some. */
static inline size_t replay_call_number(const struct replay *replay, uint32_t rank)
{
    return replay->trace->ranks[rank].first_event + replay->ranks[rank].next;
}

static inline struct rank_rare *replay_rare(const struct replay *replay, const struct rank_state *rank)
{
    return &replay->rare[rank - replay->ranks];
}

#endif
