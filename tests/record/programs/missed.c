/* A call that the recorder does not know: what it makes must work all the same. */
#include "program.h"

int main(int argc, char **argv)
{
    int rank, sizes[2] = {-1, -1}, half[2];
    MPI_Group world, mine, other;
    MPI_Comm between;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    half[0] = rank / 2 * 2;
    half[1] = half[0] + 1;
    MPI_Group_incl(world, 2, half, &mine);
    MPI_Group_difference(world, mine, &other);
    MPI_Intercomm_create_from_groups(mine, 0, other, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_RETURN, &between);
    MPI_Comm_size(between, &sizes[0]);
    MPI_Comm_remote_size(between, &sizes[1]);
    MPI_Comm_disconnect(&between);
    MPI_Group_free(&other);
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
    MPI_Finalize();
    return sizes[0] != 2 || sizes[1] != 2;
}
