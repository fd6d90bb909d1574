/* Tasks in a queue of each rank: its owner takes two from the front, and then steals one from the back of another rank's queue,
 * under exclusive locks. Who takes how many is known before, so that all runs make the same calls:
 *     independent_steal [BYTES of a task [ROUNDS]] */
#include "tests/programs/independent/program.h"

enum { FRONT, BACK, TAKEN, FIELDS = 4 }; /* an even number: MPICH needs memory at multiples of 16 bytes */

static int rank, ranks, bytes;
static char *memory, *task;
static MPI_Win window; /* FRONT, BACK, TAKEN, and the tasks */

static MPI_Aint place(long index)
{
    return (MPI_Aint)(FIELDS * sizeof(long)) + (MPI_Aint)index * bytes;
}

/* Takes the task at the front of the own queue, or at the back of a victim's. */
static void take(int victim, int end)
{
    long ends[2], one = 1, now;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, window);
    MPI_Get(ends, 2, MPI_LONG, victim, FRONT * (MPI_Aint)sizeof(long), 2, MPI_LONG, window);
    MPI_Win_flush(victim, window);
    long index = end == FRONT ? ends[FRONT] : ends[BACK] - 1;
    now = end == FRONT ? index + 1 : index;
    MPI_Get(task, bytes, MPI_BYTE, victim, place(index), bytes, MPI_BYTE, window);
    MPI_Put(&now, 1, MPI_LONG, victim, end * (MPI_Aint)sizeof(long), 1, MPI_LONG, window);
    MPI_Win_unlock(victim, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, TAKEN * (MPI_Aint)sizeof(long), 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_unlock(0, window);
}

static void play(int round)
{
    for (int own = 0; own < 2; own++) {
        take(rank, FRONT);
        compute(2 + (round * 3 + rank * 2 + own) % 5);
    }
    take((rank + 1 + round % (ranks - 1)) % ranks, BACK);
    compute(3 + (round + rank) % 3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
    bytes = argument(argc, argv, 1, 256);
    int rounds = argument(argc, argv, 2, 12);
    long ends[FIELDS] = {0, 4 * rounds, 0};
    task = malloc((size_t)bytes);
    MPI_Win_allocate(place(4 * rounds), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, rank, (size_t)place(4 * rounds));
    memcpy(memory, ends, sizeof ends);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int r = 0; r < rounds; r++) play(r);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    memcpy(ends, memory, sizeof ends);
    MPI_Win_unlock(rank, window);
    int wrong = ends[FRONT] != 2 * rounds || (rank == 0 && ends[TAKEN] != 3L * rounds * ranks);
    if (wrong) fprintf(stderr, "steal: rank %d took %ld, of all %ld\n", rank, ends[FRONT], ends[TAKEN]);
    if (rank == 0) printf("steal %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&window);
    free(task);
    MPI_Finalize();
    return wrong;
}
