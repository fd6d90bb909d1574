/* Requests: those of the program's non-blocking calls, and hidden ones of blocking calls and of the steps of
 * collectives. */
#ifndef SIMULATE_REPLAY_REQUEST_H
#define SIMULATE_REPLAY_REQUEST_H

#include "simulate/plans/collectives.h"
#include "simulate/replay/state.h"

/* In rank_rare.requests and far_requests. NO_INDEX: not made yet. */
#define REQUEST_GONE (NO_INDEX - 1)

struct request { /* of a send or receive, or the call itself if blocking */
    uint32_t rank, thread; /* thread: the one that waits */
    bool done, awaited, receive;
    bool hidden;  /* of a collective: released when done */
    bool of_task; /* of a non-blocking one: rank is the task */
    bool of_operation; /* of a one-sided one */
    /* When it was done, if behind the return of the call that made it, else 0. Not done: that return, INT64_MAX before it. */
    int64_t known_ps;
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

/* The index of the program's request `id`; NO_INDEX or REQUEST_GONE: none. */
static inline uint32_t replay_request_index(const struct replay *replay, const struct rank_state *rank, uint32_t id)
{
    const struct rank_rare *rare = replay_rare(replay, rank);
    if (id < rare->request_limit) return rare->requests[id];
    const uint64_t *far = rare->far_requests ? map_find(rare->far_requests, id) : NULL;
    return far ? (uint32_t)*far : NO_INDEX;
}

DECLARE_POOL(request);
struct request *replay_request(const struct replay *replay, uint32_t request); /* until the next one is made */

/* Makes request `id` of the program. */
enum status replay_new_request(struct replay *replay, uint32_t rank, uint32_t id, bool of_operation, uint32_t *request);
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
