/* Collectives with different amounts, scans, and all that do not block. Up to eight ranks. */
#include "program.h"

static int rank, ranks;
static char out[256], in[1024];
static double sums[64], terms[64];

enum { RANKS_MAX = 8 };
static const int counts[RANKS_MAX] = {1, 2, 3, 4, 5, 6, 7, 8}; /* of member i: i + 1 */
static const int starts[RANKS_MAX] = {0, 1, 3, 6, 10, 15, 21, 28};
static const int same[RANKS_MAX] = {2, 2, 2, 2, 2, 2, 2, 2}, steps[RANKS_MAX] = {0, 4, 8, 12, 16, 20, 24, 28};

static void different_amounts(void)
{
    MPI_Gatherv(out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, 2 % ranks, MPI_COMM_WORLD);
    MPI_Gatherv(rank == 1 ? MPI_IN_PLACE : out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, 1, MPI_COMM_WORLD);
    MPI_Scatterv(out, counts, starts, MPI_SHORT, in, rank + 1, MPI_SHORT, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, starts, MPI_CHAR, MPI_COMM_WORLD);
    int mine[RANKS_MAX], mine_at[RANKS_MAX];
    MPI_Datatype types[RANKS_MAX], from[RANKS_MAX];
    for (int i = 0; i < RANKS_MAX; i++) {
        mine[i] = rank + 1;
        mine_at[i] = RANKS_MAX * i;
        types[i] = i % 2 ? MPI_SHORT : MPI_CHAR;
        from[i] = rank % 2 ? MPI_SHORT : MPI_CHAR;
    }
    MPI_Alltoallv(out, counts, starts, MPI_CHAR, in, mine, mine_at, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, same, steps, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Alltoallw(out, same, steps, types, in, same, steps, from, MPI_COMM_WORLD);
    MPI_Reduce_scatter(terms, sums, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(terms, sums, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Scan(terms, sums, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(terms, sums, 5, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
}

static void without_blocking(void)
{
    MPI_Request r[16];
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(out, 7, MPI_CHAR, 3 % ranks, MPI_COMM_WORLD, &r[0]);
    MPI_Ireduce(terms, sums, 2, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Iallreduce(terms, sums + 8, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &r[2]);
    MPI_Igather(out, 2, MPI_CHAR, in, 2, MPI_CHAR, 0, MPI_COMM_WORLD, &r[3]);
    MPI_Iscatter(out, 3, MPI_CHAR, in + 64, 3, MPI_CHAR, 0, MPI_COMM_WORLD, &r[4]);
    MPI_Iallgather(out, 1, MPI_CHAR, in + 128, 1, MPI_CHAR, MPI_COMM_WORLD, &r[5]);
    MPI_Ialltoall(out, 1, MPI_CHAR, in + 192, 1, MPI_CHAR, MPI_COMM_WORLD, &r[6]);
    MPI_Waitall(7, r, MPI_STATUSES_IGNORE);
    MPI_Igatherv(out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, 2 % ranks, MPI_COMM_WORLD, &r[0]);
    MPI_Iscatterv(out, counts, starts, MPI_CHAR, in + 256, rank + 1, MPI_CHAR, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Iallgatherv(out, rank + 1, MPI_CHAR, in + 320, counts, starts, MPI_CHAR, MPI_COMM_WORLD, &r[2]);
    MPI_Ialltoallv(out, same, steps, MPI_CHAR, in + 384, same, steps, MPI_CHAR, MPI_COMM_WORLD, &r[3]);
    MPI_Ireduce_scatter(terms, sums + 16, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[4]);
    MPI_Ireduce_scatter_block(terms, sums + 24, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[5]);
    MPI_Iscan(terms, sums + 32, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[6]);
    MPI_Iexscan(terms, sums + 40, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    different_amounts();
    without_blocking();
    MPI_Finalize();
    return 0;
}
