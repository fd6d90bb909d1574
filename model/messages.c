#include "model/messages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/fifo.h"

void messages_clear(struct messages *messages)
{
    free(messages->items);
    free(messages->probes);
    memset(messages, 0, sizeof *messages);
}

/* One side of a message as a call has it; sendrecv has both. */
struct side {
    int32_t peer, tag;
};

static bool sends(const struct trace_call *call, struct side *side)
{
    enum call_kind kind = call_kind(call->call);
    *side = (struct side){call->peer, call->tag};
    return (kind == CALL_SEND || kind == CALL_ISEND || kind == CALL_SENDRECV) && side->peer != TRACE_NONE;
}

static bool receives(const struct trace_call *call, struct side *side)
{
    enum call_kind kind = call_kind(call->call);
    *side = (struct side){call->peer, call->tag};
    if (kind == CALL_SENDRECV) *side = (struct side){trace_call_source(call), trace_call_recv_tag(call)};
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
            if (!sends(call, &side)) continue;
            TRY(fifo_push(fifo, message_key(r, (uint32_t)side.peer, call->handle, side.tag), i, err));
            ++*count;
        }
    }
    return STATUS_OK;
}

/* Probes stand in the order of their messages: the k-th MPI_Mprobe takes the k-th message out, any number of MPI_Probe
 * may see the next one and leave it. */
static enum status match_probes(const struct trace *trace, uint32_t rank, struct fifo *fifo, struct fifo_key key,
                                struct messages *messages, struct err *err)
{
    size_t call = fifo_pop(fifo, key);
    bool takes = call != FIFO_EMPTY && trace->ranks[rank].calls[call].call == ID_Mprobe;
    struct probe made = {.rank = rank, .message = messages->count - 1};
    for (; call != FIFO_EMPTY; call = takes ? FIFO_EMPTY : fifo_pop(fifo, key)) {
        made.call = call;
        ARRAY_PUSH(messages->probes, messages->probe_count, messages->probe_capacity, made, err);
        made.message = MESSAGE_NONE;
    }
    return STATUS_OK;
}

static enum status match_receive(const struct trace *trace, uint32_t rank, size_t index, struct fifo *sends,
                                 struct fifo *probes, struct messages *messages, struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    struct side side;
    if (call_kind(call->call) == CALL_PROBE && call->peer != TRACE_NONE)
        return fifo_push(probes, message_key((uint32_t)call->peer, rank, call->handle, call->tag), index, err);
    if (!receives(call, &side)) return STATUS_OK;
    struct fifo_key key = message_key((uint32_t)side.peer, rank, call->handle, side.tag);
    size_t send = fifo_pop(sends, key);
    if (send == FIFO_EMPTY) {
        messages->unmatched_receives++;
        return STATUS_OK;
    }
    struct message made = {
        .sender = (uint32_t)side.peer, .receiver = rank, .send_call = send, .receive_call = index};
    ARRAY_PUSH(messages->items, messages->count, messages->capacity, made, err);
    return match_probes(trace, rank, probes, key, messages, err);
}

static enum status match_receives(const struct trace *trace, struct fifo *sends, struct messages *messages,
                                  struct err *err)
{
    struct fifo probes = {0};
    enum status status = STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count && status == STATUS_OK; i++)
            status = match_receive(trace, r, i, sends, &probes, messages, err);
    fifo_clear(&probes);
    return status;
}

enum status messages_build(const struct trace *trace, struct messages *messages, struct err *err)
{
    struct messages made = {0};
    struct fifo fifo = {0};
    uint64_t sends = 0;
    enum status status = queue_sends(trace, &fifo, &sends, err);
    if (status == STATUS_OK) status = match_receives(trace, &fifo, &made, err);
    fifo_clear(&fifo);
    if (status != STATUS_OK) {
        messages_clear(&made);
        return status;
    }
    made.unmatched_sends = sends - made.count;
    *messages = made;
    return STATUS_OK;
}

bool message_is_eager(const struct trace_call *send, int64_t eager_bytes)
{
    return send->call == ID_Bsend || (send->call != ID_Ssend && send->bytes <= eager_bytes);
}

bool message_may_overtake(const struct trace_call *send, int64_t eager_bytes)
{
    return call_kind(send->call) == CALL_SEND && send->call != ID_Rsend && message_is_eager(send, eager_bytes);
}
