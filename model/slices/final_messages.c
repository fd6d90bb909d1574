/* Messages and requests. A message is final when its send and its receive have been read. It is kept while one of its
 * requests is not completed, since the wait for the request needs both sides. It is also kept while a message that was
 * sent earlier may be received after it. */
#include <stdlib.h>

#include "model/match/relations.h"
#include "model/slices/final.h"

struct work {
    struct slice_state *state;
    const struct relations *relations;
    int64_t eager_bytes;
    size_t *blocked;     /* per rank: the first receive whose sender is not known yet; the match of receives from there
                            on may change */
    struct map requests; /* of the current rank: to the call that made it plus 1; 0: completed */
    struct map overtaken; /* (sender, receiver): when the first send began that has no receive yet and may be
                             overtaken */
    struct err *err;
};

static uint16_t *flags_of(const struct work *work, uint32_t rank, size_t call)
{
    return &work->state->flags[rank][call];
}

/* Archives state the sender of a non-blocking receive in its completion. */
static bool is_unknown(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_IRECV && call->handle == TRACE_NONE;
}

static void find_blocked(struct work *work)
{
    const struct trace *trace = work->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        size_t i = 0;
        while (i < trace->ranks[r].count && !is_unknown(&trace->ranks[r].calls[i])) i++;
        work->blocked[r] = i;
    }
}

static void mark_matched(struct work *work)
{
    const struct messages *messages = &work->relations->messages;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        if (message->receive_call >= work->blocked[message->receiver]) continue;
        slice_state_mark(work->state, message->sender, message->send_call, SLICE_SENT);
        slice_state_mark(work->state, message->receiver, message->receive_call, SLICE_RECEIVED);
    }
    for (size_t i = 0, message = MESSAGE_NONE; i < messages->probe_count; i++) {
        const struct probe *probe = &messages->probes[i];
        if (probe->message != MESSAGE_NONE) message = probe->message;
        if (messages->items[message].receive_call < work->blocked[probe->rank])
            slice_state_mark(work->state, probe->rank, probe->call, SLICE_RECEIVED);
    }
}

static enum status note_overtaken(struct work *work, uint32_t rank, const struct trace_call *send)
{
    uint64_t *slot;
    if (!message_may_overtake(send, work->eager_bytes)) return STATUS_OK;
    return map_put(&work->overtaken, map_pair(rank, (uint32_t)send->peer), (uint64_t)send->enter_ps, &slot, work->err);
}

/* Sets the flags of a call by the sides of its messages that are missing. */
static enum status look_at_sides(struct work *work, uint32_t rank, size_t index)
{
    const struct trace_call *call = &work->relations->trace->ranks[rank].calls[index];
    unsigned flags = *flags_of(work, rank, index);
    bool sent = flags & SLICE_SENT || call->peer == TRACE_NONE;
    bool received = flags & SLICE_RECEIVED || call->peer == TRACE_NONE;
    bool open = false;
    switch (call_kind(call->call)) {
    case CALL_SEND:
    case CALL_ISEND: open = !sent; break;
    case CALL_IPROBE: open = !received && message_taken_out(call); break;
    case CALL_PROBE: /* until the message that it found has been received */
    case CALL_IRECV:
    case CALL_RECV: open = !received || is_unknown(call); break;
    case CALL_SENDRECV: /* waits are those of its receive */
        if (!sent) slice_state_mark(work->state, rank, index, SLICE_KEEP);
        open = !(flags & SLICE_RECEIVED) && call->exchange.source != TRACE_NONE;
        break;
    default: break;
    }
    if (open) slice_state_mark(work->state, rank, index, SLICE_OPEN);
    return open ? note_overtaken(work, rank, call) : STATUS_OK;
}

static bool lacks_message(const struct work *work, uint32_t rank, size_t made)
{
    return *flags_of(work, rank, made) & SLICE_OPEN;
}

/* Keeps a request whose completion is not final. The other side of its message keeps it, too; a message with
 * MPI_PROC_NULL has none. */
static void hold_request(struct work *work, uint32_t rank, size_t made)
{
    bool alone = work->relations->trace->ranks[rank].calls[made].peer == TRACE_NONE;
    slice_state_mark(work->state, rank, made, alone ? SLICE_HOLD | SLICE_KEEP : SLICE_HOLD);
}

/* A call that completes requests is final when all their messages are known, and the one-sided operations among them. */
static void mark_completion(struct work *work, uint32_t rank, size_t index, const uint32_t *ids, uint32_t count)
{
    bool lacks = *flags_of(work, rank, index) & SLICE_OPEN;
    for (uint32_t i = 0; !lacks && i < count; i++) {
        const uint64_t *made = map_find(&work->requests, ids[i]);
        lacks = made && *made != 0 && lacks_message(work, rank, (size_t)*made - 1);
    }
    if (lacks) slice_state_mark(work->state, rank, index, SLICE_OPEN);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *made = map_find(&work->requests, ids[i]);
        if (!made || *made == 0) continue;
        if (lacks)
            hold_request(work, rank, (size_t)*made - 1);
        else
            slice_state_mark(work->state, rank, (size_t)*made - 1, SLICE_DONE);
        *made = 0;
    }
}

static enum status look_at_request(struct work *work, uint32_t rank, size_t index)
{
    const struct trace *trace = work->relations->trace;
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    uint32_t count;
    uint64_t *slot;
    if (kind == CALL_ISEND || kind == CALL_IRECV)
        return *flags_of(work, rank, index) & SLICE_DONE
                   ? STATUS_OK
                   : map_put(&work->requests, call->ref, (uint64_t)index + 1, &slot, work->err);
    const uint32_t *ids = trace_call_completed(trace, call, &count);
    mark_completion(work, rank, index, ids, count);
    return STATUS_OK;
}

static enum status look_at_rank(struct work *work, uint32_t rank)
{
    map_empty(&work->requests);
    for (size_t i = 0; i < work->relations->trace->ranks[rank].count; i++) {
        enum call_kind kind = call_kind(work->relations->trace->ranks[rank].calls[i].call);
        if (!call_is_message(kind) && call_arm(kind) != ARM_COMPLETION) continue;
        TRY(look_at_sides(work, rank, i));
        TRY(look_at_request(work, rank, i));
    }
    for (size_t i = 0; i < work->requests.capacity; i++)
        if (work->requests.used[i] && work->requests.values[i] != 0)
            hold_request(work, rank, (size_t)work->requests.values[i] - 1);
    return STATUS_OK;
}

static bool is_undecided(const struct work *work, const struct message *message)
{
    const struct trace_call *send = relations_call(work->relations, message->sender, message->send_call);
    const struct trace_call *receive = relations_call(work->relations, message->receiver, message->receive_call);
    if (*flags_of(work, message->receiver, message->receive_call) & (SLICE_OPEN | SLICE_ORDERED)) return false;
    if (call_kind(receive->call) != CALL_RECV || !message_may_overtake(send, work->eager_bytes)) return false;
    const uint64_t *first = map_find(&work->overtaken, map_pair(message->sender, message->receiver));
    return first && (int64_t)*first < send->enter_ps;
}

/* Keeps both sides of a message if one is kept; a sendrecv has two messages. Returns whether anything changed. */
static bool mark_both_sides(struct work *work)
{
    const struct messages *messages = &work->relations->messages;
    const unsigned stays = SLICE_HOLD | SLICE_OPEN | SLICE_KEEP;
    bool changed = false;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        unsigned send = *flags_of(work, message->sender, message->send_call);
        unsigned receive = *flags_of(work, message->receiver, message->receive_call);
        bool undecided = work->overtaken.count > 0 && is_undecided(work, message);
        if (!undecided && !((send | receive) & stays)) continue;
        changed = changed || !(send & receive & SLICE_KEEP);
        slice_state_mark(work->state, message->sender, message->send_call, SLICE_KEEP);
        slice_state_mark(work->state, message->receiver, message->receive_call,
                         undecided ? SLICE_KEEP | SLICE_UNDECIDED : SLICE_KEEP);
    }
    return changed;
}

/* Keeps the probe that took a kept message out of matching. Without it another receive would match the message. */
static void mark_probes(struct work *work)
{
    const struct messages *messages = &work->relations->messages;
    const unsigned stays = SLICE_HOLD | SLICE_OPEN | SLICE_KEEP;
    for (size_t i = 0, last = MESSAGE_NONE; i < messages->probe_count; i++) {
        const struct probe *probe = &messages->probes[i];
        if (probe->message != MESSAGE_NONE) last = probe->message;
        const struct message *message = &messages->items[last];
        if (*flags_of(work, message->receiver, message->receive_call) & stays)
            slice_state_mark(work->state, probe->rank, probe->call, SLICE_KEEP);
    }
}

static enum status look_at_all(struct work *work)
{
    find_blocked(work);
    mark_matched(work);
    for (uint32_t r = 0; r < work->relations->trace->rank_count; r++) TRY(look_at_rank(work, r));
    while (mark_both_sides(work)) continue;
    mark_probes(work);
    return STATUS_OK;
}

enum status mark_final_messages(struct slice_state *state, const struct relations *relations, int64_t eager_bytes,
                                struct err *err)
{
    struct work work = {.state = state, .relations = relations, .eager_bytes = eager_bytes, .err = err};
    work.blocked = malloc(((size_t)relations->trace->rank_count + 1) * sizeof *work.blocked);
    enum status status = work.blocked ? look_at_all(&work) : err_memory(err);
    map_clear(&work.requests);
    map_clear(&work.overtaken);
    free(work.blocked);
    return status;
}
