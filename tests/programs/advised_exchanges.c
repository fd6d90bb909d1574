/* Six exchanges that a change of their calls makes faster. With -DFOLLOWED they are as `rmacast advise` says of them without it
 * (validate/campaigns/followed_300us.json):
 *     advised_exchanges PATTERN BYTES ITERATIONS
 * In late_post, late_complete and early_wait an even rank puts to the odd one behind it, and each turn ends with an all-reduce.
 * The measured loop is between the first and the second MPI_Barrier of MPI_COMM_WORLD. Computing is sleeping, but for unbalanced,
 * since a rewriting leaves sleep as it is. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/programs/exchanges.h"

#ifdef FOLLOWED
enum { IS_FOLLOWED = 1 };
#else
enum { IS_FOLLOWED = 0 };
#endif
enum { PIECES = 200, STEPS_OF_MS = 900000 };

static int bytes, iterations;
static char *memory, *buffer;
static MPI_Win window;
static MPI_Group partner;

static void compute(double milliseconds)
{
    usleep((useconds_t)(milliseconds * 1000));
}

static void count_steps(double milliseconds)
{
    static volatile uint64_t sink;
    uint64_t value = (uint64_t)rank + 1;
    const long steps = (long)(milliseconds * STEPS_OF_MS);
    for (long i = 0; i < steps; i++) value = value * 6364136223846793005U + 1442695040888963407U;
    sink = value;
    (void)sink;
}

/* Ends a turn of all ranks. */
static void agree(int i)
{
    int all;
    MPI_Allreduce(&i, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

static void put_epoch(double computing_ms)
{
    MPI_Win_start(partner, 0, window);
    MPI_Put(buffer, bytes, MPI_BYTE, rank ^ 1, 0, bytes, MPI_BYTE, window);
    compute(computing_ms);
    MPI_Win_complete(window);
}

/* post-early: the target posts before it computes. */
static void late_post(int i)
{
    if (rank % 2 == 0) {
        put_epoch(0);
        compute(5);
    } else {
        if (IS_FOLLOWED) MPI_Win_post(partner, 0, window);
        compute(4 + i % 3);
        if (!IS_FOLLOWED) MPI_Win_post(partner, 0, window);
        MPI_Win_wait(window);
    }
    agree(i);
}

/* complete-early: the origin computes behind its epoch. The target exposes its memory again before it computes. */
static void late_complete(int i)
{
    if (rank % 2 == 0) {
        put_epoch(IS_FOLLOWED ? 0 : 4 + i % 3);
        if (IS_FOLLOWED) compute(4 + i % 3);
    } else {
        if (i == 0) MPI_Win_post(partner, 0, window);
        MPI_Win_wait(window);
        if (i < iterations - 1) MPI_Win_post(partner, 0, window);
        compute(5);
    }
    agree(i);
}

/* wait-late: the target computes before it waits. */
static void early_wait(int i)
{
    if (rank % 2 == 0) {
        compute(5);
        put_epoch(0);
    } else {
        MPI_Win_post(partner, 0, window);
        if (IS_FOLLOWED) compute(4 + i % 3);
        MPI_Win_wait(window);
        if (!IS_FOLLOWED) compute(4 + i % 3);
    }
    agree(i);
}

/* merge-puts: one put instead of many. */
static void small_puts(int i)
{
    compute(2 + (rank + i) % 2);
    const int pieces = IS_FOLLOWED ? 1 : PIECES, size = bytes * (PIECES / pieces);
    for (int p = 0; p < pieces; p++)
        MPI_Put(buffer + p * size, size, MPI_BYTE, right, (MPI_Aint)p * size, size, MPI_BYTE, window);
    MPI_Win_flush(right, window);
}

/* merge-gets */
static void small_gets(int i)
{
    compute(2 + (rank + i) % 2);
    const int pieces = IS_FOLLOWED ? 1 : PIECES, size = bytes * (PIECES / pieces);
    for (int p = 0; p < pieces; p++)
        MPI_Get(buffer + p * size, size, MPI_BYTE, right, (MPI_Aint)p * size, size, MPI_BYTE, window);
    MPI_Win_flush(right, window);
}

/* balance: all ranks compute as long as each other. */
static void unbalanced(int i)
{
    (void)i;
    MPI_Win_fence(0, window);
    MPI_Put(buffer, bytes, MPI_BYTE, right, 0, bytes, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    count_steps(IS_FOLLOWED ? 6 : rank % 2 == 0 ? 9 : 3);
}

static const struct exchange exchanges[] = {{"late_post", late_post, 0},     {"late_complete", late_complete, 0},
                                            {"early_wait", early_wait, 0},   {"small_puts", small_puts, 1},
                                            {"small_gets", small_gets, 1},   {"unbalanced", unbalanced, 0}};

int main(int argc, char **argv)
{
    MPI_Group world;
    begin_mpi(&argc, &argv);
    const struct exchange *exchange = find_exchange(exchanges, sizeof exchanges / sizeof *exchanges, argc, argv);
    if (ranks % 2 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
    bytes = atoi(argv[2]);
    iterations = atoi(argv[3]);
    buffer = calloc(PIECES, (size_t)bytes);
    MPI_Win_allocate((MPI_Aint)PIECES * bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &(int){rank ^ 1}, &partner);
    if (exchange->passive) MPI_Win_lock_all(0, window);
    measure(exchange, bytes, 0, iterations);
    if (exchange->passive) MPI_Win_unlock_all(window);
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    free(buffer);
    MPI_Finalize();
    return 0;
}
