/* Law 2 for what whole communicators do together. */
#include "simulate/verify_law.h"

enum { SKIPS_SYNC = TRACE_NOPRECEDE | TRACE_NOSUCCEED };

/* Enters of the members whose arrival a member may have to wait for. */
struct arrivals {
    int64_t last_ps;   /* latest of all */
    int64_t root_ps;   /* of the root, INT64_MIN if there is none */
    bool synchronises; /* fences: no member's assertions switch it off */
};

static struct arrivals find_arrivals(const struct verify_context *context, const struct instance *instance)
{
    struct arrivals found = {.last_ps = INT64_MIN, .root_ps = INT64_MIN, .synchronises = true};
    const struct trace_comm *comm = instance_comm(context->predicted, instance);
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(context->predicted, &context->relations.instances, instance, m);
        if (!call) continue;
        if (call->enter_ps > found.last_ps) found.last_ps = call->enter_ps;
        if (comm->members[m] == call->peer) found.root_ps = call->enter_ps;
        if ((call->flags & SKIPS_SYNC) == SKIPS_SYNC) found.synchronises = false;
    }
    return found;
}

/* The latest enter that this member's exit must not precede; INT64_MIN: none. */
static int64_t awaited_ps(const struct verify_context *context, const struct trace_call *call, int32_t rank,
                          const struct arrivals *arrivals)
{
    if (call_makes_request(call->call)) return INT64_MIN; /* its wait waits */
    switch (call_kind(call->call)) {
    case CALL_FENCE:
        return arrivals->synchronises && context->modes[call->handle].fence == FENCE_BARRIER ? arrivals->last_ps
                                                                                             : INT64_MIN;
    case CALL_WIN_CREATE:
    case CALL_WIN_FREE:
    case CALL_BARRIER: return arrivals->last_ps;
    case CALL_ALLREDUCE:
    case CALL_ALLGATHER:
    case CALL_ALLTOALL: return call->bytes > 0 ? arrivals->last_ps : INT64_MIN;
    case CALL_BCAST:
    case CALL_SCATTER: return call->bytes > 0 ? arrivals->root_ps : INT64_MIN;
    case CALL_REDUCE:
    case CALL_GATHER: return call->bytes > 0 && rank == call->peer ? arrivals->last_ps : INT64_MIN;
    default: return INT64_MIN;
    }
}

static void check_instance(const struct verify_context *context, const struct instance *instance,
                           struct verify_row *row)
{
    const struct instances *instances = &context->relations.instances;
    const struct trace_comm *comm = instance_comm(context->predicted, instance);
    struct arrivals arrivals = find_arrivals(context, instance);
    for (uint32_t m = 0; m < instance->size; m++) {
        const struct trace_call *call = instance_call(context->predicted, instances, instance, m);
        if (!call) continue;
        int64_t cause_ps = awaited_ps(context, call, comm->members[m], &arrivals);
        if (cause_ps == INT64_MIN) continue;
        uint32_t rank = (uint32_t)comm->members[m];
        verify_after(context, row, rank, instances->calls[instance->member_first + m], call->exit_ps, cause_ps,
                     "returns before a member that it waits for has arrived");
    }
}

/* The closing fence keeps an origin until its operations are known to be complete, unless NOPRECEDE says there are
 * none. */
static void check_fence_operations(const struct verify_context *context, struct verify_row *row)
{
    const struct epochs *epochs = &context->relations.epochs;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        if (epoch->kind != EPOCH_FENCE || epoch->close_call == EPOCH_NONE) continue;
        const struct trace_rank *rank = &context->predicted->ranks[operation->origin];
        const struct trace_call *fence = &rank->calls[epoch->close_call], *call = &rank->calls[operation->call];
        if (fence->flags & TRACE_NOPRECEDE) continue;
        int64_t known_ps = rank->sim[operation->call].xfer_end_ps;
        bool brings_data = call_kind(call->call) == CALL_GET || call_kind(call->call) == CALL_GET_ACCUMULATE;
        if (!brings_data && (uint32_t)call->peer != operation->origin)
            known_ps += verify_control_ps(context, (uint32_t)call->peer, operation->origin);
        verify_after(context, row, operation->origin, epoch->close_call, fence->exit_ps, known_ps,
                     "the fence returns before an operation is known to be complete");
    }
}

enum status verify_waits_group(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    (void)err;
    for (size_t i = 0; i < context->relations.instances.count; i++)
        check_instance(context, &context->relations.instances.items[i], row);
    check_fence_operations(context, row);
    return STATUS_OK;
}
