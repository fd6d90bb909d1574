/* C = A * B: each rank has a block of rows of A, of B and of C. It gets the blocks of B one after another, its own first, and
 * flushes each:
 *     independent_matget [BYTES of a block, about [REPETITIONS]] */
#include "tests/programs/independent/program.h"

/* Adds to c, rows x n, what a block of B contributes whose rows are those from `first` on. */
static void multiply(const double *a, const double *b, double *c, int rows, int n, int first)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + first + k] * b[k * n + j];
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes = argument(argc, argv, 1, 8192), repetitions = argument(argc, argv, 2, 10);
    int rows = 1;
    while ((rows + 1) * (rows + 1) * ranks * (int)sizeof(double) <= bytes) rows++;
    int n = rows * ranks, block = rows * n;
    double *a = malloc((size_t)block * sizeof *a), *c = calloc((size_t)block, sizeof *c), *b;
    double *copy = malloc((size_t)block * sizeof *copy);
    MPI_Win window;
    MPI_Win_allocate(block * (MPI_Aint)sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b, &window);
    for (int i = 0; i < block; i++) {
        a[i] = 1.0 / (i + 1);
        b[i] = rank + i;
    }

    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int repetition = 0; repetition < repetitions; repetition++)
        for (int step = 0; step < ranks; step++) {
            int owner = (rank + step) % ranks;
            if (owner != rank) {
                MPI_Get(copy, block, MPI_DOUBLE, owner, 0, block, MPI_DOUBLE, window);
                MPI_Win_flush(owner, window);
            }
            compute(4 + 3 * ((rank + repetition) % ranks));
            multiply(a, owner == rank ? b : copy, c, rows, n, owner * rows);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;
    MPI_Win_unlock_all(window);

    if (rank == 0) printf("matget %d %d %.6f last %g\n", bytes, ranks, loop_s, c[block - 1]);
    fflush(stdout);
    MPI_Win_free(&window);
    free(copy);
    free(c);
    free(a);
    MPI_Finalize();
    return 0;
}
