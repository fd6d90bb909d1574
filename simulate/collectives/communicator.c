/* Creation of communicators, as in MPICH 4.0.2: an all-gather of colours and keys where the call splits, an all-reduce
 * of the free context ids, a broadcast of one number over the new communicator when it is ready. On an
 * intercommunicator each group does so by itself, and the first ranks of both exchange the results (src/mpi/comm;
 * tests/schedules counts the messages). */
#include "simulate/collectives/collective.h"
#include "simulate/replay/collective_matching.h"
#include "simulate/replay/plan_run.h"

enum {
    CONTEXT_MASK_BYTES = 260, /* 64 words of free ids, and the owner of the mask */
    CONTEXT_BYTES = 2,
    COLOUR_AND_KEY_BYTES = 8,
    READY_BYTES = 4,
    INT_BYTES = 4,
    PROCESS_BYTES = 8, /* identifies a process to another group */
    SUMMARY_BYTES = 16, /* of the other group, as its first rank sends it */
    DEGREES_BYTES = 8, /* of MPI_Dist_graph_create, per rank: numbers of edges that others define to and from it */
};

enum where { OVER_OLD, OVER_NEW };
enum times { ONCE, PER_MEMBER, PER_OWN, PER_OTHER }; /* of the own group, of the other one */

/* One plan of a call. A call's parts end with bytes 0. */
struct part {
    enum where over;
    enum call_kind kind;
    enum times times;
    int64_t bytes; /* per `times` */
    enum coll_scope scope;
};

#define CONTEXT {OVER_OLD, CALL_COMM_CREATE, ONCE, CONTEXT_MASK_BYTES, COLL_TOGETHER}
#define READY(OVER) {OVER, CALL_BCAST, ONCE, READY_BYTES, COLL_TOGETHER}
#define COLOURS {OVER_OLD, CALL_ALLGATHER, ONCE, COLOUR_AND_KEY_BYTES, COLL_TOGETHER}

static const struct part duplicate[] = {CONTEXT, READY(OVER_NEW), {0}};
static const struct part of_group[] = {
    {OVER_NEW, CALL_COMM_CREATE, ONCE, CONTEXT_MASK_BYTES, COLL_TOGETHER}, READY(OVER_NEW), {0}};
static const struct part split[] = {COLOURS, CONTEXT, READY(OVER_NEW), {0}};
/* The first pass makes a communicator of all members. */
static const struct part split_twice[] = {COLOURS, CONTEXT, READY(OVER_OLD), COLOURS, CONTEXT, READY(OVER_NEW), {0}};
static const struct part distribute[] = {
    CONTEXT,
    READY(OVER_NEW),
    {OVER_OLD, CALL_REDUCE_SCATTER, PER_MEMBER, DEGREES_BYTES, COLL_TOGETHER},
    {OVER_OLD, CALL_NEIGHBOR, ONCE, 1, COLL_TOGETHER},
    {0}};

#define OWN_CONTEXT(OVER) {OVER, CALL_COMM_CREATE, ONCE, CONTEXT_MASK_BYTES, COLL_EACH}
#define EXCHANGE(OVER, TIMES, BYTES) {OVER, CALL_BARRIER, TIMES, BYTES, COLL_FIRST_RANKS}
#define BROADCAST(OVER, TIMES, BYTES) {OVER, CALL_BCAST, TIMES, BYTES, COLL_EACH}
#define MATCH_INTERCOMMUNICATOR                                                                                        \
    OWN_CONTEXT(OVER_OLD), EXCHANGE(OVER_OLD, ONCE, CONTEXT_BYTES), BROADCAST(OVER_OLD, ONCE, CONTEXT_BYTES)

/* Creation of an intercommunicator. */
static const struct part create_intercomm[] = {EXCHANGE(OVER_NEW, ONCE, INT_BYTES),
                                   EXCHANGE(OVER_NEW, PER_OWN, PROCESS_BYTES),
                                   BROADCAST(OVER_NEW, ONCE, SUMMARY_BYTES),
                                   BROADCAST(OVER_NEW, PER_OTHER, PROCESS_BYTES),
                                   OWN_CONTEXT(OVER_NEW),
                                   EXCHANGE(OVER_NEW, ONCE, CONTEXT_BYTES),
                                   BROADCAST(OVER_NEW, ONCE, READY_BYTES),
                                   {0}};
static const struct part duplicate_between[] = {MATCH_INTERCOMMUNICATOR, {0}};
static const struct part split_between[] = {
    {OVER_OLD, CALL_ALLGATHER, ONCE, COLOUR_AND_KEY_BYTES, COLL_EACH}, COLOURS, MATCH_INTERCOMMUNICATOR, {0}};
static const struct part create_between[] = {OWN_CONTEXT(OVER_OLD),
                                             EXCHANGE(OVER_OLD, ONCE, 2 * INT_BYTES),
                                             EXCHANGE(OVER_OLD, PER_OWN, INT_BYTES),
                                             BROADCAST(OVER_OLD, ONCE, 2 * INT_BYTES),
                                             BROADCAST(OVER_OLD, PER_OTHER, INT_BYTES),
                                             {0}};
/* The members of a group check that they agree on `high`, and get that of the other group. */
static const struct part merge[] = {{OVER_OLD, CALL_COMM_CREATE, ONCE, INT_BYTES, COLL_EACH},
                                    EXCHANGE(OVER_OLD, ONCE, INT_BYTES),
                                    BROADCAST(OVER_OLD, ONCE, INT_BYTES),
                                    {OVER_NEW, CALL_COMM_CREATE, ONCE, CONTEXT_MASK_BYTES, COLL_TOGETHER},
                                    {0}};

static const struct part *parts_between(enum mpi_call call)
{
    switch (call) {
    case ID_Intercomm_create: return create_intercomm;
    case ID_Intercomm_merge: return merge;
    case ID_Comm_split:
    case ID_Comm_split_type: return split_between;
    case ID_Comm_create: return create_between;
    default: return duplicate_between;
    }
}

static const struct part *parts_among(enum mpi_call call)
{
    switch (call) {
    case ID_Comm_split:
    case ID_Cart_sub: return split;
    case ID_Comm_split_type: return split_twice;
    case ID_Dist_graph_create: return distribute;
    case ID_Intercomm_create:
    case ID_Comm_create_from_group:
    case ID_Comm_create_group: return of_group;
    default: return duplicate;
    }
}

/* The number of members of the rank's group, or of the other one. */
static uint32_t group_size(const struct trace_comm *comm, uint32_t rank, bool own)
{
    bool first = (uint32_t)trace_comm_rank(comm, (int32_t)rank) < comm->first_group;
    return first == own ? comm->first_group : comm->count - comm->first_group;
}

bool replay_comm_part(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t number,
                      int32_t *comm, struct coll_shape *shape)
{
    const struct trace_comm *comms = replay->trace->definitions.comms;
    enum mpi_call function = (enum mpi_call)call->call;
    int32_t made = call->comm.newcomm == TRACE_NO_REF ? TRACE_NONE : (int32_t)call->comm.newcomm;
    int32_t begun_over = call_makes_own_comm(function) ? made : call->handle;
    bool between = begun_over != TRACE_NONE && comms[begun_over].first_group > 0;
    const struct part *part = (between ? parts_between : parts_among)(function) + number;
    if (part->bytes == 0) return false;
    *comm = part->over == OVER_NEW ? made : call->handle;
    if (*comm == TRACE_NONE) return true;
    bool of_made = made != TRACE_NONE && comms[made].first_group > 0; /* else the groups are taken to remain as they are */
    const struct trace_comm *members = &comms[*comm], *groups = &comms[of_made ? made : *comm];
    int64_t times = part->times == PER_MEMBER ? members->count
                    : part->times == ONCE     ? 1
                                              : group_size(groups, rank, part->times == PER_OWN);
    *shape = (struct coll_shape){.size = members->count, .bytes = times * part->bytes, .kind = part->kind};
    shape->first_group = members->first_group;
    shape->scope = part->scope;
    shape->algorithm = coll_choose(part->kind, false, shape->size, shape->bytes);
    const bool by_group = function == ID_Comm_create_group || function == ID_Comm_create_from_group;
    if (by_group && part->kind == CALL_COMM_CREATE) shape->algorithm = COLL_ALLREDUCE_DOUBLING;
    if (part->kind == CALL_NEIGHBOR) {
        bool known = trace_call_neighbors(replay->trace, call, &shape->neighbors);
        shape->algorithm = known ? COLL_EDGES : COLL_NOTHING;
    }
    return true;
}

enum step replay_step_comm_create(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    int32_t comm;
    struct coll_shape shape;
    bool begins = state->phase == 0 && state->step == 0 && !state->paid;
    if (begins && call->handle != TRACE_NONE && !call_makes_own_comm((enum mpi_call)call->call)) {
        const struct trace_comm *members = &replay->trace->definitions.comms[call->handle];
        STEP_TRY(
            replay_match_collectives(replay, rank, call->handle, (uint32_t)trace_comm_rank(members, (int32_t)rank)));
    }
    while (replay_comm_part(replay, rank, call, state->phase, &comm, &shape)) {
        bool done = true;
        if (comm != TRACE_NONE && shape.algorithm == COLL_EDGES)
            STEP_TRY(replay_learn_peer_counts(replay, rank, call, &shape));
        enum step step = comm == TRACE_NONE ? STEP_AGAIN : replay_run_plan(replay, rank, comm, &shape, true, &done);
        if (!done) return step;
        state->phase++;
        state->step = 0;
    }
    return replay_exit(state, replay->now_ps);
}
