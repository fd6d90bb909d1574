/* Requests that MPI libraries give one handle, since they are complete when made: messages to and from nobody, small
 * sends, barriers of one. They are waited for in another order than they were made. Needs an even number of ranks. */
#include "program.h"

static int rank, value, got[4];
static MPI_Request requests[4];

static void waits(int other)
{
    MPI_Irecv(got, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&got[1], 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&value, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
}

static void some(void)
{
    int index, count, indices[3], flag;
    for (int i = 0; i < 3; i++) MPI_Irecv(got, 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitany(1, &requests[1], &index, MPI_STATUS_IGNORE);
    MPI_Testsome(1, &requests[2], &count, indices, MPI_STATUSES_IGNORE);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Request_free(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Handles that the program copies are told by their age. */
static void copies(void)
{
    MPI_Request made;
    for (int i = 0; i < 2; i++) {
        MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD, &made);
        requests[i] = made;
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void puts_and_barriers(void)
{
    int *memory;
    MPI_Win window;
    MPI_Ibarrier(MPI_COMM_SELF, &requests[0]);
    MPI_Ibarrier(MPI_COMM_SELF, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[0]);
    MPI_Rget(got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    waits(rank ^ 1);
    some();
    copies();
    persistent();
    puts_and_barriers();
    MPI_Irecv(got, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[0]); /* open to the end */
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Finalize();
    return 0;
}
