/* Ring of ranks: each puts 512 bytes to its left and right neighbour under post/start/complete/wait, 5 times. */
#include "program.h"

enum { BYTES = 512, ITERATIONS = 5 };

int main(int argc, char **argv)
{
    int rank, ranks;
    char *memory, data[BYTES] = {0};
    MPI_Win window;
    MPI_Group world, neighbours;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int both[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, both, &neighbours);
    MPI_Win_allocate(2 * BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_name(window, "halo of 512");
    for (int i = 0; i < ITERATIONS; i++) {
        compute_ms(1 + rank);
        MPI_Win_post(neighbours, 0, window);
        MPI_Win_start(neighbours, 0, window);
        MPI_Put(data, BYTES, MPI_CHAR, both[0], BYTES, BYTES, MPI_CHAR, window);
        MPI_Put(data, BYTES, MPI_CHAR, both[1], 0, BYTES, MPI_CHAR, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&neighbours);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
