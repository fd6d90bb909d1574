/* Heat on a rod in parts, the edge cells exchanged by one of: fence, pscw, flush (lock_all), shared (loads from the
 * neighbours' memory). Any number of ranks; the result is compared with the whole rod computed by each rank. */
#include <string.h>

#include "program.h"

enum { CELLS = 6, STEPS = 3, RANKS_MAX = 64 };

static int rank, ranks, left, right; /* the rod's ends have MPI_PROC_NULL */
static MPI_Win window;
static MPI_Group neighbours;
static double *part; /* [0] and [CELLS + 1] belong to the neighbours */

static void put_edges(void)
{
    MPI_Put(&part[1], 1, MPI_DOUBLE, left, CELLS + 1, 1, MPI_DOUBLE, window);
    MPI_Put(&part[CELLS], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, window);
}

static void by_fence(void)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    put_edges();
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, window);
}

static void by_pscw(void)
{
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    put_edges();
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

static void by_flush(void)
{
    put_edges();
    if (left != MPI_PROC_NULL) MPI_Win_flush(left, window);
    if (right != MPI_PROC_NULL) MPI_Win_flush(right, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
}

static double neighbours_cell(int neighbour, int cell)
{
    MPI_Aint bytes;
    int unit;
    double *theirs;
    if (neighbour == MPI_PROC_NULL) return 0;
    MPI_Win_shared_query(window, neighbour, &bytes, &unit, &theirs);
    return theirs[cell];
}

static void by_shared(void)
{
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    double before = neighbours_cell(left, CELLS), behind = neighbours_cell(right, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    part[0] = before;
    part[CELLS + 1] = behind;
}

static void step(double *cells, int count)
{
    double old = cells[0];
    for (int i = 1; i <= count; i++) {
        double here = cells[i];
        cells[i] = here + 0.25 * (old - 2 * here + cells[i + 1]);
        old = here;
    }
}

/* Whether the part is that of the whole rod, whose cell i is i + 1 at the start. */
static int right_result(void)
{
    double rod[CELLS * RANKS_MAX + 2] = {0};
    for (int i = 1; i <= CELLS * ranks; i++) rod[i] = i;
    for (int i = 0; i < STEPS; i++) step(rod, CELLS * ranks);
    return memcmp(&rod[1 + CELLS * rank], &part[1], CELLS * sizeof *part) == 0;
}

static void make_window(int shared)
{
    MPI_Aint bytes = (CELLS + 2) * sizeof *part;
    MPI_Group world;
    int both[2], count = 0;
    if (left != MPI_PROC_NULL) both[count++] = left;
    if (right != MPI_PROC_NULL) both[count++] = right;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, both, &neighbours);
    MPI_Group_free(&world);
    if (shared)
        MPI_Win_allocate_shared(bytes, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
    else
        MPI_Win_allocate(bytes, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
    memset(part, 0, (size_t)bytes);
    for (int i = 1; i <= CELLS; i++) part[i] = CELLS * rank + i;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*exchange)(void);
        int shared, locked;
    } ways[] = {
        {"fence", by_fence, 0, 0}, {"pscw", by_pscw, 0, 0}, {"flush", by_flush, 0, 1}, {"shared", by_shared, 1, 1}};
    size_t way = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (way < 4 && (argc < 2 || strcmp(argv[1], ways[way].name) != 0)) way++;
    if (way == 4 || ranks > RANKS_MAX) MPI_Abort(MPI_COMM_WORLD, 2);
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    make_window(ways[way].shared);
    if (ways[way].locked) MPI_Win_lock_all(0, window);
    for (int i = 0; i < STEPS; i++) {
        ways[way].exchange();
        step(part, CELLS);
    }
    if (ways[way].locked) MPI_Win_unlock_all(window);
    int right_here = right_result();
    MPI_Group_free(&neighbours);
    MPI_Win_free(&window);
    MPI_Finalize();
    return !right_here;
}
