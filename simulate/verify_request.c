/* Law 2 for messages between two ranks, and for the requests of one-sided operations. */
#include <stdlib.h>

#include "common/map.h"
#include "simulate/verify_law.h"

/* For one rank: request id to the call that ended it, plus 1. */
static enum status find_endings(const struct trace *trace, const struct trace_rank *rank, struct map *endings,
                                struct err *err)
{
    uint64_t *slot;
    for (size_t i = 0; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        enum call_kind kind = call_kind(call->call);
        bool ends = kind == CALL_REQUEST_WAIT || (kind == CALL_REQUEST_TEST && (call->flags & TRACE_FLAG));
        if (ends && call->ref != TRACE_NO_REF) TRY(map_put(endings, call->ref, i + 1, &slot, err));
        bool ends_all = kind == CALL_REQUEST_WAITALL || (kind == CALL_REQUEST_TESTALL && (call->flags & TRACE_FLAG));
        if (!ends_all || call->ref == TRACE_NO_REF) continue;
        const struct trace_list *list = &trace->lists[call->ref];
        for (uint32_t k = 0; k < list->count; k++)
            TRY(map_put(endings, trace->requests[list->first + k], i + 1, &slot, err));
    }
    return STATUS_OK;
}

static void check_message(const struct verify_context *context, const struct message *message,
                          const struct map *endings, struct verify_row *row)
{
    const struct trace_call *send = &context->predicted->ranks[message->sender].calls[message->send_call];
    const struct trace_call *calls = context->predicted->ranks[message->receiver].calls;
    size_t end = message->receive_call;
    if (call_kind(calls[end].call) == CALL_IRECV) {
        const uint64_t *slot = map_find(endings, calls[end].ref);
        if (!slot) return;
        end = (size_t)*slot - 1;
    }
    int64_t least_ps = verify_message_ps(context, message->sender, message->receiver, send->bytes);
    verify_after(context, row, message->receiver, end, calls[end].exit_ps, send->enter_ps + least_ps,
                 "returns before the message can have arrived");
}

enum status verify_waits_message(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const struct messages *messages = &context->relations.messages;
    struct map endings = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        if (i == 0 || messages->items[i - 1].receiver != message->receiver) {
            map_clear(&endings);
            status = find_endings(context->predicted, &context->predicted->ranks[message->receiver], &endings, err);
        }
        if (status == STATUS_OK) check_message(context, message, &endings, row);
    }
    map_clear(&endings);
    return status;
}

/* When the operation is complete at its origin, at the earliest: a get when its data are there, a put when its last byte
 * has left (MPI-3.1 11.3.5). A put that d buffers is complete when it has been copied. */
static int64_t local_ps(const struct verify_context *context, uint32_t origin, size_t index, bool buffers)
{
    const struct trace_rank *rank = &context->predicted->ranks[origin];
    const struct trace_call *call = &rank->calls[index];
    const struct trace_sim *sim = &rank->sim[index];
    enum rma_kind kind = verify_rma_kind(call_kind(call->call));
    if (kind == RMA_GET) return sim->xfer_end_ps;
    if (buffers && semantics_waits(context->modes[call->handle].semantics, kind, call->bytes) == WAITS_NEVER)
        return call->exit_ps;
    return sim->xfer_start_ps + verify_transmit_ps(context, origin, (uint32_t)call->peer, call->bytes);
}

enum status verify_waits_request(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const struct epochs *epochs = &context->relations.epochs;
    struct map endings = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct trace_rank *rank = &context->predicted->ranks[operation->origin];
        if (i == 0 || epochs->operations[i - 1].origin != operation->origin) {
            map_clear(&endings);
            status = find_endings(context->predicted, rank, &endings, err);
        }
        uint32_t request = rank->calls[operation->call].ref;
        bool asks = status == STATUS_OK && request != TRACE_NO_REF;
        const uint64_t *slot = asks ? map_find(&endings, request) : NULL;
        if (!slot) continue;
        size_t end = (size_t)*slot - 1;
        bool buffers = epochs->accesses[operation->epoch].kind == EPOCH_START;
        verify_after(context, row, operation->origin, end, rank->calls[end].exit_ps,
                     local_ps(context, operation->origin, operation->call, buffers),
                     "returns before the operation of its request is complete at its origin");
    }
    map_clear(&endings);
    return status;
}
