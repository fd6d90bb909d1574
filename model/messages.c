#include "model/messages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/fifo.h"

void messages_clear(struct messages *messages)
{
    free(messages->items);
    memset(messages, 0, sizeof *messages);
}

static bool is_kind(const struct trace_call *call, enum call_kind one, enum call_kind other)
{
    enum call_kind kind = call_kind(call->call);
    return (kind == one || kind == other) && call->peer != TRACE_NONE;
}

static struct fifo_key message_key(uint32_t sender, uint32_t receiver, const struct trace_call *call)
{
    return (struct fifo_key){.a = sender, .b = receiver, .c = (uint32_t)call->handle, .d = (uint32_t)call->tag};
}

static enum status queue_sends(const struct trace *trace, struct fifo *fifo, uint64_t *sends, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (!is_kind(call, CALL_SEND, CALL_ISEND)) continue;
            TRY(fifo_push(fifo, message_key(r, (uint32_t)call->peer, call), i, err));
            ++*sends;
        }
    }
    return STATUS_OK;
}

static enum status match_receives(const struct trace *trace, struct fifo *fifo, struct messages *messages,
                                  struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            if (!is_kind(call, CALL_RECV, CALL_IRECV)) continue;
            size_t send = fifo_pop(fifo, message_key((uint32_t)call->peer, r, call));
            if (send == FIFO_EMPTY) {
                messages->unmatched_receives++;
                continue;
            }
            struct message made = {
                .sender = (uint32_t)call->peer, .receiver = r, .send_call = send, .receive_call = i};
            ARRAY_PUSH(messages->items, messages->count, messages->capacity, made, err);
        }
    }
    return STATUS_OK;
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
