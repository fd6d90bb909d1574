#include "model/waits/waits.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void waits_clear(struct waits *waits)
{
    free(waits->items);
    memset(waits, 0, sizeof *waits);
}

enum status waits_add(struct waits *waits, const struct trace *trace, const struct finding *finding, bool counted,
                      struct err *err)
{
    const struct trace_call *call = &trace->ranks[finding->rank].calls[finding->call];
    struct wait made = {.from_ps = call->enter_ps > finding->from_ps ? call->enter_ps : finding->from_ps,
                        .until_ps = call->exit_ps < finding->until_ps ? call->exit_ps : finding->until_ps,
                        .rank = finding->rank,
                        .cause_rank = finding->cause_rank,
                        .call = finding->call,
                        .cause_call = finding->cause_call,
                        .pattern = (uint16_t)finding->pattern,
                        .thread = (uint16_t)trace_call_thread(trace, finding->rank, finding->call)};
    if (finding->cause_call != FINDING_NO_CALL)
        made.cause_thread = (uint16_t)trace_call_thread(trace, finding->cause_rank, finding->cause_call);
    made.severity_ps = finding->severity_ps;
    made.doubt = finding->doubt;
    made.counted = counted;
    if (finding->cause_call == FINDING_NO_CALL || made.until_ps < made.from_ps) made.until_ps = made.from_ps;
    ARRAY_PUSH(waits->items, waits->count, waits->capacity, made, err);
    return STATUS_OK;
}

ORDER(compare_waits, struct wait, UP(rank) UP(thread) UP(call) UP(until_ps) UP(from_ps) UP(pattern))

void waits_sort(struct waits *waits)
{
    if (waits->count > 1) qsort(waits->items, waits->count, sizeof *waits->items, compare_waits);
    /* Makes the waits of each thread disjoint: where two overlap, the one that ends last keeps the common time. */
    for (size_t i = waits->count, later = i; i-- > 0;) {
        struct wait *wait = &waits->items[i];
        if (wait->from_ps >= wait->until_ps) continue;
        const struct wait *other = later < waits->count ? &waits->items[later] : NULL;
        bool same = other && other->rank == wait->rank && other->thread == wait->thread;
        if (same && wait->until_ps > other->from_ps)
            wait->until_ps = wait->from_ps < other->from_ps ? other->from_ps : wait->from_ps;
        if (wait->from_ps < wait->until_ps) later = i;
    }
}
