/* A hash table over all ranks with open addressing: a place is claimed by compare_and_swap, the owner's entries are
 * counted by fetch_and_op. Keys collide within an owner's part. Any number of ranks. (MPICH 4.0 misses a part that does
 * not begin at a multiple of 16 bytes, hence 63 places.) */
#include "program.h"

enum { KEYS = 4, PLACES = 63, FREE = 0 };

static MPI_Win window; /* [0]: entries, then the places */

static void insert(long key, int owner)
{
    long found = -1, one = 1, before;
    const long none = FREE;
    for (long place = key % 3; found != FREE; place++) {
        MPI_Compare_and_swap(&key, &none, &found, MPI_LONG, owner, 1 + place % PLACES, window);
        MPI_Win_flush(owner, window);
    }
    MPI_Fetch_and_op(&one, &before, MPI_LONG, owner, 0, MPI_SUM, window);
    MPI_Win_flush_local(owner, window);
}

int main(int argc, char **argv)
{
    int rank, ranks, there = 0;
    long *part, sum = 0, total, entries;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate((1 + PLACES) * sizeof *part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
    for (int i = 0; i <= PLACES; i++) part[i] = FREE;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < KEYS; i++) {
        long key = 1 + rank + ranks * i;
        insert(key, (int)(key * 7 % ranks));
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    entries = part[0];
    for (int i = 1; i <= PLACES; i++) {
        there += part[i] != FREE;
        sum += part[i];
    }
    MPI_Win_unlock(rank, window);
    MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    long keys = (long)KEYS * ranks;
    return there != entries || total != keys * (keys + 1) / 2; /* the keys are 1, 2, ..., keys */
}
