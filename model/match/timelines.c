#include "model/match/timelines.h"

#include <stdlib.h>
#include <string.h>

#include "common/search.h"

void lanes_clear(struct lanes *lanes)
{
    for (uint32_t r = 0; lanes->trace && r < lanes->trace->rank_count; r++) {
        if (lanes->indexes) free(lanes->indexes[r]);
        if (lanes->first) free(lanes->first[r]);
        if (lanes->creators) free(lanes->creators[r]);
    }
    free(lanes->indexes);
    free(lanes->first);
    free(lanes->creators);
    memset(lanes, 0, sizeof *lanes);
}

static enum status split_rank(struct lanes *lanes, uint32_t rank, struct err *err)
{
    const struct trace *trace = lanes->trace;
    const struct trace_rank *stream = &trace->ranks[rank];
    size_t threads = trace_thread_count(trace, rank);
    size_t *indexes = lanes->indexes[rank] = malloc((stream->count + 1) * sizeof *indexes);
    size_t *first = lanes->first[rank] = calloc(threads + 2, sizeof *first);
    size_t *creators = lanes->creators[rank] = malloc(threads * sizeof *creators);
    if (!indexes || !first || !creators) return err_memory(err);
    for (size_t t = 0; t < threads; t++) creators[t] = LANE_NO_CREATOR;
    for (size_t i = 0; i < stream->count; i++) {
        const struct trace_call *call = &stream->calls[i];
        bool creates = call_kind(call->call) == CALL_THREAD_CREATE && call->ref < threads;
        if (creates) creators[call->ref] = i;
        first[trace_call_thread(trace, rank, i) + 2]++;
    }
    for (size_t t = 0; t < threads; t++) first[t + 2] += first[t + 1];
    for (size_t i = 0; i < stream->count; i++) indexes[first[trace_call_thread(trace, rank, i) + 1]++] = i;
    return STATUS_OK;
}

enum status lanes_build(const struct trace *trace, struct lanes *lanes, struct err *err)
{
    struct lanes made = {.trace = trace};
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
    if (status == STATUS_OK)
        *lanes = made;
    else
        lanes_clear(&made);
    return status;
}

struct lane lane_of(const struct lanes *lanes, uint32_t rank, uint32_t thread)
{
    const struct trace_rank *stream = &lanes->trace->ranks[rank];
    struct lane lane = {.calls = stream->calls, .count = stream->count, .creator = LANE_NO_CREATOR};
    if (!lanes->indexes || !lanes->indexes[rank]) return lane;
    lane.indexes = lanes->indexes[rank] + lanes->first[rank][thread];
    lane.count = lanes->first[rank][thread + 1] - lanes->first[rank][thread];
    lane.creator = lanes->creators[rank][thread];
    return lane;
}

size_t lane_first_ending(const struct lane *lane, int64_t time_ps, bool or_at)
{
    size_t low = 0;
    SEARCH_FIRST(low, lane->count, i,
                 or_at ? lane_call(lane, i)->exit_ps < time_ps : lane_call(lane, i)->exit_ps <= time_ps);
    return low;
}

bool lane_completes(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return (kind >= CALL_FENCE && kind <= CALL_SYNC) || (kind >= CALL_REQUEST_WAIT && kind <= CALL_REQUEST_TESTALL);
}

uint32_t lanes_thread_ending(const struct lanes *lanes, uint32_t rank, int64_t time_ps)
{
    uint32_t threads = trace_thread_count(lanes->trace, rank);
    for (uint32_t t = 0; threads > 1 && t < threads; t++) {
        struct lane lane = lane_of(lanes, rank, t);
        for (size_t k = lane_first_ending(&lane, time_ps, true); k < lane.count; k++) {
            const struct trace_call *call = lane_call(&lane, k);
            if (call->exit_ps != time_ps) break;
            if (lane_completes(call)) return t;
        }
    }
    return 0;
}

bool lane_is_mpi(const struct trace_call *call)
{
    return call->call < ID_region_enter && !call_is_thread(call->call);
}
