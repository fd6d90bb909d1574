/* Products of a sparse matrix and a vector whose parts are on the ranks: the entries of other ranks come by many small gets,
 * behind which flush_local_all waits. An all-reduce of the norm ends a product; the vector and its successor
 * change places:
 *     independent_spmv [BYTES of an entry [PRODUCTS]] */
#include "tests/programs/independent/program.h"

enum { OWN = 64, GETS = 24 }; /* entries of a rank; entries that a rank needs of others */

static int rank, ranks, numbers; /* of an entry */
static double *vector[2], *needed;
static MPI_Win windows[2];

static double *entry(double *of, int index)
{
    return of + index * numbers;
}

static void get_entries(MPI_Win window)
{
    for (int g = 0; g < GETS; g++) {
        int owner = (rank + 1 + g % (ranks - 1)) % ranks, at = (g * 11 + rank * 5) % OWN;
        MPI_Get(entry(needed, g), numbers, MPI_DOUBLE, owner, at * numbers, numbers, MPI_DOUBLE, window);
    }
}

/* Own columns first, while the others' entries come. */
static void multiply(int product)
{
    double *x = vector[product % 2], *y = vector[1 - product % 2], norm = 0, all;
    MPI_Win window = windows[product % 2];
    compute(2 + (product + rank) % 3 * 2);
    get_entries(window);
    compute(1);
    MPI_Win_flush_local_all(window);
    for (int i = 0; i < OWN * numbers; i++) y[i] = x[i] / 2 + needed[i % (GETS * numbers)] / 2;
    compute(3);
    for (int i = 0; i < OWN * numbers; i++) norm += y[i];
    MPI_Win_sync(windows[1 - product % 2]);
    MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
    int bytes = argument(argc, argv, 1, 8), products = argument(argc, argv, 2, 20);
    numbers = bytes / (int)sizeof(double);
    needed = malloc((size_t)(GETS * numbers) * sizeof *needed);
    for (int w = 0; w < 2; w++) {
        MPI_Aint room = (MPI_Aint)sizeof(double) * OWN * numbers;
        MPI_Win_allocate(room, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &vector[w], &windows[w]);
        for (int i = 0; i < OWN * numbers; i++) vector[w][i] = 1;
    }

    for (int w = 0; w < 2; w++) MPI_Win_lock_all(MPI_MODE_NOCHECK, windows[w]);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int p = 0; p < products; p++) multiply(p);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;
    for (int w = 0; w < 2; w++) MPI_Win_unlock_all(windows[w]);

    int wrong = needed[0] < 1 || needed[GETS * numbers - 1] > 1; /* each value is the mean of ones */
    if (wrong) fprintf(stderr, "spmv: wrong entries on rank %d\n", rank);
    if (rank == 0) printf("spmv %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    for (int w = 0; w < 2; w++) MPI_Win_free(&windows[w]);
    free(needed);
    MPI_Finalize();
    return wrong;
}
