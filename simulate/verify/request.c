/* Law 2 for messages between two ranks, and for the requests of one-sided operations. */
#include "simulate/verify/law.h"

static enum status add_endings(const struct trace *trace, uint32_t rank, size_t index, struct map *endings,
                               struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    uint64_t *slot;
    uint32_t count;
    const uint32_t *ids = trace_call_completed(trace, call, &count);
    for (uint32_t k = 0; k < count; k++) TRY(map_put(endings, map_pair(rank, ids[k]), index, &slot, err));
    return STATUS_OK;
}

enum status verify_endings_find(const struct trace *trace, struct map *endings, struct err *err)
{
    struct map made = {0};
    enum status status = STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; status == STATUS_OK && i < trace->ranks[r].count; i++)
            status = add_endings(trace, r, i, &made, err);
    GIVE(status, *endings = made, map_clear(&made));
}

size_t verify_ending(const struct verify_context *context, uint32_t rank, size_t index)
{
    const struct trace_call *call = &context->predicted->ranks[rank].calls[index];
    if (!call_makes_request(call->call)) return index;
    const uint64_t *slot = map_find(&context->endings, map_pair(rank, call->ref));
    return slot ? (size_t)*slot : INSTANCE_NONE;
}

/* When the last byte can have left the sender and arrived at the receiver. A rendezvous sends a request and waits for
 * the receive (MPI-3.1 3.4). */
struct passage {
    int64_t left_ps, arrived_ps;
    bool waits; /* the send for the receive */
};

static struct passage least_passage(const struct verify_context *context, const struct message *message)
{
    const struct trace_call *send = &context->predicted->ranks[message->sender].calls[message->send_call];
    const struct trace_call *receive = &context->predicted->ranks[message->receiver].calls[message->receive_call];
    uint32_t from = message->sender, to = message->receiver;
    const int64_t control_bytes = context->platform->control_bytes;
    int64_t there_ps = verify_send_ps(context, from, to, send->bytes);
    int64_t ask_ps = verify_send_ps(context, from, to, control_bytes), back_ps = verify_send_ps(context, to, from, control_bytes);
    if (send->bytes > context->platform->eager_bytes) {
        int64_t asked_ps = send->enter_ps + ask_ps;
        int64_t met_ps = asked_ps > receive->enter_ps ? asked_ps : receive->enter_ps, clear_ps = met_ps + back_ps;
        if (context->platform->rendezvous == RENDEZVOUS_READ)
            return (struct passage){met_ps + there_ps + back_ps, met_ps + there_ps, true};
        if (context->platform->rendezvous == RENDEZVOUS_NOTIFIED) {
            int64_t stored_ps = clear_ps + there_ps + back_ps;
            return (struct passage){stored_ps, stored_ps + ask_ps, true};
        }
        return (struct passage){clear_ps + verify_send_transmit_ps(context, from, to, send->bytes), clear_ps + there_ps, true};
    }
    int64_t arrived_ps = send->enter_ps + there_ps;
    int64_t met_ps = arrived_ps > receive->enter_ps ? arrived_ps : receive->enter_ps;
    bool synchronous = send->call == ID_Ssend || send->call == ID_Issend;
    return (struct passage){met_ps + back_ps, arrived_ps, synchronous};
}

/* Wait for Progress is the time in which the call lacks nothing else: its message is complete. */
static void check_progress(const struct verify_context *context, uint32_t rank, size_t call, int64_t complete_ps,
                           struct verify_row *row)
{
    const struct trace_sim *sim = &context->predicted->ranks[rank].sim[call];
    if (sim->progress_until_ps != TRACE_UNKNOWN_PS)
        verify_after(context, row, rank, call, sim->progress_from_ps, complete_ps,
                     "waits only for progress before its message can be complete");
}

static void check_message(const struct verify_context *context, const struct message *message, struct verify_row *row)
{
    const struct trace *trace = context->predicted;
    const struct passage passage = least_passage(context, message);
    size_t received = verify_ending(context, message->receiver, message->receive_call);
    if (received != INSTANCE_NONE) {
        verify_after(context, row, message->receiver, received,
                     trace->ranks[message->receiver].calls[received].exit_ps, passage.arrived_ps,
                     "returns before the message can have arrived");
        check_progress(context, message->receiver, received, passage.arrived_ps, row);
    }
    enum mpi_call call = trace->ranks[message->sender].calls[message->send_call].call;
    size_t sent = verify_ending(context, message->sender, message->send_call);
    if (sent == INSTANCE_NONE || !passage.waits || call == ID_Bsend || call == ID_Ibsend) return;
    verify_after(context, row, message->sender, sent, trace->ranks[message->sender].calls[sent].exit_ps, passage.left_ps,
                 "returns before the receiver can have let the message go");
    check_progress(context, message->sender, sent, passage.left_ps, row);
}

enum status verify_waits_message(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    (void)err;
    const struct messages *messages = &context->relations.messages;
    for (size_t i = 0; i < messages->count; i++) check_message(context, &messages->items[i], row);
    return STATUS_OK;
}

/* The earliest completion of the operation at its origin: of a get when its data have arrived, of a put when its last
 * byte has left (MPI-3.1 11.3.5). A put that d buffers is complete when it has been copied, the request of a put with gaps
 * (noncontiguous_put) when its call returns. */
static int64_t local_ps(const struct verify_context *context, uint32_t origin, size_t index, bool buffers)
{
    const struct trace_rank *rank = &context->predicted->ranks[origin];
    const struct trace_call *call = &rank->calls[index];
    const struct trace_sim *sim = &rank->sim[index];
    enum rma_kind kind = verify_rma_kind(call_kind(call->call));
    if (kind == RMA_GET) return sim->xfer_end_ps;
    if (window_mode_gaps(&context->modes[call->handle], context->predicted, origin, index)) return call->exit_ps;
    if (buffers && semantics_waits(context->modes[call->handle].semantics, kind, call->bytes) == WAITS_NEVER)
        return call->exit_ps;
    return verify_local_ps(context, origin, index);
}

enum status verify_waits_request(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    (void)err;
    const struct epochs *epochs = &context->relations.epochs;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct trace_call *calls = context->predicted->ranks[operation->origin].calls;
        if (!call_makes_request(calls[operation->call].call)) continue;
        size_t end = verify_ending(context, operation->origin, operation->call);
        if (end == INSTANCE_NONE) continue;
        bool buffers = epochs->accesses[operation->epoch].kind == EPOCH_START;
        verify_after(context, row, operation->origin, end, calls[end].exit_ps,
                     local_ps(context, operation->origin, operation->call, buffers),
                     "returns before the operation of its request is complete at its origin");
    }
    return STATUS_OK;
}
