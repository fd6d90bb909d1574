#include "model/match/timelines.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void timelines_clear(struct timelines *timelines)
{
    for (uint32_t r = 0; timelines->trace && r < timelines->trace->rank_count; r++) {
        if (timelines->indexes) free(timelines->indexes[r]);
        if (timelines->first) free(timelines->first[r]);
        if (timelines->creators) free(timelines->creators[r]);
    }
    FREE_ALL(timelines->indexes, timelines->first, timelines->creators);
    memset(timelines, 0, sizeof *timelines);
}

void locations_clear(struct locations *locations)
{
    free(locations->first);
    memset(locations, 0, sizeof *locations);
}

enum status locations_build(const struct trace *trace, struct locations *locations, struct err *err)
{
    struct locations made = {.first = calloc((size_t)trace->rank_count + 1, sizeof *made.first)};
    if (!made.first) return err_memory(err);
    for (uint32_t r = 0; r < trace->rank_count; r++) made.first[r + 1] = made.first[r] + trace_thread_count(trace, r);
    made.count = made.first[trace->rank_count];
    *locations = made;
    return STATUS_OK;
}

static enum status split_rank(struct timelines *timelines, uint32_t rank, struct err *err)
{
    const struct trace *trace = timelines->trace;
    const struct trace_rank *process = &trace->ranks[rank];
    size_t threads = trace_thread_count(trace, rank);
    size_t *indexes = timelines->indexes[rank] = malloc((process->count + 1) * sizeof *indexes);
    size_t *first = timelines->first[rank] = calloc(threads + 2, sizeof *first);
    size_t *creators = timelines->creators[rank] = malloc(threads * sizeof *creators);
    if (!indexes || !first || !creators) return err_memory(err);
    for (size_t t = 0; t < threads; t++) creators[t] = TIMELINE_NO_CREATOR;
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        bool creates = call_kind(call->call) == CALL_THREAD_CREATE && call->primitive.child < threads;
        if (creates) creators[call->primitive.child] = i;
        first[trace_call_thread(trace, rank, i) + 2]++;
    }
    for (size_t t = 0; t < threads; t++) first[t + 2] += first[t + 1];
    for (size_t i = 0; i < process->count; i++) indexes[first[trace_call_thread(trace, rank, i) + 1]++] = i;
    return STATUS_OK;
}

enum status timelines_build(const struct trace *trace, struct timelines *timelines, struct err *err)
{
    struct timelines made = {.trace = trace};
    bool any = false;
    for (uint32_t r = 0; r < trace->rank_count; r++) any = any || trace_thread_count(trace, r) > 1;
    enum status status = STATUS_OK;
    if (any) {
        made.indexes = calloc(trace->rank_count, sizeof *made.indexes);
        made.first = calloc(trace->rank_count, sizeof *made.first);
        made.creators = calloc(trace->rank_count, sizeof *made.creators);
        if (!made.indexes || !made.first || !made.creators) status = err_memory(err);
    }
    for (uint32_t r = 0; any && status == STATUS_OK && r < trace->rank_count; r++)
        if (trace_thread_count(trace, r) > 1) status = split_rank(&made, r, err);
    GIVE(status, *timelines = made, timelines_clear(&made));
}

struct timeline timeline_of(const struct timelines *timelines, uint32_t rank, uint32_t thread)
{
    const struct trace_rank *process = &timelines->trace->ranks[rank];
    struct timeline timeline = {.calls = process->calls, .count = process->count, .creator = TIMELINE_NO_CREATOR};
    if (!timelines->indexes || !timelines->indexes[rank]) return timeline;
    timeline.indexes = timelines->indexes[rank] + timelines->first[rank][thread];
    timeline.count = timelines->first[rank][thread + 1] - timelines->first[rank][thread];
    timeline.creator = timelines->creators[rank][thread];
    return timeline;
}

size_t timeline_first_ending(const struct timeline *timeline, int64_t time_ps, bool or_at)
{
    size_t low = 0;
    SEARCH_FIRST(low, timeline->count, i,
                 or_at ? timeline_call(timeline, i)->exit_ps < time_ps
                       : timeline_call(timeline, i)->exit_ps <= time_ps);
    return low;
}

/* Whether the call may complete one-sided operations: synchronisation from fence to sync, and waits for requests. */
static bool may_complete(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return call_arm(kind) == ARM_SYNC || call_arm(kind) == ARM_COMPLETION;
}

uint32_t timelines_thread_ending(const struct timelines *timelines, uint32_t rank, int64_t time_ps)
{
    uint32_t threads = trace_thread_count(timelines->trace, rank);
    for (uint32_t t = 0; threads > 1 && t < threads; t++) {
        struct timeline timeline = timeline_of(timelines, rank, t);
        for (size_t k = timeline_first_ending(&timeline, time_ps, true); k < timeline.count; k++) {
            const struct trace_call *call = timeline_call(&timeline, k);
            if (call->exit_ps != time_ps) break;
            if (may_complete(call)) return t;
        }
    }
    return 0;
}
