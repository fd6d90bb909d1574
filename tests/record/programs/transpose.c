/* A matrix in blocks of columns is transposed: every rank puts (fence) or gets (flush) a block from every other. Any
 * number of ranks. */
#include <string.h>

#include "program.h"

enum { ORDER = 4 }; /* columns of one rank, and rows of a block */

static int rank, ranks;

/* Entry (row, column) of the whole matrix. */
static double entry(int row, int column)
{
    return 1000.0 * row + column;
}

static void turn(const double *block, double *turned)
{
    for (int i = 0; i < ORDER; i++)
        for (int k = 0; k < ORDER; k++) turned[k * ORDER + i] = block[i * ORDER + k];
}

/* Whether block b of this rank, column by column, is that of the transposed matrix. */
static int is_transposed(const double *block, int b)
{
    for (int column = 0; column < ORDER; column++)
        for (int row = 0; row < ORDER; row++)
            if (block[column * ORDER + row] != entry(ORDER * rank + column, ORDER * b + row)) return 0;
    return 1;
}

int main(int argc, char **argv)
{
    enum { BLOCK = ORDER * ORDER };
    double *memory, turned[BLOCK];
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int by_fence = argc > 1 && strcmp(argv[1], "fence") == 0, right = 1;
    MPI_Aint words = (MPI_Aint)BLOCK * ranks, place;
    double *mine = aligned((size_t)words * sizeof *mine), *got = aligned((size_t)words * sizeof *got);
    for (int i = 0; i < ORDER * ranks; i++)
        for (int k = 0; k < ORDER; k++) mine[(i / ORDER * ORDER + k) * ORDER + i % ORDER] = entry(i, ORDER * rank + k);
    MPI_Win_allocate(words * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    place = (MPI_Aint)BLOCK * rank;
    if (by_fence) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
        for (int b = 0; b < ranks; b++) {
            turn(mine + BLOCK * b, got + BLOCK * b);
            MPI_Put(got + BLOCK * b, BLOCK, MPI_DOUBLE, b, place, BLOCK, MPI_DOUBLE, window);
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
        for (int b = 0; b < ranks; b++) right = right && is_transposed(memory + BLOCK * b, b);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        memcpy(memory, mine, (size_t)words * sizeof *mine);
        MPI_Win_unlock(rank, window);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
        for (int i = 0; i < ranks; i++) {
            int b = (rank + i) % ranks;
            MPI_Get(got + BLOCK * b, BLOCK, MPI_DOUBLE, b, place, BLOCK, MPI_DOUBLE, window);
            MPI_Win_flush(b, window);
            turn(got + BLOCK * b, turned);
            right = right && is_transposed(turned, b);
        }
        MPI_Win_unlock_all(window);
    }
    MPI_Win_free(&window);
    free(got);
    free(mine);
    MPI_Finalize();
    return !right;
}
