/* A list over all ranks in a window of attached memory: every rank attaches an element and hangs it behind its left
 * neighbour's; rank 0 walks it by gets. Any number of ranks. */
#include "program.h"

struct element {
    MPI_Aint next; /* an address at the next rank */
    long value;
};

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Win window;
    MPI_Aint address;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct element *mine = aligned(sizeof *mine), here;
    *mine = (struct element){0, rank + 1};
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, mine, sizeof *mine);
    MPI_Get_address(mine, &address);
    MPI_Aint *all = aligned((size_t)ranks * sizeof *all);
    MPI_Allgather(&address, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank > 0) {
        MPI_Put(&address, 1, MPI_AINT, rank - 1, all[rank - 1], 1, MPI_AINT, window);
        MPI_Win_flush(rank - 1, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    long sum = 0;
    for (int at = 0; rank == 0 && (at == 0 || here.next); at++) {
        MPI_Get(&here, sizeof here, MPI_BYTE, at, at == 0 ? all[0] : here.next, sizeof here, MPI_BYTE, window);
        MPI_Win_flush(at, window);
        sum += here.value;
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, mine);
    MPI_Win_free(&window);
    free(all);
    free(mine);
    MPI_Finalize();
    return rank == 0 && sum != (long)ranks * (ranks + 1) / 2;
}
