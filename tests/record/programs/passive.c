/* Passive target in every form, on any number of ranks: a stencil with lock_all and flush, a hash table of fetch_and_op
 * and compare_and_swap, operations with requests, windows of shared memory and of attached memory. */
#include <string.h>

#include "program.h"

static int rank, ranks, left, right;

static void stencil(void)
{
    double *field;
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof *field, sizeof *field, MPI_INFO_NULL, MPI_COMM_WORLD, &field, &window);
    memset(field, 0, 8 * sizeof *field);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    for (int step = 0; step < 2; step++) {
        MPI_Put(&field[1], 2, MPI_DOUBLE, left, 6, 2, MPI_DOUBLE, window);
        MPI_Put(&field[3], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, window);
        MPI_Win_flush(left, window);
        MPI_Win_flush_local(right, window);
        MPI_Win_flush_all(window);
        MPI_Win_flush_local_all(window);
        MPI_Win_sync(window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Every rank claims one cell of its right neighbour's table and counts itself there. */
static void hash_table(void)
{
    long *table, empty = -1, mine = rank, found = 7, count = 1, before = 7, all[4];
    MPI_Win window;
    MPI_Win_allocate(4 * sizeof *table, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &window);
    table[0] = -1;
    table[1] = table[2] = table[3] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Compare_and_swap(&mine, &empty, &found, MPI_LONG, right, 0, window);
    MPI_Fetch_and_op(&count, &before, MPI_LONG, right, 8, MPI_SUM, window);
    MPI_Win_flush(right, window);
    MPI_Get_accumulate(NULL, 0, MPI_LONG, all, 2, MPI_LONG, right, 0, 2, MPI_LONG, MPI_NO_OP, window);
    MPI_Get_accumulate(&count, 1, MPI_LONG, &before, 1, MPI_LONG, right, 16, 1, MPI_LONG, MPI_MAX, window);
    MPI_Win_flush(right, window);
    MPI_Win_unlock_all(window);
    if (found != -1 || all[0] != rank || all[1] != 1 || before != 0) exit(1);
    MPI_Win_free(&window);
}

/* A vector of every second int: 3 of 5 ints move. */
static void requests(void)
{
    int *memory, out[5] = {1, 0, 2, 0, 3}, in[5] = {0}, result[5];
    MPI_Datatype every_second;
    MPI_Win window;
    MPI_Request each[3], one;
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, 64);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
    MPI_Rput(out, 1, every_second, right, 1, 1, every_second, window, &each[0]);
    MPI_Raccumulate(out, 3, MPI_INT, right, 8, 3, MPI_INT, MPI_SUM, window, &each[1]);
    MPI_Rget_accumulate(out, 1, MPI_INT, result, 1, MPI_INT, right, 12, 1, MPI_INT, MPI_REPLACE, window, &each[2]);
    MPI_Waitall(3, each, MPI_STATUSES_IGNORE);
    MPI_Win_flush(right, window);
    MPI_Rget(in, 1, every_second, right, 1, 1, every_second, window, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Win_unlock(right, window);
    if (in[0] != 1 || in[2] != 2 || in[4] != 3) exit(1);
    MPI_Type_free(&every_second);
    MPI_Win_free(&window);
}

static void shared(void)
{
    int *mine, *theirs, unit;
    MPI_Aint bytes;
    MPI_Win window;
    MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    MPI_Win_shared_query(window, right, &bytes, &unit, &theirs);
    MPI_Win_lock_all(0, window);
    theirs[0] = rank;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (mine[0] != left || bytes != 16 || unit != 4) exit(1);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void dynamic(void)
{
    int *memory = aligned(64), value = rank;
    MPI_Aint address, target;
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, 64);
    MPI_Get_address(memory, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, left, 1, &target, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    MPI_Put(&value, 1, MPI_INT, right, target, 1, MPI_INT, window);
    MPI_Win_unlock(right, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (memory[0] != left) exit(1);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
    free(memory);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    stencil();
    hash_table();
    requests();
    shared();
    dynamic();
    MPI_Finalize();
    return 0;
}
