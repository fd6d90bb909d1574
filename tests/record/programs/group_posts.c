/* Ranks 1 and 2 expose a window to rank 0, which puts to both, twice. Rank 1 has posted before rank 0 starts; rank 2
 * posts 150 ms after that: a library whose put waits for the posts of its whole group keeps rank 0 in its put to
 * rank 1. The second time rank 1 posts 10 ms after the start, so that both posts are in that put. */
#include "program.h"

enum { TAG = 3, BYTES = 65536, FIRST_MS = 10, LATE_MS = 150, EPOCHS = 2 };

static void originate(MPI_Win win, MPI_Group targets)
{
    static char data[BYTES];
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        if (epoch == 0) MPI_Recv(NULL, 0, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (epoch > 0) MPI_Send(NULL, 0, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_CHAR, 2, TAG, MPI_COMM_WORLD);
        MPI_Win_start(targets, 0, win);
        MPI_Put(data, BYTES, MPI_CHAR, 1, 0, BYTES, MPI_CHAR, win);
        MPI_Put(data, BYTES, MPI_CHAR, 2, 0, BYTES, MPI_CHAR, win);
        MPI_Win_complete(win);
    }
}

static void expose(MPI_Win win, MPI_Group origin, int rank)
{
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        int early = rank == 1 && epoch == 0;
        if (!early) {
            MPI_Recv(NULL, 0, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute_ms(rank == 1 ? FIRST_MS : LATE_MS);
        }
        MPI_Win_post(origin, 0, win);
        if (early) MPI_Send(NULL, 0, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
        MPI_Win_wait(win);
    }
}

int main(int argc, char **argv)
{
    int rank, origin = 0, targets[] = {1, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win win;
    MPI_Group world, origin_group, target_group;
    char *memory = aligned(BYTES);
    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &origin, &origin_group);
    MPI_Group_incl(world, 2, targets, &target_group);
    if (rank == 0)
        originate(win, target_group);
    else
        expose(win, origin_group, rank);
    MPI_Group_free(&target_group);
    MPI_Group_free(&origin_group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    free(memory);
    MPI_Finalize();
    return 0;
}
