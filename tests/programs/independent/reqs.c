/* Blocks are fetched from the right neighbour and written to the left one by operations with requests, while the rank computes:
 *     independent_reqs [BYTES of a block [ITERATIONS]] */
#include "tests/programs/independent/program.h"

enum { BLOCKS = 4 };

static int rank, source, target, bytes;
static char *got, *written; /* BLOCKS blocks each */
static MPI_Win window;      /* the blocks that are read, and behind them those that are written */

/* Whether what was fetched is wrong. */
static int iterate(int it)
{
    MPI_Request reads[BLOCKS], writes[BLOCKS];
    MPI_Status statuses[BLOCKS];
    int half = bytes * BLOCKS;
    for (int c = 0; c < BLOCKS; c++)
        MPI_Rget(got + c * bytes, bytes, MPI_CHAR, source, c * bytes, bytes, MPI_CHAR, window, &reads[c]);
    compute(6 + (rank * 4 + it * 3) % 10);
    MPI_Waitall(BLOCKS, reads, statuses);
    int wrong = got[0] != source + 1 || got[half - 1] != source + 1;
    memset(written, it, (size_t)half);
    for (int c = 0; c < BLOCKS; c++)
        MPI_Rput(written + c * bytes, bytes, MPI_CHAR, target, half + c * bytes, bytes, MPI_CHAR, window, &writes[c]);
    compute(3);
    MPI_Waitall(BLOCKS, writes, statuses);
    MPI_Win_flush(target, window);
    return wrong;
}

int main(int argc, char **argv)
{
    int ranks, wrong = 0;
    char *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 16384);
    int iterations = argument(argc, argv, 2, 12), half = bytes * BLOCKS;
    source = (rank + 1) % ranks;
    target = (rank + ranks - 1) % ranks;
    MPI_Win_allocate(2 * (MPI_Aint)half, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, rank + 1, 2 * (size_t)half);
    got = malloc((size_t)half);
    written = malloc((size_t)half);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Win_lock_all(0, window);
    for (int it = 0; it < iterations; it++) wrong += iterate(it);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    wrong += memory[2 * half - 1] != iterations - 1;
    if (wrong > 0) fprintf(stderr, "reqs: %d wrong on rank %d\n", wrong, rank);
    if (rank == 0) printf("reqs %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&window);
    free(written);
    free(got);
    MPI_Finalize();
    return wrong > 0;
}
