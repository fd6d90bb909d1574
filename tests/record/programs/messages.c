/* Every send mode from rank 0 to rank 1, received in every way; then the collectives on two to eight. */
#include <string.h>

#include "program.h"

enum { BUFFER = 8192 };

static char out[1000], in[8][1000];

static void send_all(void)
{
    MPI_Request requests[4], one;
    static char attached[BUFFER];
    MPI_Buffer_attach(attached, BUFFER);
    MPI_Barrier(MPI_COMM_WORLD); /* the ready sends' receives are posted */
    MPI_Send(out, 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Ssend(out, 200, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    MPI_Bsend(out, 300, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
    MPI_Rsend(out, 400, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
    MPI_Isend(out, 125, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, 600, MPI_CHAR, 1, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibsend(out, 700, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &requests[2]);
    MPI_Irsend(out, 800, MPI_CHAR, 1, 8, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Isend(out, 900, MPI_CHAR, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    void *detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);
}

static void receive_all(void)
{
    MPI_Request ready[2], requests[2], tested;
    MPI_Status status;
    int done = 0;
    MPI_Irecv(in[4], 1000, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &ready[0]);
    MPI_Irecv(in[5], 1000, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &ready[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(in[0], 1000, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in[1], 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG != 2) exit(1);
    MPI_Recv(in[2], 1000, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&ready[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in[3], 1000, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[6], 1000, MPI_CHAR, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(in[7], 1000, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &tested);
    while (!done) MPI_Test(&tested, &done, MPI_STATUS_IGNORE);
    for (done = 0; !done;) MPI_Request_get_status(ready[1], &done, &status);
    if (status.MPI_SOURCE != 0) exit(1);
    MPI_Waitall(1, &ready[1], &status);
    if (status.MPI_SOURCE != 0) exit(1);
}

static void collect(int rank, int ranks)
{
    double values[4] = {rank, 1, 2, 3}, sums[4], all[32];
    int flag = 0;
    MPI_Pcontrol(1, "collect");
    MPI_Bcast(values + 1, 3, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Reduce(values, sums, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 2 % ranks)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_DOUBLE, 2 % ranks, MPI_COMM_WORLD);
    else
        MPI_Gather(values, 2, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 2 % ranks, MPI_COMM_WORLD);
    MPI_Scatter(all, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE, 3 % ranks, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 3, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "collect");
    MPI_Pcontrol(1); /* no name: no region */
}

int main(int argc, char **argv)
{
    int rank, ranks, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    memset(out, 'x', sizeof out);
    if (rank == 0)
        send_all();
    else if (rank == 1)
        receive_all();
    else
        MPI_Barrier(MPI_COMM_WORLD);
    collect(rank, ranks);
    MPI_Finalize();
    return rank == 1 && (in[3][499] != 'x' || in[3][500] != 0);
}
