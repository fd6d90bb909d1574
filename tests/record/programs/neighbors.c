/* Neighbourhood collectives on every kind of topology; each checks what it received. */
#include "program.h"

#include <string.h>

static int rank, left, right;

/* A line of four: the edges have MPI_PROC_NULL. */
static int on_a_grid(void)
{
    MPI_Comm line;
    int size = 4, periodic = 0, out[6], in[6] = {-1, -1, -1, -1, -1, -1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    for (int i = 0; i < 6; i++) out[i] = 10 * rank + i;
    MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, line);
#if MPI_VERSION >= 4
    MPI_Neighbor_alltoall_c(out, 3, MPI_INT, in, 3, MPI_INT, line);
#else
    MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, line);
#endif
    MPI_Comm_free(&line);
    return in[0] != (rank > 0 ? 10 * rank - 7 : -1) || in[5] != (rank < 3 ? 10 * rank + 12 : -1);
}

/* Twice from the left, twice to the right, and to oneself. */
static int on_a_distributed_graph(void)
{
    MPI_Comm ring;
    int from[] = {left, rank, left}, to[] = {right, right, rank};
    int counts[] = {1, 2, 1}, places[] = {0, 1, 3}, in_counts[] = {1, 1, 2}, in_places[] = {0, 1, 2};
    MPI_Aint bytes[] = {0, 4, 12}, in_bytes[] = {0, 4, 8};
    MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
    int out[] = {rank, 10 + rank, 20 + rank, 30 + rank}, in[4], again[4];
    MPI_Request request;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, MPI_UNWEIGHTED, 3, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, in_counts, in_places, MPI_INT, ring);
    MPI_Ineighbor_alltoallw(out, counts, bytes, types, again, in_counts, in_bytes, types, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    int wrong = in[0] != left || in[1] != 30 + rank || in[2] != 10 + left || in[3] != 20 + left;
    return wrong || memcmp(in, again, sizeof in) != 0;
}

/* Rank 0 and each of the others, its communicator in reversed order. */
static int on_a_graph(void)
{
    MPI_Comm reversed, star;
    int degrees[] = {3, 4, 5, 6}, edges[] = {1, 2, 3, 0, 0, 0}, mine, counts[] = {1, 1, 1}, places[] = {0, 1, 2};
    int in[] = {-1, -1, -1};
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Graph_create(reversed, 4, degrees, edges, 0, &star);
    MPI_Comm_rank(star, &mine);
    MPI_Neighbor_allgatherv(&mine, 1, MPI_INT, in, counts, places, MPI_INT, star);
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, star);
    MPI_Comm_free(&star);
    int from[] = {mine, 0}, out_degrees[] = {2, 1}, to[] = {0, 3, mine}; /* from oneself to the ends, from the first */
    MPI_Dist_graph_create(reversed, 2, from, out_degrees, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
    MPI_Comm_free(&star);
    MPI_Comm_free(&reversed);
    return mine == 0 ? in[0] != 1 || in[1] != 2 || in[2] != 3 : in[0] != 0 || in[1] != -1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    left = (rank + 3) % 4;
    right = (rank + 1) % 4;
    int wrong = on_a_grid() + on_a_distributed_graph() + on_a_graph();
    MPI_Finalize();
    return wrong;
}
