/* Breadth-first search by levels: who reaches a vertex offers its distance to the owner by an accumulate with MPI_MIN
 * between fences. Vertex v has the neighbours 2v + 1 and 2v + 2, modulo their number. Any number of ranks. */
#include <limits.h>

#include "program.h"

enum { EACH = 4 }; /* vertices of one rank */

/* By hand over all vertices: the distance of vertex v without the ring closing is the level in the binary tree, and no
 * shorter way leads over the ring, since its edges only go to vertices of smaller number and thus of no greater level.
 */
static int level(int vertex)
{
    int depth = 0;
    for (int v = vertex; v > 0; v = (v - 1) / 2) depth++;
    return depth;
}

int main(int argc, char **argv)
{
    int rank, ranks, *distance, changed = 1, right = 1;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int vertices = EACH * ranks;
    MPI_Win_allocate(EACH * sizeof *distance, sizeof *distance, MPI_INFO_NULL, MPI_COMM_WORLD, &distance, &window);
    for (int i = 0; i < EACH; i++) distance[i] = rank == 0 && i == 0 ? 0 : INT_MAX;
    for (int step = 0; changed; step++) {
        int offered[EACH * 2], count = 0, mine = 0;
        for (int i = 0; i < EACH; i++)
            for (int k = 1; k <= 2 && distance[i] == step; k++)
                offered[count++] = (2 * (EACH * rank + i) + k) % vertices;
        const int next = step + 1;
        MPI_Win_fence(0, window);
        for (int i = 0; i < count; i++)
            MPI_Accumulate(&next, 1, MPI_INT, offered[i] / EACH, offered[i] % EACH, 1, MPI_INT, MPI_MIN, window);
        MPI_Win_fence(0, window);
        for (int i = 0; i < EACH; i++) mine = mine || distance[i] == next;
        MPI_Allreduce(&mine, &changed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    }
    for (int i = 0; i < EACH; i++) right = right && distance[i] == level(EACH * rank + i);
    MPI_Win_free(&window);
    MPI_Finalize();
    return !right;
}
