/* A work queue: a counter on rank 0 that all ranks increment. Tasks take different times. */
#include <mpi.h>

enum { TASKS = 24 };

static double work(long task)
{
    volatile double x = 1;
    for (long i = 0; i < 200000 + (task * 7919 % 13) * 100000; i++) x = x * 1.0000001 + 1e-9;
    return x;
}

static long next_task(MPI_Win window)
{
    long one = 1, task;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    return task;
}

int main(int argc, char **argv)
{
    int rank;
    long *counter;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? (MPI_Aint)sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
    if (rank == 0) *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long task = next_task(window); task < TASKS; task = next_task(window)) work(task);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
