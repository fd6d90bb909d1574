/* Between two barriers: 60 ms asleep, then 30 ms of CPU time; a region whose first half is asleep, too. */
#include "program.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    compute_ms(60);
    MPI_Barrier(MPI_COMM_WORLD);
    burn_ms(30);
    MPI_Barrier(MPI_COMM_WORLD);
    compute_ms(60);
    MPI_Pcontrol(1, "work");
    burn_ms(30);
    MPI_Pcontrol(-1, "work");
    MPI_Finalize();
    return 0;
}
