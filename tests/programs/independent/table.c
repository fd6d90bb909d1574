/* A distributed hash table. Each bucket has a head, a counter of entries, and room for entries, chained by their numbers.
 * An insertion takes an entry, writes it, swaps the head for it, and links it to the head before. A search fetches the head, then
 * entry by entry. Entry 0 ends a chain and follows itself:
 *     independent_table [BYTES of a value [ROUNDS]]
 * Each rank inserts and searches the same keys in each run. Only the numbers of entries depend on who is first. */
#include "tests/programs/independent/program.h"

enum { BUCKETS = 8, ROOM = 256, HOPS = 2, HEADS = BUCKETS * (int)sizeof(long) }; /* buckets of each rank, entries of a bucket */

static int rank, ranks, bytes, entry_bytes; /* of an entry: the number of the next one, and the value */
static char *memory, *value, *found;
static MPI_Win window; /* counters, heads, entries of all buckets of a rank */

static MPI_Aint counter_of(int bucket)
{
    return bucket * (MPI_Aint)sizeof(long);
}

static MPI_Aint entry_of(int bucket, long entry)
{
    return 2 * HEADS + ((MPI_Aint)bucket * ROOM + entry) * entry_bytes;
}

static void insert(int owner, int bucket)
{
    long one = 1, entry, before;
    MPI_Fetch_and_op(&one, &entry, MPI_LONG, owner, counter_of(bucket), MPI_SUM, window);
    MPI_Win_flush(owner, window);
    MPI_Put(value, bytes, MPI_BYTE, owner, entry_of(bucket, entry) + (MPI_Aint)sizeof(long), bytes, MPI_BYTE, window);
    MPI_Win_flush(owner, window);
    MPI_Get_accumulate(&entry, 1, MPI_LONG, &before, 1, MPI_LONG, owner, HEADS + counter_of(bucket), 1, MPI_LONG, MPI_REPLACE,
                       window);
    MPI_Win_flush(owner, window);
    MPI_Accumulate(&before, 1, MPI_LONG, owner, entry_of(bucket, entry), 1, MPI_LONG, MPI_REPLACE, window);
    MPI_Win_flush(owner, window);
}

static long fetch(int owner, MPI_Aint place)
{
    long nothing = 0, number;
    MPI_Fetch_and_op(&nothing, &number, MPI_LONG, owner, place, MPI_NO_OP, window);
    MPI_Win_flush(owner, window);
    return number;
}

/* The number of entries that do not have the value of all entries. */
static int search(int owner, int bucket)
{
    int wrong = 0;
    long entry = fetch(owner, HEADS + counter_of(bucket));
    for (int h = 0; h < HOPS; h++) {
        MPI_Get(found, bytes, MPI_BYTE, owner, entry_of(bucket, entry) + (MPI_Aint)sizeof(long), bytes, MPI_BYTE, window);
        entry = fetch(owner, entry_of(bucket, entry));
        wrong += memcmp(found, value, (size_t)bytes) != 0;
    }
    return wrong;
}

static int play(int round)
{
    int wrong = 0;
    for (int k = 0; k < 2; k++) {
        int key = round * 7 + rank * 3 + k * 5;
        compute(3 + key % 5);
        insert(key % ranks, key / ranks % BUCKETS);
        compute(2 + key % 3);
        wrong += search((key + 1) % ranks, key % BUCKETS);
    }
    return wrong;
}

/* Each bucket has entry 0. */
static void fill_own_buckets(void)
{
    long one = 1;
    memset(memory, 0, (size_t)entry_of(BUCKETS, 0));
    for (int b = 0; b < BUCKETS; b++) {
        memcpy(memory + counter_of(b), &one, sizeof one);
        memset(memory + entry_of(b, 0) + sizeof(long), 1, (size_t)bytes);
    }
}

int main(int argc, char **argv)
{
    int wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 64);
    int rounds = argument(argc, argv, 2, 12);
    entry_bytes = bytes + (int)sizeof(long);
    value = malloc((size_t)bytes);
    found = malloc((size_t)bytes);
    memset(value, 1, (size_t)bytes);
    MPI_Win_allocate(entry_of(BUCKETS, 0), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    fill_own_buckets();

    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int r = 0; r < rounds; r++) wrong += play(r);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;
    MPI_Win_unlock_all(window);

    if (wrong > 0) fprintf(stderr, "table: %d wrong on rank %d\n", wrong, rank);
    if (rank == 0) printf("table %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&window);
    free(found);
    free(value);
    MPI_Finalize();
    return wrong > 0;
}
