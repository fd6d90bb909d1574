#include "simulate/windows/transfer.h"

#include "simulate/engine/cost.h"
#include "simulate/replay/connections.h"
#include "simulate/replay/message.h"
#include "simulate/replay/request.h"
#include "simulate/replay/walk.h"
#include "simulate/tasks/decide.h"
#include "simulate/windows/lock_epoch.h"
#include "simulate/windows/pair.h"
#include "simulate/windows/watch.h"

static void note_end(struct replay *replay, const struct op *op, int64_t end_ps)
{
    if (!replay->made) return;
    struct trace_sim *sim = predicted_sim(replay->made, op->origin, op->call);
    sim->xfer_start_ps = op->began_ps;
    sim->xfer_end_ps = end_ps;
}

/* [issue, counts, incoming, barrier]: the barrier of the fence says that the put or accumulate is complete, no
 * acknowledgement does. */
static bool ends_with_barrier(const struct replay *replay, const struct op *op)
{
    if (op->epoch_kind != OP_FENCE || !replay->incoming || replay_is_get(op)) return false;
    return window_mode_counts(&replay->modes[replay->members[op->member].window]);
}

/* mpi.rma.protocol.local for MPI, the specification for OpenSHMEM. What nobody acknowledges is complete when it has left. */
static void decide_completion(const struct replay *replay, const struct window_mode *mode, enum mpi_call call, struct op *op)
{
    const struct rma_protocol *protocol = &replay->platform->protocol;
    bool plain = op->kind == CALL_PUT || op->kind == CALL_GET;
    op->has_answer = !plain || window_mode_accumulates(mode, replay->trace, op->origin, op->call);
    op->put = op->kind == CALL_PUT && !op->has_answer;
    enum rma_kind kind = op->put ? RMA_PUT : RMA_ACCUMULATE;
    bool shmem = replay->shmem && call_is_shmem(call);
    enum local_mode local = shmem || replay_is_get(op) ? LOCAL_LEFT : protocol->local[kind];
    bool remote = protocol->calls[STEPS_COMPLETE].form == FORM_COMPLETE_BEHIND || local == LOCAL_ACKNOWLEDGED;
    if (local == LOCAL_ACKNOWLEDGED && ends_with_barrier(replay, op)) local = LOCAL_LEFT;
    op->local = (uint8_t)local;
    op->awaits_ack = op->epoch_kind == OP_ACTIVE && remote;
}

/* Complete's notification waits for what comes back of the operation: where complete queries, of gets, too. */
static bool holds_notification(const struct replay *replay, const struct op *op)
{
    if (op->epoch_kind != OP_ACTIVE || !replay->complete_remote) return false;
    return replay_is_get(op) ? replay->platform->protocol.calls[STEPS_COMPLETE].query != QUERY_NONE : op->awaits_ack;
}

bool replay_complete_awaits_op(const struct op *op)
{
    return op->kind != CALL_COMPLETE && (replay_is_get(op) || op->counts_left);
}

static struct incoming *incoming_of(const struct replay *replay, const struct op *op)
{
    uint32_t target = replay_member_index(replay, replay->members[op->member].window, op->target);
    return &replay->incoming[2 * (size_t)target + (op->epoch & 1)];
}

enum status replay_make_op(struct replay *replay, uint32_t rank, uint32_t *op)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    struct member *member = replay_member(replay, call, rank);
    uint32_t index = (uint32_t)(member - replay->members);
    struct pair *pair = replay_open_pair(replay, member, call->peer);
    uint32_t lock = pair ? NO_INDEX : replay_open_lock(replay, rank, index, call->peer);
    *op = NO_INDEX;
    if (!pair && lock == NO_INDEX && !member->fence_open) return STATUS_OK;
    TRY(replay_take_op(replay, op));
    struct op *made = &replay->ops[*op];
    if (replay->made) predicted_moves(replay->made, rank, state->next);
    made->origin = rank;
    made->target = (uint32_t)call->peer;
    made->member = index;
    made->pair = made->request = NO_INDEX;
    made->lock = lock;
    made->call = state->next;
    made->bytes = call->bytes;
    made->kind = (uint8_t)call_operation(call_kind(call->call));
    if (made->kind == CALL_GET_ACCUMULATE) made->result_bytes = call->rma.result_bytes;
    made->epoch_kind = pair ? OP_ACTIVE : lock != NO_INDEX ? OP_LOCK : OP_FENCE;
    decide_completion(replay, &replay->modes[member->window], (enum mpi_call)call->call, made);
    if (!made->has_answer && made->target != rank) replay_note_called(replay, index, lock);
    if (pair) {
        if (!made->has_answer) pair->unflushed = true;
        made->pair = (uint32_t)(pair - replay->pairs);
        made->epoch = pair->accesses;
        pair->data_issued++;
    } else if (lock != NO_INDEX) {
        replay->lock_epochs[lock].outstanding++;
        made->counts_left = !replay_is_get(made) && made->local != LOCAL_COPIED;
        replay->lock_epochs[lock].lefts += replay_is_get(made) || made->counts_left;
        if (!made->has_answer) {
            bool got = replay_is_get(made) && replay->platform->protocol.calls[STEPS_FLUSH].query == QUERY_CONNECTED;
            replay->lock_epochs[lock].unflushed = true;
            replay->lock_epochs[lock].got = got && made->target != rank;
        }
        struct all_locks *all = replay->all_locks[index];
        if (all && !replay->lock_epochs[lock].busy) replay_lock_busy(replay, all, lock);
    } else {
        made->epoch = member->sync_instance;
        member->fence_outstanding += !ends_with_barrier(replay, made);
        TRY(replay_count_fence_answer(replay, made, +1));
        if (replay->incoming) incoming_of(replay, made)->issued++;
    }
    return STATUS_OK;
}

/* The data, or what a fetching operation returns. */
static enum status send_bytes(struct replay *replay, uint32_t index, enum message_type type, int64_t bytes)
{
    const struct op *op = &replay->ops[index];
    uint32_t from = replay_is_get(op) ? op->target : op->origin, to = replay_is_get(op) ? op->origin : op->target;
    struct engine_departure departure;
    TRY(replay_send(replay, type, from, to, bytes, index, 0, &departure));
    if (departure.left_ps == ENGINE_LATER) return STATUS_OK;
    return replay_op_left(replay, index, departure.began_ps, departure.left_ps);
}

static enum status send_data(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    enum message_type put = op->put ? MESSAGE_DATA : MESSAGE_ACCUMULATE;
    return send_bytes(replay, index, op->kind == CALL_GET ? MESSAGE_GET_REPLY : put, op->bytes);
}

/* Get_accumulate and the like: the data one way (a control message if there are none), the result back. */
static enum status send_fetch(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    int64_t bytes = op->bytes > 0 ? op->bytes : replay->platform->control_bytes;
    struct engine_departure departure;
    TRY(replay_send(replay, MESSAGE_FETCH, op->origin, op->target, bytes, index, 0, &departure));
    if (departure.left_ps != ENGINE_LATER) replay_fetch_left(replay, index, departure.began_ps);
    return STATUS_OK;
}

void replay_fetch_left(struct replay *replay, uint32_t index, int64_t began_ps)
{
    replay->ops[index].began_ps = began_ps;
}

enum status replay_ask_to_send(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    if (op->epoch_kind == OP_ACTIVE) replay->pairs[op->pair].uncleared++;
    if (op->epoch_kind == OP_LOCK) replay->lock_epochs[op->lock].uncleared++;
    return replay_send_control(replay, MESSAGE_RMA_ASK, op->origin, op->target, index, 0);
}

/* A put or get of which the origin learns that it is complete, to another node. */
static bool is_answered(const struct replay *replay, const struct op *op)
{
    if (op->has_answer || ends_with_barrier(replay, op)) return false;
    if (op->put && op->epoch_kind == OP_ACTIVE && !(op->awaits_ack && op->counts_left)) return false;
    return replay->nodes[op->origin] != replay->nodes[op->target];
}

void replay_note_issue(struct replay *replay, const struct op *op)
{
    if (is_answered(replay, op)) replay_count_unanswered(replay, op->origin, +1);
    if (!holds_notification(replay, op)) return;
    replay->pairs[op->pair].uncleared++;
    replay->pairs[op->pair].answers += replay_is_get(op) || op->counts_left;
}

enum status replay_issue(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    replay_note_issue(replay, op);
    if (op->kind == CALL_GET) return replay_send_control(replay, MESSAGE_GET_REQUEST, op->origin, op->target, index, 0);
    bool rendezvous = replay->platform->progress != PROGRESS_HARDWARE && op->bytes > replay->platform->rma_eager_bytes;
    if (rendezvous) return replay_ask_to_send(replay, index);
    return op->kind == CALL_GET_ACCUMULATE ? send_fetch(replay, index) : send_data(replay, index);
}

enum status replay_on_rma_ask(struct replay *replay, const struct engine_note *message)
{
    return replay_send_control(replay, MESSAGE_RMA_CLEAR, message->destination, message->source, message->ref, 0);
}

/* Complete's notification leaves, after the data, before complete continues. */
enum status replay_on_rma_clear(struct replay *replay, const struct engine_note *message)
{
    const struct op op = replay->ops[message->ref];
    struct member *origin = &replay->members[op.member];
    bool active = op.epoch_kind == OP_ACTIVE;
    if (active) origin->lefts++;
    if (op.together)
        TRY(replay_send_together(replay, message->ref));
    else
        TRY(op.kind == CALL_GET_ACCUMULATE ? send_fetch(replay, message->ref) : send_data(replay, message->ref));
    bool ends = op.epoch_kind == OP_LOCK && --replay->lock_epochs[op.lock].uncleared == 0;
    if (ends && replay->platform->protocol.calls[STEPS_UNLOCK].form == FORM_UNLOCK_WITH_DATA) replay_wake(replay, op.origin);
    if (!active) return STATUS_OK;
    TRY(replay_pair_cleared(replay, op.pair, op.epoch));
    if (--origin->lefts == 0) replay_wake(replay, op.origin);
    return STATUS_OK;
}

/* Fences that wait for incoming: the target's fence waits for the operations towards it, of a get until its data have left, at
 * at_ps. May wake the target. */
static void count_incoming(struct replay *replay, const struct op *op, int64_t at_ps)
{
    int32_t window = replay->members[op->member].window;
    if (op->epoch_kind != OP_FENCE || replay->modes[window].fence.form == FORM_FENCE_BARRIER) return;
    struct incoming *incoming = incoming_of(replay, op);
    if (at_ps > incoming->latest_ps) incoming->latest_ps = at_ps;
    incoming->arrived++;
    replay_wake(replay, op->target);
}

enum status replay_op_left(struct replay *replay, uint32_t index, int64_t began_ps, int64_t left_ps)
{
    struct op *op = &replay->ops[index];
    if (op->kind != CALL_GET_ACCUMULATE) op->began_ps = began_ps;
    if (op->buffered) return replay_buffer_left(replay, op->origin, op->bytes, left_ps);
    struct member *member = &replay->members[op->member];
    if (replay_is_get(op) && op->epoch_kind == OP_ACTIVE) {
        replay_pair_effect(replay, &replay->pairs[op->pair], left_ps);
        return STATUS_OK;
    }
    if (replay_is_get(op)) {
        count_incoming(replay, op, left_ps);
        return STATUS_OK;
    }
    if (op->local == LOCAL_ACKNOWLEDGED) return STATUS_OK;
    uint32_t request = op->request;
    if (request != NO_INDEX) {
        op->request = NO_INDEX;
        TRY(replay_request_done_at(replay, request, left_ps));
        op = &replay->ops[index];
    }
    if (!op->counts_left) return STATUS_OK;
    if (op->epoch_kind == OP_LOCK) {
        /* A put or accumulate under a lock is complete at the origin. */
        struct lock_epoch *lock = &replay->lock_epochs[op->lock];
        if (left_ps > lock->last_left_ps) lock->last_left_ps = left_ps;
        if (--lock->lefts == 0) replay_wake(replay, op->origin);
        return STATUS_OK;
    }
    if (op->awaits_ack) return STATUS_OK;
    if (left_ps > member->last_left_ps) member->last_left_ps = left_ps;
    if (--member->lefts == 0) replay_wake(replay, op->origin);
    return STATUS_OK;
}

/* The operation is remotely complete: an active epoch counts it at the target, other epochs notify the origin. */
static enum status reached_target(struct replay *replay, uint32_t index, int64_t at_ps)
{
    struct op *op = &replay->ops[index];
    note_end(replay, op, at_ps);
    if (op->epoch_kind == OP_ACTIVE) {
        uint32_t pair = op->pair;
        if (op->awaits_ack)
            TRY(replay_send_control(replay, MESSAGE_ACK, op->target, op->origin, index, 0));
        else
            replay_release_op(replay, index);
        replay_pair_effect(replay, &replay->pairs[pair], at_ps);
        return STATUS_OK;
    }
    bool unanswered = ends_with_barrier(replay, op);
    if (!unanswered) TRY(replay_send_control(replay, MESSAGE_ACK, op->target, op->origin, index, 0));
    /* A woken rank may make operations. What it does leaves behind the acknowledgement. */
    const struct op reached = replay->ops[index];
    if (replay->incoming) count_incoming(replay, &reached, at_ps);
    if (replay->watches) replay_take_effect(replay, index, at_ps);
    if (unanswered) replay_release_op(replay, index);
    return STATUS_OK;
}

enum status replay_on_data(struct replay *replay, const struct engine_note *message)
{
    return reached_target(replay, message->ref, replay->now_ps);
}

void replay_note_claim(struct replay *replay, const struct op *op)
{
    if (replay->decisions) decisions_grant(replay->decisions, op->origin, op->call);
}

enum status replay_on_applied(struct replay *replay, uint32_t index)
{
    replay_note_claim(replay, &replay->ops[index]);
    bool answers = replay->ops[index].kind == CALL_GET_ACCUMULATE;
    if (!answers) return reached_target(replay, index, replay->now_ps);
    TRY(send_bytes(replay, index, MESSAGE_GET_REPLY, replay->ops[index].result_bytes));
    if (replay->watches)
        replay_take_effect(replay, index, replay->now_ps); /* what the target does next leaves behind the result */
    return STATUS_OK;
}

enum status replay_op_arrived(struct replay *replay, uint32_t index)
{
    if (replay->ops[index].kind != CALL_PUT) {
        /* The target's server applies accumulates one after another (spec "Progress at the target"). */
        const struct op *op = &replay->ops[index];
        int64_t apply_ps = cost_duration_ps(platform_apply_s(replay->platform, op->bytes));
        if (apply_ps == 0) return replay_on_applied(replay, index);
        int64_t *free_ps = &replay->server_free_ps[op->target];
        int64_t begin_ps = replay->platform->contention && *free_ps > replay->now_ps ? *free_ps : replay->now_ps;
        *free_ps = begin_ps + apply_ps;
        if (replay_past_end(replay, op->origin, *free_ps)) return STATUS_DATA;
        return replay_timer(replay, begin_ps + apply_ps, op->target, TIMER_OP, index);
    }
    return reached_target(replay, index, replay->now_ps);
}

enum status replay_on_data_to_apply(struct replay *replay, const struct engine_note *message)
{
    return replay_op_arrived(replay, message->ref);
}

/* The origin knows that the operation is complete. */
static enum status transfer_finished(struct replay *replay, uint32_t index)
{
    const struct op op = replay->ops[index];
    replay_release_op(replay, index);
    if (is_answered(replay, &op)) replay_count_unanswered(replay, op.origin, -1);
    if (op.epoch_kind == OP_ACTIVE) {
        if (op.request != NO_INDEX) TRY(replay_request_done(replay, op.request));
        uint32_t *left = replay_is_get(&op) ? &replay->members[op.member].gets : &replay->members[op.member].lefts;
        if (holds_notification(replay, &op)) {
            replay->pairs[op.pair].answers -= replay_is_get(&op) || op.counts_left;
            TRY(replay_pair_cleared(replay, op.pair, op.epoch));
        }
        if ((replay_is_get(&op) || op.counts_left) && --*left == 0) replay_wake(replay, op.origin);
        return STATUS_OK;
    }
    bool counted = replay_is_get(&op) || (op.counts_left && op.local == LOCAL_ACKNOWLEDGED);
    bool wakes = op.epoch_kind == OP_LOCK && counted && --replay->lock_epochs[op.lock].lefts == 0;
    uint32_t *left = op.epoch_kind == OP_LOCK ? &replay->lock_epochs[op.lock].outstanding
                                              : &replay->members[op.member].fence_outstanding;
    if (op.epoch_kind == OP_FENCE) TRY(replay_count_fence_answer(replay, &op, -1));
    wakes = --*left == 0 || wakes;
    if (op.request != NO_INDEX) TRY(replay_request_done(replay, op.request)); /* its rank may go on to a flush */
    if (wakes) replay_wake(replay, op.origin);
    return STATUS_OK;
}

enum status replay_on_ack(struct replay *replay, const struct engine_note *message)
{
    return transfer_finished(replay, message->ref);
}

enum status replay_on_get_request(struct replay *replay, const struct engine_note *message)
{
    const struct platform *platform = replay->platform;
    replay_note_claim(replay, &replay->ops[message->ref]);
    bool asks = platform->protocol.get_data == GET_DATA_RENDEZVOUS && platform->progress != PROGRESS_HARDWARE &&
                message->source != message->destination && replay->ops[message->ref].bytes > platform->rma_eager_bytes;
    if (!asks) return send_data(replay, message->ref);
    return replay_send_control(replay, MESSAGE_GET_ASK, message->destination, message->source, message->ref, 0);
}

enum status replay_on_get_ask(struct replay *replay, const struct engine_note *message)
{
    return replay_send_control(replay, MESSAGE_GET_CLEAR, message->destination, message->source, message->ref, 0);
}

enum status replay_on_get_clear(struct replay *replay, const struct engine_note *message)
{
    return send_data(replay, message->ref);
}

enum status replay_get_arrived(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    note_end(replay, op, replay->now_ps);
    return transfer_finished(replay, index);
}

enum status replay_on_get_reply(struct replay *replay, const struct engine_note *message)
{
    return replay_get_arrived(replay, message->ref);
}

bool replay_answers_late(const struct replay *replay, const struct op *op)
{
    bool fence = op->epoch_kind == OP_FENCE;
    return op->epoch_kind == OP_LOCK ||
           (fence && replay->modes[replay->members[op->member].window].fence.form == FORM_FENCE_BARRIER);
}
