/* MPI_X and PMPI_X of every row of trace/calls/mpi_calls.def except local calls. Fortran 2008 bindings call PMPI_X. */
#include "validate/semantics/semantics.h"

#define EXPORT __attribute__((visibility("default")))

#define WRAPPER(NAME, PARAMETERS, ARGUMENTS)                                                                           \
    EXPORT int MPI_##NAME PARAMETERS                                                                                   \
    {                                                                                                                  \
        if (!sem_mpi.NAME) sem_mpi_find();                                                                             \
        if (!sem_on()) return sem_mpi.NAME ARGUMENTS;                                                                  \
        bool entered = sem_enter();                                                                                    \
        if (!sem_##NAME) sem_poll();                                                                                   \
        int code = sem_##NAME ? sem_##NAME ARGUMENTS : sem_mpi.NAME ARGUMENTS;                                         \
        sem_leave(entered);                                                                                            \
        return code;                                                                                                   \
    }                                                                                                                  \
    extern EXPORT __typeof__(MPI_##NAME) PMPI_##NAME __attribute__((alias("MPI_" #NAME)));
#define NO_WRAPPER(NAME, PARAMETERS, ARGUMENTS)

/* Local calls need none: attach and detach have theirs below. MPI_Init is where others look for the MPI library. */
#define SKIP_LOCAL ~, NO_WRAPPER
#define SKIP_INIT  ~, NO_WRAPPER
#define SECOND(A, B, ...) B
#define CHOOSE(...) SECOND(__VA_ARGS__, WRAPPER, ~)

#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                    \
    CHOOSE(SKIP_##KIND)(NAME, PARAMETERS, ARGUMENTS)
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL

WRAPPER(Win_attach, (MPI_Win win, void *base, MPI_Aint bytes), (win, base, bytes))
WRAPPER(Win_detach, (MPI_Win win, const void *base), (win, base))
