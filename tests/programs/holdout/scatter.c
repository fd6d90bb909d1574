/* Points of a vector that neighbours need, as PETSc's star forests with windows: each rank gets scattered points by an indexed
 * type between fences, multiplies, and adds what it has of their points by accumulates; then a scalar product:
 *     holdout_scatter [BYTES of the points of a neighbour [STEPS]]
 */
#include "tests/programs/independent/program.h"

enum { GAP = 3 }; /* every third point is needed by another rank, in blocks of two */

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int points = argument(argc, argv, 1, 256) / (int)sizeof(double), steps = argument(argc, argv, 2, 20);
    int blocks = (points + 1) / 2, *places = malloc((size_t)blocks * sizeof *places);
    for (int b = 0; b < blocks; b++)
        places[b] = 2 * GAP * b;
    MPI_Datatype scattered;
    MPI_Type_create_indexed_block(blocks, 2, places, MPI_DOUBLE, &scattered);
    MPI_Type_commit(&scattered);
    int owned = 2 * GAP * blocks, sides[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
    double *vector, *points_got = calloc(4 * (size_t)blocks, sizeof *points_got), norm = 0;
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)owned * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &vector, &window);
    for (int i = 0; i < owned; i++)
        vector[i] = 1;
    MPI_Win_fence(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, window);
        for (int s = 0; s < 2; s++)
            MPI_Get(points_got + 2 * blocks * s, 2 * blocks, MPI_DOUBLE, sides[s], 0, 1, scattered, window);
        compute(0.9 + 0.4 * ((rank + step) % 3)); /* the rows of own points */
        MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window);
        compute(0.6 + 0.3 * (rank % 2)); /* the others */
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
        MPI_Accumulate(points_got, 2 * blocks, MPI_DOUBLE, sides[step % 2], 0, 1, scattered, MPI_SUM, window);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
        double own = vector[step % owned];
        MPI_Allreduce(&own, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("scatter %d %d %.6f\n", points * (int)sizeof(double), ranks, MPI_Wtime() - begin);
    MPI_Type_free(&scattered);
    MPI_Win_free(&window);
    free(points_got);
    free(places);
    MPI_Finalize();
    return !(norm > 0);
}
