/* Which nodes of a user's platform send to each other, and for what: a route that lacks is told with the call that
 * needs it. Grows with the pairs of nodes that do, however many nodes the platform has. */
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "simulate/replay/core.h"

/* Ranks that a rank sends to or hears from in one call, perhaps several times. */
struct partners {
    uint32_t *ranks;
    size_t count, capacity;
};

static enum status add_partner(struct partners *partners, int32_t rank, struct err *err)
{
    if (rank == TRACE_NONE) return STATUS_OK;
    ARRAY_PUSH(partners->ranks, partners->count, partners->capacity, (uint32_t)rank, err);
    return STATUS_OK;
}

static enum status add_members(struct partners *partners, const int32_t *members, uint32_t count, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) TRY(add_partner(partners, members[i], err));
    return STATUS_OK;
}

/* The ranks that the edges which a rank names concern. */
static enum status add_edges(struct partners *partners, const struct trace_neighbors *edges, struct err *err)
{
    for (uint32_t i = 0; i < edges->source_count; i++) {
        TRY(add_partner(partners, (int32_t)edges->sources[i], err));
        TRY(add_partner(partners, (int32_t)edges->destinations[i], err));
    }
    return STATUS_OK;
}

static enum status add_plan(const struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                            struct partners *partners)
{
    const struct trace_comm *members = &replay->trace->comms[comm];
    uint32_t own = (uint32_t)trace_comm_rank(members, (int32_t)rank);
    struct coll_step step;
    if (shape->algorithm == COLL_EDGES) return add_edges(partners, &shape->neighbors, replay->err);
    for (uint32_t number = 0; coll_step(shape, own, number, &step); number++) {
        if (step.send_to >= 0)
            TRY(add_partner(partners, (int32_t)coll_partner(shape, members, step.send_to), replay->err));
        if (step.receive_from >= 0 && coll_is_told(shape->kind, shape->between > 0)) /* else the sender's plan says it */
            TRY(add_partner(partners, (int32_t)coll_partner(shape, members, step.receive_from), replay->err));
    }
    return STATUS_OK;
}

struct plan {
    int32_t comm;
    struct coll_shape shape;
};
enum { PLANS_MAX = 8 };

/* The plans of a call that all members make together; their number. Barriers of windows go the ways of those of
 * communicators. */
static int plans_of(const struct replay *replay, uint32_t rank, const struct trace_call *call, struct plan plans[PLANS_MAX])
{
    enum call_kind kind = call_kind(call->call);
    bool of_world = kind == CALL_INIT || kind == CALL_FINALIZE;
    bool of_window = kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE || kind == CALL_FENCE;
    if (call->handle == TRACE_NONE && !of_world) return 0;
    if (of_world || of_window || kind == CALL_SHMEM_BARRIER) {
        int32_t comm = of_window ? replay->trace->windows[call->handle].comm : of_world ? 0 : call->handle;
        uint32_t size = replay->trace->comms[comm].count;
        plans[0] = (struct plan){comm, {.algorithm = COLL_BARRIER_DISSEMINATION, .size = size}};
        plans[1] = (struct plan){comm, replay_gather_shape(replay, size)};
        return kind == CALL_WIN_CREATE ? 2 : 1;
    }
    if (kind == CALL_COMM_CREATE) {
        int count = 0;
        struct plan plan;
        for (uint32_t i = 0; replay_comm_part(replay, rank, call, i, &plan.comm, &plan.shape); i++)
            if (plan.comm != TRACE_NONE && count < PLANS_MAX) plans[count++] = plan;
        return count;
    }
    if (kind < CALL_BARRIER || kind > CALL_NEIGHBOR) return 0;
    plans[0] = (struct plan){call->handle, replay_shape_of(replay, call)};
    plans[0].shape.counts = NULL; /* whatever the sizes, no block counts as empty */
    plans[0].shape.bytes += plans[0].shape.bytes == 0;
    return 1;
}

static enum status add_joint(const struct replay *replay, uint32_t rank, const struct trace_call *call,
                             struct partners *partners)
{
    struct plan plans[PLANS_MAX];
    int count = plans_of(replay, rank, call, plans);
    for (int i = 0; i < count; i++) TRY(add_plan(replay, rank, plans[i].comm, &plans[i].shape, partners));
    return STATUS_OK;
}

/* What the call alone says. */
static enum status add_single(const struct replay *replay, const struct trace_call *call, struct partners *partners)
{
    const struct trace *trace = replay->trace;
    const struct trace_comm *comm = trace_call_comm(trace, call);
    enum call_kind kind = call_kind(call->call);
    switch (kind) {
    case CALL_POST:
    case CALL_START:
        return add_members(partners, trace->groups[call->ref].members, trace->groups[call->ref].count, replay->err);
    case CALL_LOCK_ALL: return comm ? add_members(partners, comm->members, comm->count, replay->err) : STATUS_OK;
    case CALL_SHMEM_SET_LOCK:
    case CALL_SHMEM_TEST_LOCK: return comm ? add_members(partners, comm->members, 1, replay->err) : STATUS_OK;
    case CALL_SENDRECV: TRY(add_partner(partners, trace_call_source(call), replay->err)); break;
    case CALL_LOCK: break;
    default:
        if ((kind < CALL_SEND || kind > CALL_IPROBE) && !call_moves(call->call)) return STATUS_OK;
    }
    return add_partner(partners, call->peer, replay->err);
}

struct uses {
    struct map between;    /* from one node to another with a higher number: their numbers in one word */
    struct map seen;       /* of the rank at hand: what names the partners of a call */
    struct partners now;   /* of the call at hand */
};

static enum status mark(const struct replay *replay, struct uses *uses, uint32_t rank)
{
    uint64_t *slot, own = (uint32_t)platform_node_of(replay->platform, rank);
    for (size_t i = 0; i < uses->now.count; i++) {
        uint64_t other = (uint32_t)platform_node_of(replay->platform, uses->now.ranks[i]);
        if (own == other) continue;
        uint64_t low = own < other ? own : other, high = own < other ? other : own;
        TRY(map_put(&uses->between, low << 32 | high, 0, &slot, replay->err));
    }
    uses->now.count = 0;
    return STATUS_OK;
}

/* Partners in a plan depend on communicator, algorithm and root, or the neighbours, whatever the sizes: a rank calls the
 * same one often. */
static enum status mark_joint(const struct replay *replay, struct uses *uses, uint32_t rank,
                              const struct trace_call *call)
{
    struct plan plans[PLANS_MAX];
    int count = plans_of(replay, rank, call, plans);
    for (int i = 0; i < count; i++) {
        bool neighbors = plans[i].shape.algorithm == COLL_NEIGHBOR_LINEAR || plans[i].shape.algorithm == COLL_EDGES;
        uint64_t named_by = neighbors ? (uint32_t)call->tag : plans[i].shape.root;
        uint64_t *seen, key = (uint64_t)plans[i].comm << 38 | (uint64_t)plans[i].shape.algorithm << 32 | named_by;
        TRY(map_put(&uses->seen, key, 0, &seen, replay->err));
        if (*seen && plans[i].shape.between == 0) continue; /* between groups each has its own algorithm */
        *seen = 1;
        TRY(add_plan(replay, rank, plans[i].comm, &plans[i].shape, &uses->now));
    }
    return mark(replay, uses, rank);
}

static enum status mark_rank(const struct replay *replay, struct uses *uses, uint32_t rank)
{
    const struct trace_rank *stream = &replay->trace->ranks[rank];
    map_empty(&uses->seen);
    for (size_t i = 0; i < stream->count; i++) {
        TRY(mark_joint(replay, uses, rank, &stream->calls[i]));
        TRY(add_single(replay, &stream->calls[i], &uses->now));
        TRY(mark(replay, uses, rank));
    }
    return STATUS_OK;
}

static int by_nodes(const void *a, const void *b)
{
    const int32_t *one = a, *other = b;
    if (one[0] != other[0]) return one[0] < other[0] ? -1 : 1;
    return (one[1] > other[1]) - (one[1] < other[1]);
}

/* Both ways. An array without pairs: no route is needed; NULL would stand for all. */
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
    if (!replay->platform->simgrid_xml) return STATUS_OK; /* described shapes have all routes */
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

/* A rank of that node with which the call has to do; TRACE_NONE: none. */
static int32_t partner_on(const struct replay *replay, uint32_t rank, const struct trace_call *call, int32_t node)
{
    struct partners partners = {0};
    int32_t found = TRACE_NONE;
    enum status status = add_joint(replay, rank, call, &partners);
    if (status == STATUS_OK) status = add_single(replay, call, &partners);
    for (size_t i = 0; status == STATUS_OK && i < partners.count && found == TRACE_NONE; i++)
        if (platform_node_of(replay->platform, partners.ranks[i]) == node) found = (int32_t)partners.ranks[i];
    free(partners.ranks);
    return found;
}

void replay_explain_route(void *context, int32_t src_node, int32_t dst_node, char *text, size_t room)
{
    const struct replay *replay = context;
    *text = '\0';
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        int32_t node = platform_node_of(replay->platform, rank);
        if (node != src_node && node != dst_node) continue;
        const struct trace_rank *stream = &replay->trace->ranks[rank];
        for (size_t i = 0; i < stream->count; i++) {
            int32_t partner = partner_on(replay, rank, &stream->calls[i], node == src_node ? dst_node : src_node);
            char place[TRACE_PLACE_BYTES];
            if (partner == TRACE_NONE) continue;
            snprintf(text, room, "%s needs it with rank %d", trace_place(replay->trace, rank, i, place), partner);
            return;
        }
    }
}
