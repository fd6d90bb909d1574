/* A 1-D stencil with fences. The last rank has three times the cells. */
#include <mpi.h>
#include <stdlib.h>

enum { CELLS = 200000, HALO = 1024, STEPS = 4 };

static void compute(double *row, int cells)
{
    for (int k = 0; k < 4; k++)
        for (int i = 1; i + 1 < cells; i++) row[i] = 0.25 * row[i - 1] + 0.5 * row[i] + 0.25 * row[i + 1];
}

static void exchange(double *row, int rank, int ranks, MPI_Win window)
{
    MPI_Win_fence(0, window);
    if (rank > 0) MPI_Put(row, HALO, MPI_DOUBLE, rank - 1, HALO, HALO, MPI_DOUBLE, window);
    if (rank + 1 < ranks) MPI_Put(row, HALO, MPI_DOUBLE, rank + 1, 0, HALO, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double *halo, sum = 0, all;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int cells = rank == ranks - 1 ? 3 * CELLS : CELLS;
    double *row = calloc((size_t)cells, sizeof *row);
    MPI_Win_allocate(2 * HALO * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &halo, &window);
    for (int step = 0; step < STEPS; step++) {
        compute(row, cells);
        exchange(row, rank, ranks, window);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
    free(row);
    MPI_Finalize();
    return 0;
}
