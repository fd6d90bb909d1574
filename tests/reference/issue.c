/* docs/simulation.md, Blocking semantics, Passive target: the call of an operation. */
#include "common/units.h"
#include "tests/reference/operation.h"
#include "tests/reference/passive.h"

struct room {
    const struct rank *rank;
    int64_t bytes, limit;
};

static bool has_room(const struct model *model, const void *what)
{
    const struct room *room = what;
    (void)model;
    return room->rank->buffered_bytes + room->bytes <= room->limit;
}

static void await_room(struct model *model, struct rank *rank, int64_t bytes, const struct rma_semantics *semantics)
{
    struct room room = {rank, bytes, semantics->buffer_bytes};
    rank_await(model, rank, has_room, &room);
    rank->buffered_bytes += bytes;
}

static void copy(struct model *model, struct rank *rank, struct op *op)
{
    op->copied = true;
    if (op->bytes > 0) rank_spend(model, rank, network_lasts_ps(model, rank->number, rank->number, op->bytes));
}

enum rma_kind rma_kind_of(enum call_kind kind)
{
    switch (kind) {
    case CALL_PUT: return RMA_PUT;
    case CALL_ACCUMULATE: return RMA_ACCUMULATE;
    default: return RMA_GET;
    }
}

static void obey_protocol(const struct model *model, struct op *op)
{
    const struct rma_protocol *protocol = &model->platform->protocol;
    enum rma_kind kind = op->by_message && op->kind == CALL_PUT ? RMA_ACCUMULATE : rma_kind_of(op->kind);
    if (kind == RMA_GET) return;
    const struct epoch *epoch = op->access->epoch;
    bool unanswered = epoch->kind == EPOCH_FENCE && fence_exchanges_counts(model, epoch->window);
    op->local = protocol->local[kind];
    if (unanswered && op->local == LOCAL_ACKNOWLEDGED) op->local = LOCAL_LEFT;
    if (unanswered) return;
    op->acknowledged = epoch->kind != EPOCH_START || op->local == LOCAL_ACKNOWLEDGED ||
                       protocol->calls[STEPS_COMPLETE].form == FORM_COMPLETE_BEHIND;
}

/* mpi.rma.protocol.put_s_per_byte: what is issued leaves while its call copies, so late that it has left alone when the
 * copy ends; what is queued is copied before, if d has not buffered it. A copy to oneself is one in memory. */
static void append(struct model *model, struct rank *rank, struct op *op, bool issues)
{
    int64_t copy_ps = 0, lead_ps = 0;
    double s_per_byte = model->platform->protocol.put_s_per_byte;
    if (op->kind == CALL_PUT && (issues || !op->copied)) copy_ps = lead_ps = units_ps((double)op->bytes * s_per_byte);
    if (copy_ps > 0 && op->access->target == rank->number)
        copy_ps = lead_ps = network_lasts_ps(model, rank->number, rank->number, op->bytes);
    if (issues) lead_ps -= network_lasts_ps(model, rank->number, op->access->target, op->bytes);
    if (lead_ps < 0) lead_ps = 0;
    rank_spend(model, rank, lead_ps);
    if ((op->kind == CALL_PUT || op->kind == CALL_GET) && !op->by_message && op->access->target != rank->number)
        *called_target(model, op->access->epoch->window, rank->number, op->access->target) = true;
    access_append(op);
    if (op->has_request) access_unhold(op->access);
    access_pump(model, op->access);
    rank_spend(model, rank, copy_ps - lead_ps);
}

/* In an access epoch of PSCW. */
static void issue_active(struct model *model, struct rank *rank, struct op *op)
{
    struct access *access = op->access;
    const struct rma_semantics *semantics = semantics_of(model, access->epoch->window);
    op->waits = semantics_waits(semantics, rma_kind_of(op->kind), op->bytes);
    bool copies = op->waits == WAITS_NEVER && op->kind != CALL_GET && op->kind != CALL_GET_ACCUMULATE;
    op->group = semantics_waits_for_group(semantics, rma_kind_of(op->kind), op->bytes);
    if (op->waits == WAITS_CALL && op->group) rank_await(model, rank, epoch_is_open, access->epoch);
    if (op->waits == WAITS_CALL) rank_await(model, rank, access_is_open, access);
    if (copies) await_room(model, rank, op->bytes, semantics);
    bool posted = access->open && !access_awaits_group(access) && (!op->group || epoch_is_open(model, access->epoch));
    bool sends = !op->held && posted; /* else it is sent in the background */
    if (copies) copy(model, rank, op);
    if (sends) rank_pay_overhead(model, rank);
    append(model, rank, op, sends);
}

static void issue_passive(struct model *model, struct rank *rank, struct op *op)
{
    struct access *access = op->access;
    bool asks = (op->has_request || lock_is_asked_early(model, access->epoch->window)) && !access->open && !access->asked;
    if (op->has_request) op->held = false;
    bool sends = !op->held && access->open;
    if (asks || sends) rank_pay_overhead(model, rank);
    append(model, rank, op, sends && model->platform->issue == ISSUE_IMMEDIATE);
    if (asks) access_ask(model, access);
    access_pump(model, access);
}

static struct access *access_of(const struct model *model, int32_t window, uint32_t origin, uint32_t target)
{
    struct pair *pair = pair_of(model, window, origin, target);
    if (pair->lock) return pair->lock;
    struct epoch *fence = fences_of(model, window, origin)->open;
    struct access *start = pair->starts > 0 ? pair->started[pair->starts - 1] : NULL;
    if (start && !start->closing) return start;
    for (uint32_t i = 0; fence && i < fence->access_count; i++)
        if (fence->accesses[i].target == target) return &fence->accesses[i];
    return NULL;
}

static bool never(const struct model *model, const void *what)
{
    (void)model;
    (void)what;
    return false;
}

/* docs/simulation.md, dynamic_put and noncontiguous_put. */
static void choose_rules(const struct model *model, const struct trace_call *call, struct op *op)
{
    const struct rma_protocol *protocol = &model->platform->protocol;
    uint32_t origin = op->access->epoch->origin;
    struct trace_extents extents = trace_call_extents(model->trace, origin, (size_t)(call - model->trace->ranks[origin].calls));
    char flavor = model->trace->definitions.windows[call->handle].flavor;
    bool put = op->kind == CALL_PUT, get = op->kind == CALL_GET;
    bool gaps = (put || get) && (extents.of[TRACE_TARGET] != 0 || (get && extents.of[TRACE_ORIGIN] != 0));
    if ((flavor == 'd' || flavor == 's') && protocol->dynamic_put == PUT_RULES_ACCUMULATE) {
        op->by_message = put || get;
    } else if (gaps && protocol->noncontiguous_put == PUT_RULES_ACCUMULATE) {
        op->by_message = true;
        op->forgotten = put;
    }
}

void do_operation(struct model *model, struct rank *rank, const struct trace_call *call)
{
    if (nobody(call->peer)) return;
    struct op *op = model_new(model, sizeof *op);
    *op = (struct op){
        .kind = call_kind(call->call),
        .access = access_of(model, call->handle, rank->number, (uint32_t)call->peer),
        .bytes = call->bytes,
        .result_bytes = call_kind(call->call) == CALL_GET ? call->bytes : call->rma.result_bytes,
        .held = model->platform->issue == ISSUE_DEFERRED,
        .has_request = call_makes_request(call->call),
    };
    if (op->kind == CALL_GET) op->bytes = call->bytes;
    if (!op->access) rank_await(model, rank, never, NULL); /* an error of the program: it does not end */
    if (op->has_request) rank->requests[call->ref].op = op;
    choose_rules(model, call, op);
    obey_protocol(model, op);
    switch (op->access->epoch->kind) {
    case EPOCH_START: issue_active(model, rank, op); break;
    case EPOCH_FENCE:
    case EPOCH_LOCK: issue_passive(model, rank, op); break;
    }
}
