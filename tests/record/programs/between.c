/* Communicators between two groups: the even ranks, in descending order, and the odd ones, in ascending order. An even number of
 * ranks. In what follows the "low" group is that of the even ranks. */
#include "program.h"

static int rank, ranks, own, others; /* of the world; in the own group; of the other group */
static int high;
static MPI_Comm between;

/* The one of a group that a collective has as its root, as seen from here. */
static int root_of(int of_high, int root)
{
    if (high != of_high) return root;
    return own == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void expect(int got, int wanted)
{
    if (got == wanted) return;
    fprintf(stderr, "rank %d: %d, expected %d\n", rank, got, wanted);
    exit(1);
}

/* The rank of the world that the other group's member i is. */
static int world_of(int i)
{
    return high ? 2 * (others - 1 - i) : 2 * i + 1;
}

static void messages(void)
{
    int value = rank, got = -1, count = 0;
    MPI_Request request, pair[2];
    MPI_Status status;
    MPI_Message message;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, between, &request);
    MPI_Send(&value, 1, MPI_INT, own, 1, between);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(got, world_of(own));
    MPI_Sendrecv(&value, 1, MPI_INT, others - 1 - own, 2, &got, 1, MPI_INT, MPI_ANY_SOURCE, 2, between, &status);
    expect(got, world_of(others - 1 - own));
    MPI_Isend(&value, 1, MPI_INT, own, 3, between, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, between, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(&got, count, MPI_INT, &message, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(got, world_of(own));
    MPI_Send_init(&value, 1, MPI_INT, own, 4, between, &pair[0]);
    MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, between, &pair[1]);
    MPI_Startall(2, pair);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);
}

/* With a root: what only some pass is passed wrongly by the others on purpose. */
static void rooted(void)
{
    int value = rank, all[64], sum = -1, counts[64], places[64], root = root_of(0, 1 % others);
    MPI_Request request;
    MPI_Bcast(&value, 1, MPI_INT, root, between);
    MPI_Ibcast(&value, 1, MPI_INT, root_of(1, 0), between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value = rank;
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root_of(1, 0), between);
    if (high && own == 0) expect(sum, others * (others - 1));
    for (int i = 0; i < others; i++) counts[i] = i + 1, places[i] = i * (i + 1) / 2;
    root = root_of(1, others - 1);
    MPI_Gather(all, 1, root == MPI_ROOT ? MPI_DATATYPE_NULL : MPI_INT, all, 1,
               root == MPI_ROOT ? MPI_INT : MPI_DATATYPE_NULL, root, between);
    if (root == MPI_ROOT) all[0] = rank;
    MPI_Scatter(all, 2, MPI_INT, all, 2, MPI_INT, root_of(0, 0), between);
    MPI_Gatherv(all, own + 1, MPI_INT, all, counts, places, MPI_INT, root_of(0, 0), between);
    MPI_Scatterv(all, counts, places, MPI_INT, all, own + 1, MPI_INT, root_of(1, 0), between);
}

/* The high group's blocks are three times as large as the low one's. */
static void everybody(void)
{
    int mine[64] = {rank, rank, rank}, all[256], sum = -1, give = high ? 3 : 1, take = high ? 1 : 3;
    int counts[64], places[64], given[64], blocks[64];
    MPI_Request request;
    for (int i = 0; i < others; i++) {
        counts[i] = i + take;
        given[i] = give + own;
        places[i] = i * 8;
        blocks[i] = 2;
    }
    MPI_Barrier(between);
    MPI_Ibarrier(between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between);
    expect(sum, high ? others * (others - 1) : others * others);
    MPI_Allgather(mine, give, MPI_INT, all, take, MPI_INT, between);
    expect(all[(others - 1) * take], world_of(others - 1));
    MPI_Allgatherv(mine, give + own, MPI_INT, all, counts, places, MPI_INT, between);
    MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, between);
    MPI_Alltoallv(mine, given, places, MPI_INT, all, counts, places, MPI_INT, between);
    MPI_Reduce_scatter(mine, all, blocks, MPI_INT, MPI_SUM, between);
    MPI_Reduce_scatter_block(mine, all, 1, MPI_INT, MPI_SUM, between);
}

static void more(void)
{
    int value = rank, sum = 0;
    MPI_Comm copy, part, later, merged;
    MPI_Request request;
    MPI_Comm_dup(between, &copy);
    MPI_Barrier(copy);
    MPI_Comm_idup(copy, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, own, 6, later);
    MPI_Recv(&value, 1, MPI_INT, own, 6, later, MPI_STATUS_IGNORE);
    MPI_Comm_split(copy, own == 0, 0, &part); /* the first of both, and the rest */
    MPI_Bcast(&value, 1, MPI_INT, high ? 0 : own < 2 ? MPI_ROOT : MPI_PROC_NULL, part);
    MPI_Intercomm_merge(copy, high, &merged);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    expect(sum, ranks * (ranks - 1) / 2);
    MPI_Comm_free(&part);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&later);
    MPI_Comm_disconnect(&copy);
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    high = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, high, high ? rank : -rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? ranks - 2 : 1, 5, &between);
    MPI_Comm_remote_size(between, &others);
    messages();
    rooted();
    everybody();
    more();
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
