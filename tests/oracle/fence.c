/* Halo exchange by puts between fences. */
#include "halo.h"

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    MPI_Win win;
    MPI_Win_create(halo.in, (MPI_Aint)NEIGHBOURS * halo.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int i = 0; i < halo.iterations; i++) {
        halo_compute(&halo, i);
        for (int k = 0; k < NEIGHBOURS; k++)
            MPI_Put(halo.out + k * halo.bytes, halo.bytes, MPI_BYTE, halo.neighbours[k],
                    (MPI_Aint)(k ^ 1) * halo.bytes, halo.bytes, MPI_BYTE, win);
        MPI_Win_fence(i + 1 < halo.iterations ? 0 : MPI_MODE_NOSUCCEED, win);
    }
    MPI_Win_free(&win);
    halo_finish(&halo);
    return 0;
}
