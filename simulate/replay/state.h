/* The state of ranks, messages and requests that the services of simulate/replay/ share. Not for use outside
 * simulate/replay/, simulate/windows/ and the rooms of the drivers. */
#ifndef SIMULATE_REPLAY_STATE_H
#define SIMULATE_REPLAY_STATE_H

#include "common/map.h"
#include "simulate/engine/lines.h"
#include "simulate/mailbox/mailbox.h"
#include "simulate/plans/collectives.h"
#include "simulate/replay/pool.h"
#include "simulate/replay/replay.h"

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
    const int64_t *compute_ps; /* of the trace, NULL: the times between its calls */
    uint32_t last_member;      /* of its last post or start; NO_INDEX: none yet */
    uint32_t lock_list;        /* open lock epochs as origin */
    uint32_t serve_first;      /* the first message that waits for progress */
    bool inside;               /* in MPI, for progress = call */
    bool in_barrier;           /* blocks in a barrier, if it blocks */
    int64_t lacked_until_ps;   /* of this call: the end of Lock Contention or Late Post; before its enter: none */
};
_Static_assert(sizeof(struct rank_state) == 2 * LINE_BYTES, "who visits a rank touches two cache lines");

/* Members that few programs use: pages that nobody writes take no memory. */
struct rank_rare {
    uint32_t *requests; /* request id -> index in replay.requests; NULL: none used */
    struct map *far_requests; /* the same for ids much larger than the number of calls; NULL: none used */
    uint32_t request_limit;
    uint32_t serve_last;    /* valid where rank_state.serve_first is not NO_INDEX */
    int64_t buffered_bytes; /* d: copied or being copied, and not left yet; kept where the buffer is limited */
    /* of this call: last arrival, last service; not with progress hardware */
    int64_t progress_from_ps, progress_until_ps;
};

/* In rank_rare.requests and far_requests. NO_INDEX: not made yet. */
#define REQUEST_GONE (NO_INDEX - 1)

/* A group that has dissemination barriers: the members of a communicator, or of a window. */
struct quick_barrier {
    const struct trace_comm *comm;
    uint32_t first; /* of its barriers in replay.barriers, by communicator rank */
    uint32_t first_count, rounds; /* in replay.barrier_counts: one count per barrier and round */
};

/* Dissemination barrier of one member. Messages of each round are counted over all instances, modulo 256: no member is
 * ever more than one instance ahead of another. */
struct barrier {
    uint32_t instance;
    uint32_t quick_barrier;
    uint32_t tasks; /* non-blocking collectives begun so far by this rank of the communicator */
    uint8_t round;
    bool sent;
};

struct request { /* of a send or receive, or the call itself if blocking */
    uint32_t rank, thread; /* thread: the one that waits */
    bool done, awaited, receive;
    bool hidden;  /* of a collective: released when done */
    bool of_task; /* of a non-blocking one: rank is the task */
};

/* One message between two ranks: matched by (context, source, destination, tag) and order. */
struct envelope {
    uint32_t source, destination;
    int64_t bytes;
    uint32_t send_request, receive_request; /* NO_INDEX: that side is not there yet, or needs no completion */
    uint32_t next;
    uint8_t mode;         /* enum send_protocol */
    bool sent, posted;    /* each side is there */
    bool arrived;         /* eager data, or the request to send */
    bool left, delivered; /* rendezvous data */
};

/* A non-blocking collective of one rank. */
struct coll_task {
    uint32_t rank, comm, request; /* request: the program's */
    uint32_t step, missing;       /* as those of a rank in a blocking one */
    uint32_t instance;            /* distinguishes its messages from others on the communicator */
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
    MESSAGE_TOGETHER,        /* several puts to one target in one message */
    MESSAGE_TOGETHER_SERVED, /* accumulates and gets are among them */
    MESSAGE_TOGETHER_GETS,   /* only gets */
    MESSAGE_TOGETHER_REPLY,
    MESSAGE_LOCK_ASK,
    MESSAGE_LOCK_GRANT,
    MESSAGE_LOCK_RELEASE,
    MESSAGE_LOCK_RELEASED, /* the target knows of the release */
    MESSAGE_FLUSH_ASK,     /* follows the data of its pair, or of its lock */
    MESSAGE_PAIR_FLUSHED,
    MESSAGE_LOCK_FLUSHED,
    MESSAGE_FENCE_FLUSHED,
    MESSAGE_BARRIER,
    MESSAGE_EAGER,
    MESSAGE_SEND_ASK, /* rendezvous of a send */
    MESSAGE_SEND_CLEAR,
    MESSAGE_SEND_DATA,
    MESSAGE_SEND_PUT,    /* rendezvous = notified: data whose storing the receiver acknowledges */
    MESSAGE_SEND_STORED, /* that acknowledgement */
    MESSAGE_SEND_NOTICE, /* the sender notifies the receiver that all data are there */
    MESSAGE_SEND_ACK, /* of a small synchronous send */
    MESSAGE_SHMEM_ASK, /* of an OpenSHMEM lock */
    MESSAGE_SHMEM_GRANT,
    MESSAGE_SHMEM_RELEASE,
    MESSAGE_TASK,     /* never sent: a collective goes on when its rank is inside MPI */
    MESSAGE_TYPE_COUNT,
};

/* What a timer's id carries, by its upper bits. */
enum timer_kind {
    TIMER_RANK,
    TIMER_OP,       /* an accumulate has been applied */
    TIMER_MESSAGE,  /* a helper thread serves it */
    TIMER_ENVELOPE, /* rendezvous data have left */
    TIMER_REQUEST,  /* a one-sided operation's data have left */
    TIMER_ROOM,     /* buffered data have left */
    TIMER_THREAD,   /* of a rank with several: TIMER_RANK */
    TIMER_POLL,     /* such a thread is advanced again */
    TIMER_KIND_COUNT,
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
    uint16_t thread;
    bool used;
};

struct thread_name {
    uint32_t rank, thread;
};

struct thread_costs {
    int64_t create_ps, start_ps, join_ps, lock_ps, unlock_ps, barrier_ps;
};

/* simulate/replay/driver.h */
struct call_driver;
struct call_step;
struct message_row;
struct timer_row;

/* simulate/windows/ */
struct window_state;
struct window_mode;
struct member;
struct pair;
struct watches;

struct shmem;      /* simulate/shmem/shmem.c */
struct agreements; /* simulate/replay/collective_matching.c */
struct coll_calls; /* simulate/plans/collectives.h */

struct replay {
    const struct trace *trace;
    const struct platform *platform; /* part */
    struct platform part; /* the caller's, without the nodes behind the last one that has a rank; it borrows all else */
    const struct engine_descriptor *engine_kind;
    struct engine *engine;
    struct mailbox mailbox;
    const struct call_driver *const *drivers; /* NULL-terminated */
    const struct call_step *steps[CALL_KIND_COUNT]; /* NULL: nobody replays it */
    const struct call_driver *driver_of[CALL_KIND_COUNT];
    const struct message_row *messages_of[MESSAGE_TYPE_COUNT];
    uint8_t servers[MESSAGE_TYPE_COUNT]; /* enum progress_mode, or SERVER_BY_BYTES */
    const struct timer_row *timers_of[TIMER_KIND_COUNT];
    void (*prefetch)(const struct replay *, uint32_t rank, const struct engine_note *, enum engine_distance,
                     struct prefetch_lines *);
    struct replay_outcome *outcome;
    const struct replay_options *options; /* of the caller */
    /* report_at: calls_done at which options->progress is called next; 0: never */
    uint64_t calls_done, report_at;
    struct trace *made;                   /* the predicted trace, or NULL */
    /* of calls: the predicted trace needs them, or Wait for Progress is counted */
    bool notes_exits;
    int64_t now_ps;
    int64_t arrival_ps; /* of the message that on_arrived handles: now, or later for data of an active epoch */
    int64_t overhead_ps, thread_delay_ps;
    struct shmem *shmem;     /* NULL: no symmetric memory */
    /* whether the rank's operations on symmetric memory are complete; NULL: there is none */
    bool (*is_quiet)(struct replay *, uint32_t rank);
    struct watches *watches; /* the same */
    struct agreements *agreements; /* NULL: no collective has been called */
    enum status (*task_received)(struct replay *, uint32_t task); /* a request of a non-blocking collective is done */
    struct coll_calls **coll_calls; /* by communicator, made when first asked for */
    struct thread_costs thread_costs;
    struct thread_name *thread_names; /* of ranks with several threads, by id in timers */
    bool hardware;           /* NICs serve everything */
    bool needs_call;         /* something is served only while its rank is inside MPI */
    bool complete_remote;    /* MPI_Win_complete waits for acknowledgements */
    bool acknowledges_puts;  /* of active epochs */
    bool plain_puts;         /* puts of active epochs need no struct op */
    bool answers_apart;      /* each answer is a message of its own and acts as it arrives, or when its rank waits */
    bool acknowledges_all;   /* puts and accumulates of active epochs that complete waits for */
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
    /* fence = notify: per member and fence & 1, when the last counted operation towards it takes effect there; NULL: no
     * window has such fences */
    int64_t *incoming_latest_ps;
    struct map fence_answers; /* flush = requested: per member and target the puts and gets of fence epochs that are not
                                 complete */
    int64_t *server_free_ps; /* per rank: when it can apply the next accumulate */
};

static inline struct rank_rare *replay_rare(const struct replay *replay, const struct rank_state *rank)
{
    return &replay->rare[rank - replay->ranks];
}

/* The least number of messages that bring so many answers. */
static inline uint32_t replay_least_messages(const struct replay *replay, uint32_t answers)
{
    return replay->answers_apart ? answers : 1;
}

/* Index in replay.requests of the program's request `id`; NO_INDEX or REQUEST_GONE: none. */
static inline uint32_t replay_request_index(const struct replay *replay, const struct rank_state *rank, uint32_t id)
{
    const struct rank_rare *rare = replay_rare(replay, rank);
    if (id < rare->request_limit) return rare->requests[id];
    const uint64_t *far = rare->far_requests ? map_find(rare->far_requests, id) : NULL;
    return far ? (uint32_t)*far : NO_INDEX;
}

#endif
