/* The state of windows: epochs, and pairs of origin and target. The services in this room change it, and the drivers
 * that use windows read it. Not for use outside simulate/windows/ and these drivers. */
#ifndef SIMULATE_WINDOWS_STATE_H
#define SIMULATE_WINDOWS_STATE_H

#include "simulate/replay/state.h"
#include "simulate/windows/window_modes.h"

/* What a member has open until one call closes it: of a lock towards its target, of start and fences towards all. */
struct access {
    int64_t last_left_ps; /* from then on what lefts does not count is complete at the origin */
    uint32_t lefts;       /* operations that the origin waits for until they are complete there (op.counts_left) */
    uint32_t outstanding; /* operations and queries whose answers the closing call waits for */
};

struct op_queue { /* a chain by op.next */
    uint32_t first, last; /* first NO_INDEX: it is empty */
};

/* One origin and one target on one window. Epochs are counted as docs/patterns.md pairs them: the n-th access epoch of
 * the origin that names the target belongs to the n-th exposure epoch of the target that names the origin. Arrays are
 * indexed n & 1: a target never opens exposure n + 2 before the origin's epoch n + 1 has begun. */
struct pair {
    /* At the origin. */
    _Alignas(LINE_BYTES) uint32_t origin;
    uint32_t target;
    int32_t window;
    uint32_t origin_member; /* in replay.members */
    uint32_t accesses, posts_arrived;
    uint32_t data_issued;             /* operations over all epochs */
    struct op_queue queue;            /* operations and notifications that wait for the post */
    uint32_t open : 1;                /* the origin's current access epoch names the target */
    uint32_t closing : 1;             /* and its complete has begun: held operations leave */
    uint32_t awaited : 1;             /* the origin's start, complete or operation waits for the post */
    uint32_t awaited_before : 1;      /* the origin's complete waits for the post of an earlier epoch */
    uint32_t unflushed : 1;           /* puts or gets were issued since the last query */
    uint32_t target_waits : 1;        /* the target has said that it waits for the next notification (protocol.wait) */
    uint32_t notified : 1;            /* the notification of the current access epoch has left */
    uint32_t uncleared : 25;          /* operations whose data wait for the clear to send, or that must be acknowledged first */
    int64_t last_op_exit_ps;          /* in the current access epoch, TRACE_UNKNOWN_PS: none yet */
    int64_t post_enter_ps[2];

    /* At the target. */
    _Alignas(LINE_BYTES) uint32_t target_member;
    uint32_t exposures, completes_arrived, epochs_done;
    uint32_t answers; /* at the origin: gets and acknowledgements that complete waits for before it notifies */
    uint32_t data_arrived, data_expected[2]; /* operations over all epochs whose time of effect is known */
    int64_t complete_enter_ps[2], complete_last_op_ps[2];
};

enum { ROLE_FEW = 4 };
struct role { /* origin or target of start/post epochs: the pairs of the group last used */
    uint32_t group, pair_count;
    union {
        uint32_t few[ROLE_FEW]; /* used for groups up to that size */
        uint32_t *many;
    };
};

static inline const uint32_t *role_pairs(const struct role *role)
{
    return role->pair_count <= ROLE_FEW ? role->few : role->many;
}

/* One rank's side of one window. Other members of few programs are in arrays of their own, by the same index:
 * replay.all_locks, .held, .incoming, and the lock queue of the target, private to lock.c. */
struct member {
    /* access epoch by start */
    _Alignas(LINE_BYTES) struct role access;
    struct access open; /* of start and of fences */
    int64_t start_exit_ps;
    uint32_t missing_posts;
    uint32_t rank;
    int32_t window;
    bool access_open, nocheck, exposed;
    bool fence_open : 1, created : 1;
    bool posted : 1;      /* all posts of the access epoch have arrived or are not needed: queued operations leave */
    bool all_nocheck : 1; /* lock_all, as origin */
    bool in_wait : 1;     /* the wait of the exposure epoch waits for notifications */

    /* exposure epoch by post */
    struct role exposure;
    int64_t last_effect_ps; /* by then the puts that were sent have arrived, and the gets that are read have left */
    uint32_t pending_origins, missing_completes; /* epochs that have not ended; missing notifications */
    uint32_t last_completer; /* pair of the latest complete that the wait waited for; NO_INDEX: none */
    uint32_t missing_before; /* posts of earlier epochs that complete waits for */
    int64_t awaited_post_ps; /* enter of the latest post that the call waited for, TRACE_UNKNOWN_PS: none */
    uint32_t sync_instance; /* of creations, fences and freeing */
};
_Static_assert(sizeof(struct member) == 2 * LINE_BYTES, "a million ranks have a million of them");

/* fences that wait for incoming: operations towards a member in the epochs after one sync instance. */
struct incoming {
    uint32_t issued, arrived;
    int64_t latest_ps; /* when the last one that arrived takes effect there */
};

/* query_connected: the targets that may need a query by the next call that completes all of the window. */
struct called {
    uint32_t targets; /* to which puts or gets were called since they, or all, were last asked; of start and fence 1 for all */
    uint32_t round;   /* the number of calls that completed all since targets was 0; a lock epoch keeps that of its last call */
};

/* fences that query: the targets of one member's fence epochs, by the order of their ranks in the communicator. */
struct fence_targets {
    struct fence_target {
        uint32_t member, answers; /* puts and gets that are not complete */
    } *items;
    size_t count, capacity;
};

struct window_state {
    bool whole;            /* its communicator has all ranks in their order */
    uint32_t first_member; /* index of the communicator's rank 0 in replay.members */
    int64_t latest_enter_ps[2];
    uint32_t latest_instance[2];
};

#endif
