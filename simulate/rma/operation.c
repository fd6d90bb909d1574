/* Put, get, accumulate, get_accumulate and the like (MPI-3.1 11.3): when they are issued, when they have left, arrived,
 * are known to have arrived. */
#include "common/units.h"
#include "simulate/shmem/shmem.h"

enum { PHASE_ENTER, PHASE_POST, PHASE_ISSUE, PHASE_QUEUE, PHASE_COPIED };

/* Brings data back. */
static bool is_get(const struct op *op)
{
    return op->kind == CALL_GET || op->kind == CALL_GET_ACCUMULATE;
}

static struct trace_sim *sim_of(struct replay *replay, const struct op *op)
{
    return replay->made ? &replay->made->ranks[op->origin].sim[op->call] : NULL;
}

static void note_end(struct replay *replay, const struct op *op, int64_t end_ps)
{
    struct trace_sim *sim = sim_of(replay, op);
    if (!sim) return;
    sim->xfer_start_ps = op->began_ps;
    sim->xfer_end_ps = end_ps;
}

/* Of a put or an accumulate. */
static enum rma_kind kind_of(const struct op *op)
{
    return op->kind == CALL_PUT ? RMA_PUT : RMA_ACCUMULATE;
}

enum local_mode replay_local_mode(const struct replay *replay, const struct op *op)
{
    bool shmem = replay->shmem && call_is_shmem(replay->ranks[op->origin].calls[op->call].call);
    return shmem ? LOCAL_LEFT : replay->platform->protocol.local[kind_of(op)];
}

/* Complete waits for the acknowledgement of the put or accumulate. */
static bool complete_awaits_ack(const struct replay *replay, const struct op *op)
{
    return op->epoch_kind == OP_ACTIVE && (replay->platform->protocol.complete[kind_of(op)] == COMPLETE_REMOTE ||
                                           replay_local_mode(replay, op) == LOCAL_ACKNOWLEDGED);
}

/* Complete's notification waits for what comes back of the operation: where a flush must be requested, of gets, too. */
static bool holds_notification(const struct replay *replay, const struct op *op)
{
    if (op->epoch_kind != OP_ACTIVE || !replay->complete_remote) return false;
    return is_get(op) ? replay->platform->protocol.flush == FLUSH_REQUESTED : complete_awaits_ack(replay, op);
}

/* Its call copies the put or accumulate, which is complete at its origin then. */
static bool is_copied(const struct replay *replay, const struct op *op)
{
    return !is_get(op) && replay_local_mode(replay, op) == LOCAL_COPIED;
}

/* --- the call
 * ---------------------------------------------------------------------------------------------------------- */

static enum rma_kind rma_kind_of(enum call_kind kind)
{
    if (kind == CALL_GET_ACCUMULATE) return RMA_GET; /* what waits for data waits as a get does */
    return kind == CALL_PUT ? RMA_PUT : kind == CALL_GET ? RMA_GET : RMA_ACCUMULATE;
}

bool replay_complete_awaits_op(const struct op *op)
{
    return op->kind != CALL_COMPLETE && (is_get(op) || op->counts_left);
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
    made->origin = rank;
    made->target = (uint32_t)call->peer;
    made->member = index;
    made->pair = made->request = NO_INDEX;
    made->lock = lock;
    made->call = state->next;
    made->bytes = call->bytes;
    made->kind = (uint8_t)call_operation(call_kind(call->call));
    bool flushed = made->kind != CALL_PUT && made->kind != CALL_GET; /* each has an answer of its own */
    if (pair) {
        if (!flushed) pair->unflushed = true;
        made->epoch_kind = OP_ACTIVE;
        made->pair = (uint32_t)(pair - replay->pairs);
        made->epoch = pair->accesses;
        pair->data_issued++;
    } else if (lock != NO_INDEX) {
        made->epoch_kind = OP_LOCK;
        replay->lock_epochs[lock].outstanding++;
        made->counts_left = !is_get(made) && !is_copied(replay, made);
        replay->lock_epochs[lock].lefts += is_get(made) || made->counts_left;
        if (!flushed) replay->lock_epochs[lock].unflushed = true;
        if (member->all && !replay->lock_epochs[lock].busy) replay_lock_busy(replay, member->all, lock);
    } else {
        made->epoch_kind = OP_FENCE;
        made->epoch = member->fence_instance;
        member->fence_outstanding++;
        if (!flushed) TRY(replay_count_fence_answer(replay, made, +1));
        replay->members[replay_member_index(replay, member->window, made->target)].incoming_issued[made->epoch & 1]++;
    }
    return STATUS_OK;
}

/* What the call of a put copies on its own time: mpi.rma.protocol.put_s_per_byte. */
static int64_t put_copy_ps(const struct replay *replay, const struct trace_call *call)
{
    if (call_kind(call->call) != CALL_PUT) return 0;
    return cost_duration_ps((double)call->bytes * replay->platform->protocol.put_s_per_byte);
}

/* The data leave while the call copies them: they begin to so that the last byte has been copied when it leaves. */
static int64_t copy_ahead_ps(const struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    int64_t copy_ps = put_copy_ps(replay, call);
    if (copy_ps == 0) return 0;
    uint32_t target = (uint32_t)call->peer;
    const struct engine_message data = {.src_node = replay->nodes[rank],
                                        .dst_node = replay->nodes[target],
                                        .bytes = call->bytes,
                                        .to_self = rank == target};
    const struct cost cost = cost_message(replay->platform, &data);
    return copy_ps > cost.transmit_ps ? copy_ps - cost.transmit_ps : 0;
}

/* The call returns; that of a put which has been issued, when it has copied the rest. */
static enum step leave(struct replay *replay, struct rank_state *state, struct pair *pair)
{
    const struct trace_call *call = &state->calls[state->next];
    int64_t copy_ps = 0;
    if (state->phase == PHASE_ISSUE)
        copy_ps = put_copy_ps(replay, call) - copy_ahead_ps(replay, (uint32_t)(state - replay->ranks), call);
    if (pair) pair->last_op_exit_ps = replay->now_ps + copy_ps;
    return copy_ps == 0 ? replay_exit(state, replay->now_ps) : replay_spend(replay, state, copy_ps, PHASE_LEAVE);
}

static bool is_for_group(const struct replay *replay, const struct trace_call *call)
{
    return semantics_waits_for_group(replay->modes[call->handle].semantics, rma_kind_of(call_kind(call->call)),
                                     call->bytes);
}

/* The call's wait for its target's post, or for those of the whole group, is over. */
static bool has_posts(const struct replay *replay, const struct member *member, const struct pair *pair,
                      const struct trace_call *call)
{
    if (is_for_group(replay, call)) return member->nocheck || member->missing_posts == 0;
    return replay_pair_ready(member, pair);
}

/* The call waits for its target's post, or for those of the whole group. */
static enum step await_posts(struct replay *replay, struct rank_state *state, struct member *member,
                             const struct trace_call *call)
{
    if (state->phase == PHASE_ENTER && is_for_group(replay, call)) replay_await_group(replay, member);
    state->phase = PHASE_POST;
    return STEP_BLOCK;
}

static void account_posts(struct replay *replay, uint32_t rank, const struct member *member, const struct pair *pair,
                          const struct trace_call *call)
{
    int64_t post_ps = is_for_group(replay, call) ? member->awaited_post_ps : replay_pair_post_enter(pair);
    replay_account_post(replay, rank, PATTERN_EARLY_TRANSFER, post_ps);
}

/* What the semantics make of an operation in an access epoch of start: now, later, after a copy. */
static enum step decide_active(struct replay *replay, struct rank_state *state, struct member *member,
                               const struct pair *pair, const struct trace_call *call)
{
    enum rma_kind kind = rma_kind_of(call_kind(call->call));
    enum rma_waits waits = semantics_waits(replay->modes[member->window].semantics, kind, call->bytes);
    bool waits_here = waits == WAITS_CALL || waits == WAITS_START;
    if (waits_here && !has_posts(replay, member, pair, call)) return await_posts(replay, state, member, call);
    bool ready = replay_pair_ready(member, pair) && !replay_pair_awaits_group(replay, pair) &&
                 (waits_here || member->posted || !is_for_group(replay, call));
    if (waits == WAITS_NEVER && kind != RMA_GET) {
        if (!replay_buffer_fits(replay, state, call->bytes)) return STEP_BLOCK;
        replay_buffer_take(replay, state, call->bytes);
        int64_t copy_ps = replay_copy_ps(replay, call->bytes);
        return replay_spend(replay, state, copy_ps + (ready && !replay->deferred ? replay->overhead_ps : 0),
                            PHASE_COPIED);
    }
    uint32_t rank = (uint32_t)(state - replay->ranks);
    if (ready && !replay->deferred)
        return replay_spend(replay, state, replay->overhead_ps + copy_ahead_ps(replay, rank, call), PHASE_ISSUE);
    return replay_spend(replay, state, put_copy_ps(replay, call), PHASE_QUEUE);
}

static enum step decide(struct replay *replay, uint32_t rank, struct member *member, const struct pair *pair)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (pair) return decide_active(replay, state, member, pair, call);
    uint32_t lock;
    STEP_TRY(replay_lock_towards(replay, rank, (uint32_t)(member - replay->members), call->peer, &lock));
    const struct lock_epoch *epoch = lock == NO_INDEX ? NULL : &replay->lock_epochs[lock];
    if (replay->deferred || (epoch && !epoch->granted)) {
        bool hurries = epoch && call->ref != TRACE_NO_REF; /* its request may be waited for before the unlock */
        bool sends = hurries && (epoch->granted || !epoch->asked);
        return replay_spend(replay, state, (sends ? replay->overhead_ps : 0) + put_copy_ps(replay, call), PHASE_QUEUE);
    }
    return replay_spend(replay, state, replay->overhead_ps + copy_ahead_ps(replay, rank, call), PHASE_ISSUE);
}

static void queue_op(struct replay *replay, uint32_t op)
{
    const struct op *queued = &replay->ops[op];
    if (queued->epoch_kind == OP_ACTIVE) {
        struct pair *pair = &replay->pairs[queued->pair];
        replay_queue_append(replay, &pair->queue_first, &pair->queue_last, op);
        replay_await(replay, queued->origin);
    } else if (queued->epoch_kind == OP_LOCK) {
        struct lock_epoch *lock = &replay->lock_epochs[queued->lock];
        replay_queue_append(replay, &lock->queue_first, &lock->queue_last, op);
    } else {
        struct member *member = &replay->members[queued->member];
        replay_queue_append(replay, &member->held_first, &member->held_last, op);
    }
}

/* Issues or queues the operation that the call has made. */
static enum status dispatch(struct replay *replay, uint32_t index, const struct rank_state *state, bool leaves)
{
    const struct op *op = &replay->ops[index];
    bool hurries = op->lock != NO_INDEX && state->calls[state->next].ref != TRACE_NO_REF;
    uint32_t lock = op->lock;
    if (state->phase == PHASE_ISSUE || leaves) return replay_issue(replay, index);
    queue_op(replay, index);
    if (op->lock != NO_INDEX && state->threads) replay_wake(replay, op->origin); /* another thread may be in a flush */
    return hurries ? replay_lock_hurry(replay, lock) : STATUS_OK;
}

/* The request of MPI_Rput and the like; a buffered put is locally complete by now. */
static enum status attach_request(struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t op,
                                  bool complete)
{
    uint32_t request;
    TRY(replay_new_request(replay, rank, call->ref, &request));
    if (complete) return replay_request_done(replay, request);
    replay->ops[op].request = request;
    return STATUS_OK;
}

/* --- plain puts ------------------------------------------------------------------------------------------------------
 */

/* Most puts of an active epoch leave in their call and nothing asks for them later: they need no struct op. */
static bool is_plain_put(const struct replay *replay, const struct rank_state *state, const struct trace_call *call)
{
    return state->phase == PHASE_ISSUE && call_kind(call->call) == CALL_PUT && call->ref == TRACE_NO_REF &&
           replay->plain_puts && state->next < NO_INDEX;
}

static enum step put_plainly(struct replay *replay, uint32_t rank, struct member *member, struct pair *pair)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    struct engine_note message = {rank, pair->target, (uint32_t)(pair - replay->pairs), (uint32_t)state->next,
                                  MESSAGE_PUT};
    struct engine_departure departure;
    pair->data_issued++;
    pair->unflushed = true;
    member->lefts++;
    replay->outcome->transfers++;
    replay->outcome->transfer_bytes += (uint64_t)call->bytes;
    STEP_TRY(replay_send(replay, MESSAGE_PUT, message.source, message.destination, call->bytes, message.ref,
                         message.extra, &departure));
    if (departure.left_ps != ENGINE_LATER) replay_put_left(replay, &message, departure.began_ps, departure.left_ps);
    return leave(replay, state, pair);
}

static struct trace_sim *sim_of_put(struct replay *replay, const struct engine_note *message)
{
    return replay->made ? &replay->made->ranks[message->source].sim[message->extra] : NULL;
}

void replay_put_left(struct replay *replay, const struct engine_note *message, int64_t began_ps, int64_t left_ps)
{
    const struct pair *pair = &replay->pairs[message->ref];
    struct member *origin = &replay->members[pair->origin_member];
    struct trace_sim *sim = sim_of_put(replay, message);
    if (sim) sim->xfer_start_ps = began_ps;
    if (left_ps > origin->last_left_ps) origin->last_left_ps = left_ps;
    if (--origin->lefts == 0) replay_wake(replay, pair->origin);
}

enum status replay_on_put(struct replay *replay, const struct engine_note *message)
{
    struct trace_sim *sim = sim_of_put(replay, message);
    if (sim) sim->xfer_end_ps = replay->arrival_ps;
    replay_pair_effect(replay, &replay->pairs[message->ref], replay->arrival_ps);
    return STATUS_OK;
}

/* Nothing is missing for it any more; it may have come while the call copied. */
static bool may_leave(const struct replay *replay, const struct member *member, const struct op *op)
{
    if (op->epoch_kind == OP_FENCE) return true;
    if (op->epoch_kind == OP_LOCK) return replay->lock_epochs[op->lock].granted;
    const struct pair *pair = &replay->pairs[op->pair];
    return replay_pair_ready(member, pair) && !replay_pair_awaits_group(replay, pair) && (member->posted || !op->group);
}

enum step replay_step_op(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE) { /* MPI_PROC_NULL */
        if (call->ref != TRACE_NO_REF) STEP_TRY(attach_request(replay, rank, call, NO_INDEX, true));
        return replay_exit(state, replay->now_ps);
    }
    struct member *member = replay_member(replay, call, rank);
    struct pair *pair = replay_open_pair(replay, member, call->peer);
    if (state->phase == PHASE_POST && has_posts(replay, member, pair, call)) {
        account_posts(replay, rank, member, pair, call);
        state->phase = PHASE_ENTER;
    }
    if (state->phase == PHASE_ENTER || state->phase == PHASE_POST) {
        enum step step = decide(replay, rank, member, pair);
        if (step != STEP_AGAIN) return step;
    }
    if (pair && pair->queue_first != NO_INDEX && !replay->deferred && replay_pair_ready(member, pair)) {
        STEP_TRY(replay_pair_issue_queued(replay, (uint32_t)(pair - replay->pairs)));
        pair = replay_open_pair(replay, member, call->peer);
    }
    if (pair && is_plain_put(replay, state, call)) return put_plainly(replay, rank, member, pair);
    uint32_t op;
    STEP_TRY(replay_make_op(replay, rank, &op));
    if (op == NO_INDEX)
        return replay_fail(replay, rank,
                           "%s to rank %d outside any epoch on window %d, expected start, lock or fence before",
                           call_name(call->call), call->peer, call->handle),
               STEP_FAIL;
    struct op *made = &replay->ops[op];
    if (made->epoch_kind == OP_ACTIVE) {
        made->buffered = state->phase == PHASE_COPIED && replay->platform->semantics.buffer_bytes != INT64_MAX;
        made->counts_left = state->phase != PHASE_COPIED && !is_get(made) &&
                            (!is_copied(replay, made) || complete_awaits_ack(replay, made));
        if (made->counts_left) member->lefts++;
        made->group = is_for_group(replay, call);
        if (is_get(made)) member->gets++;
    }
    bool leaves = !replay->deferred && may_leave(replay, member, made);
    replay->outcome->transfers++;
    replay->outcome->transfer_bytes += (uint64_t)made->bytes;
    if (call->ref != TRACE_NO_REF) STEP_TRY(attach_request(replay, rank, call, op, state->phase == PHASE_COPIED || is_copied(replay, made)));
    STEP_TRY(dispatch(replay, op, state, leaves));
    return leave(replay, state, replay_open_pair(replay, member, call->peer));
}

/* --- the data
 * ---------------------------------------------------------------------------------------------------------- */

static enum message_type data_type(const struct op *op)
{
    return op->kind == CALL_GET ? MESSAGE_GET_REPLY : op->kind == CALL_ACCUMULATE ? MESSAGE_ACCUMULATE : MESSAGE_DATA;
}

static enum status send_data(struct replay *replay, uint32_t index)
{
    struct op *op = &replay->ops[index];
    uint32_t from = is_get(op) ? op->target : op->origin, to = is_get(op) ? op->origin : op->target;
    struct engine_departure departure;
    TRY(replay_send(replay, data_type(op), from, to, op->bytes, index, 0, &departure));
    if (departure.left_ps == ENGINE_LATER) return STATUS_OK;
    return replay_op_left(replay, index, departure.began_ps, departure.left_ps);
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

static enum status send_result(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    int64_t bytes = replay->ranks[op->origin].calls[op->call].aux;
    struct engine_departure departure;
    TRY(replay_send(replay, MESSAGE_GET_REPLY, op->target, op->origin, bytes, index, 0, &departure));
    if (departure.left_ps == ENGINE_LATER) return STATUS_OK;
    return replay_op_left(replay, index, departure.began_ps, departure.left_ps);
}

enum status replay_ask_to_send(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    if (op->epoch_kind == OP_ACTIVE) replay->pairs[op->pair].uncleared++;
    return replay_send_control(replay, MESSAGE_RMA_ASK, op->origin, op->target, index, 0);
}

void replay_note_issue(struct replay *replay, const struct op *op)
{
    if (!holds_notification(replay, op)) return;
    replay->pairs[op->pair].uncleared++;
    replay->pairs[op->pair].answers += is_get(op) || op->counts_left;
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

/* Complete's notification leaves behind the data before complete goes on. */
enum status replay_on_rma_clear(struct replay *replay, const struct engine_note *message)
{
    const struct op op = replay->ops[message->ref];
    struct member *origin = &replay->members[op.member];
    bool active = op.epoch_kind == OP_ACTIVE;
    if (active) origin->lefts++;
    if (op.together)
        TRY(replay_on_together_clear(replay, message->ref));
    else
        TRY(op.kind == CALL_GET_ACCUMULATE ? send_fetch(replay, message->ref) : send_data(replay, message->ref));
    if (!active) return STATUS_OK;
    TRY(replay_pair_cleared(replay, op.pair, op.epoch));
    if (--origin->lefts == 0) replay_wake(replay, op.origin);
    return STATUS_OK;
}

/* A put or accumulate under a lock is complete at the origin. */
static void left_under_lock(struct replay *replay, const struct op *op, int64_t left_ps)
{
    struct lock_epoch *lock = &replay->lock_epochs[op->lock];
    if (left_ps > lock->last_left_ps) lock->last_left_ps = left_ps;
    if (--lock->lefts == 0) replay_wake(replay, op->origin);
}

/* fence = notify: the target's fence waits for the operations towards it, of a get until its data have left, at at_ps.
 * May wake the target. */
static void count_incoming(struct replay *replay, const struct op *op, int64_t at_ps)
{
    int32_t window = replay->members[op->member].window;
    if (op->epoch_kind != OP_FENCE || replay->modes[window].fence != FENCE_NOTIFY) return;
    uint32_t member = replay_member_index(replay, window, op->target), slot = op->epoch & 1;
    int64_t *latest_ps = &replay->incoming_latest_ps[2 * (size_t)member + slot];
    if (at_ps > *latest_ps) *latest_ps = at_ps;
    replay->members[member].incoming_arrived[slot]++;
    replay_wake(replay, op->target);
}

enum status replay_op_left(struct replay *replay, uint32_t index, int64_t began_ps, int64_t left_ps)
{
    struct op *op = &replay->ops[index];
    if (op->kind != CALL_GET_ACCUMULATE) op->began_ps = began_ps;
    if (op->buffered) return replay_buffer_left(replay, op->origin, op->bytes, left_ps);
    struct member *member = &replay->members[op->member];
    if (is_get(op) && op->epoch_kind == OP_ACTIVE) {
        replay_pair_effect(replay, &replay->pairs[op->pair], left_ps);
        return STATUS_OK;
    }
    if (is_get(op)) {
        count_incoming(replay, op, left_ps);
        return STATUS_OK;
    }
    if (replay_local_mode(replay, op) == LOCAL_ACKNOWLEDGED) return STATUS_OK;
    uint32_t request = op->request;
    if (request != NO_INDEX) {
        op->request = NO_INDEX;
        TRY(replay_request_done_at(replay, request, left_ps));
        op = &replay->ops[index];
    }
    if (!op->counts_left) return STATUS_OK;
    if (op->epoch_kind == OP_LOCK) {
        left_under_lock(replay, op, left_ps);
        return STATUS_OK;
    }
    if (complete_awaits_ack(replay, op)) return STATUS_OK;
    if (left_ps > member->last_left_ps) member->last_left_ps = left_ps;
    if (--member->lefts == 0) replay_wake(replay, op->origin);
    return STATUS_OK;
}

/* The operation is remotely complete: an active epoch counts it at the target, others tell the origin. */
static enum status reached_target(struct replay *replay, uint32_t index, int64_t at_ps)
{
    struct op *op = &replay->ops[index];
    note_end(replay, op, at_ps);
    if (op->epoch_kind == OP_ACTIVE) {
        uint32_t pair = op->pair;
        if (complete_awaits_ack(replay, op))
            TRY(replay_send_control(replay, MESSAGE_ACK, op->target, op->origin, index, 0));
        else
            replay_release_op(replay, index);
        replay_pair_effect(replay, &replay->pairs[pair], at_ps);
        return STATUS_OK;
    }
    const struct op reached = replay->ops[index]; /* a woken rank may make operations */
    TRY(replay_send_control(replay, MESSAGE_ACK, reached.target, reached.origin, index, 0));
    count_incoming(replay, &reached, at_ps); /* what the target does next leaves behind the acknowledgement */
    if (replay->shmem) replay_shmem_written(replay, index, at_ps);
    return STATUS_OK;
}

enum status replay_on_data(struct replay *replay, const struct engine_note *message)
{
    return reached_target(replay, message->ref, replay->arrival_ps);
}

static enum status applied(struct replay *replay, uint32_t index)
{
    bool answers = replay->ops[index].kind == CALL_GET_ACCUMULATE;
    if (!answers) return reached_target(replay, index, replay->now_ps);
    TRY(send_result(replay, index));
    if (replay->shmem) replay_shmem_written(replay, index, replay->now_ps); /* what the target does next leaves behind the result */
    return STATUS_OK;
}

/* The target's server applies accumulates one after another (spec "Progress at the target"). */
static enum status apply(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    int64_t apply_ps = cost_duration_ps(platform_apply_s(replay->platform, op->bytes));
    if (apply_ps == 0) return applied(replay, index);
    int64_t *free_ps = &replay->server_free_ps[op->target];
    int64_t begin_ps = replay->platform->contention && *free_ps > replay->now_ps ? *free_ps : replay->now_ps;
    *free_ps = begin_ps + apply_ps;
    if (replay_past_end(replay, op->origin, *free_ps)) return STATUS_DATA;
    return replay_timer_op(replay, begin_ps + apply_ps, op->target, index);
}

enum status replay_on_accumulate(struct replay *replay, const struct engine_note *message)
{
    return apply(replay, message->ref);
}

enum status replay_op_arrived(struct replay *replay, uint32_t index)
{
    if (replay->ops[index].kind != CALL_PUT) return apply(replay, index);
    return reached_target(replay, index, replay->now_ps);
}

enum status replay_on_fetch(struct replay *replay, const struct engine_note *message)
{
    return apply(replay, message->ref);
}

enum status replay_on_applied(struct replay *replay, uint32_t op)
{
    return applied(replay, op);
}

/* The origin knows that the operation of an active epoch is complete. */
static enum status finish_active(struct replay *replay, const struct op *op)
{
    uint32_t *left = is_get(op) ? &replay->members[op->member].gets : &replay->members[op->member].lefts;
    if (holds_notification(replay, op)) {
        replay->pairs[op->pair].answers -= is_get(op) || op->counts_left;
        TRY(replay_pair_cleared(replay, op->pair, op->epoch));
    }
    if ((is_get(op) || op->counts_left) && --*left == 0) replay_wake(replay, op->origin);
    return STATUS_OK;
}

/* The origin knows that the operation is complete. */
static enum status finished(struct replay *replay, uint32_t index)
{
    const struct op op = replay->ops[index];
    replay_release_op(replay, index);
    if (op.epoch_kind == OP_ACTIVE) {
        if (op.request != NO_INDEX) TRY(replay_request_done(replay, op.request));
        return finish_active(replay, &op);
    }
    bool counted = is_get(&op) || (op.counts_left && replay_local_mode(replay, &op) == LOCAL_ACKNOWLEDGED);
    bool wakes = op.epoch_kind == OP_LOCK && counted && --replay->lock_epochs[op.lock].lefts == 0;
    uint32_t *left = op.epoch_kind == OP_LOCK ? &replay->lock_epochs[op.lock].outstanding
                                              : &replay->members[op.member].fence_outstanding;
    bool flushed = op.kind != CALL_PUT && op.kind != CALL_GET;
    if (op.epoch_kind == OP_FENCE && !flushed) TRY(replay_count_fence_answer(replay, &op, -1));
    wakes = --*left == 0 || wakes;
    if (op.request != NO_INDEX) TRY(replay_request_done(replay, op.request)); /* its rank may go on to a flush */
    if (wakes) replay_wake(replay, op.origin);
    return STATUS_OK;
}

enum status replay_on_ack(struct replay *replay, const struct engine_note *message)
{
    return finished(replay, message->ref);
}

enum status replay_on_get_request(struct replay *replay, const struct engine_note *message)
{
    return send_data(replay, message->ref);
}

enum status replay_get_arrived(struct replay *replay, uint32_t index)
{
    const struct op *op = &replay->ops[index];
    note_end(replay, op, replay->now_ps);
    return finished(replay, index);
}

enum status replay_on_get_reply(struct replay *replay, const struct engine_note *message)
{
    return replay_get_arrived(replay, message->ref);
}
