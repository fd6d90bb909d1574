/* Law 2 for calls of whole communicators. */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "simulate/verify/law.h"

enum { SKIPS_SYNC = TRACE_NOPRECEDE | TRACE_NOSUCCEED };

/* One collective call: the call of each member, INSTANCE_NONE: the member has none. */
struct gathering {
    const struct trace_comm *comm;
    const size_t *calls;
};

static const struct trace_call *member_call(const struct verify_context *context, const struct gathering *gathering,
                                            uint32_t member)
{
    if (gathering->calls[member] == INSTANCE_NONE) return NULL;
    return &context->predicted->ranks[gathering->comm->members[member]].calls[gathering->calls[member]];
}

/* Enters of the members that a member may have to wait for. */
struct arrivals {
    int64_t last_ps;   /* latest of all */
    uint32_t last;     /* the member with last_ps */
    int64_t root_ps;   /* of the root, INT64_MIN if there is none */
    bool synchronises; /* fences: no member's assertions disable it */
};

static struct arrivals find_arrivals(const struct verify_context *context, const struct gathering *gathering)
{
    struct arrivals found = {.last_ps = INT64_MIN, .root_ps = INT64_MIN, .synchronises = true};
    for (uint32_t m = 0; m < gathering->comm->count; m++) {
        const struct trace_call *call = member_call(context, gathering, m);
        if (!call) continue;
        if (call->enter_ps > found.last_ps) {
            found.last_ps = call->enter_ps;
            found.last = m;
        }
        if (gathering->comm->members[m] == call->peer) found.root_ps = call->enter_ps;
        if ((call->flags & SKIPS_SYNC) == SKIPS_SYNC) found.synchronises = false;
    }
    return found;
}

/* Scans: the latest enter of the members before this one. */
static int64_t prefix_ps(const struct verify_context *context, const struct gathering *gathering, uint32_t member)
{
    int64_t last_ps = INT64_MIN;
    for (uint32_t m = 0; m < member; m++) {
        const struct trace_call *call = member_call(context, gathering, m);
        if (call && call->enter_ps > last_ps) last_ps = call->enter_ps;
    }
    return last_ps;
}

/* The latest enter of the members that this one receives from. */
static int64_t sources_ps(const struct verify_context *context, const struct gathering *gathering,
                          const struct trace_call *call)
{
    struct trace_neighbors neighbours;
    int64_t last_ps = INT64_MIN;
    if (!trace_call_neighbors(context->predicted, call, &neighbours)) return last_ps;
    for (uint32_t i = 0; i < neighbours.source_count; i++) {
        int32_t member = trace_comm_rank(gathering->comm, (int32_t)neighbours.sources[i]);
        const struct trace_call *source = member == TRACE_NONE ? NULL : member_call(context, gathering, (uint32_t)member);
        if (source && source->enter_ps > last_ps) last_ps = source->enter_ps;
    }
    return last_ps;
}

static bool gives_data(const struct verify_context *context, const struct gathering *gathering, uint32_t giver,
                       uint32_t taker)
{
    const struct trace_call *call = member_call(context, gathering, giver);
    return call && instance_gives(context->predicted, gathering->comm, call, giver, taker);
}

/* The latest enter of the members that send something to this one: mostly the latest of all. */
static int64_t givers_ps(const struct verify_context *context, const struct gathering *gathering, uint32_t member,
                         const struct arrivals *arrivals)
{
    int64_t last_ps = INT64_MIN;
    if (gives_data(context, gathering, arrivals->last, member)) return arrivals->last_ps;
    for (uint32_t m = 0; m < gathering->comm->count; m++) {
        if (!gives_data(context, gathering, m, member)) continue;
        int64_t enter_ps = member_call(context, gathering, m)->enter_ps;
        if (enter_ps > last_ps) last_ps = enter_ps;
    }
    return last_ps;
}

/* The latest enter that the end of this member's call must not precede; INT64_MIN: none. */
static int64_t awaited_ps(const struct verify_context *context, const struct gathering *gathering, uint32_t member,
                          const struct trace_call *call, const struct arrivals *arrivals)
{
    bool root = gathering->comm->members[member] == call->peer;
    enum call_kind kind = call_kind(call->call);
    /* A member that gets a vector or block without bytes waits for no other. */
    if ((kind == CALL_SCATTERV || kind == CALL_SCAN || kind == CALL_EXSCAN) && call->bytes == 0) return INT64_MIN;
    switch (kind) {
    case CALL_FENCE: return arrivals->synchronises ? arrivals->last_ps : INT64_MIN; /* notify: counts come from all */
    case CALL_WIN_CREATE:
    case CALL_WIN_FREE: return arrivals->last_ps;
    case CALL_BARRIER:
    case CALL_SHMEM_BARRIER:
    case CALL_ALLREDUCE:
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV:
    case CALL_ALLTOALL:
    case CALL_ALLTOALLV:
    case CALL_REDUCE_SCATTER: return givers_ps(context, gathering, member, arrivals);
    case CALL_COMM_CREATE: return call_makes_own_comm((enum mpi_call)call->call) ? INT64_MIN : arrivals->last_ps;
    case CALL_BCAST:
    case CALL_SCATTER:
    case CALL_SCATTERV: return arrivals->root_ps;
    case CALL_REDUCE:
    case CALL_GATHER: return root ? arrivals->last_ps : INT64_MIN;
    case CALL_GATHERV: return root ? givers_ps(context, gathering, member, arrivals) : INT64_MIN;
    case CALL_SCAN:
    case CALL_EXSCAN: return prefix_ps(context, gathering, member);
    case CALL_NEIGHBOR: return sources_ps(context, gathering, call);
    default: return INT64_MIN;
    }
}

static void check_gathering(const struct verify_context *context, const struct gathering *gathering,
                           struct verify_row *row)
{
    struct arrivals arrivals = find_arrivals(context, gathering);
    for (uint32_t m = 0; m < gathering->comm->count; m++) {
        const struct trace_call *call = member_call(context, gathering, m);
        if (!call) continue;
        int64_t cause_ps = awaited_ps(context, gathering, m, call, &arrivals);
        if (cause_ps == INT64_MIN) continue;
        uint32_t rank = (uint32_t)gathering->comm->members[m];
        size_t end = verify_ending(context, rank, gathering->calls[m]);
        if (end == INSTANCE_NONE) continue;
        verify_after(context, row, rank, end, context->predicted->ranks[rank].calls[end].exit_ps, cause_ps,
                     "returns before a member that it waits for has arrived");
    }
}

/* Non-blocking collectives and the creation of communicators are no instances of the model: no wait state is reported
 * in them. The k-th calls of each kind on a communicator belong together. */
struct turn {
    int32_t comm;
    bool makes_comm;
    uint32_t number, member;
    size_t call;
};

ORDER(compare_turns, struct turn, UP(comm) UP(makes_comm) UP(number) UP(member))

struct turns {
    struct turn *items;
    size_t count, capacity;
};

static enum status gather_turns(const struct verify_context *context, uint32_t rank, struct turns *turns,
                                struct err *err)
{
    const struct trace *trace = context->predicted;
    uint32_t *next = calloc(2 * trace->definitions.comm_count, sizeof *next);
    if (!next) return err_memory(err);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        enum call_kind kind = call_kind(call->call);
        bool makes_comm = kind == CALL_COMM_CREATE && !call_makes_own_comm((enum mpi_call)call->call);
        bool later = call_arm(kind) == ARM_COLLECTIVE && call_makes_request(call->call);
        if (!makes_comm && !later) continue;
        status = array_reserve((void **)&turns->items, &turns->capacity, turns->count + 1, sizeof *turns->items, err);
        if (status != STATUS_OK) break;
        turns->items[turns->count++] = (struct turn){
            .comm = call->handle,
            .makes_comm = makes_comm,
            .number = next[2 * call->handle + makes_comm]++,
            .member = (uint32_t)trace_comm_rank(&trace->definitions.comms[call->handle], (int32_t)rank),
            .call = i,
        };
    }
    free(next);
    return status;
}

/* Checks the members of the turn that begins at first. Returns where the next turn begins. */
static size_t check_turn(const struct verify_context *context, const struct turns *turns, size_t first,
                         size_t *calls, struct verify_row *row)
{
    const struct turn *turn = &turns->items[first];
    const struct gathering gathering = {&context->predicted->definitions.comms[turn->comm], calls};
    size_t i = first;
    for (uint32_t m = 0; m < gathering.comm->count; m++) calls[m] = INSTANCE_NONE;
    for (; i < turns->count && turns->items[i].comm == turn->comm && turns->items[i].makes_comm == turn->makes_comm &&
           turns->items[i].number == turn->number;
         i++)
        calls[turns->items[i].member] = turns->items[i].call;
    check_gathering(context, &gathering, row);
    return i;
}

static enum status check_turns(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    struct turns turns = {0};
    size_t *calls = calloc(context->predicted->rank_count, sizeof *calls);
    enum status status = calls ? STATUS_OK : err_memory(err);
    for (uint32_t r = 0; status == STATUS_OK && r < context->predicted->rank_count; r++)
        status = gather_turns(context, r, &turns, err);
    if (turns.count > 1) qsort(turns.items, turns.count, sizeof *turns.items, compare_turns);
    for (size_t i = 0; status == STATUS_OK && i < turns.count;)
        i = check_turn(context, &turns, i, calls, row);
    FREE_ALL(calls, turns.items);
    return status;
}

enum status verify_waits_group(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const struct instances *instances = &context->relations.instances;
    for (size_t i = 0; i < instances->count; i++) {
        const struct instance *instance = &instances->items[i];
        const struct gathering gathering = {instance_comm(context->predicted, instance),
                                            &instances->calls[instance->member_first]};
        check_gathering(context, &gathering, row);
    }
    TRY(check_turns(context, row, err));
    /* The closing fence holds an origin until its operations are known to be complete, unless NOPRECEDE says that there
     * are none. */
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
        bool answered = !brings_data && (uint32_t)call->peer != operation->origin;
        if (answered && !window_mode_counts(&context->modes[call->handle])) /* else the barrier says so */
            known_ps += verify_control_ps(context, (uint32_t)call->peer, operation->origin);
        verify_after(context, row, operation->origin, epoch->close_call, fence->exit_ps, known_ps,
                     "the fence returns before an operation is known to be complete");
    }
    return STATUS_OK;
}
