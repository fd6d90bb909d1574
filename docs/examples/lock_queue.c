/* Ranks take pieces of work from a counter on rank 0, under an exclusive lock that they hold while they look the piece up. The
 * lock is held longer than the work takes, so that ranks queue for it. It computes by sleeping, since ranks may outnumber cores.
 * Usage: mpiexec -n N lock_queue [PIECES] */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void compute(double milliseconds)
{
    long ns = (long)(milliseconds * 1e6);
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0)
        ;
}

static long take_piece(MPI_Win queue)
{
    long piece, next;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, queue);
    MPI_Get(&piece, 1, MPI_LONG, 0, 0, 1, MPI_LONG, queue);
    MPI_Win_flush(0, queue);
    compute(1.5); /* looks the piece up, which needs no lock */
    next = piece + 1;
    MPI_Put(&next, 1, MPI_LONG, 0, 0, 1, MPI_LONG, queue);
    MPI_Win_unlock(0, queue);
    return piece;
}

static void work_on(long piece)
{
    compute(piece % 3 == 0 ? 3 : 2);
}

int main(int argc, char **argv)
{
    int rank;
    long *counter;
    MPI_Win queue;
    MPI_Init(&argc, &argv);
    long pieces = argc > 1 ? atol(argv[1]) : 60;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? (MPI_Aint)sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &queue);
    MPI_Win_set_name(queue, "queue");
    if (rank == 0) *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long piece = take_piece(queue); piece < pieces; piece = take_piece(queue)) work_on(piece);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&queue);
    MPI_Finalize();
    return 0;
}
