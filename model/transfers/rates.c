#include "model/transfers/rates.h"

#include <string.h>

#include "common/units.h"
#include "model/over_time/over_time.h"

void rates_clear(struct rates *rates)
{
    distribution_clear(&rates->lower);
    distribution_clear(&rates->upper);
    distribution_clear(&rates->platform);
    transfer_groups_clear(&rates->groups);
    memset(rates, 0, sizeof *rates);
}

/* An empty interval gives no bound; a transfer with an unknown end is not counted. */
static enum status add_rate(struct distribution *rates, const struct transfer *transfer, int64_t end_ps,
                            struct err *err)
{
    if (end_ps == TRACE_UNKNOWN_PS) return STATUS_OK;
    if (end_ps > transfer->start_ps)
        return distribution_add(rates, (double)transfer->bytes / units_s(end_ps - transfer->start_ps), err);
    rates->unbounded++;
    return STATUS_OK;
}

enum status rates_add(struct rates *rates, const struct trace *trace, const struct callpaths *paths,
                      const struct filter *filter, const struct transfers *transfers, struct transfer_log *log,
                      struct over_time *over_time, struct err *err)
{
    bool selects = filter_is_set(filter);
    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->items[i];
        struct finding operation = {.rank = transfer->origin, .call = transfer->call};
        bool passes = true;
        if (selects) TRY(filter_passes(filter, trace, paths, &operation, &passes, err));
        if (!passes) continue;
        rates->count++;
        rates->bytes += (uint64_t)transfer->bytes;
        bool gaps = trace->ranks[transfer->origin].calls[transfer->call].flags & TRACE_GAPS;
        rates->gap_count += gaps;
        rates->gap_bytes += gaps ? (uint64_t)transfer->bytes : 0;
        rates->true_end_unknown += transfer_true_end_ps(trace, transfer) == TRACE_UNKNOWN_PS;
        rates->within_bounds += transfer_within_bounds(trace, transfer);
        TRY(add_rate(&rates->lower, transfer, transfer->upper_end_ps, err));
        TRY(add_rate(&rates->upper, transfer, transfer->lower_end_ps, err));
        TRY(add_rate(&rates->platform, transfer, transfer_least_end_ps(trace, transfer), err));
        TRY(transfer_groups_add(&rates->groups, trace, paths, transfer, err));
        if (over_time) over_time_add_transfer(over_time, transfer);
        if (log) TRY(transfer_log_add(log, trace, transfer, err));
    }
    return STATUS_OK;
}

enum status rates_report(struct rates *rates, const struct trace *trace, const struct callpaths *paths,
                         struct result *result, struct err *err)
{
    result->transfer_count = rates->count;
    result->transfer_bytes = rates->bytes;
    result->gap_count = rates->gap_count;
    result->gap_bytes = rates->gap_bytes;
    result->within_known = trace->provenance.simulated && rates->true_end_unknown == 0;
    result->within_bounds = rates->within_bounds;
    result->lower_bound_Bps = distribution_report(&rates->lower);
    result->upper_bound_Bps = distribution_report(&rates->upper);
    result->platform_bound_Bps = distribution_report(&rates->platform);
    return transfer_groups_report(&rates->groups, trace, paths, result, err);
}
