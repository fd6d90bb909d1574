#include "predictors/predictor_bounds.h"

#include <math.h>
#include <stdlib.h>

#include "common/units.h"
#include "model/transfers/bounds.h"

static double known_s(int64_t ps)
{
    return ps == TRACE_UNKNOWN_PS ? NAN : units_s(ps);
}

static double rate_Bps(int64_t bytes, int64_t start_ps, int64_t end_ps)
{
    if (end_ps == TRACE_UNKNOWN_PS) return NAN;
    return end_ps > start_ps ? (double)bytes / units_s(end_ps - start_ps) : INFINITY;
}

static struct transfer_bound bound_of(const struct trace *trace, const struct transfer *transfer)
{
    const struct trace_rank *rank = &trace->ranks[transfer->origin];
    const struct trace_sim *sim = &rank->sim[transfer->call];
    return (struct transfer_bound){
        .origin = transfer->origin,
        .target = transfer->target,
        .kind = call_kind(rank->calls[transfer->call].call),
        .bytes = transfer->bytes,
        .start_s = known_s(sim->xfer_start_ps),
        .end_s = known_s(sim->xfer_end_ps),
        .lower_end_s = known_s(transfer->lower_end_ps),
        .upper_end_s = known_s(transfer->upper_end_ps),
        .lower_Bps = rate_Bps(transfer->bytes, transfer->start_ps, transfer->upper_end_ps),
        .upper_Bps = rate_Bps(transfer->bytes, transfer->start_ps, transfer->lower_end_ps),
        .within = transfer_within_bounds(trace, transfer),
    };
}

static enum status predict_bounds(struct prediction *prediction, struct err *err)
{
    const struct trace *trace = prediction->outcome.trace;
    struct transfers transfers;
    TRY(bounds_find(trace, &transfers, err));
    prediction->bounds = calloc(transfers.count + 1, sizeof *prediction->bounds);
    if (!prediction->bounds) {
        transfers_clear(&transfers);
        return err_memory(err);
    }
    size_t outside = 0, without = 0;
    for (size_t i = 0; i < transfers.count; i++) {
        prediction->bounds[i] = bound_of(trace, &transfers.items[i]);
        bool ends = !isnan(prediction->bounds[i].end_s);
        without += !ends;
        outside += ends && !prediction->bounds[i].within;
    }
    prediction->bound_count = transfers.count;
    transfers_clear(&transfers);
    if (without > 0)
        TRY(result_add_note(prediction->result, err,
                            "%zu of %zu one-sided operations never leave: their epochs have no end", without,
                            prediction->bound_count));
    if (outside == 0) return STATUS_OK;
    return result_add_note(prediction->result, err,
                           "%zu of %zu transfers end outside the bounds that the two event models give", outside,
                           prediction->bound_count);
}

const struct predictor predictor_bounds = {
    .name = "bounds",
    .summary = "bounds of the bandwidth of every transfer from the two event models",
    .predict = predict_bounds,
};
