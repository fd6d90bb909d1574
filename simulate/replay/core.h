/* Inside the replay core: what the steps of all calls share. Not for use outside simulate/replay/ and the rooms of its calls.
 *
 * A rank computes until its next call, enters it and is advanced by the call's step function, which looks at the state,
 * acts, and says what it waits for. Messages change the state and wake the rank concerned; its step function then looks
 * again. Nothing else moves time. */
#ifndef SIMULATE_REPLAY_CORE_H
#define SIMULATE_REPLAY_CORE_H

#include "simulate/engine/cost.h"
#include "simulate/replay/state.h"

/* What a step function says. */
enum step {
    STEP_BLOCK, /* look again when woken */
    STEP_AGAIN, /* look again at once: the phase has changed */
    STEP_PAUSE, /* waits for something known: look again at rank.resume_ps */
    STEP_SPEND, /* works: look again at rank.resume_ps */
    STEP_EXIT,  /* the call returns at rank.resume_ps, now or later */
    STEP_FAIL,  /* replay.err is set */
};

/* The last phase of every call: it only waits for its own exit time. */
enum { PHASE_LEAVE = 255 };

/* Pools: *index is a zeroed item. Defined by REPLAY_POOL in replay/pools.c. */
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
/* The rank is inside the library then: user regions and primitives of threads are outside. */
static inline bool replay_is_library(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    bool primitive = kind >= CALL_THREAD_BEGIN && kind <= CALL_SEM_POST;
    return kind != CALL_REGION_ENTER && kind != CALL_REGION_LEAVE && !primitive;
}

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
enum status replay_poll(struct replay *replay, uint32_t rank);
/* Something queues at the rank's side, for the rank or for others: the same for all messages, watched or not. */
enum status replay_watch_all(struct replay *replay, uint32_t rank, bool on);
/* Stops the replay: "FILE:rank R, event E (MPI_Put): message". */
enum status replay_fail(struct replay *replay, uint32_t rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* at_ps is behind the end of simulated time (COST_END_PS): then the replay has failed. */
bool replay_past_end(struct replay *replay, uint32_t rank, int64_t at_ps);
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

/* replay/prefetch.c */
void replay_prefetch_rank(const struct replay *replay, uint32_t rank, enum engine_distance distance,
                          struct prefetch_lines *wanted);
void replay_prefetch_message(const struct replay *replay, const struct engine_note *message,
                             struct prefetch_lines *wanted);

/* replay/open.c */
enum status replay_open(struct replay *replay, const struct trace *trace, const struct platform *platform,
                        const struct replay_options *options, struct replay_outcome *outcome,
                        const struct engine_callbacks *callbacks, struct err *err);
enum status replay_finish(struct replay *replay);
void replay_close(struct replay *replay);

/* replay/message.c: sending, and who serves what arrives. */
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

/* rma/window.c: members, pairs, Wait at Fence/Create/Free. */
enum status replay_prepare_windows(struct replay *replay);
void replay_clear_windows(struct replay *replay);
struct member *replay_member(struct replay *replay, const struct trace_call *call, uint32_t rank);
const struct trace_comm *replay_comm_of(const struct replay *replay, const struct member *member);
uint32_t replay_member_index(struct replay *replay, int32_t window, uint32_t rank);
enum status replay_pairs_of(struct replay *replay, struct member *member, struct role *role, bool as_origin,
                            uint32_t group);
void replay_sync_enter(struct replay *replay, struct member *member, int64_t enter_ps);
void replay_sync_exit(struct replay *replay, struct member *member, enum pattern pattern, int64_t exit_ps);
struct coll_shape replay_gather_shape(const struct replay *replay, uint32_t size); /* of a window's creation */
enum step replay_step_win_create(struct replay *replay, uint32_t rank);
enum step replay_step_win_free(struct replay *replay, uint32_t rank);
enum step replay_step_fence(struct replay *replay, uint32_t rank);

/* collectives/barrier.c. Barriers by their index in replay.barriers; windows have been prepared. */
enum status replay_prepare_barriers(struct replay *replay);
void replay_clear_barriers(struct replay *replay);
uint32_t replay_barrier_of(const struct replay *replay, const struct member *member);
void replay_barrier_begin(struct replay *replay, uint32_t barrier);
/* *done: false while it waits. */
enum status replay_barrier_step(struct replay *replay, uint32_t rank, uint32_t barrier, bool *done);
enum step replay_step_barrier(struct replay *replay, uint32_t rank);
/* A round's message has come: the rank's counter says of which. */
enum status replay_counted(struct replay *replay, uint32_t rank, uint32_t counter);
/* The rank awaits the round's message as if it had gone through the rounds itself. */
void replay_scattered(struct replay *replay, uint32_t rank, uint32_t round);
enum status replay_on_barrier(struct replay *replay, const struct engine_note *message);

/* rma/active.c */
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
/* The pair's queue begins with an operation that waits for the posts of the whole group: others queue behind it. */
bool replay_pair_awaits_group(const struct replay *replay, const struct pair *pair);
/* The call, an operation, waits for all posts of the access epoch that have not come. */
void replay_await_group(struct replay *replay, struct member *member);
/* What waits for the post leaves now that it has come: a rank that one of these operations wakes acts behind all. */
enum status replay_pair_issue_queued(struct replay *replay, uint32_t pair);
/* An operation's data, which waited for the clear to send, have been sent. */
enum status replay_pair_cleared(struct replay *replay, uint32_t pair, uint32_t epoch);
/* Asks whether the data of the operation, or of all that leave together with it, may come. */
enum status replay_ask_to_send(struct replay *replay, uint32_t op);
/* Enter of the post of the pair's current epochs, which has arrived. */
static inline int64_t replay_pair_post_enter(const struct pair *pair)
{
    return pair->post_enter_ps[pair->accesses & 1];
}
/* The rank's call has waited for posts of which the latest was entered at post_ps; TRACE_UNKNOWN_PS: for none. */
void replay_account_post(struct replay *replay, uint32_t rank, enum pattern pattern, int64_t post_ps);

/* rma/operation.c */
enum step replay_step_op(struct replay *replay, uint32_t rank);
/* In the epoch that is open towards the target; *op is NO_INDEX if there is none. */
enum status replay_make_op(struct replay *replay, uint32_t rank, uint32_t *op);
enum status replay_issue(struct replay *replay, uint32_t op);
/* When a put or accumulate is complete at its origin (mpi.rma.protocol.local); OpenSHMEM says so itself. */
enum local_mode replay_local_mode(const struct replay *replay, const struct op *op);
/* The operation is issued: complete's notification may have to wait for its acknowledgement. */
void replay_note_issue(struct replay *replay, const struct op *op);
enum status replay_op_left(struct replay *replay, uint32_t op, int64_t began_ps, int64_t left_ps);
/* Complete waits until the operation has left, or has brought its data. */
bool replay_complete_awaits_op(const struct op *op);
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

/* replay/progress.c: Wait for Progress. A message is served that had to wait for its destination's progress. */
void replay_served_late(struct replay *replay, const struct waiting_message *waiting);
/* The rank's call returns at exit_ps; it is in the predicted trace already. */
void replay_account_progress(struct replay *replay, uint32_t rank, int64_t exit_ps);

/* rma/buffer.c: the limited buffer of semantics d. */
bool replay_buffer_fits(const struct replay *replay, const struct rank_state *rank, int64_t bytes);
/* A put begins to be copied; it may have waited since the rank entered the call. */
void replay_buffer_take(struct replay *replay, struct rank_state *rank, int64_t bytes);
/* Its last byte leaves at left_ps: the room is free from then on. May wake the rank. */
enum status replay_buffer_left(struct replay *replay, uint32_t rank, int64_t bytes, int64_t left_ps);
enum status replay_on_room(struct replay *replay, uint32_t room);

/* rma/queue.c: operations that wait at their origin, chained by op.next; a chain has one target. */
void replay_queue_append(struct replay *replay, uint32_t *first, uint32_t *last, uint32_t op);
enum status replay_issue_chain(struct replay *replay, uint32_t first);       /* one by one, or together if aggregated */
enum status replay_issue_held(struct replay *replay, struct member *member); /* of a fence epoch, target by target */
enum status replay_on_together_clear(struct replay *replay, uint32_t first);
enum status replay_together_left(struct replay *replay, uint32_t first, bool reply, int64_t began_ps, int64_t left_ps);
enum status replay_on_together(struct replay *replay, const struct engine_note *message);
enum status replay_on_together_reply(struct replay *replay, const struct engine_note *message);

/* rma/lock.c */
enum step replay_step_lock(struct replay *replay, uint32_t rank);
enum step replay_step_unlock(struct replay *replay, uint32_t rank);
uint32_t replay_open_lock(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target);
/* Opens an epoch towards the target; of lock_all or in the rank's list. */
enum status replay_lock_new(struct replay *replay, const struct lock_epoch *epoch, uint32_t *lock);
enum status replay_lock_ask(struct replay *replay, uint32_t lock);
/* What is queued or held may leave: asks for the lock if nobody did. */
enum status replay_lock_hurry(struct replay *replay, uint32_t lock);
/* Whether a call that lets queued operations go, and releases the lock or not, sends something: it pays overhead then. */
static inline bool replay_lock_sends(const struct lock_epoch *epoch, bool releases)
{
    return epoch->queue_first != NO_INDEX || (releases && epoch->target != epoch->origin && !epoch->nocheck);
}
/* All operations are complete: the release leaves, the origin forgets the epoch. */
enum status replay_lock_end(struct replay *replay, uint32_t lock);
/* The predicted trace says when the unlock that the rank is in let go of what it then waits to hear of. */
void replay_note_release(struct replay *replay, uint32_t rank);
/* Until when, up to now, others held the lock that this epoch was then given. */
int64_t replay_lock_contended_ps(const struct replay *replay, uint32_t lock);
enum status replay_on_lock_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_grant(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_release(struct replay *replay, const struct engine_note *message);
enum status replay_on_lock_released(struct replay *replay, const struct engine_note *message);
/* mpi.rma.protocol.flush = requested: asks the target to say when it has all that was sent before, if there is anything that
 * was not asked for; always: also if all of that is known to be complete. */
enum status replay_lock_flush(struct replay *replay, uint32_t lock, bool always);
enum status replay_on_flush_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_pair_flushed(struct replay *replay, const struct engine_note *message);
enum status replay_on_fence_flushed(struct replay *replay, const struct engine_note *message);
/* flush = requested: a put or get of a fence epoch is made (+1), or known to be complete (-1). */
enum status replay_count_fence_answer(struct replay *replay, const struct op *op, int change);
enum status replay_on_lock_flushed(struct replay *replay, const struct engine_note *message);

/* rma/flush.c: locks of all targets, and completion without unlock. */
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

/* messages/p2p.c */
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
enum status replay_on_send_put(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_stored(struct replay *replay, const struct engine_note *message);
enum status replay_on_send_notice(struct replay *replay, const struct engine_note *message);
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
/* How long it takes to copy that message, if it came eagerly and mpi.unexpected_copy says so; else 0. */
int64_t replay_unexpected_ps(const struct replay *replay, const struct match *match);
/* Takes this message out of matching: only MPI_Mrecv and MPI_Imrecv find it. */
enum status replay_message_take(struct replay *replay, const struct match *match);

/* messages/probe.c */
enum step replay_step_sendrecv(struct replay *replay, uint32_t rank);
enum step replay_step_probe(struct replay *replay, uint32_t rank);
void replay_wake_prober(struct replay *replay, uint32_t rank); /* a message has come for which nobody has asked */

enum status replay_request_done(struct replay *replay, uint32_t request);
/* A request that nobody sees: counts down rank.missing and ends. */
enum status replay_collective_request(struct replay *replay, uint32_t rank, uint32_t *request);

/* shmem/shmem.c */
enum status replay_on_shmem_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_shmem_grant(struct replay *replay, const struct engine_note *message);
enum status replay_on_shmem_release(struct replay *replay, const struct engine_note *message);

/* collectives/collective.c */
enum step replay_step_collective(struct replay *replay, uint32_t rank);
enum status replay_on_task(struct replay *replay, const struct engine_note *message);
enum status replay_task_received(struct replay *replay, uint32_t task); /* one of its messages is done */
struct coll_shape replay_shape_of(const struct replay *replay, const struct trace_call *call);

/* replay/peer_counts.c: adds to the shape what the same call of the other members says, where its own counts do not
 * tell what they send. rank: whose call it is. */
enum status replay_learn_peer_counts(struct replay *replay, uint32_t rank, const struct trace_call *call,
                                     struct coll_shape *shape);
void replay_clear_peer_counts(struct replay *replay);

/* Runs the plan's next steps; *done when it has ended. first call: rank.step == 0. */
enum step replay_run_plan(struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                          bool pays_overhead, bool *done);

/* collectives/communicator.c: making communicators. The call's part `number`, a plan over *comm (TRACE_NONE: the rank
 * is not in it); false behind the last. */
bool replay_comm_part(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t number,
                      int32_t *comm, struct coll_shape *shape);
enum step replay_step_comm_create(struct replay *replay, uint32_t rank);

/* replay/deadlock.c: says who waits for whom. */
enum status replay_report_deadlock(struct replay *replay);

/* replay/routes.c: node pairs that messages may use, where the platform may lack some; a call that needs one, as text
 * (empty: none), for struct engine_callbacks. The caller frees *pairs. */
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
