/* The calls of put, get, accumulate, get_accumulate and the like (MPI-3.1 11.3): whether the operation waits for posts,
 * is queued, is copied or is issued. */
#include "simulate/engine/cost.h"
#include "simulate/replay/request.h"
#include "simulate/rma/rma.h"
#include "simulate/windows/lock.h"
#include "simulate/windows/pair.h"
#include "simulate/windows/transfer.h"

enum {
    PHASE_ENTER,
    PHASE_POST,
    PHASE_ISSUE,
    PHASE_QUEUE,
    PHASE_COPIED,       /* (d) into the buffer */
    PHASE_COPIED_ISSUE, /* the same, and it can leave in its call */
};

static bool is_buffered(const struct rank_state *state)
{
    return state->phase == PHASE_COPIED || state->phase == PHASE_COPIED_ISSUE;
}

static enum rma_kind rma_kind_of(enum call_kind kind)
{
    if (kind == CALL_GET_ACCUMULATE) return RMA_GET; /* waits for data as a get does */
    return kind == CALL_PUT ? RMA_PUT : kind == CALL_GET ? RMA_GET : RMA_ACCUMULATE;
}

/* The time in which the call of a put copies data: mpi.rma.protocol.put_s_per_byte; to the own rank it copies into the
 * window. Data leave while the call copies them. They begin to leave such that the last byte leaves when it has been
 * copied. */
static struct put_copy find_put_copy(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    uint32_t target = (uint32_t)call->peer;
    const struct engine_message data = {.src_node = replay->nodes[rank],
                                        .dst_node = replay->nodes[target],
                                        .bytes = call->bytes,
                                        .to_self = rank == target};
    bool known = replay->same_costs && data.src_node != data.dst_node;
    if (known && replay->put_copy.bytes == call->bytes) return replay->put_copy;
    double copy_s = (double)call->bytes * replay->platform->protocol.put_s_per_byte;
    int64_t all_ps = data.to_self ? replay_copy_ps(replay, rank, call->bytes) : cost_of_bytes_ps(replay->platform, copy_s);
    int64_t transmit_ps = cost_message(replay->platform, &data).transmit_ps;
    const struct put_copy copy = {call->bytes, all_ps, all_ps > transmit_ps ? all_ps - transmit_ps : 0};
    if (known) replay->put_copy = copy;
    return copy;
}

static inline struct put_copy copy_of_put(struct replay *replay, uint32_t rank, const struct trace_call *call)
{
    bool copies = replay->copies_puts && call_kind(call->call) == CALL_PUT;
    return copies ? find_put_copy(replay, rank, call) : (struct put_copy){0};
}

/* The call returns. The call of a put that has been issued returns when it has copied the rest. */
static enum step leave_operation(struct replay *replay, struct rank_state *state, struct pair *pair)
{
    const struct trace_call *call = &state->calls[state->next];
    uint32_t rank = (uint32_t)(state - replay->ranks);
    struct put_copy copy = {0};
    if (state->phase == PHASE_ISSUE || state->phase == PHASE_COPIED_ISSUE) copy = copy_of_put(replay, rank, call);
    int64_t copy_ps = copy.all_ps - copy.before_ps;
    if (pair) pair->last_op_exit_ps = replay->now_ps + copy_ps;
    return copy_ps == 0 ? replay_exit(state, replay->now_ps) : replay_spend(replay, state, copy_ps, PHASE_LEAVE);
}

static bool is_for_group(const struct replay *replay, const struct trace_call *call)
{
    const struct window_mode *mode = &replay->modes[call->handle];
    return mode->waits_for_group &&
           semantics_waits_for_group(mode->semantics, rma_kind_of(call_kind(call->call)), call->bytes);
}

/* Whether the call need not wait any more for its target's post, or for those of the whole group. */
static bool has_posts(const struct replay *replay, const struct member *member, const struct pair *pair,
                      const struct trace_call *call)
{
    if (is_for_group(replay, call)) return member->nocheck || member->missing_posts == 0;
    return replay_pair_ready(member, pair);
}

/* What the semantics do with an operation in an access epoch of start: issue now, issue later, copy first. */
static enum step decide_active(struct replay *replay, struct rank_state *state, struct member *member,
                               const struct pair *pair, const struct trace_call *call)
{
    uint32_t rank = (uint32_t)(state - replay->ranks);
    enum rma_kind kind = rma_kind_of(call_kind(call->call));
    enum rma_waits waits = semantics_waits(replay->modes[member->window].semantics, kind, call->bytes);
    bool waits_here = waits == WAITS_CALL || waits == WAITS_START;
    if (waits_here && !has_posts(replay, member, pair, call)) {
        /* The call waits for its target's post, or for those of the whole group. */
        if (state->phase == PHASE_ENTER && is_for_group(replay, call)) replay_await_group(replay, member);
        state->phase = PHASE_POST;
        return STEP_BLOCK;
    }
    bool ready = replay_pair_ready(member, pair) && !replay_pair_awaits_group(replay, pair) &&
                 (waits_here || member->posted || !is_for_group(replay, call));
    bool issues = ready && !replay->deferred;
    int64_t issue_ps = issues ? replay_overhead_ps(replay, state) + copy_of_put(replay, rank, call).before_ps : 0;
    if (waits == WAITS_NEVER && kind != RMA_GET) {
        if (!replay_buffer_fits(replay, rank, call->bytes)) return STEP_BLOCK;
        replay_buffer_take(replay, rank, call->bytes);
        return replay_spend(replay, state, replay_copy_ps(replay, rank, call->bytes) + issue_ps,
                            issues ? PHASE_COPIED_ISSUE : PHASE_COPIED);
    }
    if (issues) return replay_spend(replay, state, issue_ps, PHASE_ISSUE);
    return replay_spend(replay, state, copy_of_put(replay, rank, call).all_ps, PHASE_QUEUE);
}

/* Whether an operation sends the request for its lazy lock. hurries: it has a request. */
static bool asks_for_lock(const struct replay *replay, const struct lock_epoch *epoch, bool hurries)
{
    const int32_t window = replay->members[epoch->member].window;
    return !epoch->granted && !epoch->asked && (hurries || replay_asks_when_called(replay, window));
}

static enum step decide_departure(struct replay *replay, uint32_t rank, struct member *member, const struct pair *pair)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (pair) return decide_active(replay, state, member, pair, call);
    uint32_t lock;
    STEP_TRY(replay_lock_towards(replay, rank, (uint32_t)(member - replay->members), call->peer, &lock));
    const struct lock_epoch *epoch = lock == NO_INDEX ? NULL : &replay->lock_epochs[lock];
    if (replay->deferred || (epoch && !epoch->granted)) {
        bool hurries = epoch && call->rma.request != TRACE_NO_REF; /* its request may be waited for before the unlock */
        bool sends = epoch && ((hurries && epoch->granted) || asks_for_lock(replay, epoch, hurries));
        int64_t copy_ps = copy_of_put(replay, rank, call).all_ps;
        return replay_spend(replay, state, (sends ? replay_overhead_ps(replay, state) : 0) + copy_ps, PHASE_QUEUE);
    }
    int64_t before_ps = copy_of_put(replay, rank, call).before_ps;
    return replay_spend(replay, state, replay_overhead_ps(replay, state) + before_ps, PHASE_ISSUE);
}

static void queue_op(struct replay *replay, uint32_t op)
{
    const struct op *queued = &replay->ops[op];
    bool active = queued->pair != NO_INDEX;
    struct op_queue *queue = active                     ? &replay->pairs[queued->pair].queue
                             : queued->lock != NO_INDEX ? &replay->lock_epochs[queued->lock].queue
                                                        : &replay->held[queued->member];
    replay_queue_append(replay, queue, op);
    if (active) replay_await(replay, queued->origin);
}

/* Issues or queues the operation that the call has made. */
static enum status dispatch_operation(struct replay *replay, uint32_t index, const struct rank_state *state,
                                      bool leaves)
{
    const struct op *op = &replay->ops[index];
    bool hurries = op->lock != NO_INDEX && state->calls[state->next].rma.request != TRACE_NO_REF;
    uint32_t lock = op->lock;
    if (state->phase == PHASE_ISSUE || leaves) return replay_issue(replay, index);
    queue_op(replay, index);
    if (op->lock != NO_INDEX && state->threads) replay_wake(replay, op->origin); /* another thread may be in a flush */
    if (hurries) return replay_lock_hurry(replay, lock);
    bool asks = lock != NO_INDEX && asks_for_lock(replay, &replay->lock_epochs[lock], false);
    return asks ? replay_lock_ask(replay, lock) : STATUS_OK;
}

/* Whether the request of the operation is complete when its call returns. MPICH's active message for a put with gaps has no
 * request (docs/protocols.md, Request-based operations). */
static bool ends_request(const struct replay *replay, const struct rank_state *state, const struct op *op)
{
    const struct window_mode *mode = &replay->modes[replay->members[op->member].window];
    bool gaps = op->kind == CALL_PUT && window_mode_gaps(mode, replay->trace, op->origin, state->next);
    return is_buffered(state) || op->local == LOCAL_COPIED || gaps;
}

/* Makes the request of MPI_Rput and the like. */
static enum status attach_request(struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t op,
                                  bool complete)
{
    uint32_t request;
    TRY(replay_new_request(replay, rank, call->rma.request, true, &request));
    if (complete) return replay_request_done(replay, request);
    replay->ops[op].request = request;
    return STATUS_OK;
}

/* Whether the operation can leave; the awaited post may have arrived while the call copied. */
static bool may_leave(const struct replay *replay, const struct member *member, const struct op *op)
{
    if (op->pair == NO_INDEX) return op->lock == NO_INDEX || replay->lock_epochs[op->lock].granted;
    const struct pair *pair = &replay->pairs[op->pair];
    return replay_pair_ready(member, pair) && !replay_pair_awaits_group(replay, pair) && (member->posted || !op->group);
}

enum step replay_step_op(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    if (call->peer == TRACE_NONE) { /* MPI_PROC_NULL */
        if (call->rma.request != TRACE_NO_REF) STEP_TRY(attach_request(replay, rank, call, NO_INDEX, true));
        return replay_exit(state, replay->now_ps);
    }
    struct member *member = replay_member(replay, call, rank);
    struct pair *pair = replay_open_pair(replay, member, call->peer);
    if (state->phase == PHASE_POST && has_posts(replay, member, pair, call)) {
        int64_t post_ps = is_for_group(replay, call) ? member->awaited_post_ps : replay_pair_post_enter(pair);
        replay_account_post(replay, rank, PATTERN_EARLY_TRANSFER, post_ps);
        state->phase = PHASE_ENTER;
    }
    if (state->phase == PHASE_ENTER || state->phase == PHASE_POST) {
        enum step step = decide_departure(replay, rank, member, pair);
        if (step != STEP_AGAIN) return step;
    }
    if (pair && pair->queue.first != NO_INDEX && !replay->deferred && replay_pair_ready(member, pair)) {
        STEP_TRY(replay_pair_issue_queued(replay, (uint32_t)(pair - replay->pairs)));
        pair = replay_open_pair(replay, member, call->peer);
    }
    uint32_t op;
    STEP_TRY(replay_make_op(replay, rank, is_buffered(state), &op));
    if (op == NO_INDEX)
        return replay_fail(replay, rank,
                           "%s to rank %d outside any epoch on window %d, expected start, lock or fence before",
                           call_name(call->call), call->peer, call->handle),
               STEP_FAIL;
    struct op *made = &replay->ops[op];
    made->buffered = is_buffered(state) && replay->platform->semantics.buffer_bytes != INT64_MAX;
    made->group = is_for_group(replay, call);
    bool leaves = !replay->deferred && may_leave(replay, member, made);
    replay->outcome->transfers++;
    replay->outcome->transfer_bytes += (uint64_t)made->bytes;
    if (call->rma.request != TRACE_NO_REF)
        STEP_TRY(attach_request(replay, rank, call, op, ends_request(replay, state, made)));
    STEP_TRY(dispatch_operation(replay, op, state, leaves));
    return leave_operation(replay, state, replay_open_pair(replay, member, call->peer));
}
