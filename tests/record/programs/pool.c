/* Two workers beside the first thread, under MPI_THREAD_MULTIPLE. Worker t exchanges a message with tag t with the same
 * worker of the partner (rank 0 with 1, 2 with 3) and puts into its window; worker 1 begins to receive what worker 2 of
 * the partner sends, and worker 2 waits for it. They meet with the first thread at a barrier, hand the request over
 * with a semaphore, and count under a mutex that they are done. */
#include <pthread.h>
#include <semaphore.h>

#include "program.h"

static int rank, partner, handed, done;
static MPI_Win window;
static MPI_Request request;
static pthread_barrier_t begin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t handed_over;

static void exchange(int tag)
{
    int out = rank, in = -1;
    MPI_Request sent;
    MPI_Isend(&out, 1, MPI_INT, partner, tag, MPI_COMM_WORLD, &sent);
    MPI_Recv(&in, 1, MPI_INT, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    if (in != partner) exit(1);
    MPI_Put(&out, 1, MPI_INT, partner, tag, 1, MPI_INT, window);
    MPI_Win_flush(partner, window);
}

static void *work(void *number)
{
    int tag = *(int *)number;
    pthread_barrier_wait(&begin);
    exchange(tag);
    if (tag == 1) {
        MPI_Irecv(&handed, 1, MPI_INT, partner, 9, MPI_COMM_WORLD, &request);
        sem_post(&handed_over);
    } else {
        sem_wait(&handed_over);
        MPI_Send(&rank, 1, MPI_INT, partner, 9, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (handed != partner) exit(1);
    }
    pthread_mutex_lock(&mutex);
    done++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int argc, char **argv)
{
    static int numbers[2] = {1, 2};
    int provided, *memory;
    pthread_t workers[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    partner = rank ^ 1;
    MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    pthread_barrier_init(&begin, NULL, 3);
    sem_init(&handed_over, 0, 0);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&workers[i], NULL, work, &numbers[i]) != 0) return 1;
    pthread_barrier_wait(&begin);
    pthread_mutex_lock(&mutex);
    while (done < 2) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (memory[1] != partner || memory[2] != partner) return 1;
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
