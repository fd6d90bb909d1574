/* Ways to end, and what happens around it: ends WAY. Rank 1 takes the way, rank 0 waits for it. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static int rank;

static void by_abort(void)
{
    if (rank == 1) abort();
}

static void by_mpi_abort(void)
{
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void by_exit(void)
{
    exit(4);
}

static void by_signal(void)
{
    if (rank == 1) raise(SIGSEGV);
}

static void exit_with_six(int number)
{
    (void)number;
    _exit(6);
}

static void by_handler(void)
{
    signal(SIGSEGV, exit_with_six);
    if (rank == 1) raise(SIGSEGV);
}

static void raise_by_default(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* As handlers of runtime libraries do. */
static void by_handler_again(void)
{
    signal(SIGSEGV, raise_by_default);
    if (rank == 1) raise(SIGSEGV);
}

/* The child and what it starts are not the rank; what they do is not recorded. */
static void after_fork(void)
{
    pid_t child = fork();
    if (child == 0) {
        MPI_Group group;
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        _exit(system("exit 5") == 5 << 8 ? 0 : 1);
    }
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) exit(9);
}

static void with_open_request(void)
{
    static int never;
    MPI_Request request;
    MPI_Irecv(&never, 1, MPI_INT, 1 - rank, 77, MPI_COMM_WORLD, &request);
}

/* Arguments that MPI refuses: it ends the program inside the call. */
static void wrong_root(void)
{
    int value = rank;
    if (rank == 1) MPI_Bcast(&value, 1, MPI_INT, 7, MPI_COMM_WORLD);
}

static void wrong_count(void)
{
    int value = rank;
    if (rank == 1) MPI_Send(&value, -2, MPI_INT, 0, 1, MPI_COMM_WORLD);
}

static void idle(void)
{
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"abort", by_abort},        {"mpi_abort", by_mpi_abort},         {"exit", by_exit},       {"signal", by_signal},
    {"fork", after_fork},       {"open_request", with_open_request}, {"idle", idle},          {"forked_rank", idle},
    {"wrong_root", wrong_root}, {"wrong_count", wrong_count},        {"handled", by_handler},
    {"again", by_handler_again},
};

/* A parent that only starts the rank and passes its exit status on. */
static void become_child(void)
{
    pid_t child = fork();
    int status = 1;
    if (child == 0) return;
    waitpid(child, &status, 0);
    _exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "forked_rank") == 0) become_child();
    MPI_Init(&argc, &argv);
    const char *mpich = getenv("PMI_RANK"), *open_mpi = getenv("OMPI_COMM_WORLD_RANK");
    rank = mpich ? atoi(mpich) : open_mpi ? atoi(open_mpi) : 0;
    printf("rank %d\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(way, ways[i].name) == 0) ways[i].run();
    if (rank == 0) MPI_Barrier(MPI_COMM_SELF);
    if (strcmp(way, "idle") != 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
