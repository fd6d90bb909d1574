/* A second thread sends to itself under MPI_THREAD_MULTIPLE; the first one calls only barriers. */
#include <pthread.h>

#include "program.h"

static void *other(void *rank)
{
    int out = 1, in = 0;
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_INT, *(int *)rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, *(int *)rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pthread_create(&thread, NULL, other, &rank) != 0) return 1;
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
