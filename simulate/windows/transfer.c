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
    if (!replay_is_fenced(op) || !replay->incoming || replay_is_get(op)) return false;
    return window_mode_counts(&replay->modes[replay->members[op->member].window]);
}

/* mpi.rma.protocol.local for MPI, the specification for OpenSHMEM. What nobody acknowledges is complete when it has left. */
static void decide_completion(const struct replay *replay, const struct window_mode *mode, enum mpi_call call, struct op *op)
{
    const struct rma_protocol *protocol = &replay->platform->protocol;
    bool plain = op->kind == CALL_PUT || op->kind == CALL_GET;
    op->has_answer = !plain || window_mode_accumulates(mode, replay->trace, op->origin, replay->ranks[op->origin].next);
    op->put = op->kind == CALL_PUT && !op->has_answer;
    enum rma_kind kind = op->put ? RMA_PUT : RMA_ACCUMULATE;
    bool shmem = replay->shmem && call_is_shmem(call);
    enum local_mode local = shmem || replay_is_get(op) ? LOCAL_LEFT : protocol->local[kind];
    bool remote = protocol->calls[STEPS_COMPLETE].form == FORM_COMPLETE_BEHIND || local == LOCAL_ACKNOWLEDGED;
    if (local == LOCAL_ACKNOWLEDGED && ends_with_barrier(replay, op)) local = LOCAL_LEFT;
    op->local = (uint8_t)local;
    op->answered = replay_is_get(op) || (op->pair == NO_INDEX ? !ends_with_barrier(replay, op) : remote);
}

/* Complete's notification waits for what comes back of the operation: where complete queries, of gets, too. */
static bool holds_notification(const struct replay *replay, const struct op *op)
{
    if (op->pair == NO_INDEX || !replay->complete_remote || !op->answered) return false;
    return !replay_is_get(op) || replay->platform->protocol.calls[STEPS_COMPLETE].query != QUERY_NONE;
}

bool replay_complete_awaits_op(const struct op *op)
{
    return op->kind != CALL_COMPLETE && op->counts_left;
}

static struct incoming *incoming_of(const struct replay *replay, const struct op *op)
{
    uint32_t target = replay_member_index(replay, replay->members[op->member].window, op->target);
    return &replay->incoming[2 * (size_t)target + (op->epoch & 1)];
}

static struct access *access_of(const struct replay *replay, const struct op *op)
{
    return op->lock == NO_INDEX ? &replay->members[op->member].open : &replay->lock_epochs[op->lock].open;
}

/* The call that closes the epoch waits for what comes back. */
static bool is_awaited(const struct op *op)
{
    return op->answered && (op->pair == NO_INDEX || op->counts_left);
}

/* Complete at the origin with what comes back, not when it has left. */
static bool ends_with_answer(const struct op *op)
{
    return replay_is_get(op) || op->local == LOCAL_ACKNOWLEDGED || (op->pair != NO_INDEX && op->answered);
}

enum status replay_make_op(struct replay *replay, uint32_t rank, bool copied, uint32_t *op)
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
    if (replay->made) predicted_moves(replay->made, rank, replay_call_number(replay, rank));
    made->origin = rank;
    made->target = (uint32_t)call->peer;
    made->member = index;
    made->pair = pair ? (uint32_t)(pair - replay->pairs) : NO_INDEX;
    made->lock = lock;
    made->request = NO_INDEX;
    made->call = replay_call_number(replay, rank);
    made->bytes = call->bytes;
    made->kind = (uint8_t)call_operation(call_kind(call->call));
    if (made->kind == CALL_GET_ACCUMULATE) made->result_bytes = call->rma.result_bytes;
    decide_completion(replay, &replay->modes[member->window], (enum mpi_call)call->call, made);
    bool lasts = made->local != LOCAL_COPIED || (pair && made->answered);
    made->counts_left = lasts && !copied && !replay_is_fenced(made);
    access_of(replay, made)->lefts += made->counts_left;
    access_of(replay, made)->outstanding += is_awaited(made);
    if (!made->has_answer && made->target != rank) replay_note_called(replay, index, lock);
    if (pair) {
        if (!made->has_answer) pair->unflushed = true;
        made->epoch = pair->accesses;
        pair->data_issued++;
    } else if (lock != NO_INDEX) {
        if (!made->has_answer) {
            bool got = replay_is_get(made) && replay->platform->protocol.calls[STEPS_FLUSH].query == QUERY_CONNECTED;
            replay->lock_epochs[lock].unflushed = true;
            replay->lock_epochs[lock].got = got && made->target != rank;
        }
        struct all_locks *all = replay->all_locks[index];
        if (all && !replay->lock_epochs[lock].busy) replay_lock_busy(replay, all, lock);
    } else {
        made->epoch = member->sync_instance;
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
    if (op->pair != NO_INDEX) replay->pairs[op->pair].uncleared++;
    if (op->lock != NO_INDEX) replay->lock_epochs[op->lock].uncleared++;
    return replay_send_control(replay, MESSAGE_RMA_ASK, op->origin, op->target, index, 0);
}

/* A put or get of which the origin learns that it is complete, to another node. */
static bool is_answered(const struct replay *replay, const struct op *op)
{
    return !op->has_answer && is_awaited(op) && replay->nodes[op->origin] != replay->nodes[op->target];
}

void replay_note_issue(struct replay *replay, const struct op *op)
{
    if (is_answered(replay, op)) replay_count_unanswered(replay, op->origin, +1);
    if (!holds_notification(replay, op)) return;
    replay->pairs[op->pair].uncleared++;
    replay->pairs[op->pair].answers += op->counts_left;
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
    bool active = op.pair != NO_INDEX;
    if (active) origin->open.lefts++;
    if (op.together)
        TRY(replay_send_together(replay, message->ref));
    else
        TRY(op.kind == CALL_GET_ACCUMULATE ? send_fetch(replay, message->ref) : send_data(replay, message->ref));
    bool ends = op.lock != NO_INDEX && --replay->lock_epochs[op.lock].uncleared == 0;
    if (ends && replay->platform->protocol.calls[STEPS_UNLOCK].form == FORM_UNLOCK_WITH_DATA) replay_wake(replay, op.origin);
    bool heap = replay->trace->definitions.windows[origin->window].flavor == 'h';
    if (ends && heap) return replay_issue_followers(replay, op.lock); /* signals */
    if (!active) return STATUS_OK;
    TRY(replay_pair_cleared(replay, op.pair, op.epoch));
    if (--origin->open.lefts == 0) replay_wake(replay, op.origin);
    return STATUS_OK;
}

/* Fences that wait for incoming: the target's fence waits for the operations towards it, of a get until its data have left, at
 * at_ps. May wake the target. */
static void count_incoming(struct replay *replay, const struct op *op, int64_t at_ps)
{
    int32_t window = replay->members[op->member].window;
    if (!replay_is_fenced(op) || replay->modes[window].fence.form == FORM_FENCE_BARRIER) return;
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
    if (replay_is_get(op)) {
        if (op->pair != NO_INDEX)
            replay_pair_effect(replay, &replay->pairs[op->pair], left_ps);
        else
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
    if (!op->counts_left || ends_with_answer(op)) return STATUS_OK;
    struct access *open = access_of(replay, op);
    if (left_ps > open->last_left_ps) open->last_left_ps = left_ps;
    if (--open->lefts == 0) replay_wake(replay, op->origin);
    return STATUS_OK;
}

/* The operation is remotely complete. A woken rank may make operations: what it does leaves behind the acknowledgement. */
static enum status reached_target(struct replay *replay, uint32_t index, int64_t at_ps)
{
    const struct op op = replay->ops[index];
    note_end(replay, &op, at_ps);
    if (op.answered) TRY(replay_send_control(replay, MESSAGE_ACK, op.target, op.origin, index, 0));
    if (op.pair != NO_INDEX)
        replay_pair_effect(replay, &replay->pairs[op.pair], at_ps);
    else if (replay->incoming)
        count_incoming(replay, &op, at_ps);
    if (replay->watches) replay_take_effect(replay, index, at_ps);
    if (!op.answered) replay_release_op(replay, index);
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
        int64_t apply_ps = cost_of_bytes_ps(replay->platform, platform_apply_s(replay->platform, op->bytes));
        if (apply_ps == 0) return replay_on_applied(replay, index);
        int64_t *free_ps = &replay->server_free_ps[replay->servers ? replay->servers[op->target] : op->target];
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
    struct access *open = access_of(replay, &op);
    bool done = op.counts_left && ends_with_answer(&op) && --open->lefts == 0;
    if (is_awaited(&op)) done = --open->outstanding == 0 || done;
    if (replay_is_fenced(&op)) TRY(replay_count_fence_answer(replay, &op, -1));
    if (op.request != NO_INDEX) TRY(replay_request_done(replay, op.request)); /* its rank may go on to a flush */
    if (holds_notification(replay, &op)) {
        replay->pairs[op.pair].answers -= op.counts_left;
        TRY(replay_pair_cleared(replay, op.pair, op.epoch));
    }
    if (done) replay_wake(replay, op.origin);
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
    if (op->pair != NO_INDEX) return false;
    return op->lock != NO_INDEX || replay->modes[replay->members[op->member].window].fence.form == FORM_FENCE_BARRIER;
}

enum status replay_query_target(struct replay *replay, uint32_t ref, uint32_t origin, uint32_t target)
{
    replay_access(replay, ref)->outstanding++;
    return replay_send_query(replay, origin, target, ref);
}

enum status replay_query_others(struct replay *replay, uint32_t rank, uint32_t ref)
{
    return replay_query_connections(replay, rank, ref, &replay_access(replay, ref)->outstanding);
}
