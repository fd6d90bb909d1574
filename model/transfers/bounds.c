#include "model/transfers/bounds.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "model/match/shmem_writes.h"

void transfers_clear(struct transfers *transfers)
{
    free(transfers->items);
    memset(transfers, 0, sizeof *transfers);
}

static int64_t exit_of(const struct trace *trace, uint32_t rank, size_t call)
{
    return epoch_closed(trace, rank, call) ? trace->ranks[rank].calls[call].exit_ps : TRACE_UNKNOWN_PS;
}

/* R2: the target's call of the fence instance that closes the origin's epoch. */
static int64_t target_fence_exit(const struct relations *relations, const struct access_epoch *epoch, int32_t target)
{
    const struct trace *trace = relations->trace;
    const struct instance *fence = instance_find(&relations->instances, CALL_FENCE, epoch->window, epoch->close_number);
    if (!fence) return TRACE_UNKNOWN_PS;
    int32_t member = trace_comm_rank(instance_comm(trace, fence), target);
    const struct trace_call *call =
        member == TRACE_NONE ? NULL : instance_call(trace, &relations->instances, fence, (uint32_t)member);
    return call && !(call->flags & TRACE_BREAK) ? call->exit_ps : TRACE_UNKNOWN_PS;
}

/* R3: the target's wait or successful test. */
static int64_t target_wait_exit(const struct relations *relations, size_t pair)
{
    size_t exposure = relations->epochs.pairs[pair].exposure;
    if (exposure == EPOCH_NONE) return TRACE_UNKNOWN_PS;
    const struct exposure_epoch *epoch = &relations->epochs.exposures[exposure];
    return exit_of(relations->trace, epoch->rank, epoch->close_call);
}

int64_t bounds_target_exit_ps(const struct relations *relations, const struct epoch_operation *operation)
{
    const struct access_epoch *epoch = &relations->epochs.accesses[operation->epoch];
    const struct trace_call *call = relations_call(relations, operation->origin, operation->call);
    if (epoch->close_call == EPOCH_NONE) return TRACE_UNKNOWN_PS;
    if (epoch->kind == EPOCH_FENCE) return target_fence_exit(relations, epoch, call->peer);
    return epoch->kind == EPOCH_START ? target_wait_exit(relations, operation->pair) : TRACE_UNKNOWN_PS;
}

/* R1 for the data of a get at the origin, R2-R4 for data that reach the target. */
static int64_t upper_end(const struct relations *relations, const struct epoch_operation *operation)
{
    const struct access_epoch *epoch = &relations->epochs.accesses[operation->epoch];
    const struct trace_call *call = relations_call(relations, operation->origin, operation->call);
    bool at_origin = call_kind(call->call) == CALL_GET || call_kind(call->call) == CALL_GET_ACCUMULATE ||
                     epoch->kind == EPOCH_LOCK || epoch->kind == EPOCH_LOCK_ALL;
    if (operation->done_call != EPOCH_NONE)
        return relations_call(relations, operation->origin, operation->done_call)->exit_ps;
    if (epoch->close_call == EPOCH_NONE) return TRACE_UNKNOWN_PS;
    if (at_origin) return exit_of(relations->trace, epoch->rank, epoch->close_call);
    if (epoch->kind == EPOCH_FENCE) return target_fence_exit(relations, epoch, call->peer);
    return target_wait_exit(relations, operation->pair);
}

bool bounds_have_shmem(const struct trace *trace)
{
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        if (trace->definitions.windows[w].flavor == 'h') return true;
    return false;
}

/* The exit of the first quiet after the operation that completes it. */
static int64_t quiet_exit_ps(const struct trace *trace, uint32_t rank, const size_t *next_quiet, size_t operation)
{
    const struct trace_rank *process = &trace->ranks[rank];
    size_t quiet = next_quiet[operation];
    while (quiet < process->count && !shmem_quiet_completes(trace, rank, quiet, operation)) quiet = next_quiet[quiet];
    if (quiet == process->count || process->calls[quiet].flags & TRACE_BREAK) return TRACE_UNKNOWN_PS;
    return process->calls[quiet].exit_ps;
}

/* OpenSHMEM 1.4 9.5, 9.6, 9.10: an operation that waits for an answer is complete at its exit, any other one with the
 * next quiet. Returns false for calls that move no data. */
static bool shmem_upper_end(const struct trace *trace, uint32_t rank, const size_t *next_quiet, size_t index,
                            int64_t *upper_ps)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    switch (call_kind(call->call)) {
    case CALL_SHMEM_GET:
    case CALL_SHMEM_FETCH: *upper_ps = call->flags & TRACE_BREAK ? TRACE_UNKNOWN_PS : call->exit_ps; return true;
    case CALL_SHMEM_PUT:
    case CALL_SHMEM_PUT_NBI:
    case CALL_SHMEM_GET_NBI:
    case CALL_SHMEM_ATOMIC: *upper_ps = quiet_exit_ps(trace, rank, next_quiet, index); return true;
    default: return false;
    }
}

/* next_quiet[i] is the index of the next quiet after call i, or the rank's number of calls; it has an element for the
 * end, too. */
static enum status add_shmem_calls(const struct relations *relations, uint32_t rank, size_t *next_quiet,
                                   struct transfers *made, struct err *err)
{
    const struct trace_rank *process = &relations->trace->ranks[rank];
    int64_t upper_ps;
    for (size_t i = process->count, quiet = process->count; i-- > 0;) {
        next_quiet[i] = quiet;
        if (call_is_quiet(process->calls[i].call)) quiet = i;
    }
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        if (!shmem_upper_end(relations->trace, rank, next_quiet, i, &upper_ps) || call->peer == TRACE_NONE) continue;
        if (!slice_state_counts(relations->state, rank, i)) continue;
        struct transfer transfer = {.origin = rank,
                                    .target = (uint32_t)call->peer,
                                    .call = i,
                                    .bytes = call->bytes,
                                    .start_ps = call->enter_ps,
                                    .lower_end_ps = call->exit_ps,
                                    .upper_end_ps = upper_ps};
        ARRAY_PUSH(made->items, made->count, made->capacity, transfer, err);
    }
    return STATUS_OK;
}

static enum status add_shmem(const struct relations *relations, uint32_t rank, struct transfers *made, struct err *err)
{
    size_t *next_quiet = malloc((relations->trace->ranks[rank].count + 1) * sizeof *next_quiet);
    if (!next_quiet) return err_memory(err);
    enum status status = add_shmem_calls(relations, rank, next_quiet, made, err);
    free(next_quiet);
    return status;
}

ORDER(compare_transfers, struct transfer, UP(origin) UP(call))

enum status bounds_from_relations(const struct relations *relations, struct transfers *transfers, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    struct transfers made = {0};
    TRY(array_reserve((void **)&made.items, &made.capacity, epochs->operation_count + 1, sizeof *made.items, err));
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        if (!slice_state_counts(relations->state, operation->origin, operation->call)) continue;
        const struct trace_call *call = relations_call(relations, operation->origin, operation->call);
        made.items[made.count++] = (struct transfer){.origin = operation->origin,
                                                     .target = (uint32_t)call->peer,
                                                     .call = operation->call,
                                                     .bytes = call->bytes,
                                                     .start_ps = call->enter_ps,
                                                     .lower_end_ps = call->exit_ps,
                                                     .upper_end_ps = upper_end(relations, operation)};
    }
    size_t mpi_count = made.count;
    if (bounds_have_shmem(relations->trace)) {
        for (uint32_t rank = 0; rank < relations->trace->rank_count; rank++)
            TRY(add_shmem(relations, rank, &made, err));
        if (made.count > mpi_count)
            qsort(made.items + mpi_count, made.count - mpi_count, sizeof *made.items, compare_transfers);
    }
    *transfers = made;
    return STATUS_OK;
}

enum status bounds_find(const struct trace *trace, struct transfers *transfers, struct err *err)
{
    struct relations relations;
    TRY(relations_build(trace, &relations, err));
    enum status status = bounds_from_relations(&relations, transfers, err);
    relations_clear(&relations);
    return status;
}

const char *transfer_kind_name(const struct trace *trace, const struct transfer *transfer)
{
    switch (call_kind(trace->ranks[transfer->origin].calls[transfer->call].call)) {
    case CALL_PUT:
    case CALL_SHMEM_PUT:
    case CALL_SHMEM_PUT_NBI: return "put";
    case CALL_GET:
    case CALL_SHMEM_GET:
    case CALL_SHMEM_GET_NBI: return "get";
    default: return "accumulate";
    }
}

int64_t transfer_true_end_ps(const struct trace *trace, const struct transfer *transfer)
{
    const struct trace_sim *sim = trace->ranks[transfer->origin].sim;
    return sim ? sim[transfer->call].xfer_end_ps : TRACE_UNKNOWN_PS;
}

int64_t transfer_least_end_ps(const struct trace *trace, const struct transfer *transfer)
{
    const struct trace_sim *sim = trace->ranks[transfer->origin].sim;
    const int64_t least_ps = sim ? sim[transfer->call].xfer_least_ps : TRACE_UNKNOWN_PS;
    return least_ps == TRACE_UNKNOWN_PS || least_ps > transfer->lower_end_ps ? least_ps : transfer->lower_end_ps;
}

bool transfer_within_bounds(const struct trace *trace, const struct transfer *transfer)
{
    int64_t end = transfer_true_end_ps(trace, transfer);
    if (end == TRACE_UNKNOWN_PS || end < transfer->lower_end_ps) return false;
    return transfer->upper_end_ps == TRACE_UNKNOWN_PS || end <= transfer->upper_end_ps;
}
