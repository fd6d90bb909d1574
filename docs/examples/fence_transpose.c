/* A matrix is transposed again and again: every rank puts a block to every other rank between two fences. Rank 1 computes longer
 * than the others, who wait for it in the fence. It computes by sleeping, since ranks may outnumber cores.
 * Usage: mpiexec -n N fence_transpose [ITERATIONS] */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCK = 4096 };

static void compute(double milliseconds)
{
    long ns = (long)(milliseconds * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0)
        ;
}

static void transform_rows(int rank)
{
    compute(rank == 1 ? 5 : 3);
}

static void transpose(const double *rows, int rank, int size, MPI_Win columns)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, columns);
    for (int i = 1; i < size; i++) {
        int target = (rank + i) % size;
        MPI_Put(rows + target * BLOCK, BLOCK, MPI_DOUBLE, target, rank * BLOCK, BLOCK, MPI_DOUBLE, columns);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, columns);
}

int main(int argc, char **argv)
{
    int rank, size;
    double *memory;
    MPI_Win columns;
    MPI_Init(&argc, &argv);
    int iterations = argc > 1 ? atoi(argv[1]) : 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *rows = calloc((size_t)size * BLOCK, sizeof *rows);
    MPI_Win_allocate((MPI_Aint)size * BLOCK * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &columns);
    MPI_Win_set_name(columns, "columns");
    for (int i = 0; i < iterations; i++) {
        transform_rows(rank);
        transpose(rows, rank, size, columns);
    }
    MPI_Win_free(&columns);
    free(rows);
    MPI_Finalize();
    return 0;
}
