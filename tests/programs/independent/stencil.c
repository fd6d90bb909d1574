/* Heat on a grid that is cut into strips of rows: a sweep, then rows to the ranks above and below by puts, post to wait:
 *     independent_stencil [BYTES of a row [STEPS]] */
#include "tests/programs/independent/program.h"

enum { ROWS = 48 };

static int columns, rank, ranks;
static double *grid[2];
static MPI_Win windows[2];

static void relax(const double *old, double *new)
{
    for (int r = 1; r <= ROWS; r++)
        for (int c = 1; c < columns - 1; c++)
            new[r * columns + c] = 0.25 * (old[(r - 1) * columns + c] + old[(r + 1) * columns + c] +
                                           old[r * columns + c - 1] + old[r * columns + c + 1]);
}

static void make_grids(void)
{
    size_t room = (size_t)((ROWS + 2) * columns) * sizeof(double);
    for (int g = 0; g < 2; g++) {
        MPI_Win_allocate((MPI_Aint)room, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &grid[g], &windows[g]);
        memset(grid[g], 0, room);
        for (int c = 0; rank == 0 && c < columns; c++) grid[g][c] = 100.0;
    }
}

static void step(int s, MPI_Group neighbours)
{
    double *old = grid[s % 2], *new = grid[(s + 1) % 2];
    MPI_Win window = windows[(s + 1) % 2];
    compute(3.0 + (s + rank) % 3 * 4.0);
    relax(old, new);
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    int behind = (ROWS + 1) * columns;
    if (rank > 0) MPI_Put(new + columns, columns, MPI_DOUBLE, rank - 1, behind, columns, MPI_DOUBLE, window);
    if (rank < ranks - 1) MPI_Put(new + ROWS * columns, columns, MPI_DOUBLE, rank + 1, 0, columns, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 1024), steps = argument(argc, argv, 2, 20);
    columns = bytes / (int)sizeof(double);
    make_grids();
    int near[2], n = 0;
    if (rank > 0) near[n++] = rank - 1;
    if (rank < ranks - 1) near[n++] = rank + 1;
    MPI_Group all, neighbours;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, n, near, &neighbours);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int s = 0; s < steps; s++) step(s, neighbours);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    double heat = 0, total = 0;
    for (int i = columns; i < (ROWS + 1) * columns; i++) heat += grid[steps % 2][i];
    MPI_Reduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("stencil %d %d %.6f heat %g\n", bytes, ranks, loop_s, total);
    fflush(stdout);
    MPI_Group_free(&neighbours);
    MPI_Group_free(&all);
    for (int g = 0; g < 2; g++) MPI_Win_free(&windows[g]);
    MPI_Finalize();
    return 0;
}
