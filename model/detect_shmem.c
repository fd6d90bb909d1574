/* Lock Contention of OpenSHMEM's locks (model/holdings.h). */
#include "model/bounds.h"
#include "model/detect.h"
#include "model/holdings.h"

/* From enter(set_lock) to the exit of the clear_lock of who held it before, cut to the call. */
static enum status find_wait(struct detection *detection, const struct holdings *holdings, size_t i)
{
    const struct relations *relations = detection->relations;
    if (!holding_waits(holdings, relations->trace, i)) return STATUS_OK;
    const struct holding *holding = &holdings->items[i], *before = holding - 1;
    const struct trace_call *call = relations_call(relations, holding->rank, holding->taken);
    if (before->cleared == HOLDING_NO_CALL || !settlement_counts(relations->settlement, holding->rank, holding->taken))
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
    if (!bounds_have_shmem(trace)) return STATUS_OK;
    enum status status = holdings_find(trace, &holdings, detection->err);
    for (size_t i = 1; status == STATUS_OK && i < holdings.count; i++) status = find_wait(detection, &holdings, i);
    holdings_clear(&holdings);
    return status;
}
