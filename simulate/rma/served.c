/* Whether the current call of an origin waits for its message to be served at the target: Wait for Progress. */
#include "simulate/replay/request.h"
#include "simulate/rma/rma.h"
#include "simulate/windows/lock_epoch.h"
#include "simulate/windows/transfer.h"

/* flush_local and complete wait until data have left. Data that send a request first leave late. Complete does not wait
 * for copies. */
static bool holds_back(const struct op *op, enum message_type type)
{
    return replay_is_get(op) || type == MESSAGE_RMA_ASK;
}

static bool awaits_request(const struct replay *replay, const struct op *op)
{
    return op->request != NO_INDEX && replay_request(replay, op->request)->awaited;
}

static bool awaits_op(const struct replay *replay, const struct trace_call *call, const struct op *op,
                      enum message_type type)
{
    if (call_arm(call_kind(call->call)) == ARM_COMPLETION) return awaits_request(replay, op);
    bool names = call->handle == replay->members[op->member].window &&
                 (call->peer == TRACE_NONE || (uint32_t)call->peer == op->target);
    switch (call_kind(call->call)) {
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH: return names && op->lock != NO_INDEX;
    case CALL_FLUSH_LOCAL:
        return names && op->lock != NO_INDEX &&
               (holds_back(op, type) || op->local == LOCAL_ACKNOWLEDGED);
    case CALL_COMPLETE:
        return names && op->pair != NO_INDEX && op->counts_left && (holds_back(op, type) || replay->complete_remote);
    default: return false;
    }
}

/* message.ref: an operation, or the head of several in one message. */
bool replay_awaits_ops(const struct replay *replay, const struct trace_call *call, const struct engine_note *message)
{
    enum message_type type = (enum message_type)message->type;
    if (!replay->ops[message->ref].together) return awaits_op(replay, call, &replay->ops[message->ref], type);
    for (uint32_t op = message->ref; op != NO_INDEX; op = replay->ops[op].next)
        if (awaits_op(replay, call, &replay->ops[op], type)) return true;
    return false;
}

bool replay_awaits_lock(const struct replay *replay, const struct trace_call *call, const struct engine_note *message)
{
    const struct lock_epoch *lock = &replay->lock_epochs[message->ref];
    bool names = call->handle == replay->members[lock->member].window &&
                 (call->peer == TRACE_NONE || (uint32_t)call->peer == lock->target);
    switch (call_kind(call->call)) {
    case CALL_LOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: return names;
    default: break;
    }
    if (call_arm(call_kind(call->call)) != ARM_COMPLETION) return false;
    for (uint32_t op = lock->queue.first; op != NO_INDEX; op = replay->ops[op].next)
        if (awaits_request(replay, &replay->ops[op])) return true;
    return false;
}

bool replay_awaits_release(const struct replay *replay, const struct trace_call *call, const struct engine_note *message)
{
    (void)call;
    return replay->lock_epochs[message->ref].releasing;
}

bool replay_awaits_flush(const struct replay *replay, const struct trace_call *call, const struct engine_note *message)
{
    (void)replay;
    (void)message;
    return call_kind(call->call) != CALL_FENCE;
}
