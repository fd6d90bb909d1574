/* A sum of vectors up a binary tree of ranks, and the result down again: puts into the place of a child or of the parent, a
 * flush, and a message that says so:
 *     independent_tree [BYTES of a vector [SUMS]] */
#include "tests/programs/independent/program.h"

enum { CHILDREN = 2, PARENT = CHILDREN, PLACES }; /* a place for each child's vector, and one for the parent's result */

static int rank, ranks, children, numbers;
static double *memory, *sum;
static MPI_Win window;

static double *place(int p)
{
    return memory + (size_t)p * (size_t)numbers;
}

static void put(int target, int at, int tag)
{
    MPI_Put(sum, numbers, MPI_DOUBLE, target, (MPI_Aint)at * numbers, numbers, MPI_DOUBLE, window);
    MPI_Win_flush(target, window);
    MPI_Send(NULL, 0, MPI_BYTE, target, tag, MPI_COMM_WORLD);
}

static void await(int source, int tag)
{
    MPI_Recv(NULL, 0, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(window);
}

static void add_children(int i)
{
    for (int c = 0; c < children; c++) {
        await(CHILDREN * rank + 1 + c, i);
        for (int k = 0; k < numbers; k++) sum[k] += place(c)[k];
    }
}

/* Whether the sum is wrong. */
static int iterate(int i)
{
    compute(3 + (i + rank * 2) % 4 * 2);
    for (int k = 0; k < numbers; k++) sum[k] = rank + i;
    add_children(i);
    int parent = (rank - 1) / CHILDREN;
    if (rank > 0) {
        put(parent, (rank - 1) % CHILDREN, i);
        compute(1);
        await(parent, i);
        memcpy(sum, place(PARENT), (size_t)numbers * sizeof *sum);
    }
    for (int c = 0; c < children; c++) put(CHILDREN * rank + 1 + c, PARENT, i);
    int right = ranks * (ranks - 1) / 2 + ranks * i;
    return sum[0] < right || sum[numbers - 1] > right;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 1024), sums = argument(argc, argv, 2, 20);
    numbers = bytes / (int)sizeof *sum;
    while (children < CHILDREN && CHILDREN * rank + 1 + children < ranks) children++;
    sum = malloc((size_t)numbers * sizeof *sum);
    MPI_Aint room = (MPI_Aint)sizeof *sum * numbers * PLACES;
    MPI_Win_allocate(room, sizeof *sum, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < sums; i++) wrong += iterate(i);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;
    MPI_Win_unlock_all(window);

    if (wrong > 0) fprintf(stderr, "tree: %d wrong on rank %d\n", wrong, rank);
    if (rank == 0) printf("tree %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_free(&window);
    free(sum);
    MPI_Finalize();
    return wrong > 0;
}
