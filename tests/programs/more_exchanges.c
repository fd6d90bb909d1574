/* Seven further exchanges of kinds that six_exchanges.c and ten_exchanges.c lack: several windows with unequal groups, derived
 * data types, dynamic windows, fetching operations in flight, readers under shared locks, messages between one-sided calls:
 *     more_exchanges PATTERN BYTES ITERATIONS [count]
 * The measured loop is between the first and the second MPI_Barrier of MPI_COMM_WORLD. Computing is sleeping, or with "count" a
 * loop that keeps its core busy. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "tests/programs/exchanges.h"

enum { WINDOWS = 3, AHEAD = 4, STEPS_PER_MS = 800000 };

static int bytes, counts;
static char *memory[WINDOWS], *buffer;
static MPI_Win window[WINDOWS], dynamic_window;
static MPI_Aint *places;
static MPI_Group to[WINDOWS], from[WINDOWS];
static MPI_Datatype column;
static volatile uint64_t counted;

static void compute(double milliseconds)
{
    const struct timespec time = {0, (long)(milliseconds * 1e6)};
    uint64_t value = (uint64_t)rank + 1;
    if (!counts) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
        return;
    }
    for (long i = 0; i < (long)(milliseconds * STEPS_PER_MS); i++)
        value = value * 6364136223846793005U + 1442695040888963407U;
    counted = value;
}

/* Rank 0 writes its own window now and then; the others read what it has and write to their place there. */
static void readers(int i)
{
    MPI_Request made[3];
    MPI_Status ended[3];
    compute(2 + 0.9 * rank);
    if (rank == 0) {
        if (i % 3 != 0) return;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window[0]);
        memset(memory[0], i, (size_t)bytes);
        MPI_Win_unlock(0, window[0]);
        return;
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window[0]);
    for (int k = 0; k < 2; k++)
        MPI_Rget(buffer + k * bytes, bytes, MPI_BYTE, 0, (MPI_Aint)k * bytes, bytes, MPI_BYTE, window[0], &made[k]);
    MPI_Rput(buffer, bytes, MPI_BYTE, 0, (MPI_Aint)(2 + rank) * bytes, bytes, MPI_BYTE, window[0], &made[2]);
    MPI_Waitall(3, made, ended);
    MPI_Win_unlock(0, window[0]);
}

/* A column of a matrix is added to a column of the right neighbour, and read back by its owner. */
static void typed(int i)
{
    double mine = i, sum;
    compute(2.5 + 0.5 * ((i + rank) % 3));
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window[0]);
    MPI_Accumulate(buffer, 1, column, right, 0, 1, column, MPI_SUM, window[0]);
    MPI_Win_flush_local(right, window[0]);
    compute(1);
    MPI_Accumulate(buffer, 1, column, right, 8, 1, column, MPI_MAX, window[0]);
    MPI_Win_unlock(right, window[0]);
    if (i % 3 == 2) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Window 0: each rank puts to its right neighbour. Window 1: all others put to rank 0. Window 2: rank 0 puts to all others. */
static void windows(int i)
{
    for (int w = 0; w < WINDOWS; w++) MPI_Win_post(from[w], 0, window[w]);
    compute(2 + (i + 2 * rank) % 3);
    for (int w = 0; w < WINDOWS; w++) {
        MPI_Win_start(to[w], 0, window[w]);
        if (w == 0) MPI_Put(buffer, bytes, MPI_BYTE, right, 0, bytes, MPI_BYTE, window[w]);
        if (w == 1 && rank != 0) MPI_Put(buffer, bytes, MPI_BYTE, 0, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window[w]);
        for (int r = 1; w == 2 && rank == 0 && r < ranks; r++)
            MPI_Put(buffer, bytes, MPI_BYTE, r, 0, bytes, MPI_BYTE, window[w]);
        compute(0.5);
        MPI_Win_complete(window[w]);
    }
    for (int w = WINDOWS - 1; w >= 0; w--) MPI_Win_wait(window[w]);
}

static void dynamic(int i)
{
    compute(1 + 0.5 * ((i + rank) % 4));
    MPI_Put(buffer, bytes, MPI_BYTE, right, places[right], bytes, MPI_BYTE, dynamic_window);
    MPI_Win_flush_local(right, dynamic_window);
    MPI_Put(buffer, 8, MPI_BYTE, right, MPI_Aint_add(places[right], bytes), 8, MPI_BYTE, dynamic_window);
    MPI_Win_flush(right, dynamic_window);
    compute(1);
    MPI_Get(buffer, bytes, MPI_BYTE, left, places[left], bytes, MPI_BYTE, dynamic_window);
    MPI_Win_flush(left, dynamic_window);
}

/* Up to AHEAD fetching operations of a rank are in flight, while it computes. */
static MPI_Request flying[AHEAD] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static void fetches(int i)
{
    int count = bytes / 8, slot = i % AHEAD;
    compute(2);
    MPI_Wait(&flying[slot], MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(buffer, count, MPI_DOUBLE, buffer + (slot + 1) * bytes, count, MPI_DOUBLE, right,
                        (MPI_Aint)slot * bytes, count, MPI_DOUBLE, MPI_SUM, window[0], &flying[slot]);
}

/* Data by a put, then a message that says so; the receiver answers when it has used them. */
static void mixed(int i)
{
    MPI_Request used;
    int number = i, there, done;
    MPI_Irecv(&done, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &used);
    compute(1.5 + 0.5 * (rank % 2));
    MPI_Put(buffer, bytes, MPI_BYTE, right, 0, bytes, MPI_BYTE, window[0]);
    MPI_Win_flush(right, window[0]);
    MPI_Send(&number, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    MPI_Recv(&there, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(window[0]);
    compute(1);
    MPI_Send(&there, 1, MPI_INT, left, 2, MPI_COMM_WORLD);
    MPI_Wait(&used, MPI_STATUS_IGNORE);
}

/* The owners of tasks take them from one counter; a result goes to the rank that the task's number names. */
static void tasks(int i)
{
    long one = 1, task;
    MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, window[1]);
    MPI_Win_flush(0, window[1]);
    compute(2 + (double)((i * 3 + rank) % 4));
    MPI_Put(buffer, bytes, MPI_BYTE, (rank + 1 + i) % ranks, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window[0]);
    MPI_Win_flush_all(window[0]);
}

static const struct exchange exchanges[] = {{"readers", readers, 0}, {"typed", typed, 0}, {"windows", windows, 0},
                                            {"dynamic", dynamic, 1}, {"fetches", fetches, 1}, {"mixed", mixed, 1},
                                            {"tasks", tasks, 1}};

static MPI_Group make_group(MPI_Group world, int first, int last)
{
    MPI_Group group;
    int range[1][3] = {{first, last, 1}};
    MPI_Group_range_incl(world, first <= last, range, &group);
    return group;
}

static void make_groups(void)
{
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    to[0] = make_group(world, right, right);
    from[0] = make_group(world, left, left);
    to[1] = from[2] = rank == 0 ? make_group(world, 1, 0) : make_group(world, 0, 0);
    from[1] = to[2] = rank == 0 ? make_group(world, 1, ranks - 1) : make_group(world, 1, 0);
}

static void make_windows(void)
{
    MPI_Aint own, room = 4096 + (MPI_Aint)bytes * (ranks + AHEAD);
    for (int w = 0; w < WINDOWS; w++)
        MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[w], &window[w]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic_window);
    places = calloc((size_t)ranks, sizeof *places);
    MPI_Win_attach(dynamic_window, buffer + AHEAD * bytes, bytes + 64);
    MPI_Get_address(buffer + AHEAD * bytes, &own);
    MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Type_vector(bytes / 16, 1, 2, MPI_DOUBLE, &column); /* half of the elements */
    MPI_Type_commit(&column);
}

static void free_windows(void)
{
    MPI_Type_free(&column);
    MPI_Win_detach(dynamic_window, buffer + AHEAD * bytes);
    MPI_Win_free(&dynamic_window);
    for (int w = 0; w < WINDOWS; w++) MPI_Win_free(&window[w]);
}

int main(int argc, char **argv)
{
    begin_mpi(&argc, &argv);
    const struct exchange *exchange = find_exchange(exchanges, sizeof exchanges / sizeof *exchanges, argc, argv);
    bytes = atoi(argv[2]) / 16 * 16;
    counts = argc > 4 && strcmp(argv[4], "count") == 0;
    buffer = calloc(AHEAD + 2, (size_t)bytes + 64);
    make_groups();
    make_windows();
    if (exchange->passive) {
        for (int w = 0; w < WINDOWS; w++) MPI_Win_lock_all(0, window[w]);
        MPI_Win_lock_all(0, dynamic_window);
    }
    measure(exchange, bytes, 0, atoi(argv[3]));
    for (int k = 0; k < AHEAD; k++) MPI_Wait(&flying[k], MPI_STATUS_IGNORE);
    if (exchange->passive) {
        for (int w = 0; w < WINDOWS; w++) MPI_Win_unlock_all(window[w]);
        MPI_Win_unlock_all(dynamic_window);
    }
    free_windows();
    MPI_Finalize();
    return 0;
}
