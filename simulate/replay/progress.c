/* Wait for Progress (docs/simulation.md, "Progress"): an origin waits in a completing call for a request that has reached
 * its target, which has not served it yet. Counts from the moment when nothing else is missing: when the request that is
 * served last has arrived, no earlier than Lock Contention ends. A fence waits for the target's own fence anyway. */
#include "simulate/replay/core.h"

static bool brings_data(const struct op *op)
{
    return op->kind == CALL_GET || op->kind == CALL_GET_ACCUMULATE;
}

/* flush_local and complete wait until data have left, which those that ask first do late; complete not for copies. */
static bool holds_back(const struct op *op, enum message_type type)
{
    return brings_data(op) || type == MESSAGE_RMA_ASK;
}

static bool awaits_request(const struct replay *replay, const struct op *op)
{
    return op->request != NO_INDEX && replay->requests[op->request].awaited;
}

static bool awaits_op(const struct replay *replay, const struct trace_call *call, const struct op *op,
                      enum message_type type)
{
    bool names = call->handle == replay->members[op->member].window &&
                 (call->peer == TRACE_NONE || (uint32_t)call->peer == op->target);
    switch (call_kind(call->call)) {
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH: return names && op->epoch_kind == OP_LOCK;
    case CALL_FLUSH_LOCAL:
        return names && op->epoch_kind == OP_LOCK &&
               (holds_back(op, type) || replay_local_mode(replay, op) == LOCAL_ACKNOWLEDGED);
    case CALL_COMPLETE:
        return names && op->epoch_kind == OP_ACTIVE &&
               (brings_data(op) || (op->counts_left && (holds_back(op, type) || replay->complete_remote)));
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_WAITALL: return awaits_request(replay, op);
    default: return false;
    }
}

/* first: an operation, or the head of those that travel together. */
static bool awaits_ops(const struct replay *replay, const struct trace_call *call, uint32_t first,
                       enum message_type type)
{
    if (!replay->ops[first].together) return awaits_op(replay, call, &replay->ops[first], type);
    for (uint32_t op = first; op != NO_INDEX; op = replay->ops[op].next)
        if (awaits_op(replay, call, &replay->ops[op], type)) return true;
    return false;
}

static bool awaits_lock(const struct replay *replay, const struct trace_call *call, const struct lock_epoch *lock)
{
    bool names = call->handle == replay->members[lock->member].window &&
                 (call->peer == TRACE_NONE || (uint32_t)call->peer == lock->target);
    switch (call_kind(call->call)) {
    case CALL_LOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL:
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: return names;
    case CALL_REQUEST_WAIT:
    case CALL_REQUEST_WAITALL:
        for (uint32_t op = lock->queue_first; op != NO_INDEX; op = replay->ops[op].next)
            if (awaits_request(replay, &replay->ops[op])) return true;
        return false;
    default: return false;
    }
}

void replay_served_late(struct replay *replay, const struct waiting_message *waiting)
{
    const struct engine_note *message = &waiting->message;
    struct rank_state *origin = &replay->ranks[message->source];
    enum message_type type = (enum message_type)message->type;
    if (origin->threads) return; /* which of them waits is not looked for */
    if (!origin->inside || origin->next >= origin->count || message->source == message->destination) return;
    const struct trace_call *call = &origin->calls[origin->next];
    bool awaited = false;
    switch (type) {
    case MESSAGE_LOCK_ASK: awaited = awaits_lock(replay, call, &replay->lock_epochs[message->ref]); break;
    case MESSAGE_LOCK_RELEASE: awaited = replay->lock_epochs[message->ref].releasing; break;
    case MESSAGE_FLUSH_ASK: awaited = message->extra != MESSAGE_FENCE_FLUSHED; break;
    case MESSAGE_DATA:
    case MESSAGE_TOGETHER:
    case MESSAGE_GET_REQUEST:
    case MESSAGE_ACCUMULATE:
    case MESSAGE_FETCH:
    case MESSAGE_RMA_ASK:
    case MESSAGE_TOGETHER_GETS:
    case MESSAGE_TOGETHER_SERVED: awaited = awaits_ops(replay, call, message->ref, type); break;
    default: break;
    }
    if (!awaited) return;
    struct rank_rare *rare = replay_rare(replay, origin);
    rare->progress_from_ps = waiting->arrived_ps;
    rare->progress_until_ps = replay->now_ps;
}

void replay_account_progress(struct replay *replay, uint32_t rank, int64_t exit_ps)
{
    struct rank_state *state = &replay->ranks[rank];
    struct rank_rare *rare = &replay->rare[rank];
    int64_t from_ps = rare->progress_from_ps, until_ps = rare->progress_until_ps;
    if (until_ps == TRACE_UNKNOWN_PS) return;
    rare->progress_from_ps = rare->progress_until_ps = TRACE_UNKNOWN_PS;
    if (from_ps < state->contended_until_ps) from_ps = state->contended_until_ps;
    if (from_ps < state->enter_ps) from_ps = state->enter_ps;
    if (until_ps > exit_ps) until_ps = exit_ps;
    if (from_ps >= until_ps) return;
    totals_add(&replay->outcome->totals, PATTERN_WAIT_FOR_PROGRESS, rank, until_ps - from_ps);
    if (!replay->made) return;
    struct trace_rank *made = &replay->made->ranks[rank];
    made->sim[state->next].progress_from_ps = from_ps;
    made->sim[state->next].progress_until_ps = until_ps;
}
