/* docs/simulation.md, Fence, windows, barrier. The fences of a window have the same numbers on all its ranks. */
#include "tests/reference/operation.h"

/* mpi.rma.protocol.fence_counts = exchanged: the barrier says that puts and accumulates are complete. */
static bool data_are_there(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    (void)model;
    for (uint32_t i = 0; i < epoch->access_count; i++)
        for (const struct op *op = epoch->accesses[i].first; op; op = op->next)
            if (op->kind != CALL_PUT && op->kind != CALL_ACCUMULATE && !op->known) return false;
    return true;
}

static bool all_known(const struct model *model, const void *what)
{
    const struct epoch *epoch = what;
    for (uint32_t i = 0; i < epoch->access_count; i++)
        if (!access_is_known(model, &epoch->accesses[i]) || !access_is_answered(&epoch->accesses[i])) return false;
    return others_have_answered(model, epoch->origin);
}

/* Accumulates and fetching operations have answers of their own. */
static void request_answers(struct model *model, struct epoch *epoch)
{
    const enum steps_query query = fence_of(model, epoch->window).query;
    bool asks = others_must_be_asked(model, &model->ranks[epoch->origin], epoch->window, query);
    for (uint32_t i = 0; i < epoch->access_count; i++)
        for (const struct op *op = epoch->accesses[i].first; op; op = op->next)
            if (!op->known && !op->by_message && (op->kind == CALL_PUT || op->kind == CALL_GET)) {
                asks |= access_request(model, &epoch->accesses[i], query);
                break;
            }
    if (asks && query == QUERY_CONNECTED) others_request(model, &model->ranks[epoch->origin]);
}

struct incoming {
    const struct trace_comm *comm;
    int32_t window;
    uint32_t target;
    size_t number; /* of the fence that closes the epochs */
};

static bool all_came(const struct model *model, const void *what)
{
    const struct incoming *incoming = what;
    for (uint32_t i = 0; i < incoming->comm->count; i++) {
        const struct fences *fences = fences_of(model, incoming->window, (uint32_t)incoming->comm->members[i]);
        const struct epoch *epoch = fences->closed[incoming->number];
        for (uint32_t k = 0; k < epoch->access_count; k++)
            if (epoch->accesses[k].target == incoming->target && !access_is_done(&epoch->accesses[k])) return false;
    }
    return true;
}

/* Of the data of gets the last byte may still have to leave. */
static int64_t last_done_ps(const struct model *model, const struct incoming *incoming)
{
    int64_t last_ps = INT64_MIN;
    for (uint32_t i = 0; i < incoming->comm->count; i++) {
        const struct fences *fences = fences_of(model, incoming->window, (uint32_t)incoming->comm->members[i]);
        const struct epoch *epoch = fences->closed[incoming->number];
        for (uint32_t k = 0; k < epoch->access_count; k++)
            if (epoch->accesses[k].target == incoming->target && access_done_ps(&epoch->accesses[k]) > last_ps)
                last_ps = access_done_ps(&epoch->accesses[k]);
    }
    return last_ps;
}

static bool has_unsent(const struct epoch *epoch)
{
    for (uint32_t i = 0; i < epoch->access_count; i++)
        if (access_unissued(&epoch->accesses[i])) return true;
    return false;
}

static void let_go(struct model *model, struct epoch *epoch)
{
    for (uint32_t i = 0; i < epoch->access_count; i++) {
        access_unhold(&epoch->accesses[i]);
        access_pump(model, &epoch->accesses[i]);
    }
}

static struct epoch *close_epoch(struct model *model, struct fences *fences, struct rank *rank, int32_t window)
{
    struct epoch *closed = fences->open;
    if (!closed) closed = epoch_new(model, EPOCH_FENCE, window, rank->number, NULL, 0);
    fences->closed =
        model_grow(model, fences->closed, fences->closed_count, &fences->closed_capacity, sizeof *fences->closed);
    fences->closed[fences->closed_count++] = closed;
    fences->open = NULL;
    return closed;
}

static void fence(struct model *model, struct rank *rank, const struct trace_call *call, const struct trace_comm *comm)
{
    const struct call_steps steps = fence_of(model, call->handle);
    bool ignores = !steps.asserted;
    bool precedes = ignores || !(call->flags & TRACE_NOPRECEDE), succeeds = !(call->flags & TRACE_NOSUCCEED);
    bool meets = precedes || succeeds, notify = steps.form != FORM_FENCE_BARRIER;
    struct fences *fences = fences_of(model, call->handle, rank->number);
    struct epoch *closed = close_epoch(model, fences, rank, call->handle);
    struct incoming incoming = {comm, call->handle, rank->number, fences->closed_count - 1};
    if ((meets && comm->count > 1) || has_unsent(closed)) rank_pay_overhead(model, rank);
    let_go(model, closed);
    if (precedes) request_answers(model, closed);
    if (precedes && !notify) rank_await(model, rank, all_known, closed);
    rank_spend(model, rank, rank->own_ps);
    if (meets) collective_barrier(model, rank, comm, (uint32_t)call->handle);
    bool exchanges = fence_exchanges_counts(model, call->handle);
    if (precedes && notify) {
        rank_await(model, rank, exchanges ? data_are_there : all_known, closed);
        rank_await(model, rank, all_came, &incoming);
        rank_await_time(model, rank, last_done_ps(model, &incoming));
    }
    if (exchanges && !(call->flags & TRACE_NOPRECEDE)) collective_barrier(model, rank, comm, (uint32_t)call->handle);
    if (succeeds) fences->open = epoch_new(model, EPOCH_FENCE, call->handle, rank->number, comm->members, comm->count);
}

/* query_connected: the first window with memory of its own that two ranks make sends messages between them. */
static void connect_members(struct model *model, const struct rank *rank, const struct trace_comm *comm)
{
    for (uint32_t i = 0; i < comm->count; i++) {
        uint32_t to = (uint32_t)comm->members[i];
        size_t pair = (size_t)rank->number * model->rank_count + to;
        if (model->joined[pair] || model->ranks[to].node == rank->node) continue;
        model->joined[pair] = model->unflushed[pair] = true;
    }
}

void do_fence(struct model *model, struct rank *rank, const struct trace_call *call)
{
    const struct trace_comm *comm = trace_call_comm(model->trace, call);
    if (call_kind(call->call) == CALL_FENCE) {
        fence(model, rank, call, comm);
        return;
    }
    bool creates = call_kind(call->call) == CALL_WIN_CREATE;
    if (call->call == ID_Win_create || call->call == ID_Win_allocate) connect_members(model, rank, comm);
    bool as_mpich = creates && model->platform->window_creation == WINDOW_CREATION_MPICH;
    if (as_mpich) collective_make_window(model, rank, call);
    if (comm->count > 1) rank_pay_overhead(model, rank);
    if (creates && !as_mpich)
        collective_allgather(model, rank, comm, (uint32_t)call->handle, model->platform->window_info_bytes);
    collective_barrier(model, rank, comm, (uint32_t)call->handle);
}
