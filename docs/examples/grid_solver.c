/* A field on a grid of ranks. In each step a rank computes, puts its four edges to its neighbours under post, start, complete
 * and wait, adds up a residual over its row, and gets a parameter from the first rank of its column. Computing is divided among
 * the ranks. It computes by sleeping, since ranks may outnumber cores. Usage: mpiexec -n N grid_solver [ITERATIONS] */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { EDGE = 1024, SIDES = 4 };
#define STEP_MS 320.0 /* of computing, over all ranks */

static void compute(double milliseconds)
{
    long ns = (long)(milliseconds * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0)
        ;
}

/* west, east, north, south; those outside the grid are MPI_PROC_NULL */
static MPI_Group find_neighbours(MPI_Comm grid, int sides[SIDES])
{
    int ranks[SIDES], count = 0;
    MPI_Group all, neighbours;
    MPI_Cart_shift(grid, 1, 1, &sides[0], &sides[1]);
    MPI_Cart_shift(grid, 0, 1, &sides[2], &sides[3]);
    for (int i = 0; i < SIDES; i++)
        if (sides[i] != MPI_PROC_NULL) ranks[count++] = sides[i];
    MPI_Comm_group(grid, &all);
    MPI_Group_incl(all, count, ranks, &neighbours);
    MPI_Group_free(&all);
    return neighbours;
}

static void exchange(const double *edge, const int sides[SIDES], MPI_Group neighbours, MPI_Win halo)
{
    static const int opposite[SIDES] = {1, 0, 3, 2};
    MPI_Win_post(neighbours, 0, halo);
    MPI_Win_start(neighbours, 0, halo);
    for (int i = 0; i < SIDES; i++)
        if (sides[i] != MPI_PROC_NULL)
            MPI_Put(edge, EDGE, MPI_DOUBLE, sides[i], opposite[i] * EDGE, EDGE, MPI_DOUBLE, halo);
    MPI_Win_complete(halo);
    MPI_Win_wait(halo);
}

int main(int argc, char **argv)
{
    int size, sides[SIDES], dims[2] = {0, 0}, periods[2] = {0, 0}, along_row[2] = {0, 1}, along_column[2] = {1, 0};
    double *memory, residual = 1, sum, parameter = 1;
    MPI_Comm grid, row, column;
    MPI_Win halo;
    MPI_Init(&argc, &argv);
    int iterations = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, along_row, &row);
    MPI_Cart_sub(grid, along_column, &column);
    MPI_Group neighbours = find_neighbours(grid, sides);
    double *edge = calloc(EDGE, sizeof *edge);
    MPI_Win_allocate(SIDES * EDGE * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, grid, &memory, &halo);
    MPI_Win_set_name(halo, "halo");
    for (int i = 0; i < iterations; i++) {
        compute(STEP_MS / size);
        exchange(edge, sides, neighbours, halo);
        MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
        MPI_Bcast(&parameter, 1, MPI_DOUBLE, 0, column);
    }
    MPI_Win_free(&halo);
    MPI_Group_free(&neighbours);
    MPI_Comm_free(&column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    free(edge);
    MPI_Finalize();
    return 0;
}
