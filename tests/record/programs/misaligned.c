/* A window whose base is 8 bytes off 16 on rank 1; nothing is put there. */
#include "program.h"

int main(int argc, char **argv)
{
    int rank;
    MPI_Win window;
    char *memory = aligned(128);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory + 8 * rank, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Finalize();
    free(memory);
    return 5;
}
