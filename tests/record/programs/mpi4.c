/* Calls of MPI-4.0: persistent collectives, MPI_Isendrecv, partitioned messages; each checks what it got. */
#include "program.h"

static int rank, left, right;

static int persistent_collectives(void)
{
    int one, sum = -1, all[4], counts[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3}, mine[4], theirs[4], wrong = 0;
    MPI_Request requests[3], barrier;
    MPI_Bcast_init(&one, 1, MPI_INT, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Allgatherv_init(&rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    for (int round = 0; round < 2; round++) {
        one = rank == 2 ? 7 + round : -1;
        for (int i = 0; i < 4; i++) mine[i] = 10 * rank + i;
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Startall(2, requests + 1);
        MPI_Waitall(2, requests + 1, MPI_STATUSES_IGNORE);
        wrong += one != 7 + round || sum != 6 || all[3] != 3;
    }
    for (int i = 0; i < 3; i++) MPI_Request_free(&requests[i]);
    MPI_Alltoallv_init_c(mine, (MPI_Count[]){1, 1, 1, 1}, (MPI_Aint[]){0, 1, 2, 3}, MPI_INT, theirs,
                         (MPI_Count[]){1, 1, 1, 1}, (MPI_Aint[]){0, 1, 2, 3}, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    MPI_Start(&barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    MPI_Request_free(&barrier);
    return wrong + (theirs[left] != 10 * left + rank);
}

static int sendrecvs(void)
{
    int in[2] = {-1, -1}, both = rank, done = 0;
    MPI_Request requests[2];
    MPI_Isendrecv(&rank, 1, MPI_INT, right, 7, in, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(&both, 1, MPI_INT, left, 8, right, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv_c(&rank, 1, MPI_INT, right, 9, in + 1, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Isendrecv(&rank, 1, MPI_INT, right, 6, in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[0]);
    while (!done) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
    return in[0] != left || in[1] != left || both != right;
}

static int partitions(void)
{
    int out[6], in[6] = {0}, arrived = 0, list[] = {0};
    MPI_Request send, receive;
    for (int i = 0; i < 6; i++) out[i] = 10 * rank + i;
    MPI_Psend_init(out, 3, 2, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    MPI_Precv_init(in, 3, 2, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&receive);
        MPI_Start(&send);
        MPI_Pready_range(1, 2, send);
        MPI_Pready_list(1, list, send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Start(&receive);
    MPI_Start(&send);
    for (int i = 0; i < 3; i++) MPI_Pready(i, send);
    MPI_Parrived(receive, 2, &arrived);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
    return in[5] != 10 * left + 5;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    left = (rank + 3) % 4;
    right = (rank + 1) % 4;
    int wrong = persistent_collectives() + sendrecvs() + partitions();
    MPI_Finalize();
    return wrong;
}
