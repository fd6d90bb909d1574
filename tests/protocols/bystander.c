/* bystander mpich-tcp|mpich-shm FILE: MPICH's flush of all waits for ranks that have nothing to do with it. Rank 0 puts
 * to rank 1 and flushes, while rank 2 stays outside MPI. Over TCP UCX asks every rank to which anything has been sent
 * since its last flush (tcp_ep.c: uct_tcp_ep_flush, UCT_TCP_EP_FLAG_NEED_FLUSH), here one message to rank 2; a flush of
 * rank 1 alone, or of all when rank 2 has been sent nothing, does not wait for it. Within a node nobody is asked. FILE:
 * the ranks' memory in common.
 *
 * No time is asserted: see waits.c. If rank 1 answers before UCX has come to rank 2, the flush need not wait any more:
 * the waiting counts if one of a few tries shows it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 5, PATIENCE_MS = 100, LIMIT_MS = 20000, MESSAGE_TAG = 3, NO_TAG = 4 };
enum phase { SERVE, LEAVE, RETURNED };

static struct {
    atomic_int phase;   /* of this try: all serve rank 0; rank 2 leaves MPI; rank 0's call has returned */
    atomic_int outside; /* rank 2 has left */
    atomic_int early;   /* the call had returned before rank 2 entered again */
} * common;

static int rank, wrong;
static MPI_Win window;
static int mine, one = 1;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* A probe that finds a message does not poll. */
static void poll_until(enum phase phase)
{
    for (int flag; (int)common->phase < (int)phase;)
        MPI_Iprobe(MPI_ANY_SOURCE, NO_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void put_and_flush(int target)
{
    MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush(target, window);
}

static void act_as_origin(bool message, bool all)
{
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    put_and_flush(1);
    put_and_flush(2);
    if (message) MPI_Send(NULL, 0, MPI_BYTE, 2, MESSAGE_TAG, MPI_COMM_WORLD);
    common->phase = LEAVE;
    while (!common->outside) sleep_ms(1);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    if (all) {
        MPI_Win_flush_all(window);
    } else {
        MPI_Win_flush(1, window);
    }
    common->phase = RETURNED;
    MPI_Win_unlock_all(window);
}

/* True if the origin's call returned while rank 2 was outside MPI. */
static bool returns_early(bool message, bool all, long patience_ms)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        common->phase = SERVE;
        common->outside = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) act_as_origin(message, all);
    if (rank == 1) {
        poll_until(LEAVE);
        while (!common->outside) sleep_ms(1);
        sleep_ms(10); /* the origin comes first */
        poll_until(RETURNED);
    }
    if (rank == 2) {
        poll_until(LEAVE);
        common->outside = 1;
        for (long ms = 0; (int)common->phase != RETURNED && ms < patience_ms; ms++) sleep_ms(1);
        common->early = (int)common->phase == RETURNED;
        poll_until(RETURNED);
        if (message) MPI_Recv(NULL, 0, MPI_BYTE, 0, MESSAGE_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return common->early;
}

static void check(const char *name, bool message, bool all, bool waits)
{
    bool early = returns_early(message, all, waits ? PATIENCE_MS : LIMIT_MS);
    for (int i = 1; waits && early && i < TRIES; i++) early = returns_early(message, all, PATIENCE_MS);
    if (early != waits) return;
    wrong++;
    if (rank == 0) printf("%s: does%s wait for rank 2\n", name, waits ? " not" : "");
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int fd = argc == 3 ? open(argv[2], O_RDWR | O_CREAT, 0600) : -1;
    if (size != 3 || fd < 0 || ftruncate(fd, 4096) != 0) return 2;
    common = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (common == MAP_FAILED) return 2;
    bool by_tcp = strcmp(argv[1], "mpich-tcp") == 0;
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    check("flush of rank 1", true, false, false);
    check("flush of all, rank 2 has been sent nothing", false, true, false);
    check("flush of all, rank 2 has been sent a message", true, true, by_tcp);
    if (rank == 0) printf("3 rows, %d wrong\n", wrong);
    fflush(stdout);
    MPI_Win_free(&window);
    MPI_Finalize();
    return wrong > 0;
}
