/* Law 2 for OpenSHMEM: what each routine waits for (docs/simulation.md, "OpenSHMEM"). */
#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "model/match/shmem_writes.h"
#include "simulate/verify/law.h"

static const struct trace_call *call_of(const struct verify_context *context, uint32_t rank, size_t index)
{
    return &context->predicted->ranks[rank].calls[index];
}

static bool brings_data(const struct trace_call *call)
{
    enum call_kind kind = call_operation(call_kind(call->call));
    return kind == CALL_GET || kind == CALL_GET_ACCUMULATE;
}

/* The routine itself: until the source may be reused, or the data have arrived. */
static void check_operation(const struct verify_context *context, uint32_t rank, size_t index, struct verify_row *row)
{
    const struct trace_call *call = call_of(context, rank, index);
    const struct trace_sim *sim = &context->predicted->ranks[rank].sim[index];
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_SHMEM_PUT_NBI || kind == CALL_SHMEM_GET_NBI) return;
    if (brings_data(call))
        verify_after(context, row, rank, index, call->exit_ps, sim->xfer_end_ps, "returns before its data are there");
    else
        verify_after(context, row, rank, index, call->exit_ps,
                     sim->xfer_start_ps + verify_leaving_ps(context, rank, (uint32_t)call->peer, call->bytes),
                     "returns before its data have left");
}

/* When the origin knows that the operation is complete. */
static int64_t known_ps(const struct verify_context *context, uint32_t rank, size_t index)
{
    const struct trace_call *call = call_of(context, rank, index);
    int64_t end_ps = context->predicted->ranks[rank].sim[index].xfer_end_ps;
    if (brings_data(call) || (uint32_t)call->peer == rank) return end_ps;
    return end_ps + verify_control_ps(context, (uint32_t)call->peer, rank);
}

/* Every quiet holds the PE until its earlier operations are complete; with threads, those issued by then. */
static void check_quiets(const struct verify_context *context, uint32_t rank, struct verify_row *row)
{
    const struct trace_rank *process = &context->predicted->ranks[rank];
    int64_t latest_ps = INT64_MIN;
    size_t open = 0; /* operations from here on count */
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *quiet = &process->calls[i];
        if (!call_is_shmem(quiet->call) || !call_is_quiet(quiet->call)) continue;
        for (size_t k = open; k < i; k++) {
            const struct trace_call *call = &process->calls[k];
            if (!call_is_shmem(call->call) || !verify_is_operation(call) || call->exit_ps > quiet->enter_ps) continue;
            int64_t end_ps = known_ps(context, rank, k);
            if (end_ps > latest_ps) latest_ps = end_ps;
        }
        if (process->thread_count == 0) open = i;
        if (latest_ps != INT64_MIN)
            verify_after(context, row, rank, i, quiet->exit_ps, latest_ps,
                         "returns before an operation is known to be complete");
    }
}

/* A lock while its holder certainly has it. */
struct hold {
    uint32_t object, rank;
    size_t call;
    int64_t begin_ps, end_ps; /* set_lock has returned, clear_lock has */
};

ORDER(compare_holds, struct hold, UP(object) UP(begin_ps) UP(end_ps) UP(rank))

static enum status gather_holds(const struct verify_context *context, struct hold **holds, size_t *count,
                                struct err *err)
{
    size_t capacity = 0;
    for (uint32_t r = 0; r < context->predicted->rank_count; r++) {
        size_t first = *count; /* holds that are not cleared have end_ps INT64_MIN */
        for (size_t i = 0; i < context->predicted->ranks[r].count; i++) {
            const struct trace_call *call = call_of(context, r, i);
            struct hold made = {call->shmem.lock, r, i, call->exit_ps, INT64_MIN};
            enum call_kind kind = call_kind(call->call);
            if (kind == CALL_SHMEM_SET_LOCK || (kind == CALL_SHMEM_TEST_LOCK && (call->flags & TRACE_FLAG)))
                ARRAY_PUSH(*holds, *count, capacity, made, err);
            if (kind != CALL_SHMEM_CLEAR_LOCK) continue;
            for (size_t k = *count; k-- > first;)
                if ((*holds)[k].object == call->shmem.lock && (*holds)[k].end_ps == INT64_MIN) {
                    (*holds)[k].end_ps = call->exit_ps;
                    break;
                }
        }
    }
    return STATUS_OK;
}

/* The rank that keeps the queues of locks: the first one of the symmetric memory. */
static uint32_t find_home(const struct trace *trace)
{
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        if (trace->definitions.windows[w].flavor == 'h')
            return (uint32_t)trace->definitions.comms[trace->definitions.windows[w].comm].members[0];
    return 0;
}

static enum status check_locks(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    struct hold *holds = NULL;
    size_t count = 0;
    enum status status = gather_holds(context, &holds, &count, err);
    if (status == STATUS_OK && count > 1) qsort(holds, count, sizeof *holds, compare_holds);
    uint32_t home = find_home(context->predicted);
    for (size_t i = 1; status == STATUS_OK && i < count; i++) {
        const struct hold *last = &holds[i - 1], *next = &holds[i];
        if (last->object != next->object || last->end_ps == INT64_MIN) continue;
        int64_t way_ps = verify_control_ps(context, last->rank, home) + verify_control_ps(context, home, next->rank);
        verify_after(context, row, next->rank, next->call, next->begin_ps, last->end_ps + way_ps,
                     "gets the lock before its last holder's release can have come");
    }
    free(holds);
    return status;
}

/* The write that ended the wait when it was recorded has arrived. */
static enum status check_waits(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    struct shmem_writes writes;
    TRY(shmem_writes_find(context->trace, &writes, err));
    enum status status = shmem_writes_pair(context->trace, &writes, err);
    for (uint32_t r = 0; status == STATUS_OK && r < context->trace->rank_count; r++)
        for (size_t i = 0; i < context->trace->ranks[r].count; i++) {
            const struct shmem_write *cause = shmem_writes_cause(&writes, context->trace, r, i);
            if (!cause) continue;
            verify_after(context, row, r, i, call_of(context, r, i)->exit_ps,
                         context->predicted->ranks[cause->origin].sim[cause->call].xfer_end_ps,
                         "returns before what it waits for is there");
        }
    shmem_writes_clear(&writes);
    return status;
}

enum status verify_waits_shmem(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    const struct trace *trace = context->predicted;
    bool threads = false;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        threads = threads || trace->ranks[r].thread_count > 0;
        for (size_t i = 0; i < trace->ranks[r].count; i++)
            if (call_is_shmem(trace->ranks[r].calls[i].call) && verify_is_operation(&trace->ranks[r].calls[i]))
                check_operation(context, r, i, row);
        check_quiets(context, r, row);
    }
    TRY(check_locks(context, row, err));
    return threads ? STATUS_OK : check_waits(context, row, err); /* the order of threads' calls may change */
}
