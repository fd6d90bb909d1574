/* The rows of the driver of one-sided calls.
 *
 * Most arrivals only change state that a rank reads when it acts next; the rules are at the top of
 * simulate/replay/message.c. */
#include "simulate/replay/message.h"
#include "simulate/rma/rma.h"
#include "simulate/windows/lock.h"
#include "simulate/windows/transfer.h"

static const struct call_step steps[] = {
    {CALL_WIN_CREATE, .step = replay_step_win_create},
    {CALL_WIN_FREE, .step = replay_step_win_free},
    {CALL_PUT, .step = replay_step_op},
    {CALL_GET, .step = replay_step_op},
    {CALL_ACCUMULATE, .step = replay_step_op},
    {CALL_GET_ACCUMULATE, .step = replay_step_op},
    {CALL_FENCE, .step = replay_step_fence, .traits = CALL_SERVES | CALL_FREES | CALL_SPENDS},
    {CALL_POST, .step = replay_step_post},
    {CALL_START, .step = replay_step_start, .traits = CALL_FREES},
    {CALL_COMPLETE, .step = replay_step_complete, .traits = CALL_SERVES},
    {CALL_WIN_WAIT, .step = replay_step_win_wait, .traits = CALL_SPENDS},
    {CALL_WIN_TEST, .step = replay_step_win_wait, .traits = CALL_TESTS | CALL_SPENDS},
    {CALL_LOCK, .step = replay_step_lock, .traits = CALL_FREES | CALL_SPENDS},
    {CALL_UNLOCK, .step = replay_step_unlock, .traits = CALL_SERVES | CALL_ASKS | CALL_FREES},
    {CALL_LOCK_ALL, .step = replay_step_lock_all, .traits = CALL_FREES | CALL_SPENDS},
    {CALL_UNLOCK_ALL, .step = replay_step_unlock, .traits = CALL_SERVES | CALL_FREES},
    {CALL_FLUSH, .step = replay_step_flush, .traits = CALL_SERVES | CALL_ASKS},
    {CALL_FLUSH_LOCAL, .step = replay_step_flush, .traits = CALL_SERVES | CALL_ASKS},
    {CALL_SYNC, .step = replay_step_local},
    {0}};

/* Only wait reads the arrival of a put in an active epoch. The notification of complete follows it, unless the data
 * left after a rendezvous. */
static void vary_data(const struct replay *replay, uint32_t ref, struct engine_message *message)
{
    const struct op *op = &replay->ops[ref];
    bool active = op->pair != NO_INDEX, replies = active ? replay->acknowledges_puts : replay_answers_late(replay, op);
    if (replies) message->effect = EFFECT_REPLIES;
    if (active && !replies && replay->hardware) message->effect = EFFECT_PRECEDES;
}

static void vary_get_request(const struct replay *replay, uint32_t ref, struct engine_message *message)
{
    if (replay_answers_late(replay, &replay->ops[ref])) message->effect = EFFECT_REPLIES;
}

static void vary_lock_grant(const struct replay *replay, uint32_t ref, struct engine_message *message)
{
    if (replay->answers_late && replay->lock_epochs[ref].awaited) message->effect = EFFECT_CHANGES;
}

static void vary_lock_release(const struct replay *replay, uint32_t ref, struct engine_message *message)
{
    if (replay->lock_epochs[ref].releasing) message->effect = EFFECT_REPLIES;
}

/* Of several operations, the largest row of the platform counts. */
static int64_t op_bytes(const struct replay *replay, uint32_t ref)
{
    return replay->ops[ref].together ? INT64_MAX : replay->ops[ref].bytes;
}

/* Each operation has its own acknowledgement, also those sent in one message. */
static int64_t acknowledged_bytes(const struct replay *replay, uint32_t ref)
{
    return replay->ops[ref].bytes;
}

static int64_t most_bytes(const struct replay *replay, uint32_t ref)
{
    (void)replay;
    (void)ref;
    return INT64_MAX;
}

/* reverse_share: the operation whose data the message carries. What has no data of operations, as requests of gets, has none. */
static bool carries_op(const struct replay *replay, uint32_t ref, enum rma_kind kind)
{
    const struct op *op = &replay->ops[ref];
    return kind == (op->put ? RMA_PUT : op->kind == CALL_GET ? RMA_GET : RMA_ACCUMULATE);
}

static bool carries_fetch(const struct replay *replay, uint32_t ref, enum rma_kind kind)
{
    return kind == RMA_ACCUMULATE && replay->ops[ref].bytes > 0;
}

static bool carries_together(const struct replay *replay, uint32_t first, enum rma_kind kind)
{
    for (uint32_t ref = first; ref != NO_INDEX; ref = replay->ops[ref].next) {
        const struct op *op = &replay->ops[ref];
        if (op->kind != CALL_GET && op->bytes > 0 && carries_op(replay, ref, kind)) return true;
    }
    return false;
}

static bool carries_gets(const struct replay *replay, uint32_t first, enum rma_kind kind)
{
    (void)replay;
    (void)first;
    return kind == RMA_GET;
}

static enum status op_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps)
{
    return replay_op_left(replay, message->ref, began_ps, left_ps);
}

static enum status fetch_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps)
{
    (void)left_ps;
    replay_fetch_left(replay, message->ref, began_ps);
    return STATUS_OK;
}

static enum status together_left(struct replay *replay, const struct engine_note *message, int64_t began_ps,
                                 int64_t left_ps)
{
    bool reply = message->type == MESSAGE_TOGETHER_REPLY;
    return replay_together_left(replay, message->ref, reply, began_ps, left_ps);
}

static enum status on_flushed(struct replay *replay, const struct engine_note *message)
{
    struct access *open = replay_access(replay, message->ref);
    open->outstanding -= 1 + message->extra;
    if (open->outstanding == 0) replay_wake(replay, message->destination);
    return STATUS_OK;
}

static const struct message_row messages[] = {
    {MESSAGE_POST, .act = replay_on_post, SERVICE_NOTIFICATION, EFFECT_CHANGES},
    {MESSAGE_COMPLETE, .act = replay_on_complete, SERVICE_NONE, EFFECT_CHANGES},
    {MESSAGE_WAITS, .act = replay_on_waits, SERVICE_NOTIFICATION, EFFECT_CHANGES},
    {MESSAGE_DATA, .act = replay_on_data, SERVICE_PUT, .vary = vary_data, .carries = carries_op, .served_bytes = op_bytes,
     .left = op_left, .awaited = replay_awaits_ops},
    {MESSAGE_ACK, .act = replay_on_ack, SERVICE_ACKNOWLEDGEMENT, EFFECT_CHANGES, .passes = true,
     .served_bytes = acknowledged_bytes},
    {MESSAGE_GET_REQUEST, .act = replay_on_get_request, SERVICE_GET, .passes = true, .vary = vary_get_request,
     .served_bytes = op_bytes, .awaited = replay_awaits_ops},
    {MESSAGE_GET_ASK, .act = replay_on_get_ask, SERVICE_CLEAR, .passes = true, .served_bytes = op_bytes},
    {MESSAGE_GET_CLEAR, .act = replay_on_get_clear, SERVICE_CLEAR, .passes = true, .served_bytes = op_bytes,
     .awaited = replay_awaits_ops},
    {MESSAGE_GET_REPLY, .act = replay_on_get_reply, SERVICE_NONE, .carries = carries_op, .left = op_left},
    {MESSAGE_ACCUMULATE, .act = replay_on_data_to_apply, SERVICE_ACCUMULATE, .carries = carries_op,
     .served_bytes = op_bytes, .left = op_left, .awaited = replay_awaits_ops},
    {MESSAGE_FETCH, .act = replay_on_data_to_apply, SERVICE_FETCH, .carries = carries_fetch,
     .served_bytes = op_bytes, .left = fetch_left, .awaited = replay_awaits_ops},
    {MESSAGE_RMA_ASK, .act = replay_on_rma_ask, SERVICE_RENDEZVOUS, .passes = true, .served_bytes = op_bytes,
     .awaited = replay_awaits_ops},
    {MESSAGE_RMA_CLEAR, .act = replay_on_rma_clear, SERVICE_CLEAR, .passes = true, .served_bytes = op_bytes},
    {MESSAGE_TOGETHER, .act = replay_on_together, SERVICE_PUT, .carries = carries_together,
     .served_bytes = most_bytes, .left = together_left, .awaited = replay_awaits_ops},
    {MESSAGE_TOGETHER_SERVED, .act = replay_on_together, SERVICE_ACCUMULATE,
     .also = SERVES(SERVICE_GET) | SERVES(SERVICE_FETCH) | SERVES(SERVICE_PUT), .carries = carries_together,
     .served_bytes = most_bytes, .left = together_left, .awaited = replay_awaits_ops},
    {MESSAGE_TOGETHER_GETS, .act = replay_on_together, SERVICE_GET, .passes = true, .served_bytes = most_bytes,
     .left = together_left, .awaited = replay_awaits_ops},
    {MESSAGE_TOGETHER_REPLY, .act = replay_on_together_reply, SERVICE_NONE, .carries = carries_gets,
     .left = together_left},
    {MESSAGE_LOCK_ASK, .act = replay_on_lock_ask, SERVICE_LOCK, EFFECT_REPLIES, .passes = true,
     .awaited = replay_awaits_lock},
    {MESSAGE_LOCK_GRANT, .act = replay_on_lock_grant, SERVICE_NOTIFICATION, .passes = true, .vary = vary_lock_grant},
    {MESSAGE_LOCK_RELEASE, .act = replay_on_lock_release, SERVICE_RELEASE, .vary = vary_lock_release,
     .awaited = replay_awaits_release},
    {MESSAGE_LOCK_RELEASED, .act = replay_on_lock_released, SERVICE_ACKNOWLEDGEMENT, EFFECT_CHANGES, .passes = true},
    {MESSAGE_FLUSH_QUERY, .act = replay_on_flush_query, SERVICE_PUT, EFFECT_REPLIES, .awaited = replay_awaits_flush},
    {MESSAGE_QUERIES, .act = replay_on_queries, SERVICE_PUT},
    {MESSAGE_FLUSHED, .act = on_flushed, SERVICE_ACKNOWLEDGEMENT, EFFECT_CHANGES, .passes = true},
    {0}};

static uint32_t target_of_op(const struct replay *replay, uint32_t op)
{
    return replay->ops[op].target;
}

static const struct timer_row timers[] = {
    {TIMER_OP, target_of_op, replay_on_applied}, {TIMER_BUFFER, replay_rank_of_buffer, replay_on_buffer}, {0}};

static enum status reach_ranks(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                               struct reach *to)
{
    const struct trace *trace = replay->trace;
    const struct trace_comm *comm = trace_call_comm(trace, call);
    (void)rank;
    switch (call_kind(call->call)) {
    case CALL_WIN_CREATE:
    case CALL_WIN_FREE:
    case CALL_FENCE: {
        if (call->handle == TRACE_NONE) return STATUS_OK;
        int32_t id = trace->definitions.windows[call->handle].comm;
        TRY(replay_reach_barrier(to, replay, id));
        if (call_kind(call->call) != CALL_WIN_CREATE) return STATUS_OK;
        const struct coll_shape gather = replay_gather_shape(replay, trace->definitions.comms[id].count);
        return replay_reach_plan(to, id, &gather);
    }
    case CALL_POST:
    case CALL_START:
        return replay_reach_ranks(to, trace->definitions.groups[call->sync.group].members,
                                  trace->definitions.groups[call->sync.group].count);
    case CALL_LOCK_ALL: return comm ? replay_reach_ranks(to, comm->members, comm->count) : STATUS_OK;
    case CALL_LOCK: return replay_reach_rank(to, call->peer);
    default: return call_moves(call->call) ? replay_reach_rank(to, call->peer) : STATUS_OK;
    }
}

const struct call_driver rma_driver = {
    .name = "rma",
    .steps = steps,
    .messages = messages,
    .timers = timers,
    .prepare = replay_prepare_windows,
    .clear = replay_clear_windows,
    .nodes_are_apart = replay_windows_are_apart,
    .waits_outside = replay_epoch_awaited,
    .reach = reach_ranks,
    .explain_wait = replay_explain_rma,
    .find_leftovers = replay_find_held,
    .prefetch = replay_prefetch,
};
