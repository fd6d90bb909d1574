/* Wait for Progress in simulated traces. The trace states, for each call, when its origin waited only for the target's
 * progress. The detector adds the call of the target that served it; in slices, when the watermark is past it
 * (SLICE_LATE). */
#include "common/search.h"
#include "model/waits/detect.h"

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

/* Finds the call's target or, if it may have several, the first of this shard's ranks among them that enters MPI at
 * that moment. With a progress thread no rank does. */
static void find_cause(const struct relations *relations, bool one, int32_t target, struct finding *finding)
{
    uint32_t first = one ? (uint32_t)target : 0, end = one ? first + 1 : relations->trace->rank_count;
    for (uint32_t r = first; r < end; r++) {
        size_t entered;
        if (r == finding->rank || relations->trace->ranks[r].foreign) continue;
        if (!enters_at(relations, r, finding->until_ps, &entered)) continue;
        finding->cause_rank = r;
        finding->cause_call = entered;
        return;
    }
}

static enum status find_call(struct detection *detection, uint32_t rank, size_t index)
{
    const struct trace *trace = detection->relations->trace;
    const struct trace_sim *sim = &trace->ranks[rank].sim[index];
    if (sim->progress_until_ps == TRACE_UNKNOWN_PS) return STATUS_OK;
    const struct trace_call *call = relations_call(detection->relations, rank, index);
    struct finding finding = {.pattern = PATTERN_WAIT_FOR_PROGRESS,
                              .rank = rank,
                              .call = index,
                              .cause_call = FINDING_NO_CALL,
                              .from_ps = sim->progress_from_ps,
                              .until_ps = sim->progress_until_ps};
    int64_t from_ps = finding.from_ps > call->enter_ps ? finding.from_ps : call->enter_ps;
    finding.severity_ps = (finding.until_ps < call->exit_ps ? finding.until_ps : call->exit_ps) - from_ps;
    finding.earlier_ps = finding.severity_ps;
    bool one = call_row(trace_function(trace, rank, index))->needed & F_TARGET && call->peer != TRACE_NONE;
    if (one && trace->ranks[call->peer].foreign) return STATUS_OK; /* the target's shard finds it */
    find_cause(detection->relations, one, call->peer, &finding);
    if (one || !detection->several) return detect_found(detection, &finding);
    if (finding.cause_call == FINDING_NO_CALL && trace->ranks[rank].foreign) return STATUS_OK;
    return detect_for_target(detection, &finding);
}

enum status detect_known_progress(struct detection *detection)
{
    const struct trace *trace = detection->relations->trace;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; trace->ranks[r].sim && i < trace->ranks[r].count; i++)
            if (slice_state_served(detection->relations->state, trace, r, i)) TRY(find_call(detection, r, i));
    return STATUS_OK;
}
