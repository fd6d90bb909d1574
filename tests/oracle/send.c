/* A block goes round the ring by blocking messages, with -DSYNCHRONOUS by synchronous ones: even ranks send first. */
#include "halo.h"

#ifdef SYNCHRONOUS
#define SEND MPI_Ssend
#else
#define SEND MPI_Send
#endif

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    int right = (halo.rank + 1) % halo.size, left = (halo.rank + halo.size - 1) % halo.size;
    for (int i = 0; i < halo.iterations; i++) {
        halo_compute(&halo, i);
        if (halo.rank % 2 == 0) SEND(halo.out, halo.bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD);
        MPI_Recv(halo.in, halo.bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (halo.rank % 2 == 1) SEND(halo.out, halo.bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD);
    }
    halo_finish(&halo);
    return 0;
}
