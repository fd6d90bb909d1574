/* Calls as fast as it can until it is killed: a lock of its own, two puts, unlock. The number of rounds that are over
 * stands in a file that the test maps, one word per rank. Arguments: that file; microseconds after which rank 1 kills
 * itself, 0 never; rounds, or none for ever. Ends by itself after 10 s. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

static void kill_later(long us)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0) exit(2);
}

int main(int argc, char **argv)
{
    int rank, *memory, value = 1;
    long limit = argc > 3 ? atol(argv[3]) : -1;
    MPI_Win window;
    int file = argc > 2 ? open(argv[1], O_RDWR) : -1;
    uint64_t *rounds = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (rounds == MAP_FAILED) return 2;
    alarm(10);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 1 && atol(argv[2]) > 0) kill_later(atol(argv[2]));
    for (long i = 0; i != limit; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
        MPI_Put(&value, 1, MPI_INT, rank, 1, 1, MPI_INT, window);
        MPI_Win_unlock(rank, window);
        rounds[rank]++;
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
