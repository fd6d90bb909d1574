/* Rank 2 kills itself in the middle of its calls; the others wait for it in a barrier. Argument: iterations. */
#include <signal.h>

#include "program.h"

int main(int argc, char **argv)
{
    int rank, *memory, value = 1;
    int iterations = argc > 1 ? atoi(argv[1]) : 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    for (int i = 0; i < iterations; i++) MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        compute_ms(300);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
        MPI_Put(&value, 1, MPI_INT, rank, 3, 1, MPI_INT, window);
        raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
