/* Which nodes of a user's platform send to each other, and for which calls. A missing route is an error that names the
 * call that needs it. Costs grow with the pairs of nodes that communicate, not with the nodes of the platform. */
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"

struct plan {
    int32_t comm;
    struct coll_shape shape;
};
enum { PLANS_MAX = 8 };

/* Of one call. A rank may occur several times. */
struct reach {
    uint32_t *ranks;
    size_t count, capacity;
    struct plan plans[PLANS_MAX];
    int plan_count;
    struct err *err;
};

enum status replay_reach_rank(struct reach *reach, int32_t rank)
{
    if (rank == TRACE_NONE) return STATUS_OK;
    ARRAY_PUSH(reach->ranks, reach->count, reach->capacity, (uint32_t)rank, reach->err);
    return STATUS_OK;
}

enum status replay_reach_ranks(struct reach *reach, const int32_t *ranks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) TRY(replay_reach_rank(reach, ranks[i]));
    return STATUS_OK;
}

enum status replay_reach_plan(struct reach *reach, int32_t comm, const struct coll_shape *shape)
{
    if (reach->plan_count < PLANS_MAX) reach->plans[reach->plan_count++] = (struct plan){comm, *shape};
    return STATUS_OK;
}

enum status replay_reach_barrier(struct reach *reach, const struct replay *replay, int32_t comm)
{
    const struct coll_shape shape = {.algorithm = COLL_BARRIER_DISSEMINATION,
                                     .size = replay->trace->definitions.comms[comm].count};
    return replay_reach_plan(reach, comm, &shape);
}

/* The ranks at the other ends of a rank's edges. */
static enum status add_edges(struct reach *reach, const struct trace_neighbors *edges)
{
    for (uint32_t i = 0; i < edges->source_count; i++) {
        TRY(replay_reach_rank(reach, (int32_t)edges->sources[i]));
        TRY(replay_reach_rank(reach, (int32_t)edges->destinations[i]));
    }
    return STATUS_OK;
}

static enum status add_partners(const struct replay *replay, uint32_t rank, const struct plan *plan, struct reach *reach)
{
    const struct trace_comm *members = &replay->trace->definitions.comms[plan->comm];
    const struct coll_shape *shape = &plan->shape;
    uint32_t own = (uint32_t)trace_comm_rank(members, (int32_t)rank);
    struct coll_step step;
    if (shape->algorithm == COLL_EDGES) return add_edges(reach, &shape->neighbors);
    for (uint32_t number = 0; coll_step(shape, own, number, &step); number++) {
        if (step.send_to >= 0) TRY(replay_reach_rank(reach, (int32_t)coll_partner(shape, members, step.send_to)));
        /* else the sender's plan has it */
        if (step.receive_from >= 0 && coll_knows_receipts(shape->kind, shape->first_group > 0))
            TRY(replay_reach_rank(reach, (int32_t)coll_partner(shape, members, step.receive_from)));
    }
    return STATUS_OK;
}

/* Replaces the ranks and plans of the previous call by those of this one. */
static enum status find_reach(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                              struct reach *reach)
{
    const struct call_driver *driver = core_of(replay)->driver_of[call_kind(call->call)];
    reach->count = 0;
    reach->plan_count = 0;
    reach->err = replay->err;
    return driver && driver->reach ? driver->reach(replay, rank, call, reach) : STATUS_OK;
}

struct uses {
    struct map between;    /* from one node to another with a higher number; key: both numbers */
    struct map seen;       /* for the current rank: keys of partner sets */
    struct reach now;      /* of the current call */
};

/* Partners in a plan depend on communicator, algorithm and root, or on the neighbours, but not on sizes. A rank makes
 * the same call often. */
static enum status add_new_plans(const struct replay *replay, struct uses *uses, uint32_t rank,
                                 const struct trace_call *call)
{
    for (int i = 0; i < uses->now.plan_count; i++) {
        const struct plan *plan = &uses->now.plans[i];
        bool neighbors = plan->shape.algorithm == COLL_NEIGHBOR_LINEAR || plan->shape.algorithm == COLL_EDGES;
        uint64_t named_by = neighbors ? (uint32_t)call->collective.neighbors : plan->shape.root;
        uint64_t *seen, key = (uint64_t)plan->comm << 38 | (uint64_t)plan->shape.algorithm << 32 | named_by;
        TRY(map_put(&uses->seen, key, 0, &seen, replay->err));
        if (*seen && plan->shape.first_group == 0)
            continue; /* each group of an intercommunicator has its own algorithm */
        *seen = 1;
        TRY(add_partners(replay, rank, plan, &uses->now));
    }
    return STATUS_OK;
}

static enum status mark_rank(const struct replay *replay, struct uses *uses, uint32_t rank)
{
    const struct trace_rank *process = &replay->trace->ranks[rank];
    uint64_t own = (uint32_t)platform_node_of(replay->platform, rank);
    map_empty(&uses->seen);
    for (size_t i = 0; i < process->count; i++) {
        TRY(find_reach(replay, rank, &process->calls[i], &uses->now));
        TRY(add_new_plans(replay, uses, rank, &process->calls[i]));
        for (size_t k = 0; k < uses->now.count; k++) {
            uint64_t other = (uint32_t)platform_node_of(replay->platform, uses->now.ranks[k]), *slot;
            if (own == other) continue;
            uint64_t low = own < other ? own : other, high = own < other ? other : own;
            TRY(map_put(&uses->between, low << 32 | high, 0, &slot, replay->err));
        }
    }
    return STATUS_OK;
}

static int by_nodes(const void *a, const void *b)
{
    const int32_t *one = a, *other = b;
    if (one[0] != other[0]) return one[0] < other[0] ? -1 : 1;
    return (one[1] > other[1]) - (one[1] < other[1]);
}

/* Lists both directions. An empty array means that no route is needed; NULL would mean all. */
static enum status list_pairs(const struct uses *uses, int32_t (**pairs)[2], size_t *count, struct err *err)
{
    *pairs = malloc((2 * uses->between.count + 1) * sizeof **pairs);
    if (!*pairs) return err_memory(err);
    for (size_t i = 0; i < uses->between.capacity; i++) {
        if (!uses->between.used[i]) continue;
        int32_t low = (int32_t)(uses->between.keys[i] >> 32), high = (int32_t)(uses->between.keys[i] & UINT32_MAX);
        (*pairs)[*count][0] = low;
        (*pairs)[(*count)++][1] = high;
        (*pairs)[*count][0] = high;
        (*pairs)[(*count)++][1] = low;
    }
    qsort(*pairs, *count, sizeof **pairs, by_nodes);
    return STATUS_OK;
}

enum status replay_used_pairs(const struct replay *replay, int32_t (**pairs)[2], size_t *count)
{
    *pairs = NULL;
    *count = 0;
    /* described shapes have all routes; any rank may get any task */
    if (!replay->platform->simgrid_xml || replay->decisions) return STATUS_OK;
    struct uses uses = {0};
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < replay->trace->rank_count; rank++)
        status = mark_rank(replay, &uses, rank);
    if (status == STATUS_OK) status = list_pairs(&uses, pairs, count, replay->err);
    map_clear(&uses.between);
    map_clear(&uses.seen);
    free(uses.now.ranks);
    return status;
}

/* A rank of that node that the call concerns; TRACE_NONE: none. */
static int32_t partner_on(const struct replay *replay, uint32_t rank, const struct trace_call *call, int32_t node)
{
    struct reach reach = {0};
    int32_t found = TRACE_NONE;
    enum status status = find_reach(replay, rank, call, &reach);
    for (int i = 0; status == STATUS_OK && i < reach.plan_count; i++)
        status = add_partners(replay, rank, &reach.plans[i], &reach);
    for (size_t i = 0; status == STATUS_OK && i < reach.count && found == TRACE_NONE; i++)
        if (platform_node_of(replay->platform, reach.ranks[i]) == node) found = (int32_t)reach.ranks[i];
    free(reach.ranks);
    return found;
}

void replay_explain_route(void *context, int32_t src_node, int32_t dst_node, char *text, size_t room)
{
    const struct replay *replay = context;
    *text = '\0';
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        int32_t node = platform_node_of(replay->platform, rank);
        if (node != src_node && node != dst_node) continue;
        const struct trace_rank *process = &replay->trace->ranks[rank];
        for (size_t i = 0; i < process->count; i++) {
            int32_t partner = partner_on(replay, rank, &process->calls[i], node == src_node ? dst_node : src_node);
            char place[TRACE_PLACE_BYTES];
            if (partner == TRACE_NONE) continue;
            snprintf(text, room, "%s needs it with rank %d", trace_place(replay->trace, rank, i, place), partner);
            return;
        }
    }
}
