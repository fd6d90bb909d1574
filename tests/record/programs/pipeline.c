/* A wave front through columns, one of which is each rank's: a row's last value is put to the right neighbour, and a
 * message of no bytes says that it is there. Any number of ranks. */
#include "program.h"

enum { ROWS = 6 };

int main(int argc, char **argv)
{
    int rank, ranks;
    long *in, out[ROWS], expected = 1;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Win_allocate(ROWS * sizeof *in, sizeof *in, MPI_INFO_NULL, MPI_COMM_WORLD, &in, &window);
    for (int row = 0; row < ROWS; row++) in[row] = 0;
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int row = 0; row < ROWS; row++) {
        MPI_Recv(NULL, 0, MPI_CHAR, left, row, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_sync(window);
        out[row] = rank == 0 ? 1 : in[row] + (row > 0 ? out[row - 1] : 0);
        MPI_Put(&out[row], 1, MPI_LONG, right, row, 1, MPI_LONG, window);
        if (right != MPI_PROC_NULL) MPI_Win_flush(right, window);
        MPI_Send(NULL, 0, MPI_CHAR, right, row, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    /* Pascal's triangle: rank r has C(r + row, row) in a row. */
    for (int i = 1; i < ROWS; i++) expected = expected * (rank + i) / i;
    return rank > 0 && out[ROWS - 1] != expected;
}
