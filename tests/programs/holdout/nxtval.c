/* Tasks as of Global Arrays: the next task is that of a counter on rank 0 (MPI_Fetch_and_op, the NXTVAL of quantum chemistry);
 * its two blocks come by MPI_Rget, and the result goes by MPI_Raccumulate while the next task begins:
 *     holdout_nxtval [BYTES of a block [TASKS]]
 */
#include "tests/programs/independent/program.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int doubles = argument(argc, argv, 1, 1024) / (int)sizeof(double), tasks = argument(argc, argv, 2, 40);
    double *array, *left = calloc((size_t)doubles, sizeof *left), *right = calloc((size_t)doubles, sizeof *right),
           *result = calloc((size_t)doubles, sizeof *result);
    long *counter, one = 1, task = 0;
    MPI_Win blocks, next;
    MPI_Aint size = 3 * (MPI_Aint)doubles * (MPI_Aint)sizeof(double);
    MPI_Win_allocate(size, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &array, &blocks);
    MPI_Win_allocate(rank == 0 ? (MPI_Aint)sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &next);
    memset(array, 0, (size_t)size);
    if (rank == 0)
        *counter = 0;
    MPI_Win_lock_all(0, blocks);
    MPI_Win_lock_all(0, next);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Request stored = MPI_REQUEST_NULL;
    for (;;) {
        MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, next);
        MPI_Win_flush(0, next);
        if (task >= tasks)
            break;
        MPI_Request gets[2];
        MPI_Status ignored[2]; // GCC warns of MPICH's MPI_STATUSES_IGNORE
        int owner = (int)(task % ranks), other = (int)((task * 3 + 1) % ranks);
        MPI_Rget(left, doubles, MPI_DOUBLE, owner, 0, doubles, MPI_DOUBLE, blocks, gets);
        MPI_Rget(right, doubles, MPI_DOUBLE, other, doubles, doubles, MPI_DOUBLE, blocks, gets + 1);
        MPI_Waitall(2, gets, ignored);
        compute(2.0 + (double)(task % 5));
        MPI_Wait(&stored, MPI_STATUS_IGNORE); /* the result's memory is free again */
        MPI_Raccumulate(result, doubles, MPI_DOUBLE, other, 2 * (MPI_Aint)doubles, doubles, MPI_DOUBLE, MPI_SUM, blocks, &stored);
    }
    MPI_Wait(&stored, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(blocks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("nxtval %d %d %.6f\n", doubles * (int)sizeof(double), ranks, MPI_Wtime() - begin);
    MPI_Win_unlock_all(next);
    MPI_Win_unlock_all(blocks);
    MPI_Win_free(&next);
    MPI_Win_free(&blocks);
    free(left);
    free(right);
    free(result);
    MPI_Finalize();
    return 0;
}
