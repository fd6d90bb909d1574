/* Messages that MPI_Mprobe takes out of matching: which MPI_Mrecv receives which (model/match/taken.h). A message that
 * one thread probes and receives waits in a channel of that thread. One that another thread receives waits in a channel
 * of the rank: its receive waits outside MPI until one is there, since the recording does not say how it was handed
 * over. */
#include <stdlib.h>

#include "model/match/messages.h"
#include "model/match/taken.h"
#include "simulate/messages/messages.h"
#include "simulate/replay/thread.h"

bool replay_message_taken(const struct replay *replay, uint32_t rank, struct match *match)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    const enum taken_use *uses = state->threads ? state->threads->taken : NULL;
    if (call->peer == TRACE_NONE || !(message_taken_out(call) || message_receives_taken(call))) return false;
    *match =
        replay_taken_out(&(struct match){(uint32_t)call->handle * 2, (uint32_t)call->peer, rank, call->message.tag, 0});
    if (uses && uses[state->next] == TAKEN_KEPT) match->thread = (uint16_t)(state->thread + 1);
    return !uses || message_taken_out(call) || uses[state->next] != TAKEN_UNUSED;
}

bool replay_message_unhanded(const struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    const enum taken_use *uses = state->threads ? state->threads->taken : NULL;
    struct match taken;
    if (!uses || uses[state->next] != TAKEN_HANDED || !message_receives_taken(&state->calls[state->next])) return false;
    return replay_message_taken(replay, rank, &taken) && !replay_message_waits(replay, &taken);
}

static enum status prepare_rank(struct replay *replay, uint32_t rank)
{
    const struct trace *trace = replay->trace;
    struct threads *threads = replay->ranks[rank].threads;
    size_t count = trace->ranks[rank].count, *others;
    if (!threads || threads->count < 2) return STATUS_OK;
    TRY(taken_find(trace, rank, &others, replay->err));
    if (!others) return STATUS_OK;
    threads->taken = calloc(count + 1, sizeof *threads->taken);
    for (size_t i = 0; threads->taken && i < count; i++) {
        if (others[i] == TAKEN_NONE) continue;
        bool own = trace_call_thread(trace, rank, i) == trace_call_thread(trace, rank, others[i]);
        threads->taken[i] = own ? TAKEN_KEPT : TAKEN_HANDED;
    }
    free(others);
    return threads->taken ? STATUS_OK : err_memory(replay->err);
}

enum status replay_prepare_taken(struct replay *replay)
{
    for (uint32_t r = 0; r < replay->trace->rank_count; r++) TRY(prepare_rank(replay, r));
    return STATUS_OK;
}
