/* Threads made in several ways, under MPI_THREAD_MULTIPLE; each that calls MPI sends one message to itself, with a tag of its
 * own. 1: made before MPI_Init_thread. 2: made by a thread that makes no call of MPI. 3: made by the first thread. 4: made
 * by 3. Some that call nothing end in different ways. The first thread makes a barrier before it makes each of 2's maker
 * and 3. */
#include <pthread.h>
#include <semaphore.h>

#include "program.h"

static int rank;
static sem_t initialised;

static void send_to_self(int tag)
{
    int out = tag, in = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, rank, tag, &in, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (in != tag) exit(1);
}

static void *early(void *nothing)
{
    while (sem_wait(&initialised) != 0) continue;
    send_to_self(1);
    return nothing;
}

static void run(void *(*function)(void *))
{
    pthread_t made;
    if (pthread_create(&made, NULL, function, NULL) != 0 || pthread_join(made, NULL) != 0) exit(1);
}

static void *two(void *nothing)
{
    send_to_self(2);
    return nothing;
}

static void *maker(void *nothing)
{
    run(two);
    return nothing;
}

static void *four(void *nothing)
{
    send_to_self(4);
    pthread_exit(nothing);
}

static void *three(void *nothing)
{
    send_to_self(3);
    run(four);
    return nothing;
}

static void *idle(void *nothing)
{
    return nothing;
}

static void *leaves(void *nothing)
{
    pthread_exit(nothing);
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t first;
    sem_init(&initialised, 0, 0);
    if (pthread_create(&first, NULL, early, NULL) != 0) return 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sem_post(&initialised);
    pthread_join(first, NULL);
    for (int i = 0; i < 5; i++) run(i % 2 ? idle : leaves);
    MPI_Barrier(MPI_COMM_WORLD);
    run(maker);
    MPI_Barrier(MPI_COMM_WORLD);
    run(three);
    MPI_Finalize();
    return 0;
}
