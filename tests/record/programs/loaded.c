/* What loader.c loads. */
#include "program.h"

int run_loaded(int *argc, char ***argv);

int run_loaded(int *argc, char ***argv)
{
    int one = 1, sum;
    MPI_Init(argc, argv);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 4 ? 0 : 1;
}
