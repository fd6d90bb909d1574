/* Requests: those of the program's non-blocking calls, and hidden ones of blocking calls and of the steps of
 * collectives. */
#ifndef SIMULATE_REPLAY_REQUEST_H
#define SIMULATE_REPLAY_REQUEST_H

#include "simulate/replay/state.h"

DECLARE_POOL(request);

/* Makes request `id` of the program. */
enum status replay_new_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t *request);
/* Makes a request of the call: one that a later wait call names, or (awaited) one that the call itself waits for. */
enum status replay_call_request(struct replay *replay, uint32_t rank, const struct trace_call *call, bool receive,
                                bool awaited, uint32_t *request);
/* Makes a hidden request of a collective: it counts down rank.missing and is released when done. */
enum status replay_collective_request(struct replay *replay, uint32_t rank, uint32_t *request);
/* The same for a task. */
enum status replay_task_request(struct replay *replay, uint32_t task, uint32_t *request);
enum status replay_request_done(struct replay *replay, uint32_t request);
enum status replay_request_done_at(struct replay *replay, uint32_t request, int64_t at_ps);
uint32_t replay_rank_of_request(const struct replay *replay, uint32_t request);
/* The program releases its request `id`; there may be none. */
void replay_forget_request(struct replay *replay, struct rank_state *state, uint32_t id);
void replay_clear_requests(struct replay *replay);

#endif
