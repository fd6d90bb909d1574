/* A pipeline around a ring: each rank adds one to its block and hands it on, by a put between fences with assertions:
 *     independent_ringpipe [BYTES of a block [ROUNDS]]
 * -DFOLLOWED: by post, start, complete and wait, as `fence=pscw` of rmacast advise says. */
#include "tests/programs/independent/program.h"

#ifdef FOLLOWED
static MPI_Group previous, next_one;

static void make_groups(int rank, int ranks)
{
    int before = (rank + ranks - 1) % ranks, behind = (rank + 1) % ranks;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &before, &previous);
    MPI_Group_incl(world, 1, &behind, &next_one);
    MPI_Group_free(&world);
}

static void open_epoch(MPI_Win window)
{
    MPI_Win_post(previous, 0, window);
    MPI_Win_start(next_one, 0, window);
}

static void close_epoch(int last, MPI_Win window)
{
    (void)last;
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}
#else
static void make_groups(int rank, int ranks)
{
    (void)rank;
    (void)ranks;
}

static void open_epoch(MPI_Win window)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
}

static void close_epoch(int last, MPI_Win window)
{
    MPI_Win_fence(last ? MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED : MPI_MODE_NOSTORE, window);
}
#endif

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 4096), rounds = argument(argc, argv, 2, 16);
    int count = bytes / (int)sizeof(int), next = (rank + 1) % ranks;

    int *inbox, *block = malloc((size_t)count * sizeof *block);
    for (int i = 0; i < count; i++) block[i] = rank;
    MPI_Win window;
    MPI_Win_allocate(count * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &inbox, &window);
    memset(inbox, 0, (size_t)count * sizeof *inbox);
    make_groups(rank, ranks);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    open_epoch(window);
    for (int k = 0; k < rounds; k++) {
        int last = k == rounds - 1;
        MPI_Put(block, count, MPI_INT, next, 0, count, MPI_INT, window);
        compute(2 + 1.5 * ((rank * 7 + k * 3) % 5));
        close_epoch(last, window);
        for (int i = 0; i < count; i++) block[i] = inbox[i] + 1;
        compute(rank == k % ranks ? 7 : 1);
        if (!last) open_epoch(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    int expected = (rank + ranks * rounds - rounds) % ranks + rounds;
    int wrong = block[0] != expected || block[count - 1] != expected;
    if (wrong) fprintf(stderr, "ringpipe: rank %d has %d, expected %d\n", rank, block[0], expected);
    if (rank == 0) printf("ringpipe %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&window);
    free(block);
    MPI_Finalize();
    return wrong;
}
