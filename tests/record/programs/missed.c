/* Calls that the recorder does not know yet: their results must be right all the same. */
#include "program.h"

int main(int argc, char **argv)
{
    int rank, ranks, out, in = -1, sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out = rank;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % ranks, 7, &in, 1, MPI_INT, (rank + ranks - 1) % ranks, 7,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return in != (rank + ranks - 1) % ranks || sum != 6;
}
