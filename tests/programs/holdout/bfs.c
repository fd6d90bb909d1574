/* Breadth-first search of a graph whose vertices belong to ranks, as the one-sided reference of Graph500: the parent of each
 * vertex that a rank reaches goes to its owner by MPI_Accumulate with MPI_MIN between fences; an all-reduce says when to end:
 *     holdout_bfs [BYTES of parents of each rank [SEARCHES]]
 * The graph is the same in each run: vertex v leads to 3 v + 1, 5 v + 2 and v + 7, modulo the number of vertices. */
#include "tests/programs/independent/program.h"

enum { EDGES = 3, CHUNK = 64 }; /* edges of a vertex; vertices that a rank handles between two bursts of accumulates */

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int own = argument(argc, argv, 1, 512) / (int)sizeof(long), searches = argument(argc, argv, 2, 4);
    long vertices = (long)own * ranks, *parents, *update = malloc((size_t)own * EDGES * sizeof *update), reached = 0;
    char *done = malloc((size_t)own);
    int *frontier = malloc((size_t)own * sizeof *frontier);
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)own * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &parents, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int search = 0; search < searches; search++) {
        for (int v = 0; v < own; v++) {
            parents[v] = vertices;
            done[v] = 0;
        }
        if (rank == search % ranks)
            parents[search % own] = rank * (long)own + search % own;
        for (long more = 1; more > 0;) {
            int updates = 0;
            more = 0;
            for (int v = 0; v < own; v++) {
                if (!done[v] && parents[v] != vertices)
                    frontier[more++] = v;
            }
            MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
            for (int f = 0; f < more; f++) {
                long from = rank * (long)own + frontier[f];
                done[frontier[f]] = 1;
                for (int e = 0; e < EDGES; e++) {
                    long to = (e == 0 ? 3 * from + 1 : e == 1 ? 5 * from + 2 : from + 7) % vertices;
                    update[updates] = from;
                    MPI_Accumulate(update + updates++, 1, MPI_LONG, (int)(to / own), to % own, 1, MPI_LONG, MPI_MIN, window);
                }
                if (f % CHUNK == CHUNK - 1)
                    compute(0.5);
            }
            compute(0.7 + 0.2 * rank); /* looks through the own vertices */
            MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
            MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            reached += more;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("bfs %d %d %.6f (%ld vertices reached)\n", own * (int)sizeof(long), ranks, MPI_Wtime() - begin, reached);
    MPI_Win_free(&window);
    free(update);
    free(done);
    free(frontier);
    MPI_Finalize();
    return reached == 0;
}
