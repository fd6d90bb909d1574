/* Ten further exchanges, beside those of six_exchanges.c, with other calls: predictions of them were first compared with real
 * runs when the model and the calibration were finished (validate/campaigns/ten*.json):
 *     ten_exchanges PATTERN BYTES ITERATIONS
 * -DFOLLOWED: halo posts before it computes, and histogram locks all ranks once, as `rmacast advise` says of them.
 * The measured loop is between the first and the second MPI_Barrier of MPI_COMM_WORLD. Computing is sleeping. */
#include <stdlib.h>
#include <time.h>

#include "tests/programs/exchanges.h"

#ifdef FOLLOWED
enum { IS_FOLLOWED = 1 };
#else
enum { IS_FOLLOWED = 0 };
#endif

static int bytes, iterations;
static char *memory, *buffer;
static MPI_Win window;
static MPI_Group neighbours, others;

static void compute(double milliseconds)
{
    const struct timespec time = {0, (long)(milliseconds * 1e6)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void put(int target, int where)
{
    MPI_Put(buffer, bytes, MPI_BYTE, target, (MPI_Aint)where * bytes, bytes, MPI_BYTE, window);
}

/* A line of ranks; higher ranks compute longer. */
static void halo(int i)
{
    double mine = 1, largest;
#ifdef FOLLOWED
    MPI_Win_post(neighbours, 0, window);
    compute(2 + 0.7 * rank);
#else
    compute(2 + 0.7 * rank);
    MPI_Win_post(neighbours, 0, window);
#endif
    MPI_Win_start(neighbours, 0, window);
    if (rank > 0) put(rank - 1, 0);
    if (rank < ranks - 1) put(rank + 1, 1);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    if (i % 4 == 3) MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void counter(int i)
{
    long one = 1, before;
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    compute(3 + (i * 7 + rank * 3) % 5);
}

static void requests(int i)
{
    MPI_Request made[4], got;
    MPI_Status ended[4];
    (void)i;
    for (int k = 0; k < 4; k++)
        MPI_Rput(buffer, bytes, MPI_BYTE, right, (MPI_Aint)k * bytes, bytes, MPI_BYTE, window, &made[k]);
    compute(4);
    MPI_Waitall(4, made, ended);
    MPI_Win_flush(right, window);
    MPI_Rget(buffer, bytes, MPI_BYTE, left, 0, bytes, MPI_BYTE, window, &got);
    MPI_Wait(&got, MPI_STATUS_IGNORE);
}

/* Whoever has the token locks its right neighbour. */
static void token(int i)
{
    int value = 0;
    if (rank > 0 || i > 0) MPI_Recv(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(1.5);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    put(right, 0);
    MPI_Win_unlock(right, window);
    if (rank < ranks - 1 || i < iterations - 1) MPI_Send(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
}

static void sum(int i)
{
    int count = bytes / 8 + 1;
    (void)i;
    compute(3 + rank);
    MPI_Accumulate(buffer, count, MPI_DOUBLE, 0, 0, count, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    if (rank == 0) compute(2);
    MPI_Win_fence(0, window);
}

static void fetch_from_root(int i)
{
    (void)i;
    if (rank == 0) {
        compute(4);
        MPI_Win_post(others, 0, window);
        MPI_Win_wait(window);
    } else {
        compute(2 * rank);
        MPI_Win_start(others, 0, window);
        MPI_Get(buffer, bytes, MPI_BYTE, 0, bytes, bytes, MPI_BYTE, window);
        MPI_Win_complete(window);
    }
}

static void messages(int i)
{
    MPI_Request made[4];
    MPI_Status ended[4];
    (void)i;
    MPI_Irecv(buffer + bytes, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &made[0]);
    MPI_Irecv(buffer + 2 * bytes, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &made[1]);
    MPI_Isend(buffer, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &made[2]);
    MPI_Isend(buffer, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &made[3]);
    compute(3);
    MPI_Waitall(4, made, ended);
    MPI_Win_fence(0, window);
    put(right, 0);
    MPI_Win_fence(0, window);
    compute(1);
}

static void flush_local(int i)
{
    put(right, i % 2);
    MPI_Win_flush_local(right, window);
    compute(2);
    if (i % 5 == 4) MPI_Win_flush_all(window);
}

static void histogram(int i)
{
    long one = 1;
    int bin = (i * 5 + rank * 3) % (16 * ranks), owner = bin % ranks;
    compute(1.5);
#ifndef FOLLOWED
    MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, window);
#endif
    MPI_Accumulate(&one, 1, MPI_LONG, owner, (MPI_Aint)(bin / ranks) * 8, 1, MPI_LONG, MPI_SUM, window);
#ifdef FOLLOWED
    MPI_Win_flush(owner, window);
#else
    MPI_Win_unlock(owner, window);
#endif
}

static void collectives(int i)
{
    double mine = rank, *all = malloc((size_t)ranks * sizeof *all);
    compute(2 + rank);
    MPI_Bcast(buffer, bytes, MPI_BYTE, i % ranks, MPI_COMM_WORLD);
    put((rank + i) % ranks, 0);
    MPI_Win_fence(0, window);
    MPI_Reduce(&mine, all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    free(all);
}

static const struct exchange exchanges[] = {
    {"halo", halo, 0},         {"counter", counter, 1},         {"requests", requests, 1},
    {"token", token, 0},       {"sum", sum, 0},                 {"fetch_from_root", fetch_from_root, 0},
    {"messages", messages, 0}, {"flush_local", flush_local, 1}, {"histogram", histogram, IS_FOLLOWED},
    {"collectives", collectives, 0}};

static void make_groups(void)
{
    MPI_Group world;
    int count = 0, members[2], root = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank > 0) members[count++] = rank - 1;
    if (rank < ranks - 1) members[count++] = rank + 1;
    MPI_Group_incl(world, count, members, &neighbours);
    if (rank == 0)
        MPI_Group_excl(world, 1, &root, &others);
    else
        MPI_Group_incl(world, 1, &root, &others);
}

int main(int argc, char **argv)
{
    begin_mpi(&argc, &argv);
    const struct exchange *exchange = find_exchange(exchanges, sizeof exchanges / sizeof *exchanges, argc, argv);
    bytes = atoi(argv[2]);
    iterations = atoi(argv[3]);
    buffer = calloc(3, (size_t)bytes + 64);
    make_groups();
    MPI_Win_allocate(4096 + 4 * (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (exchange->passive) MPI_Win_lock_all(0, window);
    measure(exchange, bytes, 0, iterations);
    if (exchange->passive) MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
