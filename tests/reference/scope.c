#include "tests/reference/model.h"

static bool knows_kind(enum call_kind kind)
{
    static const enum call_kind known[] = {
        CALL_LOCAL,
        CALL_INIT,
        CALL_FINALIZE,
        CALL_REGION_ENTER,
        CALL_REGION_LEAVE,
        CALL_WIN_CREATE,
        CALL_WIN_FREE,
        CALL_PUT,
        CALL_GET,
        CALL_ACCUMULATE,
        CALL_GET_ACCUMULATE,
        CALL_FENCE,
        CALL_POST,
        CALL_START,
        CALL_COMPLETE,
        CALL_WIN_WAIT,
        CALL_WIN_TEST,
        CALL_LOCK,
        CALL_UNLOCK,
        CALL_LOCK_ALL,
        CALL_UNLOCK_ALL,
        CALL_FLUSH,
        CALL_FLUSH_LOCAL,
        CALL_SYNC,
        CALL_SEND,
        CALL_ISEND,
        CALL_RECV,
        CALL_IRECV,
        CALL_SENDRECV,
        CALL_REQUEST_WAIT,
        CALL_REQUEST_WAITALL,
        CALL_REQUEST_TEST,
        CALL_REQUEST_TESTALL,
        CALL_REQUEST_QUERY,
        CALL_BARRIER,
        CALL_BCAST,
        CALL_REDUCE,
        CALL_ALLREDUCE,
        CALL_GATHER,
        CALL_SCATTER,
        CALL_ALLGATHER,
        CALL_ALLTOALL,
        CALL_GATHERV,
        CALL_SCATTERV,
        CALL_SCAN,
        CALL_EXSCAN,
        CALL_SHMEM_BARRIER,
        CALL_SHMEM_PUT,
        CALL_SHMEM_PUT_NBI,
        CALL_SHMEM_GET,
        CALL_SHMEM_GET_NBI,
        CALL_SHMEM_ATOMIC,
        CALL_SHMEM_FETCH,
        CALL_SHMEM_QUIET,
        CALL_SHMEM_FENCE,
        CALL_SHMEM_WAIT,
        CALL_SHMEM_SET_LOCK,
        CALL_SHMEM_CLEAR_LOCK,
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == kind) return true;
    return false;
}

static uint32_t count_ranks(const struct trace *trace, enum call_kind kind)
{
    uint32_t ranks = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            if (call_kind(trace->ranks[r].calls[i].call) == kind) {
                ranks++;
                break;
            }
    return ranks;
}

static bool is_root(uint32_t rank, const struct trace_call *call)
{
    return call->peer == (int32_t)rank;
}

static const char *lacks_call(const struct trace *trace, uint32_t rank, const struct trace_call *call)
{
    bool matched = call->call == ID_Mrecv || call->call == ID_Imrecv;
    bool collective = call_kind(call->call) >= CALL_BARRIER && call_kind(call->call) <= CALL_EXSCAN;
    enum call_kind kind = call_kind(call->call);
    bool rooted = (kind == CALL_GATHERV || kind == CALL_SCATTERV) && !trace_call_counts(trace, call);
    bool idup = call->call == ID_Comm_idup;
    bool groups = collective && trace->definitions.comms[call->handle].first_group > 0;
    return matched || groups || idup || (rooted && is_root(rank, call)) || !knows_kind(call_kind(call->call))
               ? call_name(call->call)
               : NULL;
}

const char *reference_lacks(const struct trace *trace, const struct platform *platform)
{
    if (platform->unexpected_copy) return "mpi.unexpected_copy";
    if (platform->simgrid_xml) return "network.topology.simgrid_xml";
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        if (trace->ranks[r].thread_count > 0) return "threads";
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const char *lacks = lacks_call(trace, r, &trace->ranks[r].calls[i]);
            if (lacks) return lacks;
        }
    }
    uint32_t begins = count_ranks(trace, CALL_INIT), ends = count_ranks(trace, CALL_FINALIZE);
    bool some = (begins > 0 && begins < trace->rank_count) || (ends > 0 && ends < trace->rank_count);
    return some ? "MPI_Init or MPI_Finalize on some ranks only" : NULL;
}
