/* The halo of an unstructured mesh whose parts have other neighbours and borders of other lengths: post and start with the
 * neighbours' groups, puts, work inside, complete, wait, work at the border:
 *     holdout_unstructured [BYTES of the shortest border [STEPS]]
 * The parts are on a ring with chords: with 4 ranks, 0 and 2 are neighbours, 1 and 3 are not. */
#include "tests/programs/independent/program.h"

static int rank, ranks;

/* 0: no neighbours; else how many shortest borders the two parts have in common. */
static int border(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    if (low == high)
        return 0;
    if (high - low == 1)
        return 1 + low % 3;
    if (low == 0 && high == ranks - 1)
        return 4;
    return low % 2 == 0 && high % 2 == 0 ? 2 : 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 256), steps = argument(argc, argv, 2, 20);
    int neighbours = 0, *list = malloc((size_t)ranks * sizeof *list);
    for (int other = 0; other < ranks; other++)
        if (border(rank, other))
            list[neighbours++] = other;
    MPI_Group all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, neighbours, list, &group);
    size_t room = 4 * (size_t)bytes; /* of the longest border, for each other rank */
    char *halo, *own = calloc(1, room);
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)(room * (size_t)ranks), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &halo, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        MPI_Win_post(group, 0, window);
        compute(0.6 + 0.3 * ((rank + step) % 3)); /* packs the borders */
        MPI_Win_start(group, 0, window);
        for (int n = 0; n < neighbours; n++) {
            int length = bytes * border(rank, list[n]);
            MPI_Put(own, length, MPI_BYTE, list[n], (MPI_Aint)(room * (size_t)rank), length, MPI_BYTE, window);
        }
        compute(1.0 + 0.7 * ((2 * rank + step) % 4)); /* the inside of the part */
        MPI_Win_complete(window);
        MPI_Win_wait(window);
        compute(0.5 + 0.2 * neighbours); /* the border */
        if (step % 5 == 4) {
            double mine = rank + step, most;
            MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* the next time step */
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("unstructured %d %d %.6f\n", bytes, ranks, MPI_Wtime() - begin);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    free(own);
    free(list);
    MPI_Finalize();
    return 0;
}
