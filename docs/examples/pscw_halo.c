/* Rows of a grid, one strip per rank: after each step a rank puts its edges to its neighbours under post, start,
 * complete and wait. It posts behind its own computing, which takes twice as long in every third step, and not in the
 * same step for all ranks: its neighbours, which have started their epochs, wait for the post. It computes by sleeping,
 * since ranks may outnumber cores. Usage: mpiexec -n N pscw_halo [ITERATIONS] */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 8192 };

static void compute(double milliseconds)
{
    long ns = (long)(milliseconds * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0)
        ;
}

static void relax(int rank, int step)
{
    compute((rank + step) % 3 == 0 ? 4 : 2);
}

static void exchange(const double *edge, int rank, int size, MPI_Group neighbours, MPI_Win halo)
{
    MPI_Win_post(neighbours, 0, halo);
    MPI_Win_start(neighbours, 0, halo);
    if (rank > 0) MPI_Put(edge, WIDTH, MPI_DOUBLE, rank - 1, WIDTH, WIDTH, MPI_DOUBLE, halo);
    if (rank + 1 < size) MPI_Put(edge, WIDTH, MPI_DOUBLE, rank + 1, 0, WIDTH, MPI_DOUBLE, halo);
    MPI_Win_complete(halo);
    MPI_Win_wait(halo);
}

int main(int argc, char **argv)
{
    int rank, size, ranks[2], count = 0;
    double *memory;
    MPI_Win halo;
    MPI_Group world, neighbours;
    MPI_Init(&argc, &argv);
    int iterations = argc > 1 ? atoi(argv[1]) : 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) ranks[count++] = rank - 1;
    if (rank + 1 < size) ranks[count++] = rank + 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &neighbours);
    double *edge = calloc(WIDTH, sizeof *edge);
    MPI_Win_allocate(2 * WIDTH * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &halo);
    MPI_Win_set_name(halo, "halo");
    for (int i = 0; i < iterations; i++) {
        relax(rank, i);
        exchange(edge, rank, size, neighbours, halo);
    }
    MPI_Win_free(&halo);
    MPI_Group_free(&neighbours);
    MPI_Group_free(&world);
    free(edge);
    MPI_Finalize();
    return 0;
}
