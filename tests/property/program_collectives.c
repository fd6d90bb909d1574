/* Collectives: blocking ones, those that are waited for later, those among neighbours. */
#include "tests/property/program_parts.h"

void make_collective(struct random *random, uint32_t members, struct phase *phase)
{
    static const enum mpi_call blocking[] = {
        ID_Barrier,   ID_Barrier,   ID_Bcast,          ID_Reduce,  ID_Allreduce, ID_Gather,
        ID_Scatter,   ID_Allgather, ID_Alltoall,       ID_Gatherv, ID_Scatterv,  ID_Allgatherv,
        ID_Alltoallv, ID_Alltoallw, ID_Reduce_scatter, ID_Scan,    ID_Exscan,    ID_Reduce_scatter_block,
    };
    static const enum mpi_call later[] = {
        ID_Ibarrier,   ID_Ibarrier,   ID_Ibcast,          ID_Ireduce,  ID_Iallreduce, ID_Igather,
        ID_Iscatter,   ID_Iallgather, ID_Ialltoall,       ID_Igatherv, ID_Iscatterv,  ID_Iallgatherv,
        ID_Ialltoallv, ID_Ialltoallw, ID_Ireduce_scatter, ID_Iscan,    ID_Iexscan,    ID_Ireduce_scatter_block,
    };
    static const enum mpi_call among_neighbours[] = {
        ID_Neighbor_allgather, ID_Neighbor_allgatherv, ID_Neighbor_alltoall,  ID_Neighbor_alltoallv,
        ID_Neighbor_alltoallw, ID_Ineighbor_allgather, ID_Ineighbor_alltoall, ID_Ineighbor_alltoallv,
    };
    switch (random_below(random, 4)) {
    case 0: phase->call = later[random_below(random, sizeof later / sizeof *later)]; break;
    case 1:
        phase->call = among_neighbours[random_below(random, sizeof among_neighbours / sizeof *among_neighbours)];
        break;
    default: phase->call = blocking[random_below(random, sizeof blocking / sizeof *blocking)];
    }
    phase->root = random_member(random, members);
    phase->bytes = random_bytes(random);
    phase->tests = random_chance(random, 15);
    phase->together = random_chance(random, 20);
    uint32_t percent = 20 + random_below(random, 60);
    for (uint32_t r = 0; call_kind(phase->call) == CALL_NEIGHBOR && r < RANKS_MAX; r++)
        for (uint32_t k = 0; k < RANKS_MAX; k++)
            if (random_chance(random, percent)) phase->targets[r] |= 1u << k;
}

struct neighbour_lists {
    int64_t sources[2 * RANKS_MAX], destinations[2 * RANKS_MAX], bytes[2 * RANKS_MAX];
    uint32_t source_count, destination_count;
    int64_t sent, received;
};

/* alltoallv: the block depends on both ends. together: each neighbour stands twice. */
static int64_t block_bytes(const struct phase *phase, uint32_t from, uint32_t to)
{
    bool differ = phase->call == ID_Neighbor_alltoallv || phase->call == ID_Neighbor_alltoallw ||
                  phase->call == ID_Ineighbor_alltoallv;
    return differ ? phase->bytes / (1 + (from + 2 * to) % 5) : phase->bytes;
}

static void list_neighbours(const struct writer *writer, const struct phase *phase, uint32_t members, uint32_t rank,
                            struct neighbour_lists *lists)
{
    *lists = (struct neighbour_lists){.source_count = 0};
    for (uint32_t k = 0; k < 2 * RANKS_MAX; k++) {
        uint32_t other = k % RANKS_MAX;
        if (!in(members, other) || (k >= RANKS_MAX && !phase->together)) continue;
        if (in(phase->targets[rank], other)) {
            lists->sent += lists->bytes[lists->destination_count] = block_bytes(phase, rank, other);
            lists->destinations[lists->destination_count++] = writer->rank_of[other];
        }
        if (in(phase->targets[other], rank)) {
            lists->received += block_bytes(phase, other, rank);
            lists->sources[lists->source_count++] = writer->rank_of[other];
        }
    }
}

static enum status fill_neighbours(struct writer *writer, const struct phase *phase, uint32_t members, uint32_t rank,
                                   struct trace_call *call, struct err *err)
{
    struct neighbour_lists lists;
    uint32_t id;
    list_neighbours(writer, phase, members, rank, &lists);
    struct trace_neighbors neighbours = {lists.source_count, lists.destination_count, lists.sources,
                                         lists.destinations};
    TRY(trace_add_neighbors(writer->trace, &neighbours, &id, err));
    call->collective.neighbors = (int32_t)id;
    call->bytes = lists.sent;
    call->collective.recv_bytes = lists.received;
    if (block_bytes(phase, 0, 0) == block_bytes(phase, 0, 1) || lists.destination_count == 0) return STATUS_OK;
    TRY(trace_add_counts(writer->trace, lists.bytes, lists.destination_count, &id, err));
    call->collective.counts = id;
    return STATUS_OK;
}

/* What one member gives another, where the call has counts; together: they differ, and some are nothing. */
static int64_t count_bytes(const struct phase *phase, uint32_t from, uint32_t to)
{
    uint32_t part = (from + 2 * to) % 5;
    if (!phase->together) return phase->bytes;
    return part == 4 ? 0 : phase->bytes / (1 + part);
}

/* The counts that the member knows (trace_call_counts), and its own bytes. */
static enum status fill_counts(struct writer *writer, const struct phase *phase, uint32_t members, uint32_t rank,
                               uint32_t root, struct trace_call *call, struct err *err)
{
    enum call_kind kind = call_kind(phase->call);
    int64_t counts[RANKS_MAX], sum = 0;
    uint32_t count = 0, id;
    for (uint32_t k = 0; k < RANKS_MAX; k++) {
        if (!in(members, k)) continue;
        counts[count] = kind == CALL_ALLTOALLV ? count_bytes(phase, rank, k) : count_bytes(phase, k, k);
        sum += counts[count++];
    }
    bool all = kind == CALL_ALLTOALLV || kind == CALL_REDUCE_SCATTER;
    call->bytes = all ? sum : count_bytes(phase, rank, rank);
    bool rooted = kind == CALL_GATHERV || kind == CALL_SCATTERV;
    if ((rooted && rank != root)) return STATUS_OK;
    TRY(trace_add_counts(writer->trace, counts, count, &id, err));
    call->collective.counts = id;
    return STATUS_OK;
}

static bool has_counts(enum mpi_call call)
{
    bool block = call == ID_Reduce_scatter_block || call == ID_Ireduce_scatter_block;
    return call_row(call)->allowed & F_COUNTS && call_kind(call) != CALL_NEIGHBOR && !block;
}

static enum status put_member(struct writer *writer, const struct phase *phase, uint32_t members, uint32_t rank,
                              uint32_t requests[RANKS_MAX], struct err *err)
{
    uint32_t root = in(members, phase->root) ? phase->root : (uint32_t)__builtin_ctz(members);
    uint32_t allowed = call_row(phase->call)->allowed;
    struct trace_call call = new_call(phase->call, writer->comm_of[phase->comm]);
    if (allowed & F_BYTES) call.bytes = phase->bytes;
    if (allowed & F_ROOT) call.peer = (int32_t)writer->rank_of[root];
    if (allowed & F_OP) call.collective.op = TRACE_OP_SUM;
    if (call_kind(phase->call) == CALL_NEIGHBOR) TRY(fill_neighbours(writer, phase, members, rank, &call, err));
    if (has_counts(phase->call)) TRY(fill_counts(writer, phase, members, rank, root, &call, err));
    if (call_makes_request(phase->call)) call.ref = requests[rank] = writer->next_request[rank]++;
    return put(writer, rank, call, err);
}

enum status write_collective(struct writer *writer, const struct phase *phase, struct err *err)
{
    uint32_t members = members_of_comm(writer->program, phase->comm), requests[RANKS_MAX];
    for (uint32_t r = 0; r < RANKS_MAX; r++)
        if (in(members, r)) TRY(put_member(writer, phase, members, r, requests, err));
    TRY(write_inner(writer, phase, err));
    for (uint32_t r = 0; call_makes_request(phase->call) && r < RANKS_MAX; r++)
        if (in(members, r)) TRY(put_waits(writer, r, &requests[r], 1, phase->tests, err));
    return STATUS_OK;
}

/* --- making and freeing communicators --- */

void make_comm(struct random *random, uint32_t members, struct phase *phase)
{
    static const enum mpi_call calls[] = {ID_Comm_dup,          ID_Comm_split,  ID_Comm_create,
                                          ID_Comm_create_group, ID_Cart_create, ID_Dist_graph_create_adjacent,
                                          ID_Intercomm_create,  ID_Intercomm_merge};
    phase->call = calls[random_below(random, sizeof calls / sizeof *calls)];
    phase->root = (uint32_t)random_next(random); /* the new communicator's members, of those */
    phase->bytes = random_bytes(random);
    if (phase->call == ID_Comm_dup || phase->call == ID_Dist_graph_create_adjacent) phase->root = members;
}

/* What the members of a new communicator do with it: of one group an all-reduce, of two groups any collective that MPI lets meet
 * them. With a root the first group is the root alone. */
static struct trace_call use_of(struct writer *writer, const struct phase *phase, int32_t made)
{
    static const enum mpi_call between[] = {ID_Barrier,  ID_Allreduce,            ID_Allgather, ID_Alltoall, ID_Allgatherv,
                                            ID_Alltoallv, ID_Reduce_scatter_block, ID_Bcast,     ID_Reduce,   ID_Gather,
                                            ID_Scatter};
    struct trace_comm *comm = &writer->trace->definitions.comms[made];
    uint64_t chance = (uint64_t)phase->bytes + phase->root;
    bool groups = phase->call == ID_Intercomm_create && comm->count > 1;
    struct trace_call call = new_call(groups ? between[chance % (sizeof between / sizeof *between)] : ID_Allreduce, made);
    uint32_t allowed = call_row(call.call)->allowed;
    if (allowed & F_BYTES) call.bytes = phase->bytes;
    if (groups) comm->first_group = allowed & F_ROOT ? 1 : 1 + (uint32_t)(chance / 16 % (comm->count - 1));
    if (groups && (allowed & F_ROOT)) call.peer = comm->members[0];
    if (allowed & F_OP) call.collective.op = TRACE_OP_SUM;
    return call;
}

/* Of an all-gather every third member has nothing. */
static enum status put_use(struct writer *writer, uint32_t chosen, struct trace_call call, struct err *err)
{
    int64_t bytes = call.bytes;
    for (uint32_t r = 0; r < RANKS_MAX; r++) {
        if (!in(chosen, r)) continue;
        call.bytes = call.call == ID_Allgatherv && r % 3 == 1 ? 0 : bytes;
        TRY(put(writer, r, call, err));
    }
    return STATUS_OK;
}

/* A communicator made of one of two groups, or none. */
static enum status write_further(struct writer *writer, const struct phase *phase, uint32_t chosen, int32_t made,
                                 struct err *err)
{
    static const enum mpi_call calls[] = {ID_Comm_dup, ID_Comm_split, ID_Comm_create, ID_Intercomm_merge, ID_Comm_idup};
    size_t choice = ((uint64_t)phase->bytes / 7 + phase->root / 64) % (sizeof calls / sizeof *calls + 1);
    uint32_t between = writer->trace->definitions.comms[made].first_group, requests[RANKS_MAX];
    if (between == 0 || choice == sizeof calls / sizeof *calls) return STATUS_OK;
    int32_t ranks[RANKS_MAX], further;
    TRY(trace_add_comm(writer->trace, ranks, list_ranks(writer, chosen, ranks), &further, err));
    struct trace_call call = new_call(calls[choice], made);
    if (call_makes_request(call.call)) {
        for (uint32_t r = 0; r < RANKS_MAX; r++) {
            if (!in(chosen, r)) continue;
            call.ref = requests[r] = writer->next_request[r]++;
            TRY(put(writer, r, call, err));
            TRY(put_waits(writer, r, &requests[r], 1, false, err));
        }
    } else {
        call.ref = (uint32_t)further;
        TRY(put_all(writer, chosen, call, err));
    }
    if (call.call != ID_Intercomm_merge) writer->trace->definitions.comms[further].first_group = between;
    TRY(put_all(writer, chosen, new_call(ID_Barrier, further), err));
    return put_all(writer, chosen, new_call(ID_Comm_free, further), err);
}

/* The new communicator is used once. */
enum status write_comm(struct writer *writer, const struct phase *phase, struct err *err)
{
    uint32_t members = members_of_comm(writer->program, phase->comm), chosen = members & phase->root;
    int32_t ranks[RANKS_MAX], made = TRACE_NONE;
    uint32_t count = list_ranks(writer, chosen, ranks);
    if (count > 0) TRY(trace_add_comm(writer->trace, ranks, count, &made, err));
    bool only_chosen = call_makes_own_comm(phase->call);
    for (uint32_t r = 0; r < RANKS_MAX; r++) {
        if (!in(only_chosen ? chosen : members, r)) continue;
        struct trace_call call = new_call(phase->call, writer->comm_of[phase->comm]);
        call.ref = in(chosen, r) ? (uint32_t)made : TRACE_NO_REF;
        TRY(put(writer, r, call, err));
    }
    if (count == 0) return STATUS_OK;
    struct trace_call call = use_of(writer, phase, made);
    TRY(put_use(writer, chosen, call, err));
    TRY(write_further(writer, phase, chosen, made, err));
    return put_all(writer, chosen, new_call(ID_Comm_free, made), err);
}
