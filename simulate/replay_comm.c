/* Making communicators, as MPICH 4.0.2 does: an all-gather of colours and keys where the call splits, an all-reduce of
 * the free context ids, a broadcast of one number over the new communicator when it is ready (src/mpi/comm; the messages
 * are counted by tests/schedules). */
#include "simulate/replay_agree.h"

enum {
    CONTEXT_MASK_BYTES = 260, /* 64 words of free ids, and who owns the mask */
    COLOUR_AND_KEY_BYTES = 8,
    READY_BYTES = 4,
    DEGREES_BYTES = 8, /* of MPI_Dist_graph_create, per rank: how many edges others know of to and from it */
};

enum part { PART_GATHER, PART_CONTEXT, PART_READY, PART_DEGREES, PART_END };

/* In the order of the call. PART_READY goes over the new communicator, but in the first pass of MPI_Comm_split_type, which
 * makes one of all members. */
static const enum part duplicate[] = {PART_CONTEXT, PART_READY, PART_END};
static const enum part split[] = {PART_GATHER, PART_CONTEXT, PART_READY, PART_END};
static const enum part split_twice[] = {PART_GATHER, PART_CONTEXT, PART_READY, PART_GATHER,
                                        PART_CONTEXT, PART_READY, PART_END};
static const enum part distribute[] = {PART_CONTEXT, PART_READY, PART_DEGREES, PART_END};

static const enum part *parts_of(enum mpi_call call)
{
    switch (call) {
    case ID_Comm_split:
    case ID_Cart_sub: return split;
    case ID_Comm_split_type: return split_twice;
    case ID_Dist_graph_create: return distribute;
    default: return duplicate;
    }
}

/* Only the members of the new communicator take part (MPI-3.1 6.4.2, 6.6.2). */
static bool is_of_group(const struct trace_call *call)
{
    return call_makes_own_comm((enum mpi_call)call->call);
}

static struct coll_shape shape_of_part(const struct trace_call *call, enum part part, uint32_t size)
{
    enum call_kind kind = part == PART_GATHER    ? CALL_ALLGATHER
                          : part == PART_CONTEXT ? CALL_COMM_CREATE
                          : part == PART_READY   ? CALL_BCAST
                                                 : CALL_REDUCE_SCATTER;
    int64_t bytes = part == PART_GATHER    ? COLOUR_AND_KEY_BYTES
                    : part == PART_CONTEXT ? CONTEXT_MASK_BYTES
                    : part == PART_READY   ? READY_BYTES
                                           : DEGREES_BYTES * (int64_t)size;
    struct coll_shape shape = {.size = size, .bytes = bytes, .algorithm = coll_choose(kind, false, size, bytes)};
    if (part == PART_CONTEXT && call->call == ID_Comm_create_group) shape.algorithm = COLL_ALLREDUCE_DOUBLING;
    return shape;
}

bool replay_comm_part(const struct replay *replay, const struct trace_call *call, uint32_t number, int32_t *comm,
                      struct coll_shape *shape)
{
    const enum part *parts = parts_of(call->call);
    if (parts[number] == PART_END) return false;
    int32_t made = call->ref == TRACE_NO_REF ? TRACE_NONE : (int32_t)call->ref;
    bool of_new = is_of_group(call) || (parts[number] == PART_READY && parts[number + 1] != PART_GATHER);
    *comm = of_new ? made : call->handle;
    if (*comm != TRACE_NONE) *shape = shape_of_part(call, parts[number], replay->trace->comms[*comm].count);
    return true;
}

enum step replay_step_comm_create(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    int32_t comm;
    struct coll_shape shape;
    bool begins = state->phase == 0 && state->step == 0 && !state->paid;
    if (begins && call->handle != TRACE_NONE && !is_of_group(call)) {
        const struct trace_comm *members = &replay->trace->comms[call->handle];
        STEP_TRY(replay_agree(replay, rank, call->handle, (uint32_t)trace_comm_rank(members, (int32_t)rank)));
    }
    while (replay_comm_part(replay, call, state->phase, &comm, &shape)) {
        bool done = true;
        enum step step = comm == TRACE_NONE ? STEP_AGAIN : replay_run_plan(replay, rank, comm, &shape, true, &done);
        if (!done) return step;
        state->phase++;
        state->step = 0;
    }
    return replay_exit(state, replay->now_ps);
}
