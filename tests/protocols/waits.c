/* waits LIBRARY FILE: who must be inside MPI for a call to return? Rank 0 makes the call of each row while rank 1 stays
 * outside MPI; rank 1 enters when the call has returned, or at the latest after a while. The rows say of each library
 * whether the call returns without rank 1. FILE: the two ranks' memory in common.
 *
 * No time is asserted: of a call that waits for rank 1 it is only said that it has not returned when rank 1 enters.
 * Exit status 77: the library's row needs what this machine forbids. */
#define _GNU_SOURCE
#include <mpi.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 20, PATIENCE_MS = 100, LIMIT_MS = 20000 };

static struct {
    atomic_int outside;  /* rank 1 has left MPI for this step */
    atomic_int returned; /* rank 0's call has returned */
    atomic_int early;    /* it had before rank 1 entered */
    pid_t pids[2];
    char byte;
} * common;

static int rank, compared, wrong;
static MPI_Win window;
static MPI_Group partner;
static char *in, *out, *base;

/* What both make before, and rank 0 alone at the step; what ends it for both. */
struct row {
    const char *name;
    int n;
    void (*before)(int n);
    void (*call)(int n);
    void (*after)(int n);
    const char *waits; /* a letter for each library: w waits for rank 1, f is free of it, - is not tried */
};

#define CALL(NAME, ...)                                                                                                \
    static void NAME(int n)                                                                                            \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        __VA_ARGS__;                                                                                                   \
    }
#define ALONE(NAME, ...)                                                                                               \
    CALL(                                                                                                              \
        NAME, if (rank == 0) { __VA_ARGS__; })

#define PUT        MPI_Put(in, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window)
#define GET        MPI_Get(out, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window)
#define ACCUMULATE MPI_Accumulate(in, n / 8, MPI_DOUBLE, 1, 0, n / 8, MPI_DOUBLE, MPI_SUM, window)
#define LOCK(TO)   MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TO, 0, window)
#define WAITED(CALLED)                                                                                                 \
    MPI_Request request;                                                                                               \
    CALLED;                                                                                                            \
    MPI_Wait(&request, MPI_STATUS_IGNORE)

CALL(nothing, )
ALONE(hold, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); MPI_Put(in, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window);
      MPI_Win_flush(1, window))
ALONE(hold_all, MPI_Win_lock_all(0, window))
ALONE(hold_unchecked, MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, window))
ALONE(release, MPI_Win_unlock(1, window))
CALL(flush, MPI_Win_flush(1, window))
CALL(flush_all, MPI_Win_flush_all(window))
CALL(put, PUT)
CALL(put_flush_local, PUT; MPI_Win_flush_local(1, window))
CALL(put_flush, PUT; MPI_Win_flush(1, window))
CALL(get, GET)
CALL(get_flush_local, GET; MPI_Win_flush_local(1, window))
CALL(accumulate, ACCUMULATE)
CALL(accumulate_flush_local, ACCUMULATE; MPI_Win_flush_local(1, window))
CALL(accumulate_flush, ACCUMULATE; MPI_Win_flush(1, window))
CALL(get_accumulate,
     MPI_Get_accumulate(in, n / 8, MPI_DOUBLE, out, n / 8, MPI_DOUBLE, 1, 0, n / 8, MPI_DOUBLE, MPI_SUM, window);
     MPI_Win_flush(1, window))
CALL(compare_and_swap, MPI_Compare_and_swap(in, in, out, MPI_LONG, 1, 0, window); MPI_Win_flush(1, window))
CALL(rput, WAITED(MPI_Rput(in, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window, &request)))
CALL(rget, WAITED(MPI_Rget(out, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window, &request)))
CALL(raccumulate, WAITED(MPI_Raccumulate(in, n / 8, MPI_DOUBLE, 1, 0, n / 8, MPI_DOUBLE, MPI_SUM, window, &request)))

/* n bytes in blocks of 4 with gaps of 4, at the origin or at the target. */
#define WITH_GAPS(...)                                                                                                 \
    MPI_Datatype gaps;                                                                                                 \
    MPI_Type_vector(n / 4, 4, 8, MPI_BYTE, &gaps);                                                                     \
    MPI_Type_commit(&gaps);                                                                                            \
    __VA_ARGS__;                                                                                                       \
    MPI_Type_free(&gaps)
#define LOCALLY MPI_Win_flush_local(1, window)
CALL(put_from_gaps, WITH_GAPS(MPI_Put(in, 1, gaps, 1, 0, n, MPI_BYTE, window); LOCALLY))
CALL(put_into_gaps, WITH_GAPS(MPI_Put(in, n, MPI_BYTE, 1, 0, 1, gaps, window); LOCALLY))
CALL(get_into_gaps, WITH_GAPS(MPI_Get(out, 1, gaps, 1, 0, n, MPI_BYTE, window); LOCALLY))
CALL(get_from_gaps, WITH_GAPS(MPI_Get(out, n, MPI_BYTE, 1, 0, 1, gaps, window); LOCALLY))
CALL(rput_into_gaps, WITH_GAPS(WAITED(MPI_Rput(in, n, MPI_BYTE, 1, 0, 1, gaps, window, &request))))
CALL(rget_into_gaps, WITH_GAPS(WAITED(MPI_Rget(out, 1, gaps, 1, 0, n, MPI_BYTE, window, &request))))
CALL(rget_from_gaps, WITH_GAPS(WAITED(MPI_Rget(out, n, MPI_BYTE, 1, 0, 1, gaps, window, &request))))
CALL(lock, LOCK(1))
/* The target locks its own window while rank 0's request lies unread: it is granted first. */
CALL(
    unlock_after_target, if (rank == 0) MPI_Win_unlock(1, window); else {
        LOCK(1);
        common->early |= common->returned;
        MPI_Win_unlock(1, window);
    })
CALL(lock_own, LOCK(0); MPI_Win_unlock(0, window))
CALL(put_unlock, PUT; MPI_Win_unlock(1, window))
CALL(unlock, MPI_Win_unlock(1, window))
CALL(lock_all, MPI_Win_lock_all(0, window))
ALONE(unlock_all, MPI_Win_unlock_all(window))

/* The post is there before rank 1 leaves MPI: rank 0 has returned from start, or has received a message behind it. */
CALL(
    open_epoch,
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_start(partner, 0, window);
    } else {
        MPI_Win_post(partner, 0, window);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    })
CALL(post, if (rank == 1) MPI_Win_post(partner, 0, window))
ALONE(start, MPI_Win_start(partner, 0, window))
CALL(put_complete, PUT; MPI_Win_complete(window))
CALL(get_complete, GET; MPI_Win_complete(window))
CALL(accumulate_complete, ACCUMULATE; MPI_Win_complete(window))
CALL(complete, MPI_Win_complete(window))
CALL(wait_for_origin, if (rank == 1) MPI_Win_wait(window))
CALL(complete_and_wait, if (rank == 0) MPI_Win_complete(window); else MPI_Win_wait(window))

CALL(isend, WAITED(MPI_Isend(in, n, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request)))
CALL(receive, if (rank == 1) MPI_Recv(out, n, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE))

/* The letters' order. */
static const char *const libraries[] = {"mpich-tcp", "mpich-shm", "openmpi-pt2pt", "openmpi-rdma"};

static const struct row rows[] = {
#define ROW(WAITS, NAME, N, BEFORE, CALL, AFTER) {NAME, N, BEFORE, CALL, AFTER, WAITS},
#include "tests/protocols/waits.def"
};

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void step(const struct row *row, bool waits)
{
    row->before(row->n);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        common->returned = 0;
        common->outside = 1;
        for (long ms = 0; !common->returned && ms < (waits ? PATIENCE_MS : LIMIT_MS); ms++) sleep_ms(1);
        common->early = common->returned;
    } else {
        while (!common->outside) sleep_ms(1);
        row->call(row->n);
        common->returned = 1;
    }
    row->after(row->n);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) common->outside = 0;
    compared++;
    if (!common->early == waits) return;
    wrong++;
    if (rank == 0) printf("%s, %d bytes: does%s wait for the target\n", row->name, row->n, waits ? " not" : "");
}

static bool open_common(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) return false;
    common = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return common != MAP_FAILED;
}

/* osc/rdma reads and writes the target's memory through the kernel; containers may forbid it. */
static bool reaches_memory(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {&common->byte, 1};
    common->pids[rank] = getpid();
    MPI_Bcast(&there, sizeof there, MPI_BYTE, 0, MPI_COMM_WORLD);
    int reaches = rank == 0 || process_vm_readv(common->pids[0], &here, 1, &there, 1, 0) == 1;
    MPI_Bcast(&reaches, 1, MPI_INT, 1, MPI_COMM_WORLD);
    return reaches;
}

int main(int argc, char **argv)
{
    int size, library = -1;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; argc == 3 && i < (int)(sizeof libraries / sizeof *libraries); i++)
        if (strcmp(argv[1], libraries[i]) == 0) library = i;
    in = calloc(1, BYTES_MAX);
    out = calloc(1, BYTES_MAX);
    base = aligned_alloc(4096, BYTES_MAX);
    if (library < 0 || size != 2 || !in || !out || !base || !open_common(argv[2])) return 2;
    memset(base, 0, BYTES_MAX);
    if (strcmp(argv[1], "openmpi-rdma") == 0 && !reaches_memory()) {
        MPI_Finalize();
        return 77;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){1 - rank}, &partner);
    MPI_Win_create(base, BYTES_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    hold(8); /* connects */
    release(8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].waits[library] != '-') step(&rows[i], rows[i].waits[library] == 'w');
    if (rank == 0) printf("%s: %d rows, %d wrong\n", argv[1], compared, wrong);
    fflush(stdout);
    MPI_Win_free(&window);
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
    MPI_Finalize();
    return wrong > 0;
}
