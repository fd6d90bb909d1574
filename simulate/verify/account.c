/* Law 3 for wait states: on the predicted trace the detector finds the waits that the simulator counted. */
#include <inttypes.h>

#include "model/analyze.h"
#include "simulate/verify/law.h"

/* The patterns that the replay counts itself. */
static const enum pattern accounted[] = {
    PATTERN_LATE_POST,           PATTERN_EARLY_TRANSFER, PATTERN_EARLY_WAIT,     PATTERN_LATE_COMPLETE,
    PATTERN_WAIT_AT_FENCE,       PATTERN_WAIT_AT_CREATE, PATTERN_WAIT_AT_FREE,   PATTERN_LOCK_CONTENTION,
    PATTERN_WAIT_FOR_PROGRESS,   PATTERN_JOIN_WAIT,      PATTERN_SEMAPHORE_WAIT, PATTERN_THREAD_LOCK_CONTENTION,
    PATTERN_THREAD_BARRIER_WAIT, PATTERN_WAIT_FOR_WRITE, PATTERN_LATE_SIGNAL,
};

static void compare_figure(const struct verify_context *context, const struct totals *found, enum pattern pattern,
                           uint32_t rank, bool partial, struct verify_row *row)
{
    const struct totals *known = &context->outcome->totals;
    int64_t own_ps = known->severity_ps[pattern][rank], seen_ps = found->severity_ps[pattern][rank];
    uint64_t own_count = known->count[pattern][rank], seen_count = found->count[pattern][rank];
    int64_t rounding_ps = (int64_t)(own_count > seen_count ? own_count : seen_count);
    row->checked++;
    if ((partial || own_ps <= seen_ps + rounding_ps) && seen_ps <= own_ps + rounding_ps) return;
    verify_breach(row,
                  "%s of rank %u: the simulator counts %" PRId64 " ps in %" PRIu64 " waits, the detector %" PRId64
                  " ps in %" PRIu64,
                  pattern_row(pattern)->name, rank, own_ps, own_count, seen_ps, seen_count);
}

/* Where messages between ranks take no time, a lock may be released, granted and released again at one moment. Then
 * times do not give the order of its holders. */
static bool holders_in_order(const struct verify_context *context)
{
    if (context->platform->simgrid_xml) return true; /* latencies are the engine's */
    for (uint32_t r = 1; r < context->predicted->rank_count; r++)
        if (verify_control_ps(context, r - 1, r) == 0 || verify_control_ps(context, 0, r) == 0) return false;
    return true;
}

enum status verify_account(const struct verify_context *context, struct verify_row *row, struct err *err)
{
    struct totals found;
    TRY(model_totals(context->predicted, NULL, &found, err));
    /* Where a timeline breaks off, epochs have no end. The detector reports nothing for them (docs/patterns.md); the
     * simulator knows what the rank waited for. */
    bool partial = false;
    for (uint32_t r = 0; r < context->predicted->rank_count; r++)
        partial = partial || context->predicted->ranks[r].incomplete;
    for (size_t p = 0; p < sizeof accounted / sizeof *accounted; p++) {
        if (accounted[p] == PATTERN_LOCK_CONTENTION && !holders_in_order(context)) continue;
        for (uint32_t r = 0; r < found.rank_count; r++) compare_figure(context, &found, accounted[p], r, partial, row);
    }
    totals_clear(&found);
    return STATUS_OK;
}
