/* Transfers of one-sided operations (MPI-3.1 11.3): when they are issued, when they have left and arrived, and when the
 * origin knows that they have arrived. queue.c has the operations that wait at their origin, and how they leave. */
#ifndef SIMULATE_WINDOWS_TRANSFER_H
#define SIMULATE_WINDOWS_TRANSFER_H

#include "simulate/windows/lock_epoch.h"
#include "simulate/windows/op.h"

/* Whether the operation brings data back to its origin. */
static inline bool replay_is_get(const struct op *op)
{
    return op->kind == CALL_GET || op->kind == CALL_GET_ACCUMULATE;
}

/* Of an operation of a fence epoch. */
static inline bool replay_is_fenced(const struct op *op)
{
    return op->pair == NO_INDEX && op->lock == NO_INDEX;
}

/* Makes the operation of the rank's current call, in the epoch that is open towards its target; copied: into a buffer. *op is
 * NO_INDEX if no such epoch is open. */
enum status replay_make_op(struct replay *replay, uint32_t rank, bool copied, uint32_t *op);
enum status replay_issue(struct replay *replay, uint32_t op);
/* Whether MPI_Win_complete waits until the operation has left or, for a get, has brought its data. */
bool replay_complete_awaits_op(const struct op *op);
/* Whether only the ranks that get the acknowledgement or the data read the operation's arrival at the target. */
bool replay_answers_late(const struct replay *replay, const struct op *op);
/* Called when the operation is issued. Complete's notification may have to wait for its acknowledgement. */
void replay_note_issue(struct replay *replay, const struct op *op);
/* Sends the request to send of the operation, or of all operations that leave together with it. */
enum status replay_ask_to_send(struct replay *replay, uint32_t op);
/* Asks the target, for the access of this ref, whether it has everything that was sent before. */
enum status replay_query_target(struct replay *replay, uint32_t ref, uint32_t origin, uint32_t target);
/* query_connected: asks, for the same access, the ranks that are not targets. */
enum status replay_query_others(struct replay *replay, uint32_t rank, uint32_t ref);
enum status replay_op_left(struct replay *replay, uint32_t op, int64_t began_ps, int64_t left_ps);
void replay_fetch_left(struct replay *replay, uint32_t op, int64_t began_ps);
/* The data of a put or accumulate have arrived at the target; those of a get have arrived at the origin. */
enum status replay_op_arrived(struct replay *replay, uint32_t op);
enum status replay_get_arrived(struct replay *replay, uint32_t op);

/* queue.c. Operations of a queue are chained by op.next. A chain has one target. */
void replay_queue_append(struct replay *replay, struct op_queue *queue, uint32_t op);
enum status replay_issue_chain(struct replay *replay, uint32_t first);       /* one by one, or together if aggregated */
/* The operation follows the data of its lock epoch that wait for a clear to send; replay_issue_followers(): none do any more. */
enum status replay_issue_behind(struct replay *replay, uint32_t op);
enum status replay_issue_followers(struct replay *replay, uint32_t lock);
bool replay_holds(const struct replay *replay, const struct member *member); /* operations of a fence epoch */
enum status replay_issue_held(struct replay *replay, const struct member *member); /* them, target by target */
enum status replay_send_together(struct replay *replay, uint32_t first);
enum status replay_together_left(struct replay *replay, uint32_t first, bool reply, int64_t began_ps, int64_t left_ps);

/* Handlers of messages and timers of operations: rows of the driver of one-sided calls. */
enum status replay_on_data(struct replay *replay, const struct engine_note *message);
enum status replay_on_data_to_apply(struct replay *replay, const struct engine_note *message);
enum status replay_on_applied(struct replay *replay, uint32_t op);
/* The operation reads or changes its target now: if it claims a task of a queue, it gets the next one. */
void replay_note_claim(struct replay *replay, const struct op *op);
enum status replay_on_ack(struct replay *replay, const struct engine_note *message);
enum status replay_on_get_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_get_clear(struct replay *replay, const struct engine_note *message);
enum status replay_on_get_request(struct replay *replay, const struct engine_note *message);
enum status replay_on_get_reply(struct replay *replay, const struct engine_note *message);
enum status replay_on_rma_ask(struct replay *replay, const struct engine_note *message);
enum status replay_on_rma_clear(struct replay *replay, const struct engine_note *message);
enum status replay_on_together(struct replay *replay, const struct engine_note *message);
enum status replay_on_together_reply(struct replay *replay, const struct engine_note *message);

/* buffer.c: the limited buffer of semantics d. */
enum status replay_prepare_buffers(struct replay *replay);
void replay_clear_buffers(struct replay *replay);
bool replay_buffer_fits(const struct replay *replay, uint32_t rank, int64_t bytes);
/* The copy of a put begins. The put may have waited since the rank entered the call. */
void replay_buffer_take(struct replay *replay, uint32_t rank, int64_t bytes);
/* The last byte of a put leaves at left_ps, and its bytes of the buffer are free from then on. May wake the rank. */
enum status replay_buffer_left(struct replay *replay, uint32_t rank, int64_t bytes, int64_t left_ps);
enum status replay_on_buffer(struct replay *replay, uint32_t leaving);
uint32_t replay_rank_of_buffer(const struct replay *replay, uint32_t leaving);

#endif
