/* alltoall_puts BYTES ITERATIONS 0 KIND: every rank puts to every other one, next rank first, nobody computes in between.
 * KIND: flush (lock_all around all iterations, flush_all and a barrier in each) or fence. Two runs with different numbers of
 * iterations give the time of one iteration. */
#include <string.h>

#include "halo.h"

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    int flush = strcmp(argv[4], "flush") == 0;
    char *in = calloc((size_t)halo.size, (size_t)halo.bytes);
    MPI_Win win;
    MPI_Win_create(in, (MPI_Aint)halo.size * halo.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (flush)
        MPI_Win_lock_all(0, win);
    else
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int i = 0; i < halo.iterations; i++) {
        for (int k = 1; k < halo.size; k++)
            MPI_Put(halo.out, halo.bytes, MPI_BYTE, (halo.rank + k) % halo.size, (MPI_Aint)halo.rank * halo.bytes,
                    halo.bytes, MPI_BYTE, win);
        if (flush) {
            MPI_Win_flush_all(win);
            MPI_Barrier(MPI_COMM_WORLD);
        } else {
            MPI_Win_fence(i + 1 < halo.iterations ? 0 : MPI_MODE_NOSUCCEED, win);
        }
    }
    if (flush) MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(in);
    halo_finish(&halo);
    return 0;
}
