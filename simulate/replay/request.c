#include "simulate/replay/request.h"

#include <stdlib.h>

#include "simulate/replay/core.h"
#include "simulate/replay/thread.h"
#include "simulate/replay/walk.h"

DEFINE_POOL(request, rank, core_of(replay));

enum status replay_request_done(struct replay *replay, uint32_t index)
{
    if (index == NO_INDEX) return STATUS_OK;
    struct request *request = &core_of(replay)->requests[index];
    request->done = true;
    request->known_ps = replay->now_ps <= request->known_ps ? 0 : replay->now_ps;
    if (!request->awaited) return STATUS_OK;
    uint32_t rank = request->rank, thread = request->thread;
    if (request->of_task) {
        replay_release_request(replay, index);
        return replay->task_received(replay, rank);
    }
    if (request->hidden)
        replay_release_request(replay, index);
    else if (!request->of_operation)
        replay->ranks[rank].lacked_until_ps = replay->now_ps; /* a message or collective was missing */
    if (--replay_thread_walk(replay, rank, thread)->missing > 0 || replay->rare[rank].issues_queue) return STATUS_OK;
    if (replay->ranks[rank].threads) return replay_thread_wake(replay, rank, thread);
    replay_wake(replay, rank);
    return STATUS_OK;
}

static enum status make_request(struct replay *replay, uint32_t rank, struct request made, uint32_t *index)
{
    TRY(replay_take_request(replay, index));
    made.rank = rank;
    made.thread = replay->ranks[rank].thread;
    made.known_ps = INT64_MAX;
    core_of(replay)->requests[*index] = made;
    if (made.awaited) replay->ranks[rank].missing++;
    return STATUS_OK;
}

enum status replay_collective_request(struct replay *replay, uint32_t rank, uint32_t *index)
{
    return make_request(replay, rank, (struct request){.awaited = true, .hidden = true}, index);
}

/* Ids from this one on are in a map, so that memory grows with the calls that the trace holds. */
static uint32_t far_from(const struct replay *replay, const struct rank_state *state)
{
    enum { LEAST = 8192, PER_CALL = 8 };
    if (core_of(replay)->options->source) return LEAST; /* count is not that of all calls, and changes */
    uint64_t from = LEAST + PER_CALL * (uint64_t)state->count;
    return from < UINT32_MAX ? (uint32_t)from : UINT32_MAX;
}

static enum status set_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t index)
{
    struct rank_rare *rare = &replay->rare[rank];
    if (id >= rare->request_limit) {
        if (id >= far_from(replay, &replay->ranks[rank])) {
            uint64_t *slot;
            if (!rare->far_requests) rare->far_requests = calloc(1, sizeof *rare->far_requests);
            if (!rare->far_requests) return err_memory(replay->err);
            TRY(map_put(rare->far_requests, id, index, &slot, replay->err));
            *slot = index;
            return STATUS_OK;
        }
        uint32_t far = far_from(replay, &replay->ranks[rank]), limit = id < 32 ? 64 : id < far / 2 ? id * 2 : far;
        uint32_t *grown = realloc(rare->requests, (size_t)limit * sizeof *grown);
        if (!grown) return err_memory(replay->err);
        for (uint32_t i = rare->request_limit; i < limit; i++) grown[i] = NO_INDEX;
        rare->requests = grown;
        rare->request_limit = limit;
    }
    rare->requests[id] = index;
    return STATUS_OK;
}

static enum status note_request(struct replay *replay, uint32_t rank, uint32_t id, uint32_t index)
{
    TRY(set_request(replay, rank, id, index));
    /* another thread may wait for it already */
    if (replay->ranks[rank].threads) return replay_threads_wake(replay, rank);
    return STATUS_OK;
}

enum status replay_new_request(struct replay *replay, uint32_t rank, uint32_t id, bool of_operation, uint32_t *request)
{
    TRY(make_request(replay, rank, (struct request){.of_operation = of_operation}, request));
    return note_request(replay, rank, id, *request);
}

enum status replay_request_done_at(struct replay *replay, uint32_t request, int64_t at_ps)
{
    if (at_ps <= replay->now_ps) return replay_request_done(replay, request);
    return replay_timer(replay, at_ps, core_of(replay)->requests[request].rank, TIMER_REQUEST, request);
}

enum status replay_call_request(struct replay *replay, uint32_t rank, const struct trace_call *call, bool receive,
                                bool awaited, uint32_t *request)
{
    TRY(make_request(replay, rank, (struct request){.awaited = awaited, .receive = receive}, request));
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_ISEND || kind == CALL_IRECV) return note_request(replay, rank, call->message.request, *request);
    return STATUS_OK;
}

enum status replay_task_request(struct replay *replay, uint32_t task, uint32_t *request)
{
    TRY(replay_take_request(replay, request));
    core_of(replay)->requests[*request] = (struct request){.rank = task, .awaited = true, .of_task = true};
    replay->tasks[task].missing++;
    return STATUS_OK;
}

uint32_t replay_rank_of_request(const struct replay *replay, uint32_t index)
{
    const struct request *request = &core_of(replay)->requests[index];
    return request->of_task ? replay->tasks[request->rank].rank : request->rank;
}

void replay_forget_request(struct replay *replay, struct rank_state *state, uint32_t id)
{
    uint32_t index = replay_request_index(replay, state, id);
    if (index >= REQUEST_GONE) return;
    replay_release_request(replay, index);
    struct rank_rare *rare = replay_rare(replay, state);
    if (id < rare->request_limit)
        rare->requests[id] = REQUEST_GONE;
    else if (core_of(replay)->options->source)
        map_remove(rare->far_requests, id); /* no later call names it (trace_check()) */
    else
        *map_find(rare->far_requests, id) = REQUEST_GONE;
}

void replay_clear_requests(struct replay *replay)
{
    for (uint32_t rank = 0; replay->rare && rank < replay->trace->rank_count; rank++) {
        free(replay->rare[rank].requests);
        if (replay->rare[rank].far_requests) map_clear(replay->rare[rank].far_requests);
        free(replay->rare[rank].far_requests);
    }
    free(core_of(replay)->requests);
}

struct request *replay_request(const struct replay *replay, uint32_t request)
{
    return &core_of(replay)->requests[request];
}
