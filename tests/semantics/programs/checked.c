/* Every way to use post/start/complete/wait, with results that are checked: each part fills windows in a known way and
 * compares every element. Any number of ranks from 2 on. Ranks are out of step on purpose. Prints "right" once, or what is
 * wrong. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 3000, ROUNDS = 4 };

static int rank, ranks, wrong;

static void fail(const char *text, ...)
{
    va_list list;
    if (wrong++ > 3) return;
    printf("rank %d: ", rank);
    va_start(list, text);
    vprintf(text, list);
    va_end(list);
    printf("\n");
}

/* Up to 2 ms, another time for each rank and round. */
static void compute(int round)
{
    struct timespec time = {.tv_nsec = (rank * 7 + round * 5) % 9 * 250000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static MPI_Group group_of(int count, const int *members)
{
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, members, &group);
    MPI_Group_free(&world);
    return group;
}

static int value(int from, int round, int cell)
{
    return from * 1000003 + round * 10007 + cell;
}

/* Puts to both neighbours, in both orders of post and start, the memory reused as soon as complete has returned. */
static void ring(void)
{
    int *memory, *data = malloc(CELLS * sizeof *data), both[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
    int count = both[0] == both[1] ? 1 : 2;
    MPI_Win window;
    MPI_Group neighbours = group_of(count, both);
    MPI_Win_allocate(2 * CELLS * (int)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int round = 0; round < ROUNDS; round++) {
        int cells = round % 2 ? CELLS : 3;
        for (int i = 0; i < cells; i++) data[i] = value(rank, round, i);
        compute(round);
        MPI_Win_post(neighbours, round % 3 ? 0 : MPI_MODE_NOSTORE, window);
        compute(round + 3);
        MPI_Win_start(neighbours, 0, window);
        for (int to = 0; to < 2; to++) MPI_Put(data, cells, MPI_INT, both[to], to * CELLS, cells, MPI_INT, window);
        MPI_Win_complete(window);
        memset(data, 0xee, CELLS * sizeof *data);
        if (round % 2) {
            MPI_Win_wait(window);
        } else {
            for (int done = 0; !done;) MPI_Win_test(window, &done);
        }
        for (int from = 0; from < 2; from++)
            for (int i = 0; i < cells; i++)
                if (memory[from * CELLS + i] != value(both[1 - from], round, i))
                    fail("ring: round %d, cell %d is %d", round, i, memory[from * CELLS + i]);
    }
    MPI_Group_free(&neighbours);
    MPI_Win_free(&window);
    free(data);
}

/* Groups change: in round r all ranks but the target r % ranks send to it, by derived types that are freed at once. The
 * origin's is every second cell, the target's every third. A displacement unit of 1 on odd ranks. The window begins at no
 * multiple of 16. */
static void changing(void)
{
    char *raw = aligned_alloc(64, 64 + (size_t)(ranks + 1) * CELLS * 3 * sizeof(int));
    int *memory = (int *)(void *)(raw + 4), data[2 * 50];
    int unit = rank % 2 ? 1 : (int)sizeof(int);
    MPI_Win window;
    MPI_Win_create(memory, (MPI_Aint)((size_t)ranks * CELLS * sizeof(int)), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int round = 0; round < ROUNDS; round++) {
        int target = round % ranks, others[64], count = 0;
        MPI_Datatype every_second, every_third;
        memset(memory, 0, (size_t)ranks * CELLS * sizeof(int));
        for (int i = 0; i < ranks; i++)
            if (i != target) others[count++] = i;
        MPI_Group group = rank == target ? group_of(count, others) : group_of(1, &target);
        compute(round);
        if (rank == target) {
            MPI_Win_post(group, 0, window);
            MPI_Win_wait(window);
            for (int i = 0; i < count; i++)
                for (int k = 0; k < 150; k++) {
                    int expected = k % 3 ? 0 : value(others[i], round, k / 3);
                    int got = memory[others[i] * CELLS + k];
                    if (got != expected) fail("changing: round %d, cell %d of %d is %d", round, k, others[i], got);
                }
        } else {
            for (int i = 0; i < 50; i++) data[2 * i] = value(rank, round, i);
            MPI_Type_vector(50, 1, 2, MPI_INT, &every_second);
            MPI_Type_vector(50, 1, 3, MPI_INT, &every_third);
            MPI_Type_commit(&every_second);
            MPI_Type_commit(&every_third);
            MPI_Win_start(group, 0, window);
            MPI_Put(data, 1, every_second, target, (MPI_Aint)rank * CELLS * (target % 2 ? 4 : 1), 1, every_third, window);
            MPI_Type_free(&every_second);
            MPI_Type_free(&every_third);
            MPI_Win_complete(window);
            memset(data, 0, sizeof data);
        }
        MPI_Group_free(&group);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
    free(raw);
}

/* All ranks, also to themselves: accumulates, gets and fetching operations; results are there after complete. */
static void operations(void)
{
    struct pair {
        double value;
        int place;
    } *pairs, mine;
    long *memory;
    int all[64];
    MPI_Win window, pair_window;
    for (int i = 0; i < ranks; i++) all[i] = i;
    MPI_Group group = group_of(ranks, all);
    MPI_Win_allocate(8 * (int)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_allocate(sizeof *pairs, sizeof *pairs, MPI_INFO_NULL, MPI_COMM_WORLD, &pairs, &pair_window);
    for (int round = 0; round < ROUNDS; round++) {
        long one[2] = {1, rank}, fetched[64], got[64], swapped[64], zero = 0, swap = 7;
        memset(memory, 0, 8 * sizeof *memory);
        memory[4] = value(rank, round, 4);
        pairs->value = -1;
        pairs->place = -1;
        mine = (struct pair){.value = (rank * 5 + round) % 8, .place = rank};
        MPI_Barrier(MPI_COMM_WORLD);
        compute(round);
        MPI_Win_post(group, 0, window);
        MPI_Win_post(group, 0, pair_window);
        MPI_Win_start(group, 0, window);
        MPI_Win_start(group, 0, pair_window);
        for (int k = 0; k < ranks; k++) {
            MPI_Accumulate(one, 2, MPI_LONG, k, 0, 2, MPI_LONG, MPI_SUM, window);
            MPI_Fetch_and_op(&one[0], &fetched[k], MPI_LONG, k, 2, MPI_SUM, window);
            MPI_Compare_and_swap(&swap, &zero, &swapped[k], MPI_LONG, k, 3, window);
            MPI_Get(&got[k], 1, MPI_LONG, k, 4, 1, MPI_LONG, window);
            MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, k, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, pair_window);
        }
        MPI_Win_complete(pair_window);
        MPI_Win_complete(window);
        one[0] = one[1] = -99;
        mine.value = 1e9;
        for (int k = 0; k < ranks; k++) {
            if (got[k] != value(k, round, 4)) fail("operations: got %ld from %d", got[k], k);
            if (fetched[k] < 0 || fetched[k] >= ranks) fail("operations: fetched %ld from %d", fetched[k], k);
            if (swapped[k] != 0 && swapped[k] != 7) fail("operations: swapped %ld at %d", swapped[k], k);
        }
        MPI_Win_wait(window);
        MPI_Win_wait(pair_window);
        if (memory[0] != ranks || memory[1] != (long)ranks * (ranks - 1) / 2 || memory[2] != ranks || memory[3] != 7)
            fail("operations: round %d: %ld %ld %ld %ld", round, memory[0], memory[1], memory[2], memory[3]);
        struct pair best = {-1, -1};
        for (int k = 0; k < ranks; k++)
            if ((k * 5 + round) % 8 > best.value) best = (struct pair){(k * 5 + round) % 8, k};
        if (pairs->value != best.value || pairs->place != best.place)
            fail("operations: round %d: best %g of %d", round, pairs->value, pairs->place);
    }
    MPI_Group_free(&group);
    MPI_Win_free(&pair_window);
    MPI_Win_free(&window);
}

/* One window under post/start/complete/wait, fences and locks in turn; posts are known to have been made (NOCHECK). */
static void mixed(void)
{
    int *memory, right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Win window;
    MPI_Group to = group_of(1, &right), from = group_of(1, &left);
    MPI_Win_allocate_shared(4 * (int)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int round = 0; round < ROUNDS; round++) {
        int data = value(rank, round, 0), fenced = value(rank, round, 1), locked = value(rank, round, 2), got = 0;
        int nocheck = round % 2 ? MPI_MODE_NOCHECK : 0;
        MPI_Win_post(from, nocheck, window);
        if (nocheck) MPI_Barrier(MPI_COMM_WORLD);
        compute(round);
        MPI_Win_start(to, nocheck, window);
        MPI_Put(&data, 1, MPI_INT, right, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
        data = -1;
        MPI_Win_wait(window);
        if (memory[0] != value(left, round, 0)) fail("mixed: round %d: put %d", round, memory[0]);
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
        MPI_Put(&fenced, 1, MPI_INT, right, 1, 1, MPI_INT, window);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
        if (memory[1] != value(left, round, 1)) fail("mixed: round %d: fenced %d", round, memory[1]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
        MPI_Put(&locked, 1, MPI_INT, right, 2, 1, MPI_INT, window);
        MPI_Win_flush(right, window);
        MPI_Get(&got, 1, MPI_INT, right, 2, 1, MPI_INT, window);
        MPI_Win_unlock(right, window);
        if (got != locked) fail("mixed: round %d: got %d under the lock", round, got);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window);
        for (int k = 0; k < ranks; k++) MPI_Accumulate(&(int){1}, 1, MPI_INT, k, 3, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_flush_all(window);
        MPI_Request request;
        MPI_Rget(&got, 1, MPI_INT, left, 2, 1, MPI_INT, window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_unlock_all(window);
        MPI_Barrier(MPI_COMM_WORLD);
        if (memory[2] != value(left, round, 2)) fail("mixed: round %d: locked %d", round, memory[2]);
        if (got != value((left + ranks - 1) % ranks, round, 2)) fail("mixed: round %d: requested %d", round, got);
        if (memory[3] != ranks * (round + 1)) fail("mixed: round %d: counted %d", round, memory[3]);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Win_free(&window);
}

/* Targets post late, and only then answer what their origins wait for by other calls: what is kept back must leave while its
 * origin is in these. Dynamic memory. */
static void answered(int way)
{
    int *memory = malloc(CELLS * sizeof *memory), *data = malloc(CELLS * sizeof *data), answer = -1;
    MPI_Win window;
    MPI_Aint at[64], own;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, CELLS * sizeof *memory);
    MPI_Get_address(memory, &own);
    MPI_Allgather(&own, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD);
    int partner = rank ^ 1;
    for (int round = 0; partner < ranks && round < ROUNDS; round++) {
        MPI_Group group = group_of(1, &partner);
        if ((rank + round) % 2) {
            compute(5);
            MPI_Win_post(group, 0, window);
            MPI_Win_wait(window);
            for (int i = 0; i < CELLS; i++)
                if (memory[i] != value(partner, round, i)) fail("answered: round %d, cell %d is %d", round, i, memory[i]);
            MPI_Send(&round, 1, MPI_INT, partner, 5, MPI_COMM_WORLD);
        } else {
            MPI_Status status;
            MPI_Request request;
            MPI_Message message;
            int flag = 0, index;
            for (int i = 0; i < CELLS; i++) data[i] = value(rank, round, i);
            MPI_Win_start(group, 0, window);
            MPI_Put(data, CELLS, MPI_INT, partner, at[partner], CELLS, MPI_INT, window);
            MPI_Win_complete(window);
            memset(data, 0, CELLS * sizeof *data);
            switch ((way + round) % 7) {
            case 0: MPI_Recv(&answer, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
            case 1:
                MPI_Probe(partner, 5, MPI_COMM_WORLD, &status);
                MPI_Recv(&answer, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &status);
                break;
            case 2:
                MPI_Mprobe(partner, 5, MPI_COMM_WORLD, &message, &status);
                MPI_Mrecv(&answer, 1, MPI_INT, &message, &status);
                break;
            case 3:
                MPI_Irecv(&answer, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &request);
                while (!flag) MPI_Test(&request, &flag, &status);
                break;
            case 4:
                MPI_Irecv(&answer, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, &status);
                break;
            case 5:
                MPI_Irecv(&answer, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &request);
                MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
                break;
            case 6:
                MPI_Irecv(&answer, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &request);
                MPI_Waitany(1, &request, &index, &status);
                break;
            }
            if (answer != round) fail("answered: round %d: answer %d", round, answer);
        }
        MPI_Group_free(&group);
    }
    /* Some may still have to send here. */
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != ranks * (ranks - 1) / 2) fail("answered: the sum is %d", sum);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
    free(memory);
    free(data);
}

int main(int argc, char **argv)
{
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ring();
    changing();
    operations();
    mixed();
    for (int way = 0; way < 7; way += 3) answered(way);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) printf("right\n");
    MPI_Finalize();
    return all != 0;
}
