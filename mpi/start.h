/* The begin of our MPI programs, and their end, also after an error. */
#ifndef MPI_START_H
#define MPI_START_H

#include "common/status.h"

/* MPI_Init; MPI_Finalize as the process exits, which may be in --help. May start the program anew. */
void mpi_start(int *argc, char ***argv);

/* Prints the error's line on standard error, and returns when the launcher has forwarded the line. */
void mpi_print_error(const struct err *err);

/* Prints the error and ends all processes: the others may wait for this one for ever. */
void mpi_abandon(const struct err *err);

#endif
