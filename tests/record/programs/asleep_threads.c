/* Between two barriers of its own the second thread sleeps for 60 ms, the first one takes 30 ms of CPU time. */
#include <pthread.h>

#include "program.h"

static void *sleep_apart(void *unused)
{
    (void)unused;
    MPI_Barrier(MPI_COMM_SELF);
    compute_ms(60);
    MPI_Barrier(MPI_COMM_SELF);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) return 1;
    if (pthread_create(&thread, NULL, sleep_apart, NULL) != 0) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    burn_ms(30);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
