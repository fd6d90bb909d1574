/* Stops its recording and starts it again. What is made meanwhile is needed later; a group's handle is used again. */
#include "program.h"

int main(int argc, char **argv)
{
    int *memory, value = 1, sum;
    MPI_Win window;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0, NULL);
    MPI_Group own;
    MPI_Comm_group(MPI_COMM_SELF, &own);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_post(own, 0, window);
    MPI_Win_start(own, 0, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&own);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(1, NULL);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
