/* Calls of point-to-point messages, and waits for requests (MPI-3.1 3). */
#include "model/match/messages.h"
#include "simulate/messages/messages.h"
#include "simulate/replay/envelope.h"
#include "simulate/replay/request.h"
#include "simulate/replay/thread.h"

enum { PHASE_ENTER, PHASE_COPIED, PHASE_POST, PHASE_WAIT, PHASE_TAKE };

/* MPI-3.1 3.4: a buffered send copies first. A synchronous one is finished when its receive has been matched. A ready
 * one may rely on the receive and needs no rendezvous, but MPICH sends it as a standard one. */
static enum send_protocol protocol_of(const struct replay *replay, const struct trace_call *call)
{
    if (call->bytes > replay->platform->eager_bytes) return SEND_RENDEZVOUS;
    return call->call == ID_Ssend || call->call == ID_Issend ? SEND_SYNC : SEND_EAGER;
}

static struct match match_of(const struct trace_call *call, uint32_t source, uint32_t destination)
{
    return (struct match){(uint32_t)call->handle * 2, source, destination, call->message.tag, 0};
}

static enum step finish_blocking(struct replay *replay, struct rank_state *state, uint32_t request)
{
    replay_release_request(replay, request);
    return replay_exit(state, replay->now_ps);
}

enum step replay_step_send(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    bool blocking = call_kind(call->call) == CALL_SEND, buffered = call->call == ID_Bsend || call->call == ID_Ibsend;
    uint32_t request;
    if (call->peer == TRACE_NONE) { /* MPI_PROC_NULL */
        if (!blocking) {
            STEP_TRY(replay_call_request(replay, rank, call, false, false, &request));
            replay_request(replay, request)->done = true;
        }
        return replay_exit(state, replay->now_ps);
    }
    struct match match = match_of(call, rank, (uint32_t)call->peer);
    switch (state->phase) {
    case PHASE_ENTER: {
        int64_t copy_ps = buffered ? replay_copy_ps(replay, rank, call->bytes) : 0;
        return replay_spend(replay, state, copy_ps + replay_overhead_ps(replay, state), PHASE_POST);
    }
    case PHASE_POST:
        state->missing = 0;
        STEP_TRY(replay_call_request(replay, rank, call, false, blocking && !buffered, &request));
        state->step = request;
        state->phase = PHASE_WAIT;
        if (buffered) { /* the sender only needed the copy; the message continues without a request */
            STEP_TRY(replay_request_done(replay, request));
            STEP_TRY(replay_send_side(replay, &match, call->bytes, protocol_of(replay, call), NO_INDEX));
        } else {
            STEP_TRY(replay_send_side(replay, &match, call->bytes, protocol_of(replay, call), request));
        }
        return STEP_AGAIN;
    default:
        if (!blocking) return replay_exit(state, replay->now_ps);
        return state->missing > 0 ? STEP_BLOCK : finish_blocking(replay, state, state->step);
    }
}

enum step replay_step_receive(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    bool blocking = call_kind(call->call) == CALL_RECV;
    switch (state->phase) {
    case PHASE_ENTER: {
        uint32_t request;
        if (call->peer == TRACE_NONE && blocking) return replay_exit(state, replay->now_ps); /* MPI_PROC_NULL */
        state->missing = 0;
        STEP_TRY(replay_call_request(replay, rank, call, true, blocking, &request));
        state->step = request;
        state->phase = PHASE_WAIT;
        if (call->peer == TRACE_NONE) {
            replay_request(replay, request)->done = true;
            replay_request(replay, request)->receive = false; /* receives nothing */
            return STEP_AGAIN;
        }
        struct match match = match_of(call, (uint32_t)call->peer, rank), taken;
        if (replay_message_taken(replay, rank, &taken) && replay_message_waits(replay, &taken)) match = taken;
        int64_t copy_ps = replay_unexpected_ps(replay, &match);
        state->unread = blocking && replay_message_unread(replay, &match);
        STEP_TRY(replay_receive_side(replay, &match, request));
        return replay_spend(replay, state, copy_ps, PHASE_WAIT);
    }
    case PHASE_WAIT:
        if (!blocking) return replay_exit(state, replay->now_ps);
        if (state->missing > 0) return STEP_BLOCK;
        if (state->unread && !state->served) return STEP_POLL;
        return replay_spend(replay, state, replay_overhead_ps(replay, state), PHASE_TAKE);
    default: return finish_blocking(replay, state, state->step);
    }
}

/* Waits for one request, and counts requests that received a message. */
static void await_message(struct replay *replay, struct rank_state *state, uint32_t id)
{
    uint32_t index = replay_request_index(replay, state, id);
    if (index >= REQUEST_GONE) return; /* MPI_REQUEST_NULL, or completed by an earlier call */
    struct request *request = replay_request(replay, index);
    if (request->receive) state->received++;
    if (request->done) return;
    request->awaited = true;
    request->thread = state->thread;
    state->missing++;
}

/* With several threads a call may wait for a request before another one makes it. missing: counts these. */
static void count_unmade(struct replay *replay, struct rank_state *state, uint32_t id)
{
    state->missing += replay_request_index(replay, state, id) == NO_INDEX;
}

typedef void request_function(struct replay *, struct rank_state *, uint32_t);

static void each_request(struct replay *replay, struct rank_state *state, const struct trace_call *call,
                         request_function *act)
{
    if (call->ref == TRACE_NO_REF) return;
    if (call_kind(call->call) != CALL_REQUEST_WAITALL && call_kind(call->call) != CALL_REQUEST_TESTALL) {
        act(replay, state, call->ref);
        return;
    }
    const struct trace_list *list = &replay->trace->definitions.lists[call->completion.list];
    for (uint32_t i = 0; i < list->count; i++) act(replay, state, replay->trace->definitions.requests[list->first + i]);
}

bool replay_request_unmade(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    enum call_kind kind = call_kind(call->call);
    bool none = kind == CALL_REQUEST_TESTALL && !(call->flags & TRACE_FLAG);
    if (call_arm(kind) != ARM_COMPLETION || none) return false;
    state->missing = 0;
    each_request(replay, state, call, count_unmade);
    return state->missing > 0;
}

enum step replay_step_request_wait(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    bool takes = call_kind(call->call) != CALL_REQUEST_QUERY;
    switch (state->phase) {
    case PHASE_ENTER:
        state->missing = state->received = 0;
        each_request(replay, state, call, await_message);
        state->phase = PHASE_WAIT;
        return STEP_AGAIN;
    case PHASE_WAIT:
        if (state->missing > 0) return STEP_BLOCK;
        return replay_spend(replay, state, takes ? (int64_t)state->received * replay_overhead_ps(replay, state) : 0, PHASE_TAKE);
    default:
        if (takes) each_request(replay, state, call, replay_forget_request);
        return replay_exit(state, replay->now_ps);
    }
}
