/* Which nodes of a user's platform send to each other, and for what: a route that lacks is told with the call that
 * needs it. */
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "simulate/replay_core.h"

/* What a call may send to: one rank, the members of a group, those of a communicator (whose algorithms may use any
 * pair). */
struct partners {
    const int32_t *ranks;
    uint32_t count;
    int32_t comm;   /* of all its ranks; TRACE_NONE: not a whole one */
    int32_t own[2]; /* one or two ranks */
};

static bool is_group_call(enum call_kind kind)
{
    return kind == CALL_POST || kind == CALL_START;
}

static bool is_joint(enum call_kind kind)
{
    bool collective = kind >= CALL_BARRIER && kind <= CALL_COMM_FREE;
    bool window = kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE || kind == CALL_FENCE || kind == CALL_LOCK_ALL;
    return collective || window || kind == CALL_SHMEM_SET_LOCK || kind == CALL_SHMEM_TEST_LOCK;
}

static void find_partners(const struct trace *trace, const struct trace_call *call, struct partners *partners)
{
    enum call_kind kind = call_kind(call->call);
    *partners = (struct partners){.comm = TRACE_NONE};
    if (is_group_call(kind)) {
        partners->ranks = trace->groups[call->ref].members;
        partners->count = trace->groups[call->ref].count;
        return;
    }
    if (is_joint(kind)) {
        const struct trace_comm *comm = trace_call_comm(trace, call);
        if (!comm) return;
        partners->comm = (int32_t)(comm - trace->comms);
        partners->ranks = comm->members;
        partners->count = comm->count;
        return;
    }
    bool messages = kind >= CALL_SEND && kind <= CALL_IPROBE;
    if (!messages && !call_moves(call->call) && kind != CALL_LOCK) return;
    partners->ranks = partners->own;
    if (call->peer != TRACE_NONE) partners->own[partners->count++] = call->peer;
    int32_t source = kind == CALL_SENDRECV ? trace_call_source(call) : TRACE_NONE;
    if (source != TRACE_NONE) partners->own[partners->count++] = source;
}

/* MPI_Init and MPI_Finalize synchronise the world if every rank has them. */
static bool is_of_world(enum call_kind kind)
{
    return kind == CALL_INIT || kind == CALL_FINALIZE;
}

struct uses {
    size_t nodes;
    bool *between;   /* from node to node */
    bool *comm_seen; /* per communicator */
};

static void mark(const struct replay *replay, struct uses *uses, uint32_t one, uint32_t other)
{
    size_t a = (size_t)platform_node_of(replay->platform, one), b = (size_t)platform_node_of(replay->platform, other);
    uses->between[a * uses->nodes + b] = uses->between[b * uses->nodes + a] = true;
}

static void mark_comm(const struct replay *replay, struct uses *uses, int32_t comm)
{
    const struct trace_comm *all = &replay->trace->comms[comm];
    if (uses->comm_seen[comm]) return;
    uses->comm_seen[comm] = true;
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = 0; k < i; k++) mark(replay, uses, (uint32_t)all->members[i], (uint32_t)all->members[k]);
}

static void mark_rank(const struct replay *replay, struct uses *uses, uint32_t rank)
{
    const struct trace_rank *stream = &replay->trace->ranks[rank];
    struct partners partners;
    for (size_t i = 0; i < stream->count; i++) {
        if (is_of_world(call_kind(stream->calls[i].call))) mark_comm(replay, uses, 0);
        find_partners(replay->trace, &stream->calls[i], &partners);
        if (partners.comm != TRACE_NONE) {
            mark_comm(replay, uses, partners.comm);
            continue;
        }
        for (uint32_t k = 0; k < partners.count; k++) mark(replay, uses, rank, (uint32_t)partners.ranks[k]);
    }
}

/* An array without pairs: no route is needed; NULL would stand for all. */
static enum status list_pairs(const struct uses *uses, int32_t (**pairs)[2], size_t *count, struct err *err)
{
    size_t capacity = 0;
    TRY(array_reserve((void **)pairs, &capacity, 1, sizeof **pairs, err));
    for (size_t i = 0; i < uses->nodes * uses->nodes; i++) {
        if (!uses->between[i] || i / uses->nodes == i % uses->nodes) continue;
        TRY(array_reserve((void **)pairs, &capacity, *count + 1, sizeof **pairs, err));
        (*pairs)[*count][0] = (int32_t)(i / uses->nodes);
        (*pairs)[(*count)++][1] = (int32_t)(i % uses->nodes);
    }
    return STATUS_OK;
}

enum status replay_used_pairs(const struct replay *replay, int32_t (**pairs)[2], size_t *count)
{
    *pairs = NULL;
    *count = 0;
    if (!replay->platform->simgrid_xml) return STATUS_OK; /* described shapes have all routes */
    struct uses uses = {.nodes = (size_t)replay->platform->node_count};
    uses.between = calloc(uses.nodes * uses.nodes, sizeof *uses.between);
    uses.comm_seen = calloc(replay->trace->comm_count, sizeof *uses.comm_seen);
    enum status status = uses.between && uses.comm_seen ? STATUS_OK : err_memory(replay->err);
    for (uint32_t rank = 0; status == STATUS_OK && rank < replay->trace->rank_count; rank++)
        mark_rank(replay, &uses, rank);
    if (status == STATUS_OK) status = list_pairs(&uses, pairs, count, replay->err);
    free(uses.between);
    free(uses.comm_seen);
    return status;
}

/* A rank of that node whom the call sends to; TRACE_NONE: none. */
static int32_t partner_on(const struct replay *replay, const struct trace_call *call, int32_t node)
{
    struct partners partners;
    if (is_of_world(call_kind(call->call))) {
        partners.ranks = replay->trace->comms[0].members;
        partners.count = replay->trace->comms[0].count;
    } else {
        find_partners(replay->trace, call, &partners);
    }
    for (uint32_t i = 0; i < partners.count; i++)
        if (platform_node_of(replay->platform, (uint32_t)partners.ranks[i]) == node) return partners.ranks[i];
    return TRACE_NONE;
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
            int32_t partner = partner_on(replay, &stream->calls[i], node == src_node ? dst_node : src_node);
            char place[TRACE_PLACE_BYTES];
            if (partner == TRACE_NONE) continue;
            snprintf(text, room, "%s needs it with rank %d", trace_place(replay->trace, rank, i, place), partner);
            return;
        }
    }
}
