/* Receives with wildcards whose requests are freed before their messages come. Four ranks. The synchronous sends end when
 * rank 0 has taken their messages, so which receive takes which is certain. */
#include "program.h"

static int rank;
static char room[8][100];

static void give_up(char *to, int from, int tag)
{
    MPI_Request request;
    MPI_Irecv(to, 100, MPI_CHAR, from, tag, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
}

static void turn(int sender, int bytes, int tag)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == sender) MPI_Ssend(room, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) give_up(room[0], MPI_ANY_SOURCE, MPI_ANY_TAG);
    turn(1, 20, 5);
    if (rank == 0) give_up(room[1], MPI_ANY_SOURCE, 7);
    turn(2, 12, 7);
    if (rank == 1) MPI_Send(room, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(room[2], 100, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 && rank == 0; i++) give_up(room[3 + i], MPI_ANY_SOURCE, 9);
    turn(3, 30, 9);
    turn(1, 31, 9);
    if (rank == 0) give_up(room[5], 2, MPI_ANY_TAG);
    turn(2, 6, 11);
    if (rank == 0) give_up(room[6], MPI_ANY_SOURCE, MPI_ANY_TAG); /* nobody sends to it */
    MPI_Finalize();
    return 0;
}
