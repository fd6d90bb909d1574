#include "model/match/completions.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"

/* Operations of one rank that no call has completed yet, in one list per window, linked by next. */
struct pending {
    const struct trace *trace;
    struct epochs *epochs;
    uint32_t rank;
    size_t *heads;       /* per window; EPOCH_NONE: empty */
    size_t *next;        /* per operation */
    struct map requests; /* to operation; only operations that return data to the origin */
    struct err *err;
};

static const struct trace_call *call_of(const struct pending *pending, size_t operation)
{
    return &pending->trace->ranks[pending->rank].calls[pending->epochs->operations[operation].call];
}

/* When the origin has the answer, the operation is complete at the target, too. */
static bool brings_back(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_GET || call_kind(call->call) == CALL_GET_ACCUMULATE;
}

/* Removes the operations that the call completes at the target. A call that completes at the origin only removes those
 * that return data. A flush does not complete an operation from which another thread has not returned when the flush
 * begins. */
static void remove_pending(struct pending *pending, size_t index)
{
    const struct trace_call *call = &pending->trace->ranks[pending->rank].calls[index];
    size_t *link = &pending->heads[call->handle];
    bool flush = call_kind(call->call) == CALL_FLUSH || call_kind(call->call) == CALL_FLUSH_LOCAL;
    while (*link != EPOCH_NONE) {
        size_t operation = *link;
        const struct trace_call *of = call_of(pending, operation);
        enum epoch_completion completion = epoch_completion(call, of->handle, of->peer);
        if (flush && of->exit_ps > call->enter_ps) completion = COMPLETE_NOWHERE;
        if (flush && completion != COMPLETE_NOWHERE) {
            struct epoch_operation *flushed = &pending->epochs->operations[operation];
            struct access_epoch *epoch = &pending->epochs->accesses[flushed->epoch];
            if (flushed->first_flush == EPOCH_NONE) flushed->first_flush = index;
            if (epoch->flush_call == EPOCH_NONE) epoch->flush_call = index;
        }
        if (completion != COMPLETE_AT_TARGET && (completion == COMPLETE_NOWHERE || !brings_back(of))) {
            link = &pending->next[operation];
            continue;
        }
        struct epoch_operation *done = &pending->epochs->operations[operation];
        if (done->done_call == EPOCH_NONE) done->done_call = index;
        *link = pending->next[operation];
    }
}

static void finish_request(struct pending *pending, uint32_t request, size_t index)
{
    const uint64_t *operation = map_find(&pending->requests, request);
    if (!operation) return;
    struct epoch_operation *done = &pending->epochs->operations[*operation];
    if (done->done_call == EPOCH_NONE) done->done_call = index;
}

static void finish_requests(struct pending *pending, const struct trace_call *call, size_t index)
{
    uint32_t count;
    const uint32_t *ids = trace_call_completed(pending->trace, call, &count);
    for (uint32_t i = 0; pending->requests.count > 0 && i < count; i++) finish_request(pending, ids[i], index);
}

static enum status add_pending(struct pending *pending, size_t operation)
{
    const struct trace_call *call = call_of(pending, operation);
    const struct epoch_operation *of = &pending->epochs->operations[operation];
    enum epoch_kind kind = pending->epochs->accesses[of->epoch].kind;
    uint64_t *slot;
    if (kind != EPOCH_LOCK && kind != EPOCH_LOCK_ALL) return STATUS_OK;
    pending->next[operation] = pending->heads[call->handle];
    pending->heads[call->handle] = operation;
    if (!call_makes_request(call->call) || !brings_back(call)) return STATUS_OK;
    return map_put(&pending->requests, call->ref, operation, &slot, pending->err);
}

/* first: the rank's first operation; returns the first of the next rank in *first. */
static enum status walk_rank(struct pending *pending, size_t *first)
{
    const struct trace_rank *rank = &pending->trace->ranks[pending->rank];
    const struct epochs *epochs = pending->epochs;
    size_t operation = *first;
    while (*first < epochs->operation_count && epochs->operations[*first].origin == pending->rank) ++*first;
    if (operation == *first) return STATUS_OK;
    for (size_t w = 0; w < pending->trace->definitions.window_count; w++) pending->heads[w] = EPOCH_NONE;
    map_clear(&pending->requests);
    for (size_t i = 0; i < rank->count; i++) {
        if (operation < *first && epochs->operations[operation].call == i) TRY(add_pending(pending, operation++));
        if (rank->calls[i].flags & TRACE_BREAK) continue;
        switch (call_kind(rank->calls[i].call)) {
        case CALL_FLUSH:
        case CALL_FLUSH_LOCAL:
        case CALL_UNLOCK:
        case CALL_UNLOCK_ALL: remove_pending(pending, i); break;
        default: finish_requests(pending, &rank->calls[i], i); break;
        }
    }
    return STATUS_OK;
}

enum status completions_find(const struct trace *trace, struct epochs *epochs, struct err *err)
{
    struct pending pending = {.trace = trace, .epochs = epochs, .err = err};
    size_t first = 0;
    for (size_t i = 0; i < epochs->operation_count; i++)
        epochs->operations[i].done_call = epochs->operations[i].first_flush = EPOCH_NONE;
    for (size_t i = 0; i < epochs->access_count; i++) epochs->accesses[i].flush_call = EPOCH_NONE;
    pending.heads = malloc((trace->definitions.window_count + 1) * sizeof *pending.heads);
    pending.next = malloc((epochs->operation_count + 1) * sizeof *pending.next);
    enum status status = pending.heads && pending.next ? STATUS_OK : err_memory(err);
    for (; status == STATUS_OK && pending.rank < trace->rank_count; pending.rank++)
        status = walk_rank(&pending, &first);
    map_clear(&pending.requests);
    FREE_ALL(pending.heads, pending.next);
    return status;
}
