/* Fourteen small one-sided programs in the styles of their users: random updates, sums at a root, a bucket sort, a work queue, a
 * token, a linked list, a grid. Unlike six_, ten_ and more_exchanges.c they depend on the order in which a rank serves several
 * others, use their own rank as any other, and some ask in loops until something has happened
 * (validate/campaigns/users_300us.json):
 *     user_exchanges PATTERN BYTES ITERATIONS
 * -DFOLLOWED: sums locks all ranks once, as `rmacast advise` says of it.
 * The measured loop is between the second and the third MPI_Barrier of MPI_COMM_WORLD. Computing is sleeping. */
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
enum { SLOTS = 64 };

static int bytes, count, iterations;
static char *memory, *buffer;
static MPI_Win window, dynamic_window;
static MPI_Aint *places;
static MPI_Group left_group, right_group, row_group;
static MPI_Datatype every_second;
static uint32_t seed;

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void compute(double milliseconds)
{
    usleep((useconds_t)(milliseconds * 1000));
}

/* Random updates of a table that is spread over all ranks, the own part included. */
static void gups(int i)
{
    long mine = i, before;
    compute(2);
    for (int k = 0; k < 4; k++) {
        int owner = (int)draw((unsigned)ranks), slot = (int)draw(SLOTS);
        if (k % 2 == 0)
            MPI_Fetch_and_op(&mine, &before, MPI_LONG, owner, (MPI_Aint)slot * bytes, MPI_BXOR, window);
        else
            MPI_Accumulate(buffer, count, MPI_LONG, owner, (MPI_Aint)slot * bytes, count, MPI_LONG, MPI_BXOR, window);
        MPI_Win_flush(owner, window);
    }
}

/* All ranks add to the root's array under its lock, the root, too. */
static void sums(int i)
{
    (void)i;
    compute(3 + 0.7 * rank);
#ifndef FOLLOWED
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
#endif
    MPI_Accumulate(buffer, count, MPI_LONG, 0, 0, count, MPI_LONG, MPI_SUM, window);
#ifdef FOLLOWED
    MPI_Win_flush(0, window);
#else
    MPI_Win_unlock(0, window);
#endif
}

/* Each rank takes room in everybody's bucket and puts its keys there. */
static void bucket(int i)
{
    long more = 1, from[8] = {0};
    int mine = i, all;
    compute(4 + draw(3));
    for (int d = 0; d < ranks; d++) {
        int to = (rank + d) % ranks;
        MPI_Fetch_and_op(&more, &from[d % 8], MPI_LONG, to, 0, MPI_SUM, window);
        MPI_Win_flush(to, window);
        MPI_Put(buffer, bytes, MPI_BYTE, to, (1 + from[d % 8] % (SLOTS - 1)) * (MPI_Aint)bytes, bytes, MPI_BYTE, window);
    }
    MPI_Win_flush_all(window);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

/* Tasks that lie at rank 0 go to whoever asks first; each rank makes as many as it gets. */
static void queue(int i)
{
    long one = 1, task = 0;
    if (i > 0) return;
    while (1) {
        MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        if (task >= (long)iterations * ranks) break;
        MPI_Get(buffer, bytes, MPI_BYTE, 0, (1 + task % (SLOTS - 1)) * (MPI_Aint)bytes, bytes, MPI_BYTE, window);
        MPI_Win_flush(0, window);
        compute(3 + (double)(task * 7 % 5));
    }
}

/* The same, and the number of the next task lies in memory under a lock. */
static void locked_queue(int i)
{
    if (i > 0) return;
    while (1) {
        long task, next;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(&task, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
        MPI_Win_flush(0, window);
        next = task + 1;
        MPI_Put(&next, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
        MPI_Win_unlock(0, window);
        if (task >= (long)iterations * ranks) break;
        compute(3 + (double)(task * 7 % 11));
    }
}

/* A token goes round by puts; a rank asks for it in its own memory. */
static void chain(int i)
{
    long token = 0, next = i + 1;
    compute(1);
    while (rank > 0 || i > 0) {
        MPI_Fetch_and_op(NULL, &token, MPI_LONG, rank, 0, MPI_NO_OP, window);
        MPI_Win_flush(rank, window);
        if (token > (rank > 0 ? i : i - 1)) break;
        usleep(200);
    }
    compute(1);
    MPI_Accumulate(&next, 1, MPI_LONG, right, 0, 1, MPI_LONG, MPI_REPLACE, window);
    MPI_Win_flush(right, window);
}

/* Blocks to all ranks between two fences, and a second phase that reads one back. */
static void fences(int i)
{
    MPI_Win_fence(0, window);
    for (int d = 1; d < ranks; d++)
        MPI_Put(buffer, bytes, MPI_BYTE, (rank + d) % ranks, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    compute(3 + draw(4));
    if (i % 2 == 0) MPI_Get(buffer, bytes, MPI_BYTE, left, (MPI_Aint)right * bytes, bytes, MPI_BYTE, window);
}

/* Requests to all others, which are taken as they complete; the rank computes a little in between. */
static void testsome(int i)
{
    MPI_Request made[8];
    MPI_Status ended[8];
    int done[8], got, open = ranks - 1;
    (void)i;
    for (int d = 1; d < ranks; d++)
        MPI_Rget(buffer + d * bytes, bytes, MPI_BYTE, (rank + d) % ranks, 0, bytes, MPI_BYTE, window, &made[d - 1]);
    compute(2);
    while (open > 0) {
        MPI_Testsome(ranks - 1, made, &got, done, ended);
        if (got > 0) open -= got;
        compute(got > 0 ? 0.5 : 0.1);
    }
}

/* The same, and the rank only waits. */
static void spin(int i)
{
    MPI_Request made[2];
    MPI_Status ended[2];
    int all = 0;
    compute(3 + draw(4));
    MPI_Rput(buffer, bytes, MPI_BYTE, right, 0, bytes, MPI_BYTE, window, &made[0]);
    MPI_Rget(buffer, bytes, MPI_BYTE, left, (MPI_Aint)(1 + i % 2) * bytes, bytes, MPI_BYTE, window, &made[1]);
    while (!all) MPI_Testall(2, made, &all, ended);
    MPI_Win_flush(right, window);
}

/* Every second element goes to the right neighbour, which has posted for its left one. */
static void ring(int i)
{
    (void)i;
    MPI_Win_post(left_group, 0, window);
    compute(3 + draw(5));
    MPI_Win_start(right_group, 0, window);
    MPI_Accumulate(buffer, 1, every_second, right, 0, 1, every_second, MPI_SUM, window);
    MPI_Win_complete(window);
    compute(1);
    MPI_Win_wait(window);
}

/* A grid with two columns: puts to the ranks of the own row and column, a sum at times. */
static void grid(int i)
{
    double mine = i, all;
    compute(5 + 0.4 * rank);
    MPI_Win_post(row_group, 0, window);
    MPI_Win_start(row_group, 0, window);
    MPI_Put(buffer, bytes, MPI_BYTE, rank ^ 1, 0, bytes, MPI_BYTE, window);
    if ((rank ^ 2) < ranks) MPI_Put(buffer, bytes, MPI_BYTE, rank ^ 2, bytes, bytes, MPI_BYTE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    if (i % 5 == 4) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Elements are pushed to the front of a list whose head rank 0 has: read the head, write the element, swap the head. */
static void list(int i)
{
    long head, mine = (long)rank * 1000 + i + 1, seen, number = mine;
    compute(4 + draw(4));
    MPI_Get(&head, 1, MPI_LONG, 0, places[0], 1, MPI_LONG, dynamic_window);
    MPI_Win_flush(0, dynamic_window);
    for (int tries = 0; tries < 50; tries++) {
        memcpy(buffer, &head, sizeof head);
        MPI_Aint slot = MPI_Aint_add(places[right], (1 + i % (SLOTS - 1)) * (MPI_Aint)bytes);
        MPI_Put(buffer, bytes, MPI_BYTE, right, slot, bytes, MPI_BYTE, dynamic_window);
        MPI_Win_flush(right, dynamic_window);
        MPI_Compare_and_swap(&number, &head, &seen, MPI_LONG, 0, places[0], dynamic_window);
        MPI_Win_flush(0, dynamic_window);
        if (seen == head) break;
        head = seen;
    }
}

/* Everybody reads two others' blocks under shared locks, and now and then writes its own under an exclusive one. */
static void board(int i)
{
    compute(3 + draw(4));
    for (int d = 1; d < 3; d++) {
        MPI_Win_lock(MPI_LOCK_SHARED, (rank + d) % ranks, 0, window);
        MPI_Get(buffer + d * bytes, bytes, MPI_BYTE, (rank + d) % ranks, 0, bytes, MPI_BYTE, window);
        MPI_Win_unlock((rank + d) % ranks, window);
    }
    if (i % 4 != rank % 4) return;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    MPI_Put(buffer, bytes, MPI_BYTE, rank, 0, bytes, MPI_BYTE, window);
    MPI_Win_unlock(rank, window);
}

/* Rank 0 says what to do; the others put their results into its window and report. */
static void master(int i)
{
    int work = i, report;
    if (rank == 0) {
        for (int worker = 1; worker < ranks; worker++) MPI_Send(&work, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
        for (int k = 1; k < ranks; k++) {
            MPI_Recv(&report, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute(0.5);
        }
        return;
    }
    MPI_Recv(&work, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(3 + draw(6));
    MPI_Put(buffer, bytes, MPI_BYTE, 0, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window);
    MPI_Win_flush(0, window);
    MPI_Send(&work, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}

static const struct exchange exchanges[] = {
    {"gups", gups, 1}, {"sums", sums, IS_FOLLOWED}, {"bucket", bucket, 1}, {"queue", queue, 1}, {"locked_queue", locked_queue, 0},
    {"chain", chain, 1},
    {"fences", fences, 0}, {"testsome", testsome, 1}, {"spin", spin, 1}, {"ring", ring, 0}, {"grid", grid, 0},
    {"list", list, 1}, {"board", board, 0}, {"master", master, 1}};

static void make_groups(void)
{
    int row[2] = {rank ^ 1, rank ^ 2};
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &left_group);
    MPI_Group_incl(world, 1, &right, &right_group);
    MPI_Group_incl(world, row[1] < ranks ? 2 : 1, row, &row_group);
}

static void make_windows(void)
{
    MPI_Aint own, room = (MPI_Aint)bytes * (SLOTS + ranks);
    MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, (size_t)room);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic_window);
    MPI_Win_attach(dynamic_window, buffer + 8 * bytes, (MPI_Aint)SLOTS * bytes);
    MPI_Get_address(buffer + 8 * bytes, &own);
    places = calloc((size_t)ranks, sizeof *places);
    MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Type_vector(count > 1 ? count / 2 : 1, 1, 2, MPI_LONG, &every_second);
    MPI_Type_commit(&every_second);
}

int main(int argc, char **argv)
{
    begin_mpi(&argc, &argv);
    const struct exchange *exchange = find_exchange(exchanges, sizeof exchanges / sizeof *exchanges, argc, argv);
    if (ranks > 8 || ranks % 2 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
    count = atoi(argv[2]) / 8;
    if (count < 1) count = 1;
    bytes = 8 * count;
    iterations = atoi(argv[3]);
    seed = 12345u + 977u * (uint32_t)rank;
    buffer = calloc(SLOTS + 8, (size_t)bytes);
    make_groups();
    make_windows();
    MPI_Barrier(MPI_COMM_WORLD);
    if (exchange->passive) MPI_Win_lock_all(0, window);
    if (exchange->passive) MPI_Win_lock_all(0, dynamic_window);
    measure(exchange, bytes, 0, iterations);
    if (exchange->passive) MPI_Win_unlock_all(dynamic_window);
    if (exchange->passive) MPI_Win_unlock_all(window);
    MPI_Win_detach(dynamic_window, buffer + 8 * bytes);
    MPI_Win_free(&dynamic_window);
    MPI_Win_free(&window);
    MPI_Type_free(&every_second);
    MPI_Finalize();
    return 0;
}
