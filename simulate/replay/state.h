/* What the replay core knows of ranks, windows, messages and requests: the state that the steps of all calls
 * share (simulate/replay/core.h). Not for use outside simulate/replay/ and the rooms of its calls. */
#ifndef SIMULATE_REPLAY_STATE_H
#define SIMULATE_REPLAY_STATE_H

#include "common/map.h"
#include "simulate/collectives/collectives.h"
#include "simulate/engine/lines.h"
#include "simulate/replay/replay.h"
#include "simulate/rma/window_modes.h"

#define NO_INDEX UINT32_MAX

enum rank_status { RANK_COMPUTING, RANK_RUNNING, RANK_BLOCKED, RANK_PAUSED, RANK_DONE };

struct threads; /* simulate/threads/thread.h */

/* Members that are used together share a cache line, here and in struct pair and struct member. */
struct rank_state {
    /* Of the thread that is loaded; up to `calls` (WALK_BYTES in threads/thread.c). */
    _Alignas(LINE_BYTES) size_t next;
    int64_t enter_ps, resume_ps;
    int64_t busy_ps; /* time in this call that was no waiting: overhead, copies */
    uint8_t status, phase;
    bool overlap, paid; /* of a collective's current step */
    uint32_t thread;
    union {
        uint32_t step;    /* of a collective's plan */
        uint32_t barrier; /* in which it blocks, where `meets` */
    };
    uint32_t missing;  /* what a wait on requests or a collective step still needs */
    uint32_t need;     /* with STEP_BLOCK: at least so many messages must arrive first; 0: one */
    uint32_t received; /* messages that a wait or a collective step took in: each costs overhead */
    /* Of the rank. */
    const struct trace_call *calls;

    size_t count;
    int64_t end_ps; /* exit of the last call that returned */
    double stretch; /* simulated computing time per recorded computing time */
    struct threads *threads;   /* NULL: one thread and no thread primitives */
    const int64_t *compute_ps; /* of the trace, NULL: the times between its calls */
    uint32_t last_member;      /* of its last post or start; NO_INDEX: none yet */
    uint32_t lock_list;        /* open lock epochs as origin */
    uint32_t serve_first;      /* of the messages that wait for progress */
    bool inside;               /* in MPI, for progress = call */
    bool meets;                /* blocks in a barrier, if it blocks */
    int64_t contended_until_ps; /* of this call: Lock Contention's end, or earlier than its enter */
};
_Static_assert(sizeof(struct rank_state) == 2 * LINE_BYTES, "who visits a rank touches two cache lines");

/* What few programs use of a rank: pages of these that nobody touches take no memory. */
struct rank_rare {
    uint32_t *requests; /* request id -> index in replay.requests; NULL: none used */
    struct map *far_requests; /* the same of ids far beyond the number of the rank's calls; NULL: none used */
    uint32_t request_limit;
    uint32_t serve_last;    /* of use where rank_state.serve_first is something */
    int64_t buffered_bytes; /* d: copied, or being copied, and not left yet; counted where the buffer is limited */
    int64_t progress_from_ps, progress_until_ps; /* of this call: arrived, and served, last; not with progress hardware */
};

/* In rank_rare.requests and far_requests. NO_INDEX: not made yet. */
#define REQUEST_GONE (NO_INDEX - 1)

/* One origin and one target on one window, counting epochs as patterns.md pairs them: the n-th access epoch of the
 * origin that names the target belongs to the n-th exposure epoch of the target that names the origin. Arrays indexed n
 * & 1: a target never opens exposure n + 2 before the origin's epoch n + 1 has begun. */
struct pair {
    /* At the origin. */
    _Alignas(LINE_BYTES) uint32_t origin;
    uint32_t target;
    int32_t window;
    uint32_t origin_member; /* in replay.members */
    uint32_t accesses, posts_arrived;
    uint32_t data_issued;             /* operations over all epochs */
    uint32_t queue_first, queue_last; /* operations and notifications that wait for the post */
    uint32_t open : 1;                /* the origin's current access epoch names the target */
    uint32_t closing : 1;             /* and its complete has begun: held operations leave */
    uint32_t awaited : 1;             /* the start, complete or operation that the origin is in waits for the post */
    uint32_t awaited_before : 1;      /* the complete that it is in waits for the post of an epoch before */
    uint32_t unflushed : 1;           /* puts or gets since the last request to flush (mpi.rma.protocol.flush) */
    uint32_t uncleared : 27;          /* operations whose data wait for the clear to send, or that must be acknowledged first */
    int64_t last_op_exit_ps;          /* in the current access epoch, TRACE_UNKNOWN_PS: none yet */
    int64_t post_enter_ps[2];

    /* At the target. */
    _Alignas(LINE_BYTES) uint32_t target_member;
    uint32_t exposures, completes_arrived, epochs_done;
    uint32_t answers; /* at the origin: gets and acknowledgements that its complete waits for, where they hold its notification */
    uint32_t data_arrived, data_expected[2]; /* operations over all epochs of which the time of their effect is known */
    int64_t complete_enter_ps[2], complete_last_op_ps[2];
};

/* Who meets in dissemination barriers: the members of a communicator, or of a window. */
struct quick_barrier {
    const struct trace_comm *comm;
    uint32_t first; /* of its barriers in replay.barriers, by communicator rank */
    uint32_t first_count, rounds; /* in replay.barrier_counts: for each barrier one of each round, and its end's */
};

/* Dissemination barrier of one member. Messages of each round are counted over all instances, modulo 256: no member is
 * ever more than one instance ahead of another. */
struct barrier {
    uint32_t instance;
    uint32_t quick_barrier;
    uint32_t tasks; /* non-blocking collectives begun so far by this rank of the communicator */
    uint8_t round;
    bool sent;
    bool meets; /* the engine goes through the rounds */
};

enum { ROLE_FEW = 4 };
struct role { /* origin or target of start/post epochs: the pairs of the group last used */
    uint32_t group, pair_count;
    union {
        uint32_t few[ROLE_FEW]; /* if there are no more */
        uint32_t *many;
    };
};

static inline const uint32_t *role_pairs(const struct role *role)
{
    return role->pair_count <= ROLE_FEW ? role->few : role->many;
}

struct all_locks {
    /* Those whose operations may not all be complete, once each, by lock_epoch.next: what a flush of all looks at. */
    uint32_t busy_first, busy_last;
    uint32_t thread;          /* that called MPI_Win_lock_all */
    bool returned, unlocking; /* MPI_Win_lock_all has; MPI_Win_unlock_all has begun */
    uint32_t unanswered;      /* releases under way whose answers are awaited */
    uint32_t locks[]; /* per rank of the communicator its lock epoch, NO_INDEX: none yet */
};

/* One rank's side of one window. */
struct member {
    /* access epoch by start */
    _Alignas(LINE_BYTES) struct role access;
    int64_t last_left_ps, start_exit_ps;
    uint32_t missing_posts, lefts, gets;
    uint32_t rank;
    int32_t window;
    bool access_open, nocheck, exposed;
    bool fence_open : 1, created : 1;
    bool posted : 1; /* the posts of the whole access epoch have come, or need not: what is queued for them leaves */
    bool exclusive_held : 1, all_nocheck : 1; /* lock, as target; lock_all, as origin */
    bool in_wait : 1;                         /* the exposure epoch's wait waits for notifications */

    /* exposure epoch by post */
    struct role exposure;
    int64_t last_effect_ps; /* the puts that are on their way have arrived, the gets being read have left */
    uint32_t pending_origins, missing_completes; /* epochs that have not ended; notifications that are missing */
    /* fence */
    uint32_t fence_outstanding, fence_instance;
    uint32_t held_first, held_last; /* issue = deferred: operations until the closing fence */
    uint32_t sync_instance;         /* create, fence, free: for Wait at ... */
    uint32_t shared_holders;        /* lock, as target */

    int64_t unlock_exit_ps[2];      /* last exit of the unlocks released here: [shared, exclusive] */

    struct all_locks *all; /* lock_all, as origin; NULL: not open. Owned */
    uint32_t incoming_issued[2], incoming_arrived[2]; /* fence = notify: operations towards this rank, per fence & 1 */
    uint32_t queue_first, queue_last; /* lock, as target */
    int64_t awaited_post_ps; /* enter of the latest post that the call has waited for, TRACE_UNKNOWN_PS: none */
    uint32_t missing_before; /* posts of epochs before the current one that complete waits for */
    uint32_t last_completer; /* pair of the latest complete that the wait has waited for; NO_INDEX: none */
};
_Static_assert(sizeof(struct member) == 3 * LINE_BYTES, "a million ranks have a million of them");

struct window_state {
    bool whole;            /* its communicator has all ranks in their order */
    uint32_t first_member; /* index of the communicator's rank 0 in replay.members */
    int64_t latest_enter_ps[2];
    uint32_t latest_instance[2];
};

enum op_epoch { OP_ACTIVE, OP_FENCE, OP_LOCK };

/* A put, get or accumulate on its way, or a complete notification in a pair's queue. */
struct op {
    uint32_t origin, target, member, pair, lock; /* pair or lock by epoch kind, else NO_INDEX */
    uint32_t next;                               /* in a queue, or the free list */
    size_t call;                                 /* index in the origin's calls */
    union {
        struct {
            int64_t bytes, began_ps;
        };
        struct { /* notification */
            int64_t complete_enter_ps, last_op_ps;
        };
    };
    uint32_t data_expected; /* notification */
    uint32_t epoch;         /* access number of the pair, or fence instance */
    uint8_t kind;           /* enum call_kind; CALL_COMPLETE: a notification */
    uint8_t epoch_kind;     /* enum op_epoch */
    bool counts_left;       /* complete waits for its last byte to leave */
    bool group;             /* leaves when the posts of the whole access epoch have come */
    uint32_t request;       /* that its local completion ends, or NO_INDEX */
    bool buffered;          /* gives its bytes back to the rank's buffer when they have left */
    bool together;          /* heads a chain (by next) that travels in one message */
};

struct lock_epoch {
    uint32_t origin, target, member; /* member: the origin's side of the window */
    uint32_t next;                   /* of the origin's open ones, of lock_all's busy ones, or the free list */
    uint32_t next_waiting;           /* in the target's queue */
    bool exclusive, nocheck, asked, granted;
    bool of_all;           /* of lock_all */
    bool busy;             /* in its list of busy ones */
    bool awaited;          /* the origin's rank does nothing until it is granted */
    bool queued;           /* in the target's queue */
    bool waits;            /* in the target's queue, behind holders */
    bool returned;         /* MPI_Win_lock has */
    bool unlocking;        /* MPI_Win_unlock has begun */
    bool releasing;        /* its release is under way, and the target's answer is awaited */
    bool answered;         /* that has come */
    bool unflushed;        /* puts or gets since the last request to flush */
    bool flushing;         /* a flush waits for the grant: it asks then */
    int64_t held_until_ps; /* by others, incompatibly, as of the grant: the last exit of their unlocks */
    int64_t unlock_exit_ps;
    uint32_t outstanding, queue_first, queue_last;
    uint32_t leaves_to;   /* issue = deferred: the last of those in the queue that may leave, NO_INDEX: none may */
    uint32_t lefts;       /* operations that are not yet complete at the origin */
    uint32_t thread;      /* of the origin, that called MPI_Win_lock */
    int64_t last_left_ps; /* those that are, from then on */
};

/* Room in an origin's buffer that comes free at a moment known before. */
struct room {
    uint32_t rank, next;
    int64_t bytes;
};

struct request { /* of a send or receive, or the call itself if blocking */
    uint32_t rank, thread; /* thread: who waits */
    bool done, awaited, receive;
    bool hidden;  /* of a collective: released when done */
    bool of_task; /* of a non-blocking one: rank is the task */
};

/* One message between two ranks: matched by (context, source, destination, tag) and order. */
struct envelope {
    uint32_t source, destination;
    int64_t bytes;
    uint32_t send_request, receive_request; /* NO_INDEX: that side is not there yet, or wants no notice */
    uint32_t next;
    uint8_t mode;         /* enum send_protocol */
    bool sent, posted;    /* each side has come */
    bool arrived;         /* eager data, or the request to send */
    bool left, delivered; /* rendezvous data */
};

/* A non-blocking collective of one rank on its way. */
struct coll_task {
    uint32_t rank, comm, request; /* request: the program's */
    uint32_t step, missing;       /* as of a rank in a blocking one */
    uint32_t instance;            /* tells its messages from those of others on the communicator */
    uint32_t next;
    bool overlap;
    struct coll_shape shape;
};

enum message_type {
    MESSAGE_POST,
    MESSAGE_COMPLETE,
    MESSAGE_DATA,
    MESSAGE_PUT, /* the data of a plain put: of an active epoch, issued in its call, without a request */
    MESSAGE_ACK,
    MESSAGE_GET_REQUEST,
    MESSAGE_GET_REPLY,
    MESSAGE_ACCUMULATE,
    MESSAGE_FETCH,   /* get_accumulate and the like: its data */
    MESSAGE_RMA_ASK, /* rendezvous of a large put */
    MESSAGE_RMA_CLEAR,
    MESSAGE_TOGETHER,        /* puts to one target in one message */
    MESSAGE_TOGETHER_SERVED, /* accumulates and gets among them */
    MESSAGE_TOGETHER_GETS,   /* nothing but gets */
    MESSAGE_TOGETHER_REPLY,
    MESSAGE_LOCK_ASK,
    MESSAGE_LOCK_GRANT,
    MESSAGE_LOCK_RELEASE,
    MESSAGE_LOCK_RELEASED, /* the target knows of the release */
    MESSAGE_FLUSH_ASK,     /* behind the data of its pair, or of its lock */
    MESSAGE_PAIR_FLUSHED,
    MESSAGE_LOCK_FLUSHED,
    MESSAGE_FENCE_FLUSHED,
    MESSAGE_BARRIER,
    MESSAGE_EAGER,
    MESSAGE_SEND_ASK, /* rendezvous of a send */
    MESSAGE_SEND_CLEAR,
    MESSAGE_SEND_DATA,
    MESSAGE_SEND_PUT,    /* rendezvous = notified: data whose storing the receiver acknowledges */
    MESSAGE_SEND_STORED, /* that */
    MESSAGE_SEND_NOTICE, /* the sender tells the receiver that all is there */
    MESSAGE_SEND_ACK, /* of a small synchronous send */
    MESSAGE_SHMEM_ASK, /* of an OpenSHMEM lock */
    MESSAGE_SHMEM_GRANT,
    MESSAGE_SHMEM_RELEASE,
    MESSAGE_TASK,     /* never sent: a collective that goes on when its rank is inside MPI */
};

struct waiting_message { /* for progress */
    struct engine_note message;
    uint32_t next;
    int64_t arrived_ps;
};

struct channel {
    uint32_t context, source, destination;
    int32_t tag;
    uint32_t first, last; /* envelopes of which one side is missing; all of the same side */
    bool used;
};

struct thread_name {
    uint32_t rank, thread;
};

struct thread_costs {
    int64_t create_ps, start_ps, join_ps, lock_ps, unlock_ps, barrier_ps;
};

struct shmem; /* simulate/shmem/shmem.h */
struct agreements; /* simulate/replay/collective_matching.c */
struct coll_calls; /* simulate/collectives/collectives.h */

#define POOL(type, name)                                                                                               \
    struct type *name##s;                                                                                              \
    size_t name##_count, name##_capacity;                                                                              \
    uint32_t free_##name

struct replay {
    const struct trace *trace;
    const struct platform *platform; /* part */
    struct platform part; /* the caller's, without the nodes behind the last one that has a rank; it borrows all else */
    const struct engine_descriptor *engine_kind;
    struct engine *engine;
    struct replay_outcome *outcome;
    const struct replay_options *options; /* of the caller */
    uint64_t calls_done, report_at;       /* report_at: options->progress is told then; 0: never */
    struct trace *made;                   /* the predicted trace, or NULL */
    bool notes_exits;                     /* of calls: there is one, or progress is accounted for */
    int64_t now_ps;
    int64_t arrival_ps; /* of the message that on_arrived handles: now, or later for data of an active epoch */
    int64_t overhead_ps, thread_delay_ps;
    struct shmem *shmem; /* NULL: no symmetric memory */
    struct agreements *agreements; /* NULL: no collective has been called */
    struct coll_calls **coll_calls; /* by communicator, made when first asked for */
    struct thread_costs thread_costs;
    struct thread_name *thread_names; /* of ranks with several threads, by id in timers */
    bool hardware;           /* NICs serve everything */
    bool needs_call;         /* something is served only while its rank is inside MPI */
    bool complete_remote;    /* MPI_Win_complete waits for acknowledgements */
    bool acknowledges_puts;  /* of active epochs */
    bool plain_puts;         /* puts of active epochs need no struct op */
    bool answers_late;       /* an answered message need not act at its moment (replay/message.c) */
    bool counts;             /* barriers' messages are sent by count() */
    bool deferred;           /* operations are held until the closing call */
    uint32_t counter; /* of the barrier that the rank blocks in; ENGINE_NO_COUNTER: in something else */
    bool failed;
    struct err *err;
    struct rank_state *ranks;
    struct rank_rare *rare; /* by rank */
    int32_t *nodes; /* by rank */
    uint32_t done_count;
    bool init_is_barrier, finalize_is_barrier;
    struct window_state *windows;
    struct window_mode *modes; /* by window */
    struct quick_barrier *quick_barriers; /* of communicators, then of windows */
    struct member *members;
    size_t member_count;
    struct barrier *barriers; /* those of windows as replay.members */
    size_t barrier_count, first_window_barrier;
    uint8_t *barrier_counts;
    struct map pair_index;
    struct pair *pairs;
    size_t pair_count, pair_capacity;
    POOL(op, op);
    POOL(lock_epoch, lock_epoch);
    POOL(request, request);
    POOL(envelope, envelope);
    POOL(waiting_message, message);
    POOL(coll_task, task);
    POOL(room, room);
    struct channel *channels;
    size_t channel_count, channel_capacity;
    int64_t *incoming_latest_ps; /* fence = notify: per member and fence & 1, when the last operation towards it that is
                                    counted takes effect there; NULL: no window has such fences */
    struct map fence_answers; /* flush = requested: per member and target the puts and gets of fence epochs that are not complete */
    int64_t *server_free_ps; /* per rank: when it can apply the next accumulate */
};

static inline struct rank_rare *replay_rare(const struct replay *replay, const struct rank_state *rank)
{
    return &replay->rare[rank - replay->ranks];
}

/* In replay.requests, of the program's request `id`; NO_INDEX or REQUEST_GONE: none. */
static inline uint32_t replay_request_index(const struct replay *replay, const struct rank_state *rank, uint32_t id)
{
    const struct rank_rare *rare = replay_rare(replay, rank);
    if (id < rare->request_limit) return rare->requests[id];
    const uint64_t *far = rare->far_requests ? map_find(rare->far_requests, id) : NULL;
    return far ? (uint32_t)*far : NO_INDEX;
}

#endif
