/* Calls that wait for other ranks. While they wait, operations that c and d keep must leave. So the non-blocking form
 * of the call is made, and this library waits. All ranks must make a collective call in the same form, so under d it
 * always is the non-blocking one. */
#include <stdlib.h>

#include "validate/semantics/semantics.h"

static int await_request(MPI_Request *request, MPI_Status *status)
{
    int done = 0, code = MPI_SUCCESS;
    while (!done && code == MPI_SUCCESS) {
        sem_progress();
        code = sem_mpi.Test(request, &done, status);
    }
    return code;
}

/* Reads the result of PICK: the second argument says what becomes of a row, the third by which macro. */
#define SECOND(A, B, ...) B
#define THIRD(A, B, C, ...) C
#define HOW(...) SECOND(__VA_ARGS__, NOTHING, ~, ~)
#define BY(...) THIRD(__VA_ARGS__, ~, ~, ~)
#define NOTHING(NAME, IMMEDIATE, PARAMETERS, ARGUMENTS)
#define WITH_REQUEST(...) (__VA_ARGS__, &request)

#define CONVERT(NAME, IMMEDIATE, PARAMETERS, ARGUMENTS, WHEN)                                                          \
    int sem_##NAME PARAMETERS                                                                                          \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        sem_poll();                                                                                                    \
        if (!(WHEN)) return sem_mpi.NAME ARGUMENTS;                                                                    \
        int code = sem_mpi.IMMEDIATE WITH_REQUEST ARGUMENTS;                                                           \
        return code == MPI_SUCCESS ? await_request(&request, MPI_STATUS_IGNORE) : code;                                \
    }
#define COLLECTIVE(NAME, IMMEDIATE, PARAMETERS, ARGUMENTS) CONVERT(NAME, IMMEDIATE, PARAMETERS, ARGUMENTS, sem_always_later())
#define MESSAGE(NAME, IMMEDIATE, PARAMETERS, ARGUMENTS) CONVERT(NAME, IMMEDIATE, PARAMETERS, ARGUMENTS, sem_later())

#define FORM_Barrier              ~, COLLECTIVE, Ibarrier
#define FORM_Bcast                ~, COLLECTIVE, Ibcast
#define FORM_Reduce               ~, COLLECTIVE, Ireduce
#define FORM_Allreduce            ~, COLLECTIVE, Iallreduce
#define FORM_Gather               ~, COLLECTIVE, Igather
#define FORM_Gatherv              ~, COLLECTIVE, Igatherv
#define FORM_Scatter              ~, COLLECTIVE, Iscatter
#define FORM_Scatterv             ~, COLLECTIVE, Iscatterv
#define FORM_Allgather            ~, COLLECTIVE, Iallgather
#define FORM_Allgatherv           ~, COLLECTIVE, Iallgatherv
#define FORM_Alltoall             ~, COLLECTIVE, Ialltoall
#define FORM_Alltoallv            ~, COLLECTIVE, Ialltoallv
#define FORM_Alltoallw            ~, COLLECTIVE, Ialltoallw
#define FORM_Reduce_scatter       ~, COLLECTIVE, Ireduce_scatter
#define FORM_Reduce_scatter_block ~, COLLECTIVE, Ireduce_scatter_block
#define FORM_Scan                 ~, COLLECTIVE, Iscan
#define FORM_Exscan               ~, COLLECTIVE, Iexscan
#define FORM_Neighbor_allgather   ~, COLLECTIVE, Ineighbor_allgather
#define FORM_Neighbor_allgatherv  ~, COLLECTIVE, Ineighbor_allgatherv
#define FORM_Neighbor_alltoall    ~, COLLECTIVE, Ineighbor_alltoall
#define FORM_Neighbor_alltoallv   ~, COLLECTIVE, Ineighbor_alltoallv
#define FORM_Neighbor_alltoallw   ~, COLLECTIVE, Ineighbor_alltoallw
#define FORM_Send                 ~, MESSAGE, Isend
#define FORM_Ssend                ~, MESSAGE, Issend
#define FORM_Rsend                ~, MESSAGE, Irsend

#define MAKE(FORM, IMMEDIATE, NAME, PARAMETERS, ARGUMENTS) FORM(NAME, IMMEDIATE, PARAMETERS, ARGUMENTS)
#define MPI_CALL(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                    \
    MAKE(HOW(FORM_##NAME), BY(FORM_##NAME), NAME, PARAMETERS, ARGUMENTS)
#include "trace/calls/mpi_calls.def"
#undef MPI_CALL

int sem_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    sem_poll();
    if (!sem_later()) return sem_mpi.Recv(buffer, count, type, peer, tag, comm, status);
    int code = sem_mpi.Irecv(buffer, count, type, peer, tag, comm, &request);
    return code == MPI_SUCCESS ? await_request(&request, status) : code;
}

int sem_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    MPI_Request request;
    sem_poll();
    if (!sem_later()) return sem_mpi.Mrecv(buffer, count, type, message, status);
    int code = sem_mpi.Imrecv(buffer, count, type, message, &request);
    return code == MPI_SUCCESS ? await_request(&request, status) : code;
}

int sem_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request in, out;
    sem_poll();
    if (!sem_later())
        return sem_mpi.Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                recvtag, comm, status);
    int code = sem_mpi.Irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, &in);
    if (code == MPI_SUCCESS) code = sem_mpi.Isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, &out);
    if (code == MPI_SUCCESS) code = await_request(&out, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? await_request(&in, status) : code;
}

int sem_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                         MPI_Comm comm, MPI_Status *status)
{
    int room, packed = 0;
    sem_poll();
    if (!sem_later())
        return sem_mpi.Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
    sem_mpi.Pack_size(count, datatype, comm, &room);
    void *sent = malloc((size_t)room + 1);
    if (!sent) sem_fail("out of memory");
    sem_mpi.Pack(buf, count, datatype, sent, room, &packed, comm);
    int code = sem_Sendrecv(sent, packed, MPI_PACKED, dest, sendtag, buf, count, datatype, source, recvtag, comm, status);
    free(sent);
    return code;
}

/* Waits by repeated tests. */
#define WAIT_BY_TEST(TEST)                                                                                             \
    int done = 0, code = MPI_SUCCESS;                                                                                  \
    while (!done && code == MPI_SUCCESS) {                                                                             \
        sem_poll();                                                                                                    \
        code = TEST;                                                                                                   \
    }                                                                                                                  \
    return code;

int sem_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    WAIT_BY_TEST(sem_later() ? sem_mpi.Iprobe(source, tag, comm, &done, status)
                             : (done = 1, sem_mpi.Probe(source, tag, comm, status)))
}

int sem_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    WAIT_BY_TEST(sem_later() ? sem_mpi.Improbe(source, tag, comm, &done, message, status)
                             : (done = 1, sem_mpi.Mprobe(source, tag, comm, message, status)))
}

int sem_Wait(MPI_Request *request, MPI_Status *status)
{
    WAIT_BY_TEST(sem_later() ? sem_mpi.Test(request, &done, status) : (done = 1, sem_mpi.Wait(request, status)))
}

int sem_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    WAIT_BY_TEST(sem_later() ? sem_mpi.Testall(count, requests, &done, statuses)
                             : (done = 1, sem_mpi.Waitall(count, requests, statuses)))
}

int sem_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    WAIT_BY_TEST(sem_later() ? sem_mpi.Testany(count, requests, index, &done, status)
                             : (done = 1, sem_mpi.Waitany(count, requests, index, status)))
}

int sem_Waitsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    WAIT_BY_TEST(sem_later() ? (code = sem_mpi.Testsome(incount, requests, outcount, indices, statuses),
                                done = *outcount != 0, code)
                             : (done = 1, sem_mpi.Waitsome(incount, requests, outcount, indices, statuses)))
}
