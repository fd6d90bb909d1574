/* The begin and the end of our MPI programs. */
#ifndef MPI_START_H
#define MPI_START_H

/* MPI_Init; MPI_Finalize as the process exits, which may be in --help. May start the program anew. */
void mpi_start(int *argc, char ***argv);

#endif
