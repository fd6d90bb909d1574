#include "validate/transfers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/units.h"
#include "model/transfers/bounds.h"

struct interval {
    double low_s, high_s;
};

static struct interval bounds_of(const struct transfer *transfer)
{
    return (struct interval){units_s(transfer->lower_end_ps - transfer->start_ps),
                             units_s(transfer->upper_end_ps - transfer->start_ps)};
}

/* Whether the intervals overlap. Times of a trace are whole picoseconds. */
static bool intervals_overlap(struct interval a, struct interval b)
{
    return a.low_s <= b.high_s + 1e-12 && b.low_s <= a.high_s + 1e-12;
}

/* A transfer in all repetitions. */
struct repeated {
    struct interval all; /* from the first to the last */
    uint64_t outside;    /* repetitions */
};

struct adder {
    const struct trace *predicted;
    const struct transfers *of_predicted;
    struct validate_transfers *to;
    double *errors_s, *relative; /* memory for all */
    size_t relative_count;
    struct repeated *repeated;
    double worst_s;
    const struct section *section; /* of the prediction; NULL: all */
};

static void add_repetition(struct repeated *repeated, struct interval found, bool within)
{
    if (found.low_s < repeated->all.low_s) repeated->all.low_s = found.low_s;
    if (found.high_s > repeated->all.high_s) repeated->all.high_s = found.high_s;
    repeated->outside += !within;
}

static void add_one(struct adder *adder, const struct trace *measured, const struct transfer *own,
                    const struct transfer *other)
{
    const struct trace_call *operation = &adder->predicted->ranks[own->origin].calls[own->call];
    if (adder->section && !section_has(adder->section, own->origin, operation)) return;
    if (own->upper_end_ps == TRACE_UNKNOWN_PS || other->upper_end_ps == TRACE_UNKNOWN_PS) return;
    struct interval predicted = bounds_of(own), found = bounds_of(other);
    int64_t end_ps = transfer_true_end_ps(measured, other);
    double upper_s = found.high_s, error_s = fabs(predicted.high_s - upper_s);
    if (end_ps != TRACE_UNKNOWN_PS) {
        found.low_s = found.high_s = units_s(end_ps - other->start_ps);
        adder->to->ends_known++;
    }
    bool within = intervals_overlap(predicted, found);
    adder->to->within += within;
    add_repetition(&adder->repeated[own - adder->of_predicted->items], found, within);
    adder->errors_s[adder->to->count++] = error_s;
    if (upper_s > 0) adder->relative[adder->relative_count++] = error_s / upper_s;
    if (error_s <= adder->worst_s) return;
    adder->worst_s = error_s;
    adder->to->worst_rank = own->origin;
    adder->to->worst_event = own->call + 1;
}

static enum status add_run(struct adder *adder, const struct trace *measured, struct err *err)
{
    struct transfers transfers;
    TRY(bounds_find(measured, &transfers, err));
    enum status status = STATUS_OK;
    const struct transfers *own = adder->of_predicted;
    for (size_t i = 0; status == STATUS_OK && i < own->count && i < transfers.count; i++) {
        if (own->items[i].origin != transfers.items[i].origin)
            status = err_set(err, STATUS_DATA, measured->name, NULL,
                             "has other transfers than the prediction %s from rank %" PRIu32 " on", adder->predicted->name,
                             own->items[i].origin);
        else
            add_one(adder, measured, &own->items[i], &transfers.items[i]);
    }
    if (status == STATUS_OK && own->count != transfers.count)
        status = err_set(err, STATUS_DATA, measured->name, NULL, "has %zu transfers, expected %zu as the prediction %s",
                         transfers.count, own->count, adder->predicted->name);
    transfers_clear(&transfers);
    return status;
}

static void count_within_spread(struct adder *adder)
{
    for (size_t i = 0; i < adder->of_predicted->count; i++) {
        const struct repeated *repeated = &adder->repeated[i];
        if (repeated->outside > 0 && intervals_overlap(bounds_of(&adder->of_predicted->items[i]), repeated->all))
            adder->to->within_spread += repeated->outside;
    }
}

enum status validate_transfers_match(const struct trace *predicted, const struct trace *const *measured,
                                     size_t repetitions, const struct section *section,
                                     struct validate_transfers *transfers, struct err *err)
{
    struct transfers own;
    *transfers = (struct validate_transfers){.count = 0};
    TRY(bounds_find(predicted, &own, err));
    struct adder adder = {.predicted = predicted, .of_predicted = &own, .to = transfers, .worst_s = -1, .section = section};
    adder.errors_s = calloc(own.count * repetitions + 1, sizeof *adder.errors_s);
    adder.relative = calloc(own.count * repetitions + 1, sizeof *adder.relative);
    adder.repeated = calloc(own.count + 1, sizeof *adder.repeated);
    enum status status = adder.errors_s && adder.relative && adder.repeated ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < own.count; i++)
        adder.repeated[i].all = (struct interval){INFINITY, -INFINITY};
    for (size_t i = 0; status == STATUS_OK && i < repetitions; i++) status = add_run(&adder, measured[i], err);
    if (status == STATUS_OK) transfers->error_s = samples_summarize(adder.errors_s, (size_t)transfers->count);
    if (status == STATUS_OK) transfers->relative = samples_summarize(adder.relative, adder.relative_count);
    if (status == STATUS_OK) count_within_spread(&adder);
    free(adder.repeated);
    free(adder.errors_s);
    free(adder.relative);
    transfers_clear(&own);
    return status;
}
