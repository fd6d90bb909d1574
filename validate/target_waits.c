#include "validate/target_waits.h"

#include <string.h>

#include "common/units.h"

static void add_wait(const struct trace *trace, const struct wait *wait, double *waits_s)
{
    if (wait->pattern != PATTERN_LOCK_CONTENTION && wait->pattern != PATTERN_WAIT_FOR_PROGRESS) return;
    const struct trace_call *call = &trace->ranks[wait->rank].calls[wait->call];
    bool named = call_row(call->call)->needed & F_TARGET && call->peer != TRACE_NONE;
    if (!named && wait->cause_call == FINDING_NO_CALL) return;
    if (wait->counted) waits_s[named ? (uint32_t)call->peer : wait->cause_rank] += units_s(wait->severity_ps);
}

enum status target_waits(const struct trace *trace, const struct analyze_options *options, double *waits_s,
                         struct err *err)
{
    struct analyze_options wanted = ANALYZE_DEFAULTS;
    struct analyze_found found = {.waits = {.count = 0}};
    struct result *result;
    if (options) wanted = *options;
    wanted.intervals = true;
    wanted.found = &found;
    TRY(model_analyze(trace, &wanted, &result, err));
    result_free(result);
    memset(waits_s, 0, trace->rank_count * sizeof *waits_s);
    for (size_t i = 0; i < found.waits.count; i++) add_wait(trace, &found.waits.items[i], waits_s);
    analyze_found_clear(&found);
    return STATUS_OK;
}
