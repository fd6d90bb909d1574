/* ahead DIRECTORY: who sends a copied put while its origin computes? Rank 1 posts when rank 0 has left complete, which files say
 * and no message. Rank 0 then computes, without a call of MPI, until rank 1 has left its wait, for 3 s at most. */
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

enum { LOOKS = 300 };

static char path[2][512];

static void leave_file(const char *name)
{
    FILE *file = fopen(name, "w");
    if (!file || fclose(file) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Whether the file has come. */
static int await_file(const char *name)
{
    const struct timespec time = {.tv_nsec = 10000000};
    struct stat found;
    for (int i = 0; i < LOOKS; i++) {
        if (stat(name, &found) == 0) return 1;
        clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int rank, while_computing = 0, *memory, value = 7;
    MPI_Win window;
    MPI_Group world, group;
    MPI_Init(&argc, &argv);
    if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
    snprintf(path[0], sizeof path[0], "%s/completed", argv[1]);
    snprintf(path[1], sizeof path[1], "%s/waited", argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){1 - rank}, &group);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
        leave_file(path[0]);
        while_computing = await_file(path[1]);
    } else {
        await_file(path[0]);
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
        if (*memory != value) MPI_Abort(MPI_COMM_WORLD, 3);
        leave_file(path[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) puts(while_computing ? "sent while computing" : "sent in a call");
    fflush(stdout);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
}
