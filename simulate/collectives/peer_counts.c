/* The counts of the other members of a communicator in the same call, before they enter it. A member posts no receive
 * for a member that sends it nothing. Its own counts do not say who that is in an all-to-all, nor in a gather if the
 * root's counts are unknown. */
#include <stdlib.h>

#include "common/search.h"
#include "simulate/collectives/collective.h"

static bool is_asked(const struct trace *trace, const struct trace_call *call, int32_t comm)
{
    enum call_kind kind = call_kind(call->call);
    if (call->call == ID_Dist_graph_create) return call->handle == comm;
    return call_arm(kind) == ARM_COLLECTIVE && call->handle == comm &&
           !coll_knows_receipts(kind, trace->definitions.comms[comm].first_group > 0);
}

/* Stores the calls of the members in calls->calls; while that is NULL, counts them. */
static void walk_members(const struct trace *trace, int32_t comm, struct coll_calls *calls)
{
    size_t count = 0;
    for (uint32_t m = 0; m < calls->comm->count; m++) {
        const struct trace_rank *rank = &trace->ranks[calls->comm->members[m]];
        calls->first[m] = count;
        for (size_t i = 0; i < rank->count; i++) {
            if (!is_asked(trace, &rank->calls[i], comm)) continue;
            if (calls->calls) calls->calls[count] = i;
            count++;
        }
    }
    calls->first[calls->comm->count] = count;
}

/* All blocks of the other group. Unknown ones are taken to be as large as the own one. */
static int64_t other_bytes(const struct coll_shape *shape, uint32_t between, uint32_t own)
{
    int64_t bytes = 0;
    bool first = own < between;
    for (uint32_t m = first ? between : 0; m < (first ? shape->size : between); m++) bytes += coll_sent_by(shape, m, own);
    return bytes;
}

enum status replay_learn_peer_counts(struct replay *replay, uint32_t rank, const struct trace_call *call,
                                     struct coll_shape *shape)
{
    int32_t comm = call->handle;
    bool known = shape->algorithm != COLL_EDGES && coll_knows_receipts(shape->kind, shape->first_group > 0);
    if (known || shape->size < 2) return STATUS_OK;
    if (shape->kind == CALL_GATHERV && (shape->counts || call->peer != (int32_t)rank)) return STATUS_OK;
    if (!replay->coll_calls) {
        replay->coll_calls = calloc(replay->trace->definitions.comm_count, sizeof *replay->coll_calls);
        if (!replay->coll_calls) return err_memory(replay->err);
    }
    if (!replay->coll_calls[comm]) {
        struct coll_calls *made = calloc(1, sizeof *made);
        if (!made) return err_memory(replay->err);
        replay->coll_calls[comm] = made;
        *made = (struct coll_calls){.trace = replay->recorded, .comm = &replay->trace->definitions.comms[comm]};
        made->first = calloc((size_t)made->comm->count + 1, sizeof *made->first);
        if (!made->first) return err_memory(replay->err);
        walk_members(replay->recorded, comm, made);
        size_t *room = calloc(made->first[made->comm->count] + 1, sizeof *room);
        if (!room) return err_memory(replay->err);
        made->calls = room;
        walk_members(replay->recorded, comm, made);
    }
    const struct coll_calls *calls = replay->coll_calls[comm];
    uint32_t own = (uint32_t)trace_comm_rank(calls->comm, (int32_t)rank);
    shape->calls = calls;
    /* The number of the rank's calls on the communicator before this one. A task has none. */
    const struct trace_call *first = replay->trace->ranks[rank].calls;
    const size_t *list = calls->calls + calls->first[own];
    size_t low = 0;
    if (replay->decisions)
        while (first < call) low += is_asked(replay->recorded, first++, comm);
    else
        SEARCH_FIRST(low, calls->first[own + 1] - calls->first[own], i, list[i] < (size_t)(call - first));
    shape->turn = low;
    if (shape->first_group > 0 && shape->kind != CALL_ALLTOALLV) shape->other_bytes = other_bytes(shape, shape->first_group, own);
    return STATUS_OK;
}

void replay_clear_peer_counts(struct replay *replay)
{
    for (size_t c = 0; replay->coll_calls && c < replay->trace->definitions.comm_count; c++) {
        struct coll_calls *calls = replay->coll_calls[c];
        if (calls) free(calls->first);
        if (calls) free(calls->calls);
        free(calls);
    }
    free(replay->coll_calls);
}
