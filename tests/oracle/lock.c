/* Puts to the right-hand neighbour under exclusive locks. */
#include "halo.h"

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    MPI_Win win;
    int target = halo.neighbours[1];
    MPI_Win_create(halo.in, (MPI_Aint)NEIGHBOURS * halo.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < halo.iterations; i++) {
        halo_compute(&halo, i);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        MPI_Put(halo.out, halo.bytes, MPI_BYTE, target, 0, halo.bytes, MPI_BYTE, win);
        MPI_Win_unlock(target, win);
    }
    MPI_Win_free(&win);
    halo_finish(&halo);
    return 0;
}
