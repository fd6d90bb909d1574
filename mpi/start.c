#include "mpi/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "common/text/text.h"

static void finalize_mpi(void)
{
    MPI_Finalize();
}

/* UCX, which MPICH may load, catches SIGSEGV and similar signals from the moment it is loaded. Its handler may wait for
 * ever in an allocation. The variable that turns the handler off must be set before the program starts. */
static void leave_signals_alone(char **argv)
{
    static const char variable[] = "UCX_HANDLE_ERRORS";
    if (!getenv(variable) && setenv(variable, "none", 1) == 0) execv("/proc/self/exe", argv);
}

void mpi_start(int *argc, char ***argv)
{
    leave_signals_alone(*argv);
    MPI_Init(argc, argv);
    atexit(finalize_mpi);
}

/* Hydra (MPICH 4.0.2) now and then drops what was written just before the job ended. */
void mpi_print_error(const struct err *err)
{
    const struct timespec forwarded = {.tv_nsec = 300000000};
    text_print(stderr, "rmacast: %s\n", err->text);
    nanosleep(&forwarded, NULL);
}

void mpi_abandon(const struct err *err)
{
    mpi_print_error(err);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
