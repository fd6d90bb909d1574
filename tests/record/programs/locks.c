/* Passive target: every rank but 0 puts to rank 0 under an exclusive lock and gets under a shared one. */
#include "program.h"

int main(int argc, char **argv)
{
    int rank, *memory;
    long value = 7;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(64, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank > 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&value, 1, MPI_LONG, 0, rank, 1, MPI_LONG, window);
        MPI_Win_unlock(0, window);
        compute_ms(2);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Get(&value, 1, MPI_LONG, 0, rank, 1, MPI_LONG, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return value != 7;
}
