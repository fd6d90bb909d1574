/* Gets from the right-hand neighbour under post, start, complete, wait. */
#include "halo.h"

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    MPI_Win win;
    MPI_Group world, left, right;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &halo.neighbours[0], &left);
    MPI_Group_incl(world, 1, &halo.neighbours[1], &right);
    MPI_Win_create(halo.out, (MPI_Aint)NEIGHBOURS * halo.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < halo.iterations; i++) {
        halo_compute(&halo, i);
        MPI_Win_post(left, 0, win);
        MPI_Win_start(right, 0, win);
        MPI_Get(halo.in, halo.bytes, MPI_BYTE, halo.neighbours[1], 0, halo.bytes, MPI_BYTE, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
    MPI_Group_free(&world);
    halo_finish(&halo);
    return 0;
}
