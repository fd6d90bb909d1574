/* Calls that return errors: messages that are longer than their receives, and calls that are refused. An even number of
 * ranks, in pairs: the even rank sends, the odd one receives. */
#include <string.h>

#include "program.h"

static int rank, other;
static char out[200000], in[200000];

static void send(int bytes, int tag)
{
    MPI_Request request;
    MPI_Isend(out, bytes, MPI_CHAR, other, tag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(int bytes, int tag, MPI_Request *request)
{
    MPI_Irecv(in, bytes, MPI_CHAR, other, tag, MPI_COMM_WORLD, request);
}

static void expect_error(int result, int expected)
{
    int class;
    MPI_Error_class(result, &class);
    if (class != expected) {
        fprintf(stderr, "rank %d: error class %d, expected %d\n", rank, class, expected);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* All with one tag: who forgets one takes every later message for another. */
static void one_by_one(int bytes)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    int flag = 0;
    if (rank % 2 == 0) {
        for (int i = 0; i < 7; i++) send(bytes + i, 1);
        MPI_Sendrecv(out, bytes, MPI_CHAR, other, 2, in, 100, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    expect_error(MPI_Recv(in, 10, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
    MPI_Recv(in, (int)sizeof in, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive(11, 1, &request);
    expect_error(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Irecv(in, 12, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    int result = MPI_SUCCESS;
    while (!flag && result == MPI_SUCCESS) result = MPI_Test(&request, &flag, &status);
    expect_error(result, MPI_ERR_TRUNCATE);
    MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    expect_error(MPI_Mrecv(in, 13, MPI_CHAR, &message, &status), MPI_ERR_TRUNCATE);
    MPI_Recv(in, (int)sizeof in, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 14, MPI_CHAR, &message, &request);
    expect_error(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    expect_error(MPI_Sendrecv(out, 20, MPI_CHAR, other, 2, in, 14, MPI_CHAR, other, 2, MPI_COMM_WORLD, &status),
                 MPI_ERR_TRUNCATE);
}

/* The statuses hold something else before the call. All three messages are there when it looks; MPICH 4.0.2 stops
 * looking at the one that is too long. */
static void some_of_several(int bytes)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int index = 0, count = 0, done[2] = {0, 0};
    if (rank % 2 == 0) {
        for (int i = 0; i < 3; i++) send(bytes, 3 + i);
        send(0, 8);
        for (int i = 0; i < 5; i++) {
            MPI_Recv(in, 0, MPI_CHAR, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send(bytes, 3 + i);
        }
        return;
    }
    receive((int)sizeof in, 3, &requests[0]);
    receive(10, 4, &requests[1]);
    receive((int)sizeof in, 5, &requests[2]);
    MPI_Recv(in, 0, MPI_CHAR, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memset(statuses, 0x11, sizeof statuses);
    expect_error(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
    if (requests[2] != MPI_REQUEST_NULL) MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++) {
        int result = MPI_SUCCESS;
        receive(10, 3 + i, &requests[0]);
        requests[1] = MPI_REQUEST_NULL;
        memset(statuses, 0x11, sizeof statuses);
        MPI_Send(out, 0, MPI_CHAR, other, 9, MPI_COMM_WORLD);
        for (count = 0; count == 0 && result == MPI_SUCCESS;) {
            if (i == 0) result = MPI_Waitany(2, requests, &index, statuses);
            if (i == 1) result = MPI_Waitsome(2, requests, &count, done, statuses);
            if (i == 2) result = MPI_Testany(2, requests, &index, &count, statuses);
            if (i == 3) result = MPI_Testsome(2, requests, &count, done, statuses);
            if (i == 4) result = MPI_Testall(2, requests, &count, statuses);
        }
        expect_error(result, i == 0 || i == 2 ? MPI_ERR_TRUNCATE : MPI_ERR_IN_STATUS);
        if (requests[0] != MPI_REQUEST_NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* The odd rank's buffer is too small; it has taken part all the same. */
static void collective(MPI_Comm pair)
{
    int result = MPI_Bcast(in, rank % 2 ? 10 : 100, MPI_CHAR, 1, pair);
    if (rank % 2) expect_error(result, MPI_ERR_TRUNCATE); /* MPICH 4.0.2 tells the root, too */
    MPI_Barrier(pair);
}

/* Nothing comes of these. */
static void refused(MPI_Comm pair)
{
    MPI_Win win;
    int size, zeros[64] = {0};
    char *memory;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, pair, &memory, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    expect_error(MPI_Send(out, 1, MPI_CHAR, size, 1, MPI_COMM_WORLD), MPI_ERR_RANK);
    expect_error(MPI_Send(out, 1, MPI_CHAR, 1000, 1, pair), MPI_ERR_RANK);
    expect_error(MPI_Isend(out, -1, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    expect_error(MPI_Recv(in, 1, MPI_CHAR, 0, -7, pair, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    expect_error(MPI_Send(out, 1, MPI_CHAR, 0, 1, none), MPI_ERR_COMM);
    expect_error(MPI_Barrier(none), MPI_ERR_COMM);
    expect_error(MPI_Bcast(in, 1, MPI_CHAR, 1000, pair), MPI_ERR_ROOT);
    expect_error(MPI_Gatherv(out, 1, MPI_CHAR, in, zeros, zeros, MPI_CHAR, 1000, pair), MPI_ERR_ROOT);
    expect_error(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    expect_error(MPI_Win_lock(MPI_LOCK_SHARED, 1000, 0, win), MPI_ERR_RANK);
    expect_error(MPI_Put(out, 1, MPI_CHAR, 1000, 0, 1, MPI_CHAR, win), MPI_ERR_RANK);
    /* The tag is negative. */
    for (unsigned tag = 0xAA0007AAu; tag <= 0xAA0007BBu; tag += 0x11) {
        expect_error(MPI_Send(out, 0, MPI_CHAR, rank, (int)tag, MPI_COMM_WORLD), MPI_ERR_TAG);
        expect_error(MPI_Recv(in, 0, MPI_CHAR, rank, (int)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    }
#ifndef OPEN_MPI /* 4.1 takes it for an empty group */
    expect_error(MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
#endif
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
    MPI_Comm pair; /* the odd rank comes first */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    one_by_one(100);
    one_by_one(150000);
    some_of_several(100);
    some_of_several(150000);
    collective(pair);
    refused(pair);
    MPI_Comm_free(&pair);
    MPI_Finalize();
    return 0;
}
