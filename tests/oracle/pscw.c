/* Halo exchange by puts under post, start, complete, wait. */
#include "halo.h"

int main(int argc, char **argv)
{
    struct halo halo = halo_init(&argc, &argv);
    MPI_Win win;
    MPI_Group world, group;
    int ranks[NEIGHBOURS], count = 0;
    for (int i = 0; i < NEIGHBOURS; i++) {
        int known = 0;
        for (int j = 0; j < count; j++) known |= ranks[j] == halo.neighbours[i];
        if (!known) ranks[count++] = halo.neighbours[i];
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Win_create(halo.in, (MPI_Aint)NEIGHBOURS * halo.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < halo.iterations; i++) {
        halo_compute(&halo, i);
        MPI_Win_post(group, 0, win);
        MPI_Win_start(group, 0, win);
        for (int k = 0; k < NEIGHBOURS; k++)
            MPI_Put(halo.out + k * halo.bytes, halo.bytes, MPI_BYTE, halo.neighbours[k],
                    (MPI_Aint)(k ^ 1) * halo.bytes, halo.bytes, MPI_BYTE, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    halo_finish(&halo);
    return 0;
}
