/* A hash table over all ranks: each insert claims a slot with a compare-and-swap, writes the value, and flushes both. */
#include <mpi.h>
#include <stdlib.h>

enum { SLOTS = 4096, INSERTS = 6 };

static MPI_Aint slot_at(long key, int *owner, int ranks)
{
    unsigned long hash = (unsigned long)key * 2654435761u;
    *owner = (int)(hash % (unsigned long)ranks);
    return (MPI_Aint)(hash / (unsigned long)ranks % SLOTS) * 2;
}

static void insert(MPI_Win window, int ranks, long key, long value)
{
    long empty = 0, found;
    int owner;
    MPI_Aint slot = slot_at(key, &owner, ranks);
    for (;;) {
        MPI_Compare_and_swap(&key, &empty, &found, MPI_LONG, owner, slot, window);
        MPI_Win_flush(owner, window);
        if (found == 0 || found == key) break;
        slot = (slot + 2) % (2 * SLOTS);
    }
    MPI_Put(&value, 1, MPI_LONG, owner, slot + 1, 1, MPI_LONG, window);
    MPI_Win_flush(owner, window);
}

static double hash_work(long rounds)
{
    volatile double x = 1;
    for (long i = 0; i < rounds; i++) x = x * 1.0000001 + 1e-9;
    return x;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    long *slots;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(2 * SLOTS * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &slots, &window);
    for (int i = 0; i < 2 * SLOTS; i++) slots[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (long i = 0; i < INSERTS; i++) {
        hash_work(rank == 2 ? 1500000 : 500000);
        insert(window, ranks, 1 + i * ranks + rank, i);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
