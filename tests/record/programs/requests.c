/* Messages that are prepared, probed, exchanged, or waited for in part. An even number of ranks, in pairs. */
#include <string.h>

#include "program.h"

static int rank, other;
static char out[8][1000], in[8][1000];

static void exchange(void)
{
    MPI_Status status;
    MPI_Sendrecv(out, 100, MPI_CHAR, other, 1, in, 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
    MPI_Sendrecv(out, 10 + rank, MPI_INT, other, rank, in, 250, MPI_INT, other, other, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 50, MPI_CHAR, other, 3, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 5, MPI_CHAR, MPI_PROC_NULL, 1, in, 5, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request requests[2], synchronous;
    MPI_Send_init(out[0], 200, MPI_CHAR, other, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in[0], 1000, MPI_CHAR, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE); /* not active */
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    if (rank % 2 == 0) {
        MPI_Ssend_init(out[0], 30, MPI_CHAR, other, 5, MPI_COMM_WORLD, &synchronous);
        MPI_Start(&synchronous);
        MPI_Wait(&synchronous, MPI_STATUS_IGNORE);
        MPI_Request_free(&synchronous);
    } else {
        MPI_Recv(in[0], 1000, MPI_CHAR, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void probes(void)
{
    if (rank % 2 == 0) {
        for (int i = 0; i < 4; i++) MPI_Send(out[0], 60 + i, MPI_CHAR, other, 10 + i, MPI_COMM_WORLD);
        return;
    }
    int found = 0, count;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    MPI_Probe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    MPI_Recv(in[0], count, MPI_CHAR, status.MPI_SOURCE, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!found) MPI_Iprobe(other, 11, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Recv(in[0], 1000, MPI_CHAR, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in[0], 1000, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    for (found = 0; !found;)
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in[0], 1000, MPI_CHAR, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The odd rank answers one by one, so that the order of completion is known. */
static void in_parts(void)
{
    if (rank % 2 == 1) {
        for (int i = 0; i < 7; i++) {
            MPI_Recv(in[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out[0], 70 + i, MPI_CHAR, other, 30 + i, MPI_COMM_WORLD);
        }
        return;
    }
    MPI_Request requests[7];
    MPI_Status statuses[7];
    int index, done, which[7];
    for (int i = 0; i < 7; i++) MPI_Irecv(in[i], 1000, MPI_CHAR, other, 30 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send(out[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD);
    MPI_Waitany(7, requests, &index, MPI_STATUS_IGNORE);
    MPI_Send(out[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD);
    MPI_Waitsome(7, requests, &done, which, MPI_STATUSES_IGNORE);
    if (index != 0 || done != 1 || which[0] != 1) exit(1);
    MPI_Send(out[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD);
    for (done = 0; !done;) MPI_Testany(7, requests, &index, &done, statuses);
    MPI_Send(out[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD);
    for (done = 0; !done;) MPI_Testsome(7, requests, &done, which, statuses);
    MPI_Send(out[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD);
    MPI_Send(out[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD);
    for (done = 0; !done;) MPI_Testall(6, requests, &done, MPI_STATUSES_IGNORE);
    MPI_Testany(6, requests, &index, &done, MPI_STATUS_IGNORE); /* none is left */
    if (!done || index != MPI_UNDEFINED) exit(1);
    MPI_Send(out[0], 1, MPI_CHAR, other, 20, MPI_COMM_WORLD);
    MPI_Wait(&requests[6], MPI_STATUS_IGNORE);
}

static void given_up(void)
{
    MPI_Request request;
    MPI_Irecv(in[0], 1000, MPI_CHAR, other, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out[0], 8, MPI_CHAR, other, 40, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(in[0], 1000, MPI_CHAR, other, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
    exchange();
    persistent();
    probes();
    in_parts();
    given_up();
    MPI_Finalize();
    return 0;
}
