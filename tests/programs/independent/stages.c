/* A pipeline: each rank but the last one writes blocks to the next rank, into two places in turn, by MPI_Rput. A message says
 * that a block has come, another one that its place is free. MPI_Waitany waits for whatever comes first. The last rank keeps each
 * block; rank 0 gets what it kept by MPI_Rget at the end:
 *     independent_stages [BYTES of a block [BLOCKS]] */
#include "tests/programs/independent/program.h"

enum { PLACES = 2, FULL = 1, FREE = 2 };

static int rank, ranks, bytes;
static char *memory, *own[PLACES];
static MPI_Win window;

static MPI_Aint place(int block)
{
    return (MPI_Aint)(block % PLACES) * bytes;
}

/* The first rank makes a block, another one waits for it and works on it. */
static int receive(int block)
{
    int number = block;
    if (rank > 0) MPI_Recv(&number, 1, MPI_INT, rank - 1, FULL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(4 + (block + rank) % 3 * 3);
    return number != block || (rank > 0 && memory[place(block)] != (char)(block + 1));
}

/* Into the next rank's place, which the message of `freed` says is free. While the put leaves, nobody touches own[]. */
static void send(int block, MPI_Request *put, MPI_Request *freed)
{
    MPI_Request both[2] = {*put, *freed};
    for (int waits = 0, which; waits < 2; waits++) MPI_Waitany(2, both, &which, MPI_STATUS_IGNORE);
    memset(own[block % PLACES], block + 1, (size_t)bytes);
    MPI_Rput(own[block % PLACES], bytes, MPI_BYTE, rank + 1, place(block), bytes, MPI_BYTE, window, put);
    compute(2);
    MPI_Win_flush(rank + 1, window);
    MPI_Send(&block, 1, MPI_INT, rank + 1, FULL, MPI_COMM_WORLD);
}

static int run(int blocks)
{
    int wrong = 0, token = 0;
    MPI_Status statuses[PLACES];
    MPI_Request puts[PLACES] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, freed[PLACES] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int b = 0; b < blocks; b++) {
        wrong += receive(b);
        if (rank < ranks - 1) {
            send(b, &puts[b % PLACES], &freed[b % PLACES]);
            MPI_Irecv(&token, 1, MPI_INT, rank + 1, FREE, MPI_COMM_WORLD, &freed[b % PLACES]);
        }
        if (rank > 0) MPI_Send(&b, 1, MPI_INT, rank - 1, FREE, MPI_COMM_WORLD);
    }
    MPI_Waitall(PLACES, puts, statuses);
    MPI_Waitall(PLACES, freed, statuses);
    return wrong;
}

/* Both places of the last rank, in the order in which they come. */
static int collect(int blocks)
{
    MPI_Request gets[PLACES];
    int wrong = 0;
    for (int p = 0; p < PLACES; p++)
        MPI_Rget(own[p], bytes, MPI_BYTE, ranks - 1, place(p), bytes, MPI_BYTE, window, &gets[p]);
    for (int waits = 0, which; waits < PLACES; waits++) {
        MPI_Waitany(PLACES, gets, &which, MPI_STATUS_IGNORE);
        compute(1);
        wrong += own[which][bytes - 1] <= blocks - PLACES;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 65536);
    int blocks = argument(argc, argv, 2, 10);
    MPI_Win_allocate((MPI_Aint)bytes * PLACES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, (size_t)bytes * PLACES);
    for (int p = 0; p < PLACES; p++) own[p] = calloc((size_t)bytes, 1);

    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    int wrong = run(blocks);
    if (rank == 0) {
        int done;
        MPI_Recv(&done, 1, MPI_INT, ranks - 1, FULL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += collect(blocks);
    } else if (rank == ranks - 1)
        MPI_Send(&blocks, 1, MPI_INT, 0, FULL, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;
    MPI_Win_unlock_all(window);

    if (wrong > 0) fprintf(stderr, "stages: %d wrong on rank %d\n", wrong, rank);
    if (rank == 0) printf("stages %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&window);
    for (int p = 0; p < PLACES; p++) free(own[p]);
    MPI_Finalize();
    return wrong > 0;
}
