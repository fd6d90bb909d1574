/* Rank 1 posts late: when rank 0 is in start or behind it. In the second part rank 0 asks for a lock that rank 1 holds. With a
 * message rank 1 learns that rank 0 is about to call, so that it is late however loaded the machine is. */
#include <mpi.h>
#include <time.h>

enum { ROUNDS = 5 };

static void compute(void)
{
    struct timespec time = {.tv_nsec = 10000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void post_late(int rank, MPI_Win window)
{
    MPI_Group world, group;
    double data[64] = {0};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){1 - rank}, &group);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
            MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Win_start(group, 0, window);
            MPI_Put(data, 64, MPI_DOUBLE, 1, 0, 64, MPI_DOUBLE, window);
            MPI_Win_complete(window);
        } else {
            MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute();
            MPI_Win_post(group, 0, window);
            MPI_Win_wait(window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void hold(int rank, MPI_Win window)
{
    double data[64] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 1) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
            MPI_Put(data, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window);
            MPI_Win_flush(1, window); /* a lazy lock is held from here on */
            MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            compute();
            MPI_Win_unlock(1, window);
        } else {
            MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
            MPI_Put(data, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window);
            MPI_Win_unlock(1, window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank;
    double *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(64 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank < 2) post_late(rank, window);
    hold(rank, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
