/* Halo exchange by non-blocking messages. */
#include "halo.h"

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    for (int i = 0; i < halo.iterations; i++) {
        MPI_Request requests[2 * NEIGHBOURS];
        halo_compute(&halo, i);
        for (int k = 0; k < NEIGHBOURS; k++)
            MPI_Irecv(halo.in + k * halo.bytes, halo.bytes, MPI_BYTE, halo.neighbours[k], k, MPI_COMM_WORLD,
                      &requests[k]);
        for (int k = 0; k < NEIGHBOURS; k++)
            MPI_Isend(halo.out + k * halo.bytes, halo.bytes, MPI_BYTE, halo.neighbours[k], k ^ 1, MPI_COMM_WORLD,
                      &requests[NEIGHBOURS + k]);
        MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
    }
    halo_finish(&halo);
    return 0;
}
