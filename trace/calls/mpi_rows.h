/* What the rows of trace/calls/mpi_calls.def are made of: forms of rows that say the same in other words, and parameters that
 * several functions share.
 *
 * Of a function OF or one that is called like it: OF_PARAMETERS and OF_ARGUMENTS as in a row, OF_RECORD, what the recorder
 * stores of them.
 *   MPI_BLOCKING_C(NAME, OF, KIND, NEEDED, ALLOWED)     has these parameters
 *   MPI_NONBLOCKING_C(NAME, OF, KIND, NEEDED, ALLOWED)  has a request behind them, which it makes
 *   MPI_PERSISTENT_C(NAME, OF, BEGINS)                  has an info and a request behind them; MPI_Start begins MPI_BEGINS
 * Calls on a window alone, on one of its targets, with an assertion:
 *   MPI_ON_WINDOW(NAME, KIND), MPI_ON_TARGET(NAME, KIND), MPI_ASSERTING(NAME, KIND)
 * Calls that make a communicator MADE of COMM:
 *   MPI_COMM_MAKING(NAME, COMM, MADE, PARAMETERS, ARGUMENTS)
 * Calls that are recorded by name and time only (trace/calls/mpi_plain_calls.def):
 *   MPI_PLAIN(NAME, PARAMETERS, ARGUMENTS)
 *   MPI_PLAIN_REQUEST(NAME, PARAMETERS, ARGUMENTS)      makes a request, which nobody asks about further
 * As with MPI_CALL_C, MPI-4.0 has the functions of the forms that end with _C with large counts, too. */
#ifndef TRACE_CALLS_MPI_ROWS_H
#define TRACE_CALLS_MPI_ROWS_H

#define MPI_BLOCKING_C(NAME, OF, KIND, NEEDED, ALLOWED)                                                                \
    MPI_CALL_C(NAME, KIND, NEEDED, ALLOWED, (OF##_PARAMETERS), (OF##_ARGUMENTS), OF##_RECORD, rec_nothing())
#define MPI_NONBLOCKING_C(NAME, OF, KIND, NEEDED, ALLOWED)                                                             \
    MPI_CALL_C(NAME, KIND, NEEDED, ALLOWED, (OF##_PARAMETERS, MPI_Request *request), (OF##_ARGUMENTS, request),        \
               OF##_RECORD, rec_made(*request))
#define MPI_PERSISTENT_C(NAME, OF, BEGINS)                                                                             \
    MPI_CALL_C(NAME, LOCAL, 0, F_COMM, (OF##_PARAMETERS, MPI_Info info, MPI_Request *request), (OF##_ARGUMENTS, info,  \
               request), rec_comm(comm), rec_keep(*request, REC_ID_##BEGINS, OF##_RECORD))
#define MPI_ON_WINDOW(NAME, KIND) MPI_CALL(NAME, KIND, F_WIN, 0, (MPI_Win win), (win), rec_win(win), rec_nothing())
#define MPI_ON_TARGET(NAME, KIND)                                                                                      \
    MPI_CALL(NAME, KIND, F_WIN | F_TARGET, 0, (int target, MPI_Win win), (target, win), rec_win_target(win, target),   \
             rec_nothing())
#define MPI_ASSERTING(NAME, KIND)                                                                                      \
    MPI_CALL(NAME, KIND, F_WIN, F_ASSERT, (int assertion, MPI_Win win), (assertion, win),                              \
             rec_win_assert(win, assertion), rec_nothing())
#define MPI_COMM_MAKING(NAME, COMM, MADE, PARAMETERS, ARGUMENTS)                                                       \
    MPI_CALL(NAME, COMM_CREATE, F_COMM, F_NEWCOMM, PARAMETERS, ARGUMENTS, rec_comm(COMM), rec_comm_made(*MADE))
#define MPI_PLAIN(NAME, PARAMETERS, ARGUMENTS)                                                                         \
    MPI_CALL(NAME, LOCAL, 0, 0, PARAMETERS, ARGUMENTS, rec_nothing(), rec_nothing())
#define MPI_PLAIN_C(NAME, PARAMETERS, ARGUMENTS)                                                                       \
    MPI_CALL_C(NAME, LOCAL, 0, 0, PARAMETERS, ARGUMENTS, rec_nothing(), rec_nothing())
#define MPI_PLAIN_REQUEST(NAME, PARAMETERS, ARGUMENTS)                                                                 \
    MPI_CALL(NAME, LOCAL, 0, 0, PARAMETERS, ARGUMENTS, rec_nothing(), rec_made_apart(*request))
#define MPI_PLAIN_REQUEST_C(NAME, PARAMETERS, ARGUMENTS)                                                               \
    MPI_CALL_C(NAME, LOCAL, 0, 0, PARAMETERS, ARGUMENTS, rec_nothing(), rec_made_apart(*request))

#define Put_PARAMETERS const void *origin_addr, REC_COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, \
    MPI_Aint target_disp, REC_COUNT target_count, MPI_Datatype target_datatype, MPI_Win win
#define Put_ARGUMENTS origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,              \
    target_datatype, win
#define Put_RECORD rec_rma(win, origin_count, origin_datatype, target_rank, target_count, target_datatype,             \
    target_disp)
#define Get_PARAMETERS void *origin_addr, REC_COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,       \
    MPI_Aint target_disp, REC_COUNT target_count, MPI_Datatype target_datatype, MPI_Win win
#define Get_ARGUMENTS Put_ARGUMENTS
#define Get_RECORD Put_RECORD
#define Accumulate_PARAMETERS const void *origin_addr, REC_COUNT origin_count, MPI_Datatype origin_datatype,           \
    int target_rank, MPI_Aint target_disp, REC_COUNT target_count, MPI_Datatype target_datatype, MPI_Op op,            \
    MPI_Win win
#define Accumulate_ARGUMENTS origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,       \
    target_datatype, op, win
#define Accumulate_RECORD rec_rma_op(win, origin_count, origin_datatype, target_rank, target_count, target_datatype,   \
    target_disp, op)
#define Get_accumulate_PARAMETERS const void *origin_addr, REC_COUNT origin_count, MPI_Datatype origin_datatype,       \
    void *result_addr, REC_COUNT result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,    \
    REC_COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win
#define Get_accumulate_ARGUMENTS origin_addr, origin_count, origin_datatype, result_addr, result_count,                \
    result_datatype, target_rank, target_disp, target_count, target_datatype, op, win
#define Get_accumulate_RECORD rec_rma_fetch(win, target_rank, target_disp, origin_count, origin_datatype,              \
    result_count, result_datatype, target_count, target_datatype, op)
#define Send_PARAMETERS const void *buffer, REC_COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define Send_ARGUMENTS buffer, count, type, peer, tag, comm
#define Send_RECORD rec_message(comm, peer, tag, count, type)
#define Bcast_PARAMETERS void *buffer, REC_COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm
#define Bcast_ARGUMENTS buffer, count, datatype, root, comm
#define Bcast_RECORD rec_bcast(comm, root, count, datatype)
#define Reduce_PARAMETERS const void *sendbuf, void *recvbuf, REC_COUNT count, MPI_Datatype datatype, MPI_Op op,       \
    int root, MPI_Comm comm
#define Reduce_ARGUMENTS sendbuf, recvbuf, count, datatype, op, root, comm
#define Reduce_RECORD rec_collective_op(comm, root, count, datatype, op)
#define Allreduce_PARAMETERS const void *sendbuf, void *recvbuf, REC_COUNT count, MPI_Datatype datatype, MPI_Op op,    \
    MPI_Comm comm
#define Allreduce_ARGUMENTS sendbuf, recvbuf, count, datatype, op, comm
#define Allreduce_RECORD rec_collective_op(comm, REC_NO_ROOT, count, datatype, op)
#define Gather_PARAMETERS const void *sendbuf, REC_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,              \
    REC_COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm
#define Gather_ARGUMENTS sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
#define Gather_RECORD rec_gather(comm, root, sendbuf, sendcount, sendtype, recvcount, recvtype)
#define Scatter_PARAMETERS Gather_PARAMETERS
#define Scatter_ARGUMENTS Gather_ARGUMENTS
#define Scatter_RECORD rec_scatter(comm, root, sendcount, sendtype, recvbuf, recvcount, recvtype)
#define Allgather_PARAMETERS const void *sendbuf, REC_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,           \
    REC_COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm
#define Allgather_ARGUMENTS sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define Allgather_RECORD rec_allgather(comm, sendbuf, sendcount, sendtype, recvcount, recvtype)
#define Alltoall_PARAMETERS Allgather_PARAMETERS
#define Alltoall_ARGUMENTS Allgather_ARGUMENTS
#define Alltoall_RECORD rec_alltoall(comm, sendbuf, sendcount, sendtype, recvcount, recvtype)
#define Gatherv_PARAMETERS const void *sendbuf, REC_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,             \
    const REC_COUNT recvcounts[], const REC_DISPL displs[], MPI_Datatype recvtype, int root, MPI_Comm comm
#define Gatherv_ARGUMENTS sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm
#define Gatherv_RECORD rec_gatherv(comm, root, sendbuf, sendcount, sendtype, recvcounts, recvtype)
#define Scatterv_PARAMETERS const void *sendbuf, const REC_COUNT sendcounts[], const REC_DISPL displs[],               \
    MPI_Datatype sendtype, void *recvbuf, REC_COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm
#define Scatterv_ARGUMENTS sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm
#define Scatterv_RECORD rec_scatterv(comm, root, sendcounts, sendtype, recvbuf, recvcount, recvtype)
#define Allgatherv_PARAMETERS const void *sendbuf, REC_COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,          \
    const REC_COUNT recvcounts[], const REC_DISPL displs[], MPI_Datatype recvtype, MPI_Comm comm
#define Allgatherv_ARGUMENTS sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
#define Allgatherv_RECORD rec_allgatherv(comm, sendbuf, sendcount, sendtype, recvcounts, recvtype)
#define Alltoallv_PARAMETERS const void *sendbuf, const REC_COUNT sendcounts[], const REC_DISPL sdispls[],             \
    MPI_Datatype sendtype, void *recvbuf, const REC_COUNT recvcounts[], const REC_DISPL rdispls[],                     \
    MPI_Datatype recvtype, MPI_Comm comm
#define Alltoallv_ARGUMENTS sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm
#define Alltoallv_RECORD rec_alltoallv(comm, sendbuf, sendcounts, sendtype, recvcounts, recvtype)
#define Alltoallw_PARAMETERS const void *sendbuf, const REC_COUNT sendcounts[], const REC_DISPL sdispls[],             \
    const MPI_Datatype sendtypes[], void *recvbuf, const REC_COUNT recvcounts[], const REC_DISPL rdispls[],            \
    const MPI_Datatype recvtypes[], MPI_Comm comm
#define Alltoallw_ARGUMENTS sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm
#define Alltoallw_RECORD rec_alltoallw(comm, sendbuf, sendcounts, sendtypes, recvcounts, recvtypes)
#define Reduce_scatter_PARAMETERS const void *sendbuf, void *recvbuf, const REC_COUNT recvcounts[],                    \
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
#define Reduce_scatter_ARGUMENTS sendbuf, recvbuf, recvcounts, datatype, op, comm
#define Reduce_scatter_RECORD rec_reduce_scatter(comm, recvcounts, datatype, op)
#define Reduce_scatter_block_PARAMETERS const void *sendbuf, void *recvbuf, REC_COUNT recvcount,                       \
    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
#define Reduce_scatter_block_ARGUMENTS sendbuf, recvbuf, recvcount, datatype, op, comm
#define Reduce_scatter_block_RECORD rec_reduce_scatter_block(comm, recvcount, datatype, op)
#define Neighbor_allgather_PARAMETERS Allgather_PARAMETERS
#define Neighbor_allgather_ARGUMENTS Allgather_ARGUMENTS
#define Neighbor_allgather_RECORD rec_neighbor(comm, REC_LENGTH(sendcount, sendtype), REC_LENGTH(recvcount, recvtype))
#define Neighbor_allgatherv_PARAMETERS Allgatherv_PARAMETERS
#define Neighbor_allgatherv_ARGUMENTS Allgatherv_ARGUMENTS
#define Neighbor_allgatherv_RECORD rec_neighbor(comm, REC_LENGTH(sendcount, sendtype), REC_LENGTHS(recvcounts,         \
    recvtype))
#define Neighbor_alltoallv_PARAMETERS Alltoallv_PARAMETERS
#define Neighbor_alltoallv_ARGUMENTS Alltoallv_ARGUMENTS
#define Neighbor_alltoallv_RECORD rec_neighbor(comm, REC_LENGTHS(sendcounts, sendtype), REC_LENGTHS(recvcounts,        \
    recvtype))
#define Neighbor_alltoallw_PARAMETERS const void *sendbuf, const REC_COUNT sendcounts[], const MPI_Aint sdispls[],     \
    const MPI_Datatype sendtypes[], void *recvbuf, const REC_COUNT recvcounts[], const MPI_Aint rdispls[],             \
    const MPI_Datatype recvtypes[], MPI_Comm comm
#define Neighbor_alltoallw_ARGUMENTS Alltoallw_ARGUMENTS
#define Neighbor_alltoallw_RECORD rec_neighbor(comm, REC_LENGTHS_OF_TYPES(sendcounts, sendtypes),                      \
    REC_LENGTHS_OF_TYPES(recvcounts, recvtypes))

#endif
