/* Each rank of a ring computes and puts a block to its right neighbour, again and again. docs/tutorial.md finds out where it
 * loses time. -DPOST_EARLY is the change that pays. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ITERATIONS = 20, DOUBLES = 1024 };

/* Stands for work on data that no other rank sees. */
static void compute(long milliseconds)
{
    struct timespec time = {.tv_sec = 0, .tv_nsec = milliseconds * 1000000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    int rank, size;
    double *halo, mine[DOUBLES] = {0};
    MPI_Win window;
    MPI_Group all, left, right;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &from, &left);
    MPI_Group_incl(all, 1, &to, &right);
    MPI_Win_allocate(sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &halo, &window);
    for (int i = 0; i < ITERATIONS; i++) {
#ifdef POST_EARLY
        MPI_Win_post(left, 0, window);
#endif
        compute(i % size == rank ? 20 : 5); /* another rank has more to do each time */
#ifndef POST_EARLY
        MPI_Win_post(left, 0, window);
#endif
        MPI_Win_start(right, 0, window);
        MPI_Put(mine, DOUBLES, MPI_DOUBLE, to, 0, DOUBLES, MPI_DOUBLE, window);
        MPI_Win_complete(window);
        compute(15); /* what needs no data of others */
        MPI_Win_wait(window);
        mine[0] = halo[0] + 1;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
    MPI_Win_free(&window);
    if (rank == 0) printf("ring: %d ranks, %d iterations\n", size, ITERATIONS);
    MPI_Finalize();
    return 0;
}
