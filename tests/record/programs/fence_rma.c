/* Put, get, accumulate between fences; a strided origin; a window whose displacement unit is 8. */
#include "program.h"

int main(int argc, char **argv)
{
    int rank, ranks, numbers[8] = {0};
    double values[3] = {1, 2, 3};
    MPI_Win window;
    MPI_Datatype strided;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int right = (rank + 1) % ranks;
    double *memory = aligned(1024);
    for (int i = 0; i < 128; i++) memory[i] = 0;
    MPI_Type_vector(4, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_Win_create(memory, 1024, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(numbers, 1, strided, right, 2, 4, MPI_INT, window);
    MPI_Accumulate(values, 3, MPI_DOUBLE, right, 10, 3, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Get(values, 2, MPI_DOUBLE, right, 11, 2, MPI_DOUBLE, window);
    MPI_Put(numbers, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window);
    if (values[0] != 2 || values[1] != 3) return 1;
    MPI_Type_free(&strided);
    MPI_Win_free(&window);
    MPI_Finalize();
    free(memory);
    return 0;
}
