/* Four threads that send to themselves as fast as they can until the process is killed, each with a tag of its own; the
 * last one makes and frees communicators besides. The number of rounds that are over stands in a file that the test
 * maps, one word per thread. Argument: that file. Ends by itself after 10 s. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

enum { THREADS = 4 };
static uint64_t *rounds;

static void *run(void *number)
{
    int tag = *(int *)number, out = 1, in;
    for (long i = 0;; i++) {
        MPI_Request request;
        MPI_Isend(&out, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
        MPI_Recv(&in, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        __atomic_fetch_add(&rounds[tag], 1, __ATOMIC_RELEASE);
        if (tag < THREADS - 1 || i % 16) continue;
        MPI_Comm made;
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Comm_free(&made);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static int numbers[THREADS] = {0, 1, 2, 3};
    int provided;
    pthread_t threads[THREADS];
    int file = argc > 1 ? open(argv[1], O_RDWR) : -1;
    rounds = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (rounds == MAP_FAILED) return 2;
    alarm(10);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) return 1;
    for (int i = 1; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, &numbers[i]) != 0) return 1;
    run(&numbers[0]);
    return 0;
}
