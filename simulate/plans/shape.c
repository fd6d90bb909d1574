/* coll_shape_of(): which algorithm a call of a trace runs, with what sizes. */
#include "simulate/plans/collectives.h"

/* Of an allgatherv. Without counts it is unknown; the algorithm for long ones does not need it. */
static int64_t total_bytes(const struct coll_shape *shape)
{
    int64_t total = 0;
    if (!shape->counts) return INT64_MAX;
    for (uint32_t i = 0; i < shape->size; i++) total += shape->counts[i];
    return total;
}

/* Whether an intercommunicator exchanges messages in another way than one group would. */
static bool is_between(enum call_kind kind)
{
    switch (kind) {
    case CALL_BARRIER:
    case CALL_BCAST:
    case CALL_REDUCE:
    case CALL_ALLREDUCE:
    case CALL_GATHER:
    case CALL_SCATTER:
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV:
    case CALL_ALLTOALL:
    case CALL_ALLTOALLV:
    case CALL_REDUCE_SCATTER: return true;
    default: return false;
    }
}

struct coll_shape coll_shape_of(const struct trace *trace, const struct trace_call *call)
{
    const struct trace_comm *comm = &trace->definitions.comms[call->handle];
    enum call_kind kind = call_kind(call->call);
    struct coll_shape shape = {.size = comm->count, .bytes = call->bytes};
    shape.counts = trace_call_counts(trace, call);
    int64_t chosen_by = kind == CALL_ALLGATHERV ? total_bytes(&shape) : shape.bytes;
    shape.algorithm = coll_choose(kind, call_makes_request(call->call), shape.size, chosen_by);
    if (call->call == ID_Ireduce_scatter_block) shape.algorithm = coll_choose_ireduce_scatter_block(shape.bytes);
    trace_call_neighbors(trace, call, &shape.neighbors);
    if (comm->first_group > 0 && is_between(kind)) shape.first_group = comm->first_group;
    shape.kind = kind;
    shape.later = call_makes_request(call->call);
    if (shape.first_group == 0 && coll_moves_nothing(kind, chosen_by)) shape.algorithm = COLL_NOTHING;
    if (kind == CALL_BARRIER) shape.bytes = 0;
    if (call->call == ID_Comm_idup) shape = coll_comm_idup(comm);
    if (call->peer != TRACE_NONE) shape.root = (uint32_t)trace_comm_rank(comm, call->peer);
    return shape;
}
