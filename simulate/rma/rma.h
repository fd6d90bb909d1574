/* The driver of MPI's one-sided calls (MPI-3.1 11). */
#ifndef SIMULATE_RMA_RMA_H
#define SIMULATE_RMA_RMA_H

#include "simulate/replay/driver.h"
#include "simulate/windows/window.h"

extern const struct call_driver rma_driver;

/* The rest is for the files of this room. window.c: creation, freeing, fences. */
enum step replay_step_win_create(struct replay *replay, uint32_t rank);
enum step replay_step_win_free(struct replay *replay, uint32_t rank);
enum step replay_step_fence(struct replay *replay, uint32_t rank);
struct coll_shape replay_gather_shape(const struct replay *replay, uint32_t size); /* of a window's creation */

/* active.c: post, start, complete, wait. */
enum step replay_step_post(struct replay *replay, uint32_t rank);
enum step replay_step_start(struct replay *replay, uint32_t rank);
enum step replay_step_complete(struct replay *replay, uint32_t rank);
enum step replay_step_win_wait(struct replay *replay, uint32_t rank);
enum status replay_on_post(struct replay *replay, const struct engine_note *message);
enum status replay_on_complete(struct replay *replay, const struct engine_note *message);
enum status replay_on_waits(struct replay *replay, const struct engine_note *message);
/* The current call, an operation, has to wait for all missing posts of the access epoch. */
void replay_await_group(struct replay *replay, struct member *member);
/* Adds the wait of the rank's call for posts to the totals. post_ps is the enter of the latest post that it waited for;
 * TRACE_UNKNOWN_PS: it waited for none. */
void replay_account_post(struct replay *replay, uint32_t rank, enum pattern pattern, int64_t post_ps);

/* operation.c: the calls of operations. */
enum step replay_step_op(struct replay *replay, uint32_t rank);

/* passive.c: lock, unlock, flush. */
enum step replay_step_lock(struct replay *replay, uint32_t rank);
enum step replay_step_lock_all(struct replay *replay, uint32_t rank);
enum step replay_step_unlock(struct replay *replay, uint32_t rank); /* and unlock_all */
enum step replay_step_flush(struct replay *replay, uint32_t rank);

/* epoch_wait.c. Whether the loaded thread's next call needs an epoch that another thread must open or close first. */
bool replay_epoch_awaited(struct replay *replay, uint32_t rank);
/* An open lock epoch of the rank on the member's window, opened by MPI_Win_lock towards the target (TRACE_NONE: towards
 * any target). With returned, only one whose MPI_Win_lock has returned. NO_INDEX: there is none. */
uint32_t replay_lock_of_member(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target,
                               bool returned);

/* served.c: whether a call waits for a message to be served; used in the driver's rows of messages. */
bool replay_awaits_ops(const struct replay *replay, const struct trace_call *call, const struct engine_note *message);
bool replay_awaits_lock(const struct replay *replay, const struct trace_call *call, const struct engine_note *message);
bool replay_awaits_release(const struct replay *replay, const struct trace_call *call, const struct engine_note *message);
bool replay_awaits_flush(const struct replay *replay, const struct trace_call *call, const struct engine_note *message);

/* explain.c */
void replay_explain_rma(struct replay *replay, uint32_t rank, const struct trace_call *call, struct explanation *text);
/* Returns STATUS_DATA if buffered operations never found their exposure epoch, or held ones their fence. */
enum status replay_find_held(struct replay *replay);

#endif
