/* A hash map with open addressing, as of BCL: MPI_Compare_and_swap reserves a slot, MPI_Put and a flush write the entry, and
 * MPI_Fetch_and_op with MPI_REPLACE makes it ready. A search gets state and entry at once and goes on while another key is there:
 *     holdout_hashmap [BYTES of an entry [ROUNDS]]
 * Each rank inserts its keys, and searches those that it has inserted two rounds before. */
#include "tests/programs/independent/program.h"

enum { SLOTS = 512, FREE = 0, RESERVED = 1, READY = 2, INSERTS = 3, SEARCHES = 4 };

static int rank, ranks, bytes, slot_bytes; /* a slot: its state, its key, the rest of the entry */
static char *slots, *entry;
static MPI_Win window;

static unsigned hash_key(long key)
{
    return (unsigned)key * 2654435761u >> 8;
}

static MPI_Aint slot_of(unsigned hash, int probe)
{
    return (MPI_Aint)((hash / (unsigned)ranks + (unsigned)probe) % SLOTS) * slot_bytes;
}

static void insert_key(long key)
{
    unsigned hash = hash_key(key);
    int owner = (int)(hash % (unsigned)ranks);
    for (int probe = 0; probe < SLOTS; probe++) {
        long expected = FREE, wanted = RESERVED, ready = READY, before;
        MPI_Aint place = slot_of(hash, probe);
        MPI_Compare_and_swap(&wanted, &expected, &before, MPI_LONG, owner, place, window);
        MPI_Win_flush(owner, window);
        if (before != FREE)
            continue;
        memcpy(entry + sizeof(long), &key, sizeof key);
        MPI_Put(entry + sizeof(long), slot_bytes - (int)sizeof(long), MPI_BYTE, owner, place + (MPI_Aint)sizeof(long),
                slot_bytes - (int)sizeof(long), MPI_BYTE, window);
        MPI_Win_flush(owner, window);
        MPI_Fetch_and_op(&ready, &before, MPI_LONG, owner, place, MPI_REPLACE, window);
        MPI_Win_flush(owner, window);
        return;
    }
}

/* 1 if the key is there. */
static int search_key(long key)
{
    unsigned hash = hash_key(key);
    int owner = (int)(hash % (unsigned)ranks);
    for (int probe = 0; probe < SLOTS; probe++) {
        MPI_Get(entry, slot_bytes, MPI_BYTE, owner, slot_of(hash, probe), slot_bytes, MPI_BYTE, window);
        MPI_Win_flush(owner, window);
        long state, found;
        memcpy(&state, entry, sizeof state);
        memcpy(&found, entry + sizeof(long), sizeof found);
        if (state == READY && found == key)
            return 1;
        if (state == FREE)
            return 0;
    }
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 64);
    int rounds = argument(argc, argv, 2, 8), missing = 0;
    slot_bytes = (int)(2 * sizeof(long)) + (bytes + 7) / 8 * 8;
    entry = calloc(1, (size_t)slot_bytes);
    MPI_Win_allocate((MPI_Aint)SLOTS * slot_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &slots, &window);
    memset(slots, 0, (size_t)SLOTS * (size_t)slot_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < INSERTS; k++) {
            compute(1.2 + 0.9 * ((rank + round + k) % 3));
            insert_key(1 + rank + ranks * (long)(round * INSERTS + k));
        }
        for (int k = 0; k < SEARCHES; k++) {
            compute(0.8 + 0.5 * ((rank * 2 + k) % 4));
            missing += round > 1 && k < INSERTS && !search_key(1 + rank + ranks * (long)((round - 2) * INSERTS + k));
        }
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("hashmap %d %d %.6f\n", bytes, ranks, MPI_Wtime() - begin);
    MPI_Win_free(&window);
    free(entry);
    MPI_Finalize();
    return missing > 0;
}
