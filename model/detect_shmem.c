/* Lock Contention of OpenSHMEM's locks: who held one is inferred from the order in which the calls that took it
 * returned. */
#include <stdlib.h>

#include "common/array.h"
#include "model/detect.h"

struct holding {
    uint32_t lock, rank;
    size_t taken, cleared; /* calls; cleared FINDING_NO_CALL: not seen */
    int64_t taken_ps;      /* exit */
};

struct holdings {
    struct holding *items;
    size_t count, capacity;
};

static int compare_holdings(const void *one, const void *other)
{
    const struct holding *a = one, *b = other;
    if (a->lock != b->lock) return a->lock < b->lock ? -1 : 1;
    if (a->taken_ps != b->taken_ps) return a->taken_ps < b->taken_ps ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* open: where the rank holds the lock, its holding's index plus 1. */
static enum status note_call(const struct trace *trace, uint32_t rank, size_t index, struct map *open,
                             struct holdings *holdings, struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    uint64_t *slot;
    if (call->flags & TRACE_BREAK) return STATUS_OK;
    if (kind == CALL_SHMEM_SET_LOCK || (kind == CALL_SHMEM_TEST_LOCK && (call->flags & TRACE_FLAG))) {
        struct holding made = {call->ref, rank, index, FINDING_NO_CALL, call->exit_ps};
        ARRAY_PUSH(holdings->items, holdings->count, holdings->capacity, made, err);
        TRY(map_put(open, call->ref, 0, &slot, err));
        *slot = holdings->count;
    } else if (kind == CALL_SHMEM_CLEAR_LOCK) {
        slot = map_find(open, call->ref);
        if (slot && *slot > 0) holdings->items[*slot - 1].cleared = index;
        if (slot) *slot = 0;
    }
    return STATUS_OK;
}

static enum status collect(const struct trace *trace, struct holdings *holdings, struct err *err)
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

/* From enter(set_lock) to the exit of the clear_lock of who held it before, cut to the call. */
static enum status find_wait(struct detection *detection, const struct holding *holding, const struct holding *before)
{
    const struct relations *relations = detection->relations;
    const struct trace_call *call = relations_call(relations, holding->rank, holding->taken);
    if (holding->lock != before->lock || holding->rank == before->rank || before->cleared == FINDING_NO_CALL ||
        call_kind(call->call) != CALL_SHMEM_SET_LOCK ||
        !settlement_counts(relations->settlement, holding->rank, holding->taken))
        return STATUS_OK;
    int64_t release_ps = relations_call(relations, before->rank, before->cleared)->exit_ps;
    return detect_found(detection, &(struct finding){.pattern = PATTERN_LOCK_CONTENTION,
                                                     .rank = holding->rank,
                                                     .call = holding->taken,
                                                     .severity_ps = wait_until(call, release_ps),
                                                     .cause_rank = before->rank,
                                                     .cause_call = before->cleared,
                                                     .from_ps = INT64_MIN,
                                                     .until_ps = release_ps});
}

enum status detect_shmem_lock_contention(struct detection *detection)
{
    const struct trace *trace = detection->relations->trace;
    struct holdings holdings = {0};
    size_t w = 0;
    while (w < trace->window_count && trace->windows[w].flavor != 'h') w++;
    if (w == trace->window_count) return STATUS_OK;
    enum status status = collect(trace, &holdings, detection->err);
    if (status == STATUS_OK && holdings.count > 0)
        qsort(holdings.items, holdings.count, sizeof *holdings.items, compare_holdings);
    for (size_t i = 1; status == STATUS_OK && i < holdings.count; i++)
        status = find_wait(detection, &holdings.items[i], &holdings.items[i - 1]);
    free(holdings.items);
    return status;
}
