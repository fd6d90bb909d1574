/* Two ranks in turns of 20 ms: rank 1 computes for 10 ms and posts; rank 0 waits for that, puts, and computes for 10 ms. With
 * -DPOST_EARLY rank 1 posts before it computes, and a turn takes 10 ms. It computes by sleeping, since other programs may have
 * the cores. Prints how long the turns took. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { TURNS = 40, BYTES = 1024 };

static void compute(void)
{
    nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = 10000000}, NULL);
}

static void expose(MPI_Group other, MPI_Win window)
{
#ifdef POST_EARLY
    MPI_Win_post(other, 0, window);
    compute();
#else
    compute();
    MPI_Win_post(other, 0, window);
#endif
    MPI_Win_wait(window);
}

static void access_other(const char *mine, MPI_Group other, MPI_Win window)
{
    MPI_Win_start(other, 0, window);
    MPI_Put(mine, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, window);
    MPI_Win_complete(window);
    compute();
}

int main(int argc, char **argv)
{
    int rank;
    char *memory, mine[BYTES] = {0};
    MPI_Win window;
    MPI_Group world, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &(int){1 - rank}, &other);
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin_s = MPI_Wtime();
    for (int i = 0; i < TURNS; i++) {
        if (rank == 1) expose(other, window); else access_other(mine, other, window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%.6f\n", MPI_Wtime() - begin_s);
    MPI_Win_free(&window);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
