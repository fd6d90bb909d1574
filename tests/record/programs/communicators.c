/* Communicators between two groups, of a topology, of some ranks only. Any even number of ranks. */
#include "program.h"

static int rank, ranks;

/* The lower half of the ranks against the upper one. */
static void across(void)
{
    int value = rank, sum = 0, middle = ranks / 2;
    MPI_Comm half, between, merged, ring;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank / middle, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < middle ? middle : 0, 1, &between);
    MPI_Irecv(&sum, 1, MPI_INT, rank % middle, 1, between, &request);
    MPI_Send(&value, 1, MPI_INT, rank % middle, 1, between);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum != (rank + middle) % ranks) exit(1);
    MPI_Irecv(&sum, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &request); /* MPICH gives it the handle that has just become free */
    MPI_Send(&value, 1, MPI_INT, rank, 9, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(between);
    MPI_Intercomm_merge(between, rank >= middle, &merged);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, merged);
    if (sum != ranks * (ranks - 1) / 2) exit(1);
    MPI_Comm_free(&between);
    MPI_Comm_free(&merged);
    const int to[1] = {(rank + 1) % ranks}, from[1] = {(rank + ranks - 1) % ranks};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Barrier(ring);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&half);
    MPI_Group all, odd;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[][3]){{1, ranks - 1, 2}}, &odd);
    if (rank % 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, odd, 5, &half);
        MPI_Barrier(half);
        MPI_Comm_free(&half);
    }
    MPI_Group_free(&odd);
    MPI_Group_free(&all);
}

/* Of two communicators, on odd ranks the second one's first; which is used first, too. */
static void duplicates(void)
{
    MPI_Comm from[2], made[2];
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_WORLD, &from[i]);
    for (int i = 0; i < 2; i++) MPI_Comm_idup(from[(i + rank) % 2], &made[(i + rank) % 2], &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++) MPI_Ibarrier(made[(i + rank) % 2], &requests[i]);
    for (int i = 0; i < 2; i++) {
        int index;
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&made[0]);
    MPI_Comm_free(&made[1]);
    MPI_Comm_free(&from[0]);
    MPI_Comm_free(&from[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    across();
    duplicates();
    MPI_Finalize();
    return 0;
}
