/* A histogram whose bins are spread over all ranks: each counts on its own, accumulates to all, itself last, and flushes all:
 *     independent_hist [BYTES of a rank's bins [ITERATIONS]] */
#include "tests/programs/independent/program.h"

enum { DRAWS = 20000 };

static unsigned seed;

static int draw(int below)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)below);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 2048), iterations = argument(argc, argv, 2, 15);
    int slice = bytes / (int)sizeof(int);
    size_t room = (size_t)(slice * ranks) * sizeof(int);
    int *local = malloc(room), *bins = calloc((size_t)slice, sizeof *bins);
    MPI_Win window;
    MPI_Win_create(bins, slice * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    seed = (unsigned)rank + 17;

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int r = 0; r < ranks; r++) MPI_Win_lock(MPI_LOCK_SHARED, r, 0, window);
    for (int it = 0; it < iterations; it++) {
        memset(local, 0, room);
        for (int i = 0; i < DRAWS; i++) local[draw(slice * ranks)]++;
        compute(4 + (rank * 5 + it * 3) % 9);
        for (int i = 1; i <= ranks; i++) {
            int owner = (rank + i) % ranks;
            MPI_Accumulate(local + owner * slice, slice, MPI_INT, owner, 0, slice, MPI_INT, MPI_SUM, window);
        }
        MPI_Win_flush_all(window);
    }
    for (int r = 0; r < ranks; r++) MPI_Win_unlock(r, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    long mine = 0, all = 0, expected = (long)DRAWS * iterations * ranks;
    for (int i = 0; i < slice; i++) mine += bins[i];
    MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    int wrong = rank == 0 && all != expected;
    if (wrong) fprintf(stderr, "hist: %ld draws in the bins, expected %ld\n", all, expected);
    if (rank == 0) printf("hist %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&window);
    free(bins);
    free(local);
    MPI_Finalize();
    return wrong;
}
