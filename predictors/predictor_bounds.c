#include "predictors/predictor_bounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/units.h"
#include "model/bounds.h"

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

static enum status predict(struct prediction *prediction, struct err *err)
{
    const struct trace *trace = prediction->outcome.trace;
    struct transfers transfers;
    TRY(bounds_find(trace, &transfers, err));
    prediction->bounds = calloc(transfers.count + 1, sizeof *prediction->bounds);
    if (!prediction->bounds) {
        transfers_clear(&transfers);
        return err_memory(err);
    }
    size_t outside = 0;
    for (size_t i = 0; i < transfers.count; i++) {
        prediction->bounds[i] = bound_of(trace, &transfers.items[i]);
        outside += !prediction->bounds[i].within;
    }
    prediction->bound_count = transfers.count;
    transfers_clear(&transfers);
    if (outside == 0) return STATUS_OK;
    return result_add_note(prediction->result, err, "%zu of %zu transfers end outside the bounds that the two event models give",
                           outside, prediction->bound_count);
}

const struct predictor predictor_bounds = {
    .name = "bounds",
    .summary = "bounds of the bandwidth of every transfer from the two event models",
    .predict = predict,
};

static void write_value(double value, FILE *out)
{
    if (isfinite(value))
        fprintf(out, ",%.12g", value);
    else
        fputc(',', out);
}

enum status prediction_write_bounds(const struct prediction *prediction, FILE *out, struct err *err)
{
    fputs("origin,target,kind,bytes,start_s,end_s,lower_end_s,upper_end_s,lower_Bps,upper_Bps,within\n", out);
    for (size_t i = 0; i < prediction->bound_count; i++) {
        const struct transfer_bound *bound = &prediction->bounds[i];
        const char *kind = bound->kind == CALL_GET ? "get" : bound->kind == CALL_PUT ? "put" : "accumulate";
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%s,%" PRId64, bound->origin, bound->target, kind, bound->bytes);
        const double values[] = {bound->start_s,     bound->end_s,     bound->lower_end_s,
                                 bound->upper_end_s, bound->lower_Bps, bound->upper_Bps};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) write_value(values[v], out);
        fprintf(out, ",%d\n", bound->within);
    }
    if (ferror(out)) return err_set(err, STATUS_SYSTEM, NULL, NULL, "the bounds cannot be written");
    return STATUS_OK;
}
