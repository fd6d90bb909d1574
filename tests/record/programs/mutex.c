/* A mutex of a list (Mellor-Crummey and Scott): the tail at rank 0 is changed by fetch_and_op and compare_and_swap; who
 * waits does so for a message of its predecessor. It protects a counter that is read and written apart. Any number of
 * ranks. */
#include "program.h"

enum { ROUNDS = 2, TAIL = 0, COUNTER = 1, NOBODY = -1 };

static int rank;
static MPI_Win window; /* tail and counter at rank 0 */

static int exchange_tail(int value)
{
    int before;
    MPI_Fetch_and_op(&value, &before, MPI_INT, 0, TAIL, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
    return before;
}

static void acquire(void)
{
    int before = exchange_tail(rank);
    if (before == NOBODY) return;
    MPI_Send(NULL, 0, MPI_CHAR, before, 1, MPI_COMM_WORLD);                    /* I am behind you */
    MPI_Recv(NULL, 0, MPI_CHAR, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* it is yours */
}

static void release(void)
{
    int nobody = NOBODY, tail;
    MPI_Status status;
    MPI_Compare_and_swap(&nobody, &rank, &tail, MPI_INT, 0, TAIL, window);
    MPI_Win_flush(0, window);
    if (tail == rank) return;
    MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    MPI_Send(NULL, 0, MPI_CHAR, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int ranks, *memory, counter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[TAIL] = NOBODY;
    memory[COUNTER] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < ROUNDS; i++) {
        acquire();
        MPI_Get(&counter, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        counter++;
        MPI_Put(&counter, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        release();
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    counter = memory[COUNTER];
    MPI_Win_free(&window);
    MPI_Finalize();
    return rank == 0 && counter != ROUNDS * ranks;
}
