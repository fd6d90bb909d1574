/* Six one-sided exchanges whose predictions are compared with real runs (bench/accuracy.sh):
 *     six_exchanges PATTERN BYTES ITERATIONS [COMPUTE_US [PARTNERS]]
 * PATTERN: pscw, fence, transpose, hash, lock, getpipe. PARTNERS: how many next ranks pscw and transpose put to, all if it
 * is missing. The measured loop is between the second and the third MPI_Barrier of MPI_COMM_WORLD; rank 0 prints pattern,
 * bytes and the loop's seconds. Computing is sleeping, by a time that differs between ranks and iterations: ranks that
 * share cores do not disturb each other by it. */
#include <stdlib.h>
#include <time.h>

#include "tests/programs/exchanges.h"

static int bytes, compute_us = 1000, partners;
static char *memory, *buffer[2];
static MPI_Win window;
static MPI_Group targets, origins;

static int puts_to(int origin, int target)
{
    int ahead = (target - origin + ranks) % ranks;
    return ahead > 0 && ahead <= partners;
}

static MPI_Group make_group(int of_targets)
{
    MPI_Group world, group;
    int count = 0, *members = calloc((size_t)ranks, sizeof *members);
    for (int r = 0; r < ranks; r++)
        if (of_targets ? puts_to(rank, r) : puts_to(r, rank)) members[count++] = r;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, members, &group);
    free(members);
    return group;
}

static void compute(int iteration)
{
    long us = compute_us + ((iteration * 7 + rank * 13) % 5) * compute_us / 4;
    const struct timespec time = {us / 1000000, us % 1000000 * 1000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void pscw(int i)
{
    MPI_Win_post(origins, 0, window);
    compute(i);
    MPI_Win_start(targets, 0, window);
    for (int r = 0; r < ranks; r++)
        if (puts_to(rank, r))
            MPI_Put(buffer[0], bytes, MPI_BYTE, r, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

static void fence(int i)
{
    compute(i);
    MPI_Put(buffer[0], bytes, MPI_BYTE, (rank + 1) % ranks, 0, bytes, MPI_BYTE, window);
    MPI_Win_fence(0, window);
}

static void transpose(int i)
{
    compute(i);
    for (int r = 0; r <= partners; r++)
        MPI_Put(buffer[0], bytes, MPI_BYTE, (rank + r) % ranks, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window);
    MPI_Win_flush_all(window);
    int done = 1, all;
    MPI_Allreduce(&done, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void hash(int i)
{
    long long mine = i, none = -1, found;
    int owner = (rank + 1 + i / 3) % ranks;
    compute(i);
    MPI_Compare_and_swap(&mine, &none, &found, MPI_LONG_LONG, owner, (MPI_Aint)(i % 16) * 8, window);
    MPI_Win_flush(owner, window);
    MPI_Put(buffer[0], bytes, MPI_BYTE, owner, 4096, bytes, MPI_BYTE, window);
    MPI_Win_flush(owner, window);
}

static void lock(int i)
{
    compute(i);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(buffer[0], bytes, MPI_BYTE, 0, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window);
    MPI_Win_unlock(0, window);
}

static MPI_Request coming = MPI_REQUEST_NULL;
static void get_pipe(int i)
{
    MPI_Request next;
    MPI_Rget(buffer[i % 2], bytes, MPI_BYTE, (rank + 1) % ranks, 0, bytes, MPI_BYTE, window, &next);
    compute(i);
    MPI_Wait(&coming, MPI_STATUS_IGNORE);
    coming = next;
}

static const struct exchange exchanges[] = {{"pscw", pscw, 0}, {"fence", fence, 0}, {"transpose", transpose, 1},
                                            {"hash", hash, 1}, {"lock", lock, 0},   {"getpipe", get_pipe, 1}};

int main(int argc, char **argv)
{
    enum { WARM_UP = 3 };
    begin_mpi(&argc, &argv);
    const struct exchange *exchange = find_exchange(exchanges, sizeof exchanges / sizeof *exchanges, argc, argv);
    bytes = atoi(argv[2]);
    if (argc > 4) compute_us = atoi(argv[4]);
    buffer[0] = calloc(2, (size_t)bytes + 64);
    buffer[1] = buffer[0] + bytes;
    MPI_Win_allocate(8192 + (MPI_Aint)bytes * ranks, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    partners = argc > 5 && atoi(argv[5]) < ranks ? atoi(argv[5]) : ranks - 1;
    targets = make_group(1);
    origins = make_group(0);
    if (exchange->passive) MPI_Win_lock_all(0, window);
    if (exchange->iterate == fence) MPI_Win_fence(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < WARM_UP; i++) exchange->iterate(i);
    measure(exchange, bytes, WARM_UP, atoi(argv[3]));
    MPI_Wait(&coming, MPI_STATUS_IGNORE);
    if (exchange->passive) MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
