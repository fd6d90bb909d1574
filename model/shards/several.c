#include "model/shards/several.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void several_clear(struct several *several)
{
    free(several->items);
    memset(several, 0, sizeof *several);
}

enum status several_add(struct several *several, const struct wait_profile *profile, const struct trace *trace,
                        const struct finding *finding, bool counted, struct err *err)
{
    struct several_wait made = {
        .place = wait_profile_one(profile, trace, finding),
        .interval = several->intervals ? interval_at(several->intervals, finding->rank, finding->call) : INTERVAL_ROOT,
        .cause = several->intervals && finding->cause_call != FINDING_NO_CALL
                     ? interval_at(several->intervals, finding->cause_rank, finding->cause_call)
                     : CAUSED_NOWHERE,
        .event = trace_event(trace, finding->rank, finding->call),
        .from_ps = finding->from_ps,
        .release_ps = finding->until_ps,
        .exit_ps = trace->ranks[finding->rank].calls[finding->call].exit_ps,
        .holder = finding->cause_call != FINDING_NO_CALL ? finding->cause_rank : SEVERAL_NOBODY,
        .counted = counted};
    if (made.from_ps < made.place.worst.enter_ps) made.from_ps = made.place.worst.enter_ps;
    if (made.holder == SEVERAL_NOBODY) made.release_ps = made.from_ps;
    ARRAY_PUSH(several->items, several->count, several->capacity, made, err);
    return STATUS_OK;
}

static int compare_waits(const void *one, const void *other)
{
    const struct several_wait *const *a = one, *const *b = other;
    const struct several_wait *x = *a, *y = *b;
    if (x->place.worst.rank != y->place.worst.rank) return x->place.worst.rank < y->place.worst.rank ? -1 : 1;
    if (x->event != y->event) return x->event < y->event ? -1 : 1;
    if (x->place.pattern != y->place.pattern) return x->place.pattern < y->place.pattern ? -1 : 1;
    if (x->release_ps != y->release_ps) return x->release_ps > y->release_ps ? -1 : 1;
    if (x->holder != y->holder) return x->holder < y->holder ? -1 : 1;
    return (x > y) - (x < y);
}

enum status several_choose(struct several *several, struct err *err)
{
    const struct several_wait **order = malloc((several->count + 1) * sizeof *order);
    struct several_wait *chosen = malloc((several->count + 1) * sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; order && i < several->count; i++) order[i] = &several->items[i];
    if (order && several->count > 1) qsort(order, several->count, sizeof *order, compare_waits);
    for (size_t i = 0; order && chosen && i < several->count; i++) {
        const struct several_wait *last = count > 0 ? &chosen[count - 1] : NULL;
        bool same = last && last->place.worst.rank == order[i]->place.worst.rank && last->event == order[i]->event &&
                    last->place.pattern == order[i]->place.pattern;
        if (!same) chosen[count++] = *order[i];
    }
    enum status status = order && chosen ? STATUS_OK : err_memory(err);
    free(order);
    if (status != STATUS_OK) {
        free(chosen);
        return status;
    }
    free(several->items);
    *several = (struct several){
        .intervals = several->intervals, .items = chosen, .count = count, .capacity = several->count + 1};
    return STATUS_OK;
}
