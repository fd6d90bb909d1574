/* Inside the replay core: the state that the state machines of all calls share. Not for use outside simulate/replay*.c.
 *
 * A rank computes until its next call, enters it and is advanced by the call's step function, which looks at the state,
 * acts, and says what it waits for. Messages change the state and wake the rank concerned; its step function then looks
 * again. Nothing else moves time. */
#ifndef SIMULATE_REPLAY_CORE_H
#define SIMULATE_REPLAY_CORE_H

#include "common/map.h"
#include "simulate/collectives.h"
#include "simulate/lines.h"
#include "simulate/replay.h"
#include "simulate/window_modes.h"

#define NO_INDEX UINT32_MAX

/* What a step function says. */
enum step {
    STEP_BLOCK, /* look again when woken */
    STEP_AGAIN, /* look again at once: the phase has changed */
    STEP_PAUSE, /* look again at rank.resume_ps */
    STEP_EXIT,  /* the call returns at rank.resume_ps, now or later */
    STEP_FAIL,  /* replay.err is set */
};

enum rank_status { RANK_COMPUTING, RANK_RUNNING, RANK_BLOCKED, RANK_PAUSED, RANK_DONE };

/* The last phase of every call: it only waits for its own exit time. */
enum { PHASE_LEAVE = 255 };

struct threads; /* simulate/replay_thread.h */

/* Members that are used together share a cache line, here and in struct pair and struct member. */
struct rank_state {
    /* Of the thread that is loaded; up to `calls` (WALK_BYTES in replay_thread.c). */
    _Alignas(LINE_BYTES) size_t next;
    int64_t enter_ps, resume_ps;
    int64_t busy_ps; /* time in this call that was no waiting: overhead, copies */
    uint8_t status, phase;
    bool overlap, paid; /* of a collective's current step */
    uint32_t thread;
    uint32_t step;     /* of a collective's plan */
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
    int64_t contended_until_ps; /* of this call: Lock Contention's end, or earlier than its enter */
};
_Static_assert(sizeof(struct rank_state) == 2 * LINE_BYTES, "who visits a rank touches two cache lines");

/* What few programs use of a rank: pages of these that nobody touches take no memory. */
struct rank_rare {
    uint32_t *requests; /* request id -> index in replay.requests; NULL: none used */
    uint32_t request_limit;
    uint32_t serve_last;    /* of use where rank_state.serve_first is something */
    int64_t buffered_bytes; /* d: copied, or being copied, and not left yet; counted where the buffer is limited */
    int64_t progress_from_ps, progress_until_ps; /* of this call: arrived, and served, last; not with progress hardware */
};

/* In rank_rare.requests. NO_INDEX: not made yet. */
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
    bool open;                        /* the origin's current access epoch names the target */
    bool closing;                     /* and its complete has begun: held operations leave */
    int64_t last_op_exit_ps;          /* in the current access epoch, TRACE_UNKNOWN_PS: none yet */
    int64_t post_enter_ps[2];

    /* At the target. */
    _Alignas(LINE_BYTES) uint32_t target_member;
    uint32_t exposures, completes_arrived, epochs_done;
    uint32_t data_arrived, data_expected[2]; /* operations over all epochs of which the time of their effect is known */
    int64_t complete_enter_ps[2], complete_last_op_ps[2];
};

/* Dissemination barrier of one member. Messages of each round are counted over all instances, modulo 256: no member is
 * ever more than one instance ahead of another. */
struct barrier {
    uint32_t instance;
    uint16_t round;
    bool sent;
    uint32_t tasks;       /* non-blocking collectives begun so far by this rank of the communicator */
    uint32_t first_count; /* its rounds' counts in replay.barrier_counts */
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
    bool exclusive_held : 1, all_nocheck : 1; /* lock, as target; lock_all, as origin */

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
    struct barrier barrier;
    uint32_t incoming_issued[2], incoming_arrived[2]; /* fence = notify: operations towards this rank, per fence & 1 */
    uint32_t queue_first, queue_last; /* lock, as target */
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
    bool closing;          /* held operations leave */
    int64_t held_until_ps; /* by others, incompatibly, as of the grant: the last exit of their unlocks */
    int64_t unlock_exit_ps;
    uint32_t outstanding, queue_first, queue_last;
    uint32_t lefts;       /* operations that are not yet complete at the origin */
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
    MESSAGE_TOGETHER_REPLY,
    MESSAGE_LOCK_ASK,
    MESSAGE_LOCK_GRANT,
    MESSAGE_LOCK_RELEASE,
    MESSAGE_BARRIER,
    MESSAGE_EAGER,
    MESSAGE_SEND_ASK, /* rendezvous of a send */
    MESSAGE_SEND_CLEAR,
    MESSAGE_SEND_DATA,
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

struct shmem; /* simulate/replay_shmem.h */
struct agreements; /* simulate/replay_agree.c */

struct communicator_state {
    uint32_t first_barrier; /* in replay.barriers, by communicator rank */
};

#define POOL(type, name)                                                                                               \
    struct type *name##s;                                                                                              \
    size_t name##_count, name##_capacity;                                                                              \
    uint32_t free_##name

struct replay {
    const struct trace *trace;
    const struct platform *platform;
    const struct engine_descriptor *engine_kind;
    struct engine *engine;
    struct replay_outcome *outcome;
    const struct replay_options *options; /* of the caller */
    uint64_t calls_done, report_at;       /* report_at: options->progress is told then; 0: never */
    struct trace *made;                   /* the predicted trace, or NULL */
    int64_t now_ps;
    int64_t arrival_ps; /* of the message that on_arrived handles: now, or later for data of an active epoch */
    int64_t overhead_ps, thread_delay_ps;
    struct shmem *shmem; /* NULL: no symmetric memory */
    struct agreements *agreements; /* NULL: no collective has been called */
    struct thread_costs thread_costs;
    struct thread_name *thread_names; /* of ranks with several threads, by id in timers */
    bool answers_late;       /* an answered message need not act at its moment (replay_message.c) */
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
    struct communicator_state *comms;
    struct member *members;
    size_t member_count;
    struct barrier *barriers;
    size_t barrier_count;
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
    return id < rare->request_limit ? rare->requests[id] : NO_INDEX;
}

/* Pools: *index is a zeroed item. Defined by REPLAY_POOL in replay_pools.c. */
#define DECLARE_POOL(type, name)                                                                                       \
    enum status replay_take_##name(struct replay *replay, uint32_t *index);                                            \
    void replay_release_##name(struct replay *replay, uint32_t index)
DECLARE_POOL(op, op);
DECLARE_POOL(lock_epoch, lock_epoch);
DECLARE_POOL(request, request);
DECLARE_POOL(envelope, envelope);
DECLARE_POOL(waiting_message, message);
DECLARE_POOL(coll_task, task);
DECLARE_POOL(room, room);
void replay_clear_pools(struct replay *replay);

/* replay.c */
void replay_advance(struct replay *replay, uint32_t rank); /* the loaded thread: enters its next call, or looks again */
void replay_wake_blocked(struct replay *replay, uint32_t rank);
/* A blocked rank, or the blocked ones of its threads, look again. */
static inline void replay_wake(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (state->status == RANK_BLOCKED || state->threads) replay_wake_blocked(replay, rank);
}

/* Something that waits at the rank's side (the rank itself in a call, an operation for its post, a request for the
 * lock, a non-blocking collective) may be moved by any message that arrives at the rank, until it is moved: the engine
 * tells of all messages at their moment. Calls of await and resume come in pairs. */
void replay_await(struct replay *replay, uint32_t rank);
void replay_resume(struct replay *replay, uint32_t rank);
/* The rank sees what has arrived by now: before anything but a message lets it go on, or lets its side send. */
enum status replay_look(struct replay *replay, uint32_t rank);
/* Something queues at the rank's side, for the rank or for others: the same for all messages, watched or not. */
enum status replay_watch_all(struct replay *replay, uint32_t rank, bool on);
/* Stops the replay: "FILE:rank R, event E (MPI_Put): message". */
enum status replay_fail(struct replay *replay, uint32_t rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum step replay_pause(struct rank_state *rank, int64_t until_ps, uint8_t phase); /* a wait for something known */
enum step replay_spend(struct replay *replay, struct rank_state *rank, int64_t cost_ps, uint8_t phase); /* own work */
enum step replay_exit(struct rank_state *rank, int64_t at_ps);
int64_t replay_copy_ps(const struct replay *replay, int64_t bytes);
int64_t replay_compute_ps(const struct rank_state *rank, int64_t recorded_ps);
enum status replay_timer_op(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t op);
enum status replay_timer_message(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t message);
enum status replay_timer_request(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t request);
enum status replay_timer_envelope(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t envelope);
enum status replay_timer_thread(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t thread, bool look);
enum status replay_timer_room(struct replay *replay, int64_t at_ps, uint32_t key, uint32_t room);

/* replay_foresee.c */
void replay_soon_rank(const struct replay *replay, uint32_t rank, enum engine_distance distance);
void replay_soon_message(const struct replay *replay, const struct engine_note *message);

/* replay_open.c */
enum status replay_open(struct replay *replay, const struct trace *trace, const struct platform *platform,
                        const struct replay_options *options, struct replay_outcome *outcome,
                        const struct engine_callbacks *callbacks, struct err *err);
enum status replay_finish(struct replay *replay);
void replay_close(struct replay *replay);

/* replay_message.c: sending, and who serves what arrives. */
enum status replay_send(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                        int64_t bytes, uint32_t ref, uint32_t extra, struct engine_departure *departure);
enum status replay_send_control(struct replay *replay, enum message_type type, uint32_t source, uint32_t destination,
                                uint32_t ref, uint32_t extra);
/* Served when the rank is next inside MPI. */
enum status replay_postpone(struct replay *replay, enum message_type type, uint32_t rank, uint32_t ref);
/* At the message's arrival or, where the target must act, when it does. */
enum status replay_arrived(struct replay *replay, const struct engine_note *message);
enum status replay_serve(struct replay *replay, uint32_t waiting);
/* One that had to wait for its destination's progress. */
enum status replay_serve_late(struct replay *replay, uint32_t waiting);
enum status replay_serve_waiting(struct replay *replay, uint32_t rank);
enum status replay_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps);

/* replay_window.c: members, pairs, barriers, Wait at Fence/Create/Free. */
enum status replay_prepare_windows(struct replay *replay);
void replay_clear_windows(struct replay *replay);
struct member *replay_member(struct replay *replay, const struct trace_call *call, uint32_t rank);
const struct trace_comm *replay_comm_of(const struct replay *replay, const struct member *member);
uint32_t replay_member_index(struct replay *replay, int32_t window, uint32_t rank);
enum status replay_pairs_of(struct replay *replay, struct member *member, struct role *role, bool as_origin,
                            uint32_t group);
void replay_sync_enter(struct replay *replay, struct member *member, int64_t enter_ps);
void replay_sync_exit(struct replay *replay, struct member *member, enum pattern pattern, int64_t exit_ps);
/* False while it waits. */
enum status replay_barrier_step(struct replay *replay, uint32_t rank, struct barrier *barrier,
                                const struct trace_comm *comm, uint32_t own_index, bool *done);
void replay_barrier_begin(struct barrier *barrier);
uint32_t replay_rounds(uint32_t count);
struct coll_shape replay_gather_shape(const struct replay *replay, uint32_t size); /* of a window's creation */
enum step replay_step_win_create(struct replay *replay, uint32_t rank);
enum step replay_step_win_free(struct replay *replay, uint32_t rank);
enum step replay_step_fence(struct replay *replay, uint32_t rank);
enum step replay_step_barrier(struct replay *replay, uint32_t rank);
enum status replay_on_barrier(struct replay *replay, const struct engine_note *message);

/* replay_active.c */
enum step replay_step_post(struct replay *replay, uint32_t rank);
enum step replay_step_start(struct replay *replay, uint32_t rank);
enum step replay_step_complete(struct replay *replay, uint32_t rank);
enum step replay_step_win_wait(struct replay *replay, uint32_t rank);
enum status replay_on_post(struct replay *replay, const struct engine_note *message);
enum status replay_on_complete(struct replay *replay, const struct engine_note *message);
/* An operation of the pair takes effect at the target at at_ps, now or later: a put has arrived, an accumulate has been
 * applied, the last byte of a get has left. */
void replay_pair_effect(struct replay *replay, struct pair *pair, int64_t at_ps);
struct pair *replay_open_pair(struct replay *replay, const struct member *member, int32_t target);
bool replay_pair_ready(const struct member *member, const struct pair *pair);
/* Latest enter of the posts paired with the member's current access epoch, of one pair; INT64_MAX if it is still to
 * come. */
int64_t replay_pair_post_enter(const struct pair *pair);

/* replay_op.c */
enum step replay_step_op(struct replay *replay, uint32_t rank);
/* In the epoch that is open towards the target; *op is NO_INDEX if there is none. */
enum status replay_make_op(struct replay *replay, uint32_t rank, uint32_t *op);
enum status replay_issue(struct replay *replay, uint32_t op);
enum status replay_op_left(struct replay *replay, uint32_t op, int64_t began_ps, int64_t left_ps);
void replay_put_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps);
enum status replay_on_put(struct replay *replay, const struct engine_note *message);
enum status replay_on_data(struct replay *replay, const struct engine_note *message);
enum status replay_on_accumulate(struct replay *replay, const struct engine_note *message);
enum status replay_on_applied(struct replay *replay, uint32_t op);
enum status replay_on_fetch(struct replay *replay, const struct engine_note *message);
void replay_fetch_left(struct replay *replay, uint32_t op, int64_t began_ps);
enum status replay_on_ack(struct replay *replay, const struct engine_note *message);
enum status replay_on_get_request(struct replay *replay, const struct engine_note *message);
enum status replay_on_get_reply(struct replay *replay, const struct engine_note *message);
enum status replay_on_rma_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_rma_clear(struct replay *replay, const struct engine_note *message);

/* An operation's data are at the target (a put's, an accumulate's), or back at the origin (a get's). */
enum status replay_op_arrived(struct replay *replay, uint32_t op);
enum status replay_get_arrived(struct replay *replay, uint32_t op);

/* replay_progress.c: Wait for Progress. A message is served that had to wait for its destination's progress. */
void replay_served_late(struct replay *replay, const struct waiting_message *waiting);
/* The rank's call returns at exit_ps; it is in the predicted trace already. */
void replay_account_progress(struct replay *replay, uint32_t rank, int64_t exit_ps);

/* replay_buffer.c: the limited buffer of semantics d. */
bool replay_buffer_fits(const struct replay *replay, const struct rank_state *rank, int64_t bytes);
/* A put begins to be copied; it may have waited since the rank entered the call. */
void replay_buffer_take(struct replay *replay, struct rank_state *rank, int64_t bytes);
/* Its last byte leaves at left_ps: the room is free from then on. May wake the rank. */
enum status replay_buffer_left(struct replay *replay, uint32_t rank, int64_t bytes, int64_t left_ps);
enum status replay_on_room(struct replay *replay, uint32_t room);

/* replay_queue.c: operations that wait at their origin, chained by op.next; a chain has one target. */
void replay_queue_append(struct replay *replay, uint32_t *first, uint32_t *last, uint32_t op);
enum status replay_issue_chain(struct replay *replay, uint32_t first);       /* one by one, or together if aggregated */
enum status replay_issue_held(struct replay *replay, struct member *member); /* of a fence epoch, target by target */
enum status replay_on_together_clear(struct replay *replay, uint32_t first);
enum status replay_together_left(struct replay *replay, uint32_t first, bool reply, int64_t began_ps, int64_t left_ps);
enum status replay_on_together(struct replay *replay, const struct engine_note *message);
enum status replay_on_together_reply(struct replay *replay, const struct engine_note *message);

/* replay_lock.c */
enum step replay_step_lock(struct replay *replay, uint32_t rank);
enum step replay_step_unlock(struct replay *replay, uint32_t rank);
uint32_t replay_open_lock(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target);
/* Opens an epoch towards the target; of lock_all or in the rank's list. */
enum status replay_lock_new(struct replay *replay, const struct lock_epoch *epoch, uint32_t *lock);
enum status replay_lock_ask(struct replay *replay, uint32_t lock);
/* What is queued or held may leave: asks for the lock if nobody did. */
enum status replay_lock_hurry(struct replay *replay, uint32_t lock);
/* All operations are complete: the release leaves, the origin forgets the epoch. */
enum status replay_lock_end(struct replay *replay, uint32_t lock);
/* Until when, up to now, others held the lock that this epoch was then given. */
int64_t replay_lock_contended_ps(const struct replay *replay, uint32_t lock);
enum status replay_on_lock_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_grant(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_release(struct replay *replay, const struct engine_note *message);

/* replay_flush.c: locks of all targets, and completion without unlock. */
enum step replay_step_lock_all(struct replay *replay, uint32_t rank);
enum step replay_step_unlock_all(struct replay *replay, uint32_t rank);
enum step replay_step_flush(struct replay *replay, uint32_t rank);
/* The open lock epoch towards the target; made if a lock_all is open; NO_INDEX: there is none. */
enum status replay_lock_towards(struct replay *replay, uint32_t rank, uint32_t member, int32_t target, uint32_t *lock);
/* The lock epochs that a call means, by place from 0: false behind the last; *lock may be NO_INDEX. */
enum status replay_all_locks_new(struct replay *replay, uint32_t count, struct all_locks **made);
void replay_lock_busy(struct replay *replay, struct all_locks *all, uint32_t lock); /* it is not: now it is */
bool replay_all_complete(struct replay *replay, struct all_locks *all); /* no operation is outstanding */
bool replay_lock_at(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t place,
                    uint32_t *lock);

/* replay_p2p.c */
/* Request `id` of the program. */
enum status replay_new_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t *request);
enum status replay_request_done_at(struct replay *replay, uint32_t request, int64_t at_ps);
enum step replay_step_send(struct replay *replay, uint32_t rank);
enum step replay_step_receive(struct replay *replay, uint32_t rank);
enum step replay_step_request_wait(struct replay *replay, uint32_t rank);
/* The call of the rank with threads waits for a request that nobody has made yet. */
bool replay_request_unmade(struct replay *replay, uint32_t rank);
enum status replay_on_eager(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_clear(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_data(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_ack(struct replay *replay, const struct engine_note *message);
enum status replay_send_left(struct replay *replay, uint32_t envelope);
/* One side of a message comes; request (may be NO_INDEX) is marked done when that side is finished. */
enum send_protocol { SEND_EAGER, SEND_RENDEZVOUS, SEND_SYNC };
struct match {
    uint32_t context, source, destination;
    int32_t tag;
};
enum status replay_send_side(struct replay *replay, const struct match *match, int64_t bytes,
                             enum send_protocol protocol, uint32_t request);
enum status replay_receive_side(struct replay *replay, const struct match *match, uint32_t request);
/* The next message of the channel has arrived and no receive has been posted for it. */
bool replay_message_waits(const struct replay *replay, const struct match *match);
/* Takes this message out of matching: only MPI_Mrecv and MPI_Imrecv find it. */
enum status replay_message_take(struct replay *replay, const struct match *match);

/* replay_probe.c */
enum step replay_step_sendrecv(struct replay *replay, uint32_t rank);
enum step replay_step_probe(struct replay *replay, uint32_t rank);
void replay_wake_prober(struct replay *replay, uint32_t rank); /* a message has come for which nobody has asked */

enum status replay_request_done(struct replay *replay, uint32_t request);
/* A request that nobody sees: counts down rank.missing and ends. */
enum status replay_collective_request(struct replay *replay, uint32_t rank, uint32_t *request);

/* replay_shmem.c */
enum status replay_on_shmem_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_shmem_grant(struct replay *replay, const struct engine_note *message);
enum status replay_on_shmem_release(struct replay *replay, const struct engine_note *message);

/* replay_collective.c */
enum step replay_step_collective(struct replay *replay, uint32_t rank);
enum status replay_on_task(struct replay *replay, const struct engine_note *message);
enum status replay_task_received(struct replay *replay, uint32_t task); /* one of its messages is done */
/* Whose ranks take part: of MPI_Comm_create_group those of the new communicator only (MPI-3.1 6.4.2). TRACE_NONE: it is
 * not known. */
int32_t replay_collective_comm(const struct trace_call *call);
struct coll_shape replay_shape_of(const struct replay *replay, const struct trace_call *call);
/* Runs the plan's next steps; *done when it has ended. first call: rank.step == 0. */
enum step replay_run_plan(struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                          bool pays_overhead, bool *done);

/* replay_deadlock.c: says who waits for whom. */
enum status replay_report_deadlock(struct replay *replay);

/* replay_routes.c: node pairs that messages may use, where the platform may lack some; a call that needs one, as text (empty:
 * none), for struct engine_callbacks. The caller frees *pairs. */
enum status replay_used_pairs(const struct replay *replay, int32_t (**pairs)[2], size_t *count);
void replay_explain_route(void *context, int32_t src_node, int32_t dst_node, char *text, size_t room);

/* The same as text, of ranks that wait at the moment; text may be cut. */
void replay_describe_waiting(struct replay *replay, char *text, size_t room);
/* Between the two, the end of the process by a fault leaves who waited for what on standard error, if that is a file. */
void replay_watch_aborts(struct replay *replay);
void replay_unwatch_aborts(void);
/* All ranks have ended: an error if buffered operations never found their exposure epoch. */
enum status replay_report_leftovers(struct replay *replay);

#define STEP_TRY(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != STATUS_OK) return STEP_FAIL;                                                                     \
    } while (0)

#endif
