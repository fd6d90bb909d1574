/* MPI and OpenSHMEM in one program, on any number of ranks. */
#include <mpi.h>
#include <shmem.h>

static long cell;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), sum = 0, finalized;
    shmem_long_p(&cell, me, (me + 1) % n);
    shmem_barrier_all();
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int wrong = cell != (me + n - 1) % n || sum != n * (n - 1) / 2;
    shmem_finalize();
    MPI_Finalized(&finalized); /* Open MPI 4.1 ends both at once */
    if (!finalized) MPI_Finalize();
    return wrong;
}
