/* Sendrecv (MPI-3.1 3.10), probes (3.8). A probe returns when a message, or its request to send, has arrived and no
 * receive has been posted for it. A matched probe takes the message out of matching for its MPI_Mrecv or MPI_Imrecv. */
#include "simulate/messages/messages.h"
#include "simulate/replay/envelope.h"
#include "simulate/replay/request.h"
#include "simulate/replay/thread.h"

enum { PHASE_ENTER, PHASE_POST, PHASE_WAIT, PHASE_TAKE };

static enum status exchange_probe(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &replay->ranks[rank];
    int32_t source = call->exchange.source;
    uint32_t request, context = (uint32_t)call->handle * 2;
    state->missing = 0;
    if (source != TRACE_NONE) {
        struct match match = {context, (uint32_t)source, rank, call->exchange.recv_tag, 0};
        state->received = 1;
        TRY(replay_collective_request(replay, rank, &request));
        TRY(replay_receive_side(replay, &match, request));
    }
    if (call->peer == TRACE_NONE) return STATUS_OK; /* MPI_PROC_NULL */
    struct match match = {context, rank, (uint32_t)call->peer, call->message.tag, 0};
    bool rendezvous = call->bytes > replay->platform->eager_bytes;
    TRY(replay_collective_request(replay, rank, &request));
    return replay_send_side(replay, &match, call->bytes, rendezvous ? SEND_RENDEZVOUS : SEND_EAGER, request);
}

enum step replay_step_sendrecv(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    switch (state->phase) {
    case PHASE_ENTER:
        return replay_spend(replay, state, call->peer == TRACE_NONE ? 0 : replay_overhead_ps(replay, state), PHASE_POST);
    case PHASE_POST: {
        int32_t source = call->exchange.source;
        struct match match = {(uint32_t)call->handle * 2, (uint32_t)source, rank, call->exchange.recv_tag, 0};
        int64_t copy_ps = source == TRACE_NONE ? 0 : replay_unexpected_ps(replay, &match);
        state->unread = source != TRACE_NONE && replay_message_unread(replay, &match);
        STEP_TRY(exchange_probe(replay, rank, call));
        return replay_spend(replay, state, copy_ps, PHASE_WAIT);
    }
    case PHASE_WAIT:
        if (state->missing > 0) return STEP_BLOCK;
        if (state->unread && !state->served) return STEP_POLL;
        return replay_spend(replay, state, (int64_t)state->received * replay_overhead_ps(replay, state), PHASE_TAKE);
    default: return replay_exit(state, replay->now_ps);
    }
}

enum step replay_step_probe(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE) return replay_exit(state, replay->now_ps); /* MPI_PROC_NULL */
    struct match match = {(uint32_t)call->handle * 2, (uint32_t)call->peer, rank, call->message.tag, 0};
    if (!replay_message_waits(replay, &match)) return STEP_BLOCK;
    if (!state->served && replay_message_unread(replay, &match)) return STEP_POLL;
    struct match taken;
    if (replay_message_taken(replay, rank, &taken)) {
        STEP_TRY(replay_message_take(replay, &match, &taken));
        if (state->threads && taken.thread == 0) STEP_TRY(replay_threads_wake(replay, rank));
    }
    return replay_exit(state, replay->now_ps);
}
