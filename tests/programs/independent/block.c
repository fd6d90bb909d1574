/* A block of a 3-D grid and its faces. In each step the faces of one dimension move, as subarrays, between the two ranks that are
 * neighbours in it, by post, start, complete and wait. So the group changes from step to step. In each third step the lower
 * neighbour only sends and the upper one only receives:
 *     independent_block [BYTES of a face [STEPS]]: 2 ranks (one dimension is cut) or 4 (two)
 * -DFOLLOWED: a rank posts before it computes, as `post-early` of rmacast advise says. */
#include "tests/programs/independent/program.h"

enum { DIMENSIONS = 2 }; /* that may be cut */

struct cut {
    int neighbour, upper; /* the only neighbour in this dimension; whether it is above */
    MPI_Group group;
    MPI_Datatype own, border; /* my face; its place at the neighbour */
};

static int rank, ranks, n; /* n: cells of an edge, without borders */
static double *cells;
static MPI_Win window;

/* The face of all cells with index `at` in the dimension. */
static MPI_Datatype face(int dimension, int at)
{
    int sizes[3] = {n + 2, n + 2, n + 2}, parts[3] = {n, n, n}, starts[3] = {1, 1, 1};
    MPI_Datatype type;
    parts[dimension] = 1;
    starts[dimension] = at;
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void cut_along(struct cut *cut, int dimension, MPI_Group all)
{
    int bit = 1 << dimension;
    cut->neighbour = rank ^ bit;
    cut->upper = (rank & bit) == 0;
    MPI_Group_incl(all, 1, &cut->neighbour, &cut->group);
    cut->own = face(dimension, cut->upper ? n : 1);
    cut->border = face(dimension, cut->upper ? 0 : n + 1);
}

static void step(int s, const struct cut *cut)
{
    int sends = s % 3 < 2 || cut->upper, receives = s % 3 < 2 || !cut->upper;
#ifdef FOLLOWED
    if (receives) MPI_Win_post(cut->group, 0, window);
    compute(3 + (s + rank * 2) % 4 * 2);
#else
    compute(3 + (s + rank * 2) % 4 * 2);
    if (receives) MPI_Win_post(cut->group, 0, window);
#endif
    if (sends) {
        MPI_Win_start(cut->group, 0, window);
        MPI_Put(cells, 1, cut->own, cut->neighbour, 0, 1, cut->border, window);
        compute(1);
        MPI_Win_complete(window);
    }
    compute(1);
    if (receives) MPI_Win_wait(window);
}

int main(int argc, char **argv)
{
    struct cut cuts[DIMENSIONS];
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argument(argc, argv, 1, 2048), steps = argument(argc, argv, 2, 24), dimensions = ranks / 2;
    if (dimensions < 1 || dimensions > DIMENSIONS) MPI_Abort(MPI_COMM_WORLD, 2);
    for (n = 1; (n + 1) * (n + 1) * (int)sizeof *cells <= bytes;) n++;
    size_t room = (size_t)(n + 2) * (size_t)(n + 2) * (size_t)(n + 2) * sizeof *cells;
    MPI_Win_allocate((MPI_Aint)room, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    for (size_t c = 0; c < room / sizeof *cells; c++) cells[c] = rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int d = 0; d < dimensions; d++) cut_along(&cuts[d], d, all);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int s = 0; s < steps; s++) step(s, &cuts[s % dimensions]);
    MPI_Barrier(MPI_COMM_WORLD);
    double loop_s = MPI_Wtime() - begin;

    double came = cells[((cuts[0].upper ? n + 1 : 0) * (n + 2) + 1) * (n + 2) + 1]; /* a corner of the border */
    int wrong = came < cuts[0].neighbour || came > cuts[0].neighbour;
    if (wrong) fprintf(stderr, "block: rank %d has %g of rank %d\n", rank, came, cuts[0].neighbour);
    if (rank == 0) printf("block %d %d %.6f\n", bytes, ranks, loop_s);
    fflush(stdout);
    for (int d = 0; d < dimensions; d++) {
        MPI_Group_free(&cuts[d].group);
        MPI_Type_free(&cuts[d].own);
        MPI_Type_free(&cuts[d].border);
    }
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    MPI_Finalize();
    return wrong;
}
