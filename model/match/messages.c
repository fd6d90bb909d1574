#include "model/match/messages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/match/fifo.h"
#include "model/match/taken.h"

void messages_clear(struct messages *messages)
{
    FREE_ALL(messages->items, messages->probes);
    memset(messages, 0, sizeof *messages);
}

/* One side of a message as a call has it; sendrecv has both. */
struct side {
    int32_t peer, tag;
};

static bool is_sending(const struct trace_call *call, struct side *side)
{
    enum call_kind kind = call_kind(call->call);
    *side = (struct side){call->peer, call->message.tag};
    return (kind == CALL_SEND || kind == CALL_ISEND || kind == CALL_SENDRECV) && side->peer != TRACE_NONE;
}

static bool is_receiving(const struct trace_call *call, struct side *side)
{
    enum call_kind kind = call_kind(call->call);
    *side = (struct side){call->peer, call->message.tag};
    if (kind == CALL_SENDRECV) *side = (struct side){call->exchange.source, call->exchange.recv_tag};
    return (kind == CALL_RECV || kind == CALL_IRECV || kind == CALL_SENDRECV) && side->peer != TRACE_NONE;
}

static struct fifo_key message_key(uint32_t sender, uint32_t receiver, int32_t comm, int32_t tag)
{
    return (struct fifo_key){.a = sender, .b = receiver, .c = (uint32_t)comm, .d = (uint32_t)tag};
}

static enum status queue_sends(const struct trace *trace, struct fifo *fifo, uint64_t *count, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            struct side side;
            if (!is_sending(call, &side)) continue;
            TRY(fifo_push(fifo, message_key(r, (uint32_t)side.peer, call->handle, side.tag), i, err));
            ++*count;
        }
    }
    return STATUS_OK;
}

bool message_taken_out(const struct trace_call *call)
{
    return (call->call == ID_Mprobe || (call->call == ID_Improbe && call->flags & TRACE_FLAG)) &&
           call->peer != TRACE_NONE;
}

bool message_receives_taken(const struct trace_call *call)
{
    return call->call == ID_Mrecv || call->call == ID_Imrecv;
}

/* Sends without a receive, and probes of messages without a receive, in the order of their messages. */
struct waiting {
    struct fifo sends, probes;             /* any receive may take them */
    struct fifo taken_sends, taken_probes; /* key: the probe that took the message out, the last one that found it */
    struct fifo lost_sends;                /* taken out, and never received */
};

/* State of the rank whose calls are walked. */
struct receiving {
    uint32_t rank;
    const size_t *others; /* taken_find() */
};

static struct fifo_key taken_key(uint32_t rank, size_t probe)
{
    return (struct fifo_key){.a = rank, .b = 0, .c = (uint32_t)((uint64_t)probe >> 32), .d = (uint32_t)probe};
}

/* The probes of the message that was received last. */
static enum status match_probes(const struct trace *trace, uint32_t rank, struct fifo *fifo, struct fifo_key key,
                                struct messages *messages, struct err *err)
{
    struct probe made = {.rank = rank, .message = messages->count - 1};
    for (size_t call; (call = fifo_pop(fifo, key)) != FIFO_EMPTY;) {
        made.call = call;
        ARRAY_PUSH(messages->probes, messages->probe_count, messages->probe_capacity, made, err);
        made.message = MESSAGE_NONE;
        if (message_taken_out(&trace->ranks[rank].calls[call])) break;
    }
    return STATUS_OK;
}

/* Probes that found the message and left it in matching are taken out with it. */
static enum status take_out(struct waiting *waiting, const struct receiving *receiving, struct fifo_key key, size_t probe,
                            struct err *err)
{
    struct fifo_key taken = taken_key(receiving->rank, probe);
    size_t send = fifo_pop(&waiting->sends, key);
    if (send == FIFO_EMPTY) return fifo_push(&waiting->probes, key, probe, err);
    if (receiving->others[probe] == TAKEN_NONE) return fifo_push(&waiting->lost_sends, key, send, err);
    TRY(fifo_push(&waiting->taken_sends, taken, send, err));
    for (size_t other; (other = fifo_pop(&waiting->probes, key)) != FIFO_EMPTY;)
        TRY(fifo_push(&waiting->taken_probes, taken, other, err));
    return fifo_push(&waiting->taken_probes, taken, probe, err);
}

static void note_unmatched(struct unmatched *unmatched, uint32_t rank, size_t call)
{
    if (unmatched->count++ > 0) return;
    unmatched->rank = rank;
    unmatched->call = call;
}

static enum status match_receive(const struct trace *trace, const struct receiving *receiving, size_t index,
                                 struct waiting *waiting, struct messages *messages, struct err *err)
{
    uint32_t rank = receiving->rank;
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    bool takes = message_taken_out(call);
    struct side side;
    if (takes || (call_kind(call->call) == CALL_PROBE && call->peer != TRACE_NONE)) {
        struct fifo_key probed = message_key((uint32_t)call->peer, rank, call->handle, call->message.tag);
        return takes ? take_out(waiting, receiving, probed, index, err) : fifo_push(&waiting->probes, probed, index, err);
    }
    if (!is_receiving(call, &side)) return STATUS_OK;
    struct fifo_key key = message_key((uint32_t)side.peer, rank, call->handle, side.tag), from = key;
    struct fifo *probes = &waiting->probes;
    size_t send = FIFO_EMPTY, probe = receiving->others ? receiving->others[index] : TAKEN_NONE;
    if (probe != TAKEN_NONE) send = fifo_pop(&waiting->taken_sends, taken_key(rank, probe));
    if (send != FIFO_EMPTY) {
        from = taken_key(rank, probe);
        probes = &waiting->taken_probes;
    } else
        send = fifo_pop(&waiting->sends, key);
    if (send == FIFO_EMPTY) {
        note_unmatched(&messages->unmatched_receives, rank, index);
        return STATUS_OK;
    }
    struct message made = {
        .sender = (uint32_t)side.peer, .receiver = rank, .send_call = send, .receive_call = index};
    ARRAY_PUSH(messages->items, messages->count, messages->capacity, made, err);
    return match_probes(trace, rank, probes, from, messages, err);
}

static enum status match_rank(const struct trace *trace, uint32_t rank, struct waiting *waiting, struct messages *messages,
                              struct err *err)
{
    size_t *others, *order = NULL;
    TRY(taken_find(trace, rank, &others, err));
    enum status status = others && trace->ranks[rank].thread ? taken_order(trace, rank, &order, err) : STATUS_OK;
    const struct receiving receiving = {rank, others};
    for (size_t i = 0; status == STATUS_OK && i < trace->ranks[rank].count; i++)
        status = match_receive(trace, &receiving, order ? order[i] : i, waiting, messages, err);
    FREE_ALL(order, others);
    return status;
}

static enum status match_receives(const struct trace *trace, struct waiting *waiting, struct messages *messages,
                                  struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(match_rank(trace, r, waiting, messages, err));
    return STATUS_OK;
}

/* Counts the sends that are left in the queues, and empties these. */
static void find_unmatched_sends(const struct trace *trace, struct waiting *waiting, struct unmatched *unmatched)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        size_t first = FIFO_EMPTY, left = 0;
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            struct side side;
            if (!is_sending(call, &side)) continue;
            struct fifo_key key = message_key(r, (uint32_t)side.peer, call->handle, side.tag);
            size_t send = fifo_pop(&waiting->lost_sends, key);
            if (send == FIFO_EMPTY) send = fifo_pop(&waiting->sends, key);
            if (send == FIFO_EMPTY) continue;
            left++;
            if (send < first) first = send;
        }
        if (left == 0) continue;
        note_unmatched(unmatched, r, first);
        unmatched->count += left - 1;
    }
}

enum status messages_build(const struct trace *trace, struct messages *messages, struct err *err)
{
    struct messages made = {0};
    struct waiting waiting = {0};
    uint64_t sends = 0;
    enum status status = queue_sends(trace, &waiting.sends, &sends, err);
    if (status == STATUS_OK) status = match_receives(trace, &waiting, &made, err);
    if (status == STATUS_OK && sends > made.count) find_unmatched_sends(trace, &waiting, &made.unmatched_sends);
    fifo_clear(&waiting.sends);
    fifo_clear(&waiting.probes);
    fifo_clear(&waiting.taken_sends);
    fifo_clear(&waiting.taken_probes);
    fifo_clear(&waiting.lost_sends);
    GIVE(status, *messages = made, messages_clear(&made));
}

bool message_is_eager(const struct trace_call *send, int64_t eager_bytes)
{
    bool buffered = send->call == ID_Bsend || send->call == ID_Ibsend;
    bool synchronous = send->call == ID_Ssend || send->call == ID_Issend;
    return buffered || (!synchronous && send->bytes <= eager_bytes);
}

bool message_may_overtake(const struct trace_call *send, int64_t eager_bytes)
{
    return call_kind(send->call) == CALL_SEND && send->call != ID_Rsend && message_is_eager(send, eager_bytes);
}
