/* The demonstration's program: a 2-D halo exchange with MPI_Put under post, start, complete, wait.
 *
 * Every rank owns a SIDE x SIDE block of a grid and writes its edges into its neighbours' halos. It computes by
 * sleeping, since ranks may outnumber cores, and is imbalanced on purpose: in every iteration another rank is late.
 * Usage: mpiexec -n N halo2d [ITERATIONS [MILLISECONDS]] */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 1024, HALO = SIDE + 2, NEIGHBOURS = 4 };

struct grid {
    double *cells; /* HALO x HALO, the window */
    MPI_Win window;
    MPI_Datatype column;
    MPI_Group neighbours;
    int rank[NEIGHBOURS]; /* west, east, north, south; MPI_PROC_NULL at the border */
};

static void compute(double milliseconds)
{
    long ns = (long)(milliseconds * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0)
        ;
}

static void find_neighbours(struct grid *grid, int rank, int size)
{
    int shape[2] = {0, 0}, ranks[NEIGHBOURS], count = 0;
    MPI_Group world;
    MPI_Dims_create(size, 2, shape);
    int row = rank / shape[1], column = rank % shape[1];
    grid->rank[0] = column > 0 ? rank - 1 : MPI_PROC_NULL;
    grid->rank[1] = column + 1 < shape[1] ? rank + 1 : MPI_PROC_NULL;
    grid->rank[2] = row > 0 ? rank - shape[1] : MPI_PROC_NULL;
    grid->rank[3] = row + 1 < shape[0] ? rank + shape[1] : MPI_PROC_NULL;
    for (int i = 0; i < NEIGHBOURS; i++)
        if (grid->rank[i] != MPI_PROC_NULL) ranks[count++] = grid->rank[i];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &grid->neighbours);
    MPI_Group_free(&world);
}

static void put_edges(struct grid *grid)
{
    /* From the own edge to the neighbour's halo: cell indices, westward, eastward, northward, southward. */
    const int from[NEIGHBOURS] = {HALO + 1, HALO + SIDE, HALO + 1, SIDE * HALO + 1};
    const int to[NEIGHBOURS] = {HALO + SIDE + 1, HALO, (SIDE + 1) * HALO + 1, 1};
    for (int i = 0; i < NEIGHBOURS; i++) {
        int count = i < 2 ? 1 : SIDE;
        MPI_Datatype type = i < 2 ? grid->column : MPI_DOUBLE;
        MPI_Put(grid->cells + from[i], count, type, grid->rank[i], to[i], count, type, grid->window);
    }
}

static void exchange(struct grid *grid, double overlapped_ms)
{
    MPI_Win_post(grid->neighbours, 0, grid->window);
    MPI_Win_start(grid->neighbours, 0, grid->window);
    put_edges(grid);
    compute(overlapped_ms); /* the inner cells, which need no halo */
    MPI_Win_complete(grid->window);
    MPI_Win_wait(grid->window);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    int iterations = argc > 1 ? atoi(argv[1]) : 40;
    double ms = argc > 2 ? atof(argv[2]) : 10;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct grid grid;
    find_neighbours(&grid, rank, size);
    MPI_Win_allocate((MPI_Aint)sizeof(double) * HALO * HALO, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &grid.cells,
                     &grid.window);
    MPI_Type_vector(SIDE, 1, HALO, MPI_DOUBLE, &grid.column);
    MPI_Type_commit(&grid.column);
    for (int i = 0; i < HALO * HALO; i++) grid.cells[i] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Pcontrol(1, "iterate");
    for (int i = 0; i < iterations; i++) {
        compute(i % size == rank ? 2 * ms : ms); /* the edges; another rank is late every time */
        exchange(&grid, ms / 2);
    }
    MPI_Pcontrol(-1, "iterate");
    double mine = MPI_Wtime() - begin, longest;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("halo2d: %d ranks, %d iterations in %.3f s\n", size, iterations, longest);
    MPI_Type_free(&grid.column);
    MPI_Group_free(&grid.neighbours);
    MPI_Win_free(&grid.window);
    MPI_Finalize();
    return 0;
}
