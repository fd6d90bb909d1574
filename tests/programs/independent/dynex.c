/* Borders on a ring, in a dynamic window to which each rank attaches its buffers: puts under shared locks, messages behind them,
 * and further messages when the borders are read:
 *     independent_dynex [BYTES of a border [ITERATIONS]]
 * -DFOLLOWED: under one lock of all, as `lock=lock_all` of rmacast advise says. */
#include "tests/programs/independent/program.h"

struct doors {
    MPI_Aint from_left, from_right;
};

static int rank, ranks, left, right, bytes;
static char *out, *in_left, *in_right;
static MPI_Win window;

static void begin_use(int target)
{
#ifndef FOLLOWED
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
#else
    (void)target;
#endif
}

static void end_use(int target)
{
#ifndef FOLLOWED
    MPI_Win_unlock(target, window);
#else
    MPI_Win_flush(target, window);
#endif
}

static void put(int target, MPI_Aint door)
{
    begin_use(target);
    MPI_Put(out, bytes, MPI_BYTE, target, door, bytes, MPI_BYTE, window);
    end_use(target);
}

/* A message to either side, and one from either side. */
static void tell_neighbours(int token, int tag)
{
    int got;
    MPI_Sendrecv(&token, 1, MPI_INT, right, tag, &got, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tag++;
    MPI_Sendrecv(&token, 1, MPI_INT, left, tag, &got, 1, MPI_INT, right, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Whether the borders that came are wrong. */
static int iterate(int i, const struct doors *doors)
{
    compute(5 + (i + rank) % ranks * 6);
    for (int b = 0; b < bytes; b++) out[b] = (char)(i + rank);
    put(right, doors[right].from_left);
    put(left, doors[left].from_right);
    tell_neighbours(i, 1);
    begin_use(rank);
    MPI_Win_sync(window);
    int wrong = in_left[bytes - 1] != (char)(i + left) || in_right[0] != (char)(i + right);
    end_use(rank);
    compute(3);
    tell_neighbours(i, 3);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argument(argc, argv, 1, 512);
    int iterations = argument(argc, argv, 2, 12), wrong = 0;
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    out = malloc((size_t)bytes);
    in_left = malloc((size_t)bytes);
    in_right = malloc((size_t)bytes);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, in_left, bytes);
    MPI_Win_attach(window, in_right, bytes);
    struct doors mine, *doors = malloc((size_t)ranks * sizeof *doors);
    MPI_Get_address(in_left, &mine.from_left);
    MPI_Get_address(in_right, &mine.from_right);
    MPI_Allgather(&mine, 2, MPI_AINT, doors, 2, MPI_AINT, MPI_COMM_WORLD);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
#ifdef FOLLOWED
    MPI_Win_lock_all(0, window);
#endif
    for (int i = 0; i < iterations; i++) wrong += iterate(i, doors);
#ifdef FOLLOWED
    MPI_Win_unlock_all(window);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    if (wrong > 0) fprintf(stderr, "dynex: %d wrong on rank %d\n", wrong, rank);
    if (rank == 0) printf("dynex %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    MPI_Win_detach(window, in_left);
    MPI_Win_detach(window, in_right);
    MPI_Win_free(&window);
    free(doors);
    free(in_right);
    free(in_left);
    free(out);
    MPI_Finalize();
    return wrong > 0;
}
