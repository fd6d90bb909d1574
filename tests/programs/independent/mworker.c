/* Workers read the state at the master under an exclusive lock, compute, and write their part back under another one. The master
 * looks at its own window between:
 *     independent_mworker [BYTES of a part [ROUNDS]] */
#include "tests/programs/independent/program.h"

static int rank, ranks, bytes;
static char *shared;
static MPI_Win window;

/* The sum of what it saw. */
static long be_master(int rounds)
{
    long seen = 0;
    for (int i = 0; i < rounds; i++) {
        compute(9 + i % 3 * 2);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        for (int w = 1; w < ranks; w++) seen += shared[w * bytes];
        shared[0] = (char)i;
        MPI_Win_unlock(0, window);
    }
    return seen;
}

static void be_worker(int rounds)
{
    char *state = malloc((size_t)bytes), *mine = malloc((size_t)bytes);
    for (int i = 0; i < rounds; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(state, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, window);
        MPI_Win_unlock(0, window);
        compute(5 + 3 * ((rank + i) % 4));
        memset(mine, 1 + state[0] % 100, (size_t)bytes);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(mine, bytes, MPI_BYTE, 0, rank * bytes, bytes, MPI_BYTE, window);
        MPI_Win_unlock(0, window);
    }
    free(state);
    free(mine);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 128);
    int rounds = argument(argc, argv, 2, 15), room = rank == 0 ? bytes * ranks : 0;
    long seen = 0;
    MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    if (rank == 0) memset(shared, 0, (size_t)room);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    if (rank == 0)
        seen = be_master(rounds);
    else
        be_worker(rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    if (rank == 0) printf("mworker %d %d %.6f seen %ld\n", bytes, ranks, loop_s, seen);
    fflush(stdout);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
