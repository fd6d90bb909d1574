#include "model/causes/busy.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void busy_clear(struct busy *busy)
{
    free(busy->items);
    memset(busy, 0, sizeof *busy);
}

static enum status add_interval(struct busy *busy, uint32_t processor, int64_t from_ps, int64_t to_ps, struct err *err)
{
    struct busy_interval made = {from_ps, to_ps, processor};
    if (to_ps > from_ps) ARRAY_PUSH(busy->items, busy->count, busy->capacity, made, err);
    return STATUS_OK;
}

static enum status add_transfers(const struct processors *processors, const struct transfers *transfers,
                                 struct busy *busy, struct err *err)
{
    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->items[i];
        int64_t true_ps = transfer_true_end_ps(processors->timelines->trace, transfer);
        TRY(add_interval(busy, processor_of(processors, transfer->origin, transfer->call), transfer->start_ps,
                true_ps != TRACE_UNKNOWN_PS ? true_ps : transfer->upper_end_ps, err));
    }
    return STATUS_OK;
}

/* Requests of one rank's messages to the call that made them. */
static enum status find_makers(const struct trace_rank *rank, struct map *makers, struct err *err)
{
    for (size_t i = 0; i < rank->count; i++) {
        enum call_kind kind = call_kind(rank->calls[i].call);
        uint64_t *slot;
        if (kind == CALL_ISEND || kind == CALL_IRECV)
            TRY(map_put(makers, rank->calls[i].message.request, i, &slot, err));
    }
    return STATUS_OK;
}

static enum status add_messages(const struct processors *processors, uint32_t rank, const struct map *makers,
                                struct busy *busy, struct err *err)
{
    const struct trace *trace = processors->timelines->trace;
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        uint32_t count;
        const uint32_t *ids = trace_call_completed(trace, call, &count);
        for (uint32_t k = 0; k < count; k++) {
            const uint64_t *maker = map_find(makers, ids[k]);
            if (maker)
                TRY(add_interval(busy, processor_of(processors, rank, *maker), process->calls[*maker].enter_ps, call->exit_ps,
                        err));
        }
    }
    return STATUS_OK;
}

static int compare_intervals(const void *one, const void *other)
{
    const struct busy_interval *a = one, *b = other;
    if (a->processor != b->processor) return a->processor > b->processor ? 1 : -1;
    if (a->from_ps != b->from_ps) return a->from_ps > b->from_ps ? 1 : -1;
    return (a->to_ps > b->to_ps) - (a->to_ps < b->to_ps);
}

static void unite_intervals(struct busy *busy)
{
    size_t kept = 0;
    if (busy->count > 1) qsort(busy->items, busy->count, sizeof *busy->items, compare_intervals);
    for (size_t i = 0; i < busy->count; i++) {
        struct busy_interval *last = kept > 0 ? &busy->items[kept - 1] : NULL;
        if (!last || last->processor != busy->items[i].processor || busy->items[i].from_ps > last->to_ps)
            busy->items[kept++] = busy->items[i];
        else if (busy->items[i].to_ps > last->to_ps)
            last->to_ps = busy->items[i].to_ps;
    }
    busy->count = kept;
}

enum status busy_build(const struct relations *relations, const struct processors *processors,
                       const struct transfers *transfers, struct busy *busy, struct err *err)
{
    const struct trace *trace = relations->trace;
    struct busy made = {0};
    struct map makers = {0};
    enum status status = add_transfers(processors, transfers, &made, err);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        status = find_makers(&trace->ranks[r], &makers, err);
        if (status == STATUS_OK) status = add_messages(processors, r, &makers, &made, err);
        map_clear(&makers);
    }
    if (status != STATUS_OK) {
        busy_clear(&made);
        return status;
    }
    unite_intervals(&made);
    *busy = made;
    return STATUS_OK;
}

void busy_of_processor(struct busy *busy, uint32_t processor)
{
    busy->at = busy->end;
    while (busy->end < busy->count && busy->items[busy->end].processor == processor) busy->end++;
}

int64_t busy_within(struct busy *busy, int64_t from_ps, int64_t to_ps)
{
    int64_t found_ps = 0;
    while (busy->at < busy->end && busy->items[busy->at].to_ps <= from_ps) busy->at++;
    for (size_t i = busy->at; i < busy->end && busy->items[i].from_ps < to_ps; i++) {
        int64_t low_ps = busy->items[i].from_ps > from_ps ? busy->items[i].from_ps : from_ps;
        int64_t high_ps = busy->items[i].to_ps < to_ps ? busy->items[i].to_ps : to_ps;
        found_ps += high_ps - low_ps;
    }
    return found_ps;
}
