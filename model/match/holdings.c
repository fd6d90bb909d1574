#include "model/match/holdings.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void holdings_clear(struct holdings *holdings)
{
    free(holdings->items);
    memset(holdings, 0, sizeof *holdings);
}

ORDER(compare_holdings, struct holding, UP(lock) UP(taken_ps) UP(rank))

/* open maps a lock that the rank holds to the index of its holding plus 1. */
static enum status note_call(const struct trace *trace, uint32_t rank, size_t index, struct map *open,
                             struct holdings *holdings, struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    uint64_t *slot;
    bool locks = kind == CALL_SHMEM_SET_LOCK || kind == CALL_SHMEM_TEST_LOCK || kind == CALL_SHMEM_CLEAR_LOCK;
    if (!locks || call->flags & TRACE_BREAK) return STATUS_OK;
    if (kind == CALL_SHMEM_SET_LOCK || (kind == CALL_SHMEM_TEST_LOCK && (call->flags & TRACE_FLAG))) {
        struct holding made = {call->shmem.lock, rank, index, HOLDING_NO_CALL, call->exit_ps};
        ARRAY_PUSH(holdings->items, holdings->count, holdings->capacity, made, err);
        TRY(map_put(open, call->shmem.lock, 0, &slot, err));
        *slot = holdings->count;
    } else if (kind == CALL_SHMEM_CLEAR_LOCK) {
        slot = map_find(open, call->shmem.lock);
        if (slot && *slot > 0) holdings->items[*slot - 1].cleared = index;
        if (slot) *slot = 0;
    }
    return STATUS_OK;
}

static enum status collect_holdings(const struct trace *trace, struct holdings *holdings, struct err *err)
{
    struct map open = {0};
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < trace->rank_count; rank++) {
        map_empty(&open);
        for (size_t i = 0; status == STATUS_OK && i < trace->ranks[rank].count; i++)
            status = note_call(trace, rank, i, &open, holdings, err);
    }
    map_clear(&open);
    return status;
}

enum status holdings_find(const struct trace *trace, struct holdings *holdings, struct err *err)
{
    struct holdings made = {0};
    enum status status = collect_holdings(trace, &made, err);
    if (status != STATUS_OK) {
        holdings_clear(&made);
        return status;
    }
    if (made.count > 1) qsort(made.items, made.count, sizeof *made.items, compare_holdings);
    *holdings = made;
    return STATUS_OK;
}

bool holding_waits(const struct holdings *holdings, const struct trace *trace, size_t i)
{
    const struct holding *holding = &holdings->items[i], *before = i > 0 ? holding - 1 : NULL;
    return before && before->lock == holding->lock && before->rank != holding->rank &&
           call_kind(trace->ranks[holding->rank].calls[holding->taken].call) == CALL_SHMEM_SET_LOCK;
}
