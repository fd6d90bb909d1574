/* The functions of the MPI library: those that follow this library's own in the loader's search order. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validate/semantics/semantics.h"

struct sem_mpi sem_mpi;

static const struct {
    const char *name;
    size_t at;
} functions[] = {
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                    \
    {"PMPI_" #NAME, offsetof(struct sem_mpi, NAME)},
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL
#define SEM_USES(NAME) {"PMPI_" #NAME, offsetof(struct sem_mpi, NAME)},
#include "validate/semantics/uses.def"
#undef SEM_USES
};

void sem_mpi_find(void)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(RTLD_NEXT, functions[i].name);
        memcpy((char *)&sem_mpi + functions[i].at, &found, sizeof found);
    }
}

void sem_fail(const char *why)
{
    dprintf(STDERR_FILENO, "rmacast: semantics: %s\n", why);
    if (sem_mpi.Abort) sem_mpi.Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}
