/* Wait for Progress in simulated traces. The trace states, for each call, when its origin waited only for the target's
 * progress. The detector adds the call of the target that served it; in slices, when the watermark is past it
 * (SLICE_LATE). */
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "common/search.h"
#include "model/waits/detect.h"
#include "model/waits/properties.h"

/* Whether a call of the rank begins at this moment, so that the rank serves waiting requests. */
static bool enters_at(const struct relations *relations, uint32_t rank, int64_t time_ps, size_t *call)
{
    const struct trace_rank *process = &relations->trace->ranks[rank];
    size_t low = 0;
    SEARCH_FIRST(low, process->count, i, process->calls[i].enter_ps < time_ps);
    while (low < process->count && process->calls[low].enter_ps == time_ps && call_is_region(process->calls[low].call))
        low++;
    *call = low;
    return low < process->count && process->calls[low].enter_ps == time_ps;
}

/* The first two ranks, in their order, that enter MPI at a moment: one of them may be the rank that waits. */
struct entering {
    uint32_t count, ranks[2];
    size_t calls[2];
};

/* For the calls that may have several targets: who enters MPI when one of them was served. */
struct enters {
    struct map moments; /* to the index of the item */
    struct entering *items;
    size_t count, capacity;
};

static enum status add_moment(struct enters *enters, int64_t time_ps, struct err *err)
{
    uint64_t *index;
    TRY(map_put(&enters->moments, (uint64_t)time_ps, enters->count, &index, err));
    if (*index == enters->count) ARRAY_PUSH(enters->items, enters->count, enters->capacity, (struct entering){0}, err);
    return STATUS_OK;
}

static void find_enters(const struct trace *trace, const struct enters *enters)
{
    for (uint32_t r = 0; enters->count > 0 && r < trace->rank_count; r++) {
        const struct trace_rank *process = &trace->ranks[r];
        for (size_t i = 0; i < process->count; i++) {
            const struct trace_call *call = &process->calls[i];
            const uint64_t *index = call_is_region(call->call) ? NULL : map_find(&enters->moments, (uint64_t)call->enter_ps);
            struct entering *found = index ? &enters->items[*index] : NULL;
            if (!found || found->count == 2 || (found->count == 1 && found->ranks[0] == r)) continue;
            found->ranks[found->count] = r;
            found->calls[found->count++] = i;
        }
    }
}

/* Finds the call's target or, if it may have several, the first rank among them that enters MPI at
 * that moment. With a progress thread no rank does. */
static void find_cause(const struct relations *relations, const struct enters *enters, bool one, int32_t target,
                       struct finding *finding)
{
    size_t entered;
    if (one) {
        if ((uint32_t)target == finding->rank || !enters_at(relations, (uint32_t)target, finding->until_ps, &entered)) return;
        finding->cause_rank = (uint32_t)target;
        finding->cause_call = entered;
        return;
    }
    const struct entering *found = &enters->items[*map_find(&enters->moments, (uint64_t)finding->until_ps)];
    uint32_t first = found->count > 0 && found->ranks[0] == finding->rank;
    if (first == found->count) return;
    finding->cause_rank = found->ranks[first];
    finding->cause_call = found->calls[first];
}

static bool names_target(const struct trace *trace, uint32_t rank, size_t index)
{
    return call_row(trace_function(trace, rank, index))->needed & F_TARGET && trace->ranks[rank].calls[index].peer != TRACE_NONE;
}

static enum status find_call(struct detection *detection, const struct enters *enters, uint32_t rank, size_t index)
{
    const struct trace *trace = detection->relations->trace;
    const struct trace_sim *sim = &trace->ranks[rank].sim[index];
    const struct trace_call *call = relations_call(detection->relations, rank, index);
    struct finding finding = {.pattern = PATTERN_WAIT_FOR_PROGRESS,
                              .rank = rank,
                              .call = index,
                              .cause_call = FINDING_NO_CALL,
                              .from_ps = sim->progress_from_ps,
                              .until_ps = sim->progress_until_ps};
    finding.severity_ps = properties_progress_ps(&trace->ranks[rank], index);
    finding.earlier_ps = finding.severity_ps;
    bool one = names_target(trace, rank, index);
    find_cause(detection->relations, enters, one, call->peer, &finding);
    return detect_found(detection, &finding);
}

static bool needs_cause(const struct detection *detection, uint32_t rank, size_t index)
{
    const struct trace *trace = detection->relations->trace;
    return slice_state_served(detection->relations->state, trace, rank, index) &&
           trace->ranks[rank].sim[index].progress_until_ps != TRACE_UNKNOWN_PS;
}

static enum status find_calls(struct detection *detection, struct enters *enters)
{
    const struct trace *trace = detection->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; trace->ranks[r].sim && i < trace->ranks[r].count; i++)
            if (needs_cause(detection, r, i) && !names_target(trace, r, i))
                TRY(add_moment(enters, trace->ranks[r].sim[i].progress_until_ps, detection->err));
    find_enters(trace, enters);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; trace->ranks[r].sim && i < trace->ranks[r].count; i++)
            if (needs_cause(detection, r, i)) TRY(find_call(detection, enters, r, i));
    return STATUS_OK;
}

enum status detect_known_progress(struct detection *detection)
{
    struct enters enters = {0};
    enum status status = find_calls(detection, &enters);
    map_clear(&enters.moments);
    free(enters.items);
    return status;
}
