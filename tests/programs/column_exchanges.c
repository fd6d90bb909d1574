/* Exchanges of a column of a matrix, a data type with gaps, between neighbours on a ring. MPICH over UCX sends such puts and gets
 * as active messages (docs/protocols.md, Types with gaps; validate/campaigns/columns_300us.json):
 *     column_exchanges PATTERN BYTES ITERATIONS
 * The measured loop is between the second and the third MPI_Barrier of MPI_COMM_WORLD. Computing is sleeping. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "tests/programs/exchanges.h"

enum { COLUMNS = 4 };

static int count;
static double *own, *memory;
static MPI_Win window;
static MPI_Group neighbours;
static MPI_Datatype column;

static void compute(double milliseconds)
{
    usleep((useconds_t)(milliseconds * 1000));
}

static void put_columns(double between_ms)
{
    MPI_Put(own, 1, column, left, 0, 1, column, window);
    compute(between_ms);
    MPI_Put(own + 1, 1, column, right, 1, 1, column, window);
}

static void flush_both(void)
{
    MPI_Win_flush(left, window);
    MPI_Win_flush(right, window);
}

static void put(int i)
{
    compute(2 + (rank + i) % 3);
    put_columns(1);
    flush_both();
}

static void get(int i)
{
    compute(2 + (rank + i) % 3);
    MPI_Get(own, 1, column, left, 0, 1, column, window);
    compute(1);
    MPI_Get(own + 1, 1, column, right, 1, 1, column, window);
    flush_both();
}

/* Into rows, and all answers awaited at once. */
static void get_all(int i)
{
    compute(2 + (rank + i) % 3);
    MPI_Get(own, count, MPI_DOUBLE, left, 0, 1, column, window);
    MPI_Get(own + count, count, MPI_DOUBLE, right, 1, 1, column, window);
    compute(1);
    MPI_Win_flush_all(window);
}

/* A row becomes a column, and is written anew behind flush_local. */
static void put_local(int i)
{
    compute(2 + (rank + i) % 3);
    for (int to = 0; to < 2; to++) {
        MPI_Put(own, count, MPI_DOUBLE, to == 0 ? left : right, to, 1, column, window);
        MPI_Win_flush_local(to == 0 ? left : right, window);
        own[0] = i;
        compute(1);
    }
    MPI_Win_flush_all(window);
}

static void pscw(int i)
{
    compute(2 + (rank + i) % 3);
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    put_columns(0);
    compute(1);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

static void fence(int i)
{
    compute(2 + (rank + i) % 3);
    MPI_Win_fence(0, window);
    MPI_Put(own, 1, column, left, 0, 1, column, window);
    MPI_Get(own + 1, 1, column, right, 2, 1, column, window);
    compute(1);
    MPI_Win_fence(0, window);
}

static const struct exchange exchanges[] = {{"put", put, 1},     {"get", get, 1},   {"get_all", get_all, 1},
                                            {"put_local", put_local, 1}, {"pscw", pscw, 0}, {"fence", fence, 0}};

int main(int argc, char **argv)
{
    begin_mpi(&argc, &argv);
    const struct exchange *exchange = find_exchange(exchanges, sizeof exchanges / sizeof *exchanges, argc, argv);
    int bytes = atoi(argv[2]), both[2] = {left, right};
    count = bytes / (int)sizeof *own;
    own = calloc((size_t)count * COLUMNS, sizeof *own);
    MPI_Win_allocate((MPI_Aint)sizeof *own * count * COLUMNS, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Type_vector(count, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, left == right ? 1 : 2, both, &neighbours);
    MPI_Barrier(MPI_COMM_WORLD);
    if (exchange->passive) MPI_Win_lock_all(0, window);
    measure(exchange, bytes, 0, atoi(argv[3]));
    if (exchange->passive) MPI_Win_unlock_all(window);
    MPI_Group_free(&neighbours);
    MPI_Group_free(&world);
    MPI_Type_free(&column);
    MPI_Win_free(&window);
    free(own);
    MPI_Finalize();
    return 0;
}
