/* Collectives with different amounts, scans, and all that do not block. Four ranks. */
#include "program.h"

static int rank, ranks;
static char out[64], in[64];
static double sums[64], terms[64];

static const int counts[4] = {1, 2, 3, 4}, starts[4] = {0, 1, 3, 6}; /* of member i: i + 1 */
static const int same[4] = {2, 2, 2, 2}, steps[4] = {0, 2, 4, 6};

static void different_amounts(void)
{
    MPI_Gatherv(out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, 2, MPI_COMM_WORLD);
    MPI_Gatherv(rank == 1 ? MPI_IN_PLACE : out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, 1, MPI_COMM_WORLD);
    MPI_Scatterv(out, counts, starts, MPI_SHORT, in, rank + 1, MPI_SHORT, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, starts, MPI_CHAR, MPI_COMM_WORLD);
    const int mine[4] = {rank + 1, rank + 1, rank + 1, rank + 1}, mine_at[4] = {0, 4, 8, 12};
    MPI_Alltoallv(out, counts, starts, MPI_CHAR, in, mine, mine_at, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, same, steps, MPI_CHAR, MPI_COMM_WORLD);
    const MPI_Datatype types[4] = {MPI_CHAR, MPI_SHORT, MPI_CHAR, MPI_SHORT};
    const MPI_Datatype from[4] = {types[rank], types[rank], types[rank], types[rank]};
    MPI_Alltoallw(out, same, (int[]){0, 4, 8, 12}, types, in, same, (int[]){0, 4, 8, 12}, from, MPI_COMM_WORLD);
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
    MPI_Ibcast(out, 7, MPI_CHAR, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Ireduce(terms, sums, 2, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Iallreduce(terms, sums + 8, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &r[2]);
    MPI_Igather(out, 2, MPI_CHAR, in, 2, MPI_CHAR, 0, MPI_COMM_WORLD, &r[3]);
    MPI_Iscatter(out, 3, MPI_CHAR, in + 8, 3, MPI_CHAR, 0, MPI_COMM_WORLD, &r[4]);
    MPI_Iallgather(out, 1, MPI_CHAR, in + 12, 1, MPI_CHAR, MPI_COMM_WORLD, &r[5]);
    MPI_Ialltoall(out, 1, MPI_CHAR, in + 16, 1, MPI_CHAR, MPI_COMM_WORLD, &r[6]);
    MPI_Waitall(7, r, MPI_STATUSES_IGNORE);
    MPI_Igatherv(out, rank + 1, MPI_CHAR, in, counts, starts, MPI_CHAR, 2, MPI_COMM_WORLD, &r[0]);
    MPI_Iscatterv(out, counts, starts, MPI_CHAR, in + 20, rank + 1, MPI_CHAR, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Iallgatherv(out, rank + 1, MPI_CHAR, in + 30, counts, starts, MPI_CHAR, MPI_COMM_WORLD, &r[2]);
    MPI_Ialltoallv(out, same, steps, MPI_CHAR, in + 40, same, steps, MPI_CHAR, MPI_COMM_WORLD, &r[3]);
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
