/* The state of a rank: where it is in its calls, and what it waits for. */
#ifndef SIMULATE_REPLAY_RANK_H
#define SIMULATE_REPLAY_RANK_H

#include "common/map.h"
#include "simulate/engine/lines.h"
#include "trace/trace.h"

#define NO_INDEX UINT32_MAX

enum rank_status { RANK_COMPUTING, RANK_RUNNING, RANK_BLOCKED, RANK_PAUSED, RANK_DONE };

struct threads; /* simulate/replay/thread.h */

/* Members that are used together share a cache line, here and in struct pair and struct member. */
struct rank_state {
    /* Of the loaded thread, up to `calls` (WALK_BYTES in replay/thread.c). */
    _Alignas(LINE_BYTES) size_t next;
    int64_t enter_ps, resume_ps;
    int64_t busy_ps; /* time in this call that is no waiting: overhead, copies */
    uint8_t status, phase;
    bool overlap, paid; /* of a collective's current step */
    uint32_t thread;
    union {
        uint32_t step;    /* of a collective's plan */
        uint32_t barrier; /* valid where `in_barrier`: the barrier in which it blocks */
    };
    uint32_t missing;  /* requests that a wait or a collective step still needs */
    uint32_t need;     /* with STEP_BLOCK: at least so many messages must arrive before; 0: one */
    uint32_t received; /* messages that a wait or a collective step received: each costs overhead */
    /* Of the rank. */
    const struct trace_call *calls;

    size_t count;
    int64_t end_ps; /* exit of the last call that returned */
    double stretch; /* simulated computing time per recorded computing time */
    struct threads *threads;   /* NULL: one thread and no thread primitives */
    bool plain_gaps; /* the time between two calls is computing, and takes stretch times as long */
    uint32_t last_member;      /* of its last post or start; NO_INDEX: none yet */
    uint32_t lock_list;        /* open lock epochs as origin */
    uint32_t serve_first;      /* the first message that waits for progress */
    bool inside;               /* in MPI, for progress = call */
    bool served;               /* of this call: it has been inside */
    bool unread;               /* of this call: its message has arrived, and has to be read */
    bool in_barrier;           /* blocks in a barrier, if it blocks */
    int64_t lacked_until_ps;   /* of this call: until then more than progress was missing (progress.c); before its enter: none */
};
_Static_assert(sizeof(struct rank_state) == 2 * LINE_BYTES, "who visits a rank touches two cache lines");

/* Members that few programs use: pages that nobody writes take no memory. */
struct rank_rare {
    uint32_t *requests; /* request id -> index in core.requests; NULL: none used */
    struct map *far_requests; /* the same for ids much larger than the number of calls; NULL: none used */
    uint32_t request_limit;
    uint32_t serve_last;    /* valid where rank_state.serve_first is not NO_INDEX */
    int64_t lingers_until_ps; /* what arrives before is served (core.lingers) */
    int64_t poll_at_ps;       /* when its call polls next for what waits; TRACE_UNKNOWN_PS: not planned */
    int64_t polled_ps;        /* when its last call that served returned */
    int64_t paused_from_ps;   /* when its last call that ends a pause returned (mpi.pause) */
    bool ends_pause;          /* the call does that */
    bool issues_queue;        /* by a grant; it is woken behind the last operation, not by a request that is done before */
    uint32_t visits;          /* how often it has begun to serve */
    /* of this call: last arrival, last service; not with progress hardware */
    int64_t progress_from_ps, progress_until_ps;
};

#endif
