#include "validate/transfers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/units.h"
#include "model/callpaths/callpath.h"
#include "model/transfers/bounds.h"
#include "model/waits/filter.h"

struct interval {
    double low_s, high_s;
};

static bool is_within_node(const struct trace *trace, const struct transfer *transfer)
{
    uint32_t node = trace->ranks[transfer->origin].node;
    return transfer->origin == transfer->target || (node != 0 && node == trace->ranks[transfer->target].node);
}

/* Both the least end and that of the base model are before the true one. Within a node the latter has the call's own time
 * in it, unless the call waited for a post. */
static struct interval predicted_bounds(const struct trace *trace, const struct transfer *transfer)
{
    const struct trace_sim *sim = trace->ranks[transfer->origin].sim;
    if (sim) sim += transfer->call;
    int64_t low_ps = transfer->lower_end_ps, least_ps = transfer->start_ps;
    if (sim && sim->xfer_least_ps != TRACE_UNKNOWN_PS) least_ps = sim->xfer_least_ps;
    bool waits = sim && sim->awaited_post_ps != TRACE_UNKNOWN_PS;
    if (least_ps > low_ps || (is_within_node(trace, transfer) && !waits)) low_ps = least_ps;
    return (struct interval){units_s(low_ps - transfer->start_ps), units_s(transfer->upper_end_ps - transfer->start_ps)};
}

static struct interval measured_bounds(const struct trace *trace, const struct transfer *transfer)
{
    int64_t low_ps = is_within_node(trace, transfer) ? transfer->start_ps : transfer->lower_end_ps;
    int64_t end_ps = transfer_true_end_ps(trace, transfer), high_ps = transfer->upper_end_ps;
    if (end_ps != TRACE_UNKNOWN_PS) low_ps = high_ps = end_ps;
    return (struct interval){units_s(low_ps - transfer->start_ps), units_s(high_ps - transfer->start_ps)};
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
    double *errors_s, *relative, *widths; /* memory for all */
    size_t relative_count, width_count;
    struct repeated *repeated;
    double worst_s;
    struct filter filter; /* of the prediction's operations */
    struct callpaths paths;
};

static void add_one(struct adder *adder, const struct trace *measured, const struct transfer *own,
                    const struct transfer *other)
{
    if (own->upper_end_ps == TRACE_UNKNOWN_PS || other->upper_end_ps == TRACE_UNKNOWN_PS) return;
    struct interval predicted = predicted_bounds(adder->predicted, own), found = measured_bounds(measured, other);
    double upper_s = units_s(other->upper_end_ps - other->start_ps), error_s = fabs(predicted.high_s - upper_s);
    bool within = intervals_overlap(predicted, found), leaves = !is_within_node(measured, other);
    adder->to->ends_known += transfer_true_end_ps(measured, other) != TRACE_UNKNOWN_PS;
    adder->to->within += within;
    adder->to->between_nodes += leaves;
    adder->to->between_nodes_within += leaves && within;
    if (leaves && predicted.low_s > 0) adder->widths[adder->width_count++] = predicted.high_s / predicted.low_s;
    struct repeated *repeated = &adder->repeated[own - adder->of_predicted->items];
    if (found.low_s < repeated->all.low_s) repeated->all.low_s = found.low_s;
    if (found.high_s > repeated->all.high_s) repeated->all.high_s = found.high_s;
    repeated->outside += !within;
    adder->errors_s[adder->to->count++] = error_s;
    if (upper_s > 0) adder->relative[adder->relative_count++] = error_s / upper_s;
    if (error_s <= adder->worst_s) return;
    adder->worst_s = error_s;
    adder->to->worst_rank = own->origin;
    adder->to->worst_event = own->call + 1;
}

static enum status add_if_kept(struct adder *adder, const struct trace *measured, const struct transfer *own,
                               const struct transfer *other, struct err *err)
{
    struct finding operation = {.rank = own->origin, .call = own->call};
    bool kept;
    TRY(filter_passes(&adder->filter, adder->predicted, &adder->paths, &operation, &kept, err));
    if (kept) add_one(adder, measured, own, other);
    return STATUS_OK;
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
            status = add_if_kept(adder, measured, &own->items[i], &transfers.items[i], err);
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
        struct interval predicted = predicted_bounds(adder->predicted, &adder->of_predicted->items[i]);
        if (intervals_overlap(predicted, repeated->all)) adder->to->within_spread += repeated->outside;
    }
}

enum status validate_transfers_match(const struct trace *predicted, const struct trace *const *measured,
                                     size_t repetitions, const struct section *section,
                                     const char *callpath, struct validate_transfers *transfers, struct err *err)
{
    struct transfers own;
    *transfers = (struct validate_transfers){.count = 0};
    TRY(bounds_find(predicted, &own, err));
    struct adder adder = {.predicted = predicted, .of_predicted = &own, .to = transfers, .worst_s = -1};
    adder.filter = (struct filter){.section = section, .callpath = callpath};
    adder.errors_s = calloc(own.count * repetitions + 1, sizeof *adder.errors_s);
    adder.relative = calloc(own.count * repetitions + 1, sizeof *adder.relative);
    adder.widths = calloc(own.count * repetitions + 1, sizeof *adder.widths);
    adder.repeated = calloc(own.count + 1, sizeof *adder.repeated);
    bool has_memory = adder.errors_s && adder.relative && adder.widths && adder.repeated;
    enum status status = has_memory ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK && callpath) status = callpaths_build(predicted, &adder.paths, err);
    bool has_paths = status == STATUS_OK && callpath;
    for (size_t i = 0; status == STATUS_OK && i < own.count; i++)
        adder.repeated[i].all = (struct interval){INFINITY, -INFINITY};
    for (size_t i = 0; status == STATUS_OK && i < repetitions; i++) status = add_run(&adder, measured[i], err);
    if (status == STATUS_OK) transfers->error_s = samples_summarize(adder.errors_s, (size_t)transfers->count);
    if (status == STATUS_OK) transfers->relative = samples_summarize(adder.relative, adder.relative_count);
    if (status == STATUS_OK) transfers->width = samples_summarize(adder.widths, adder.width_count);
    if (status == STATUS_OK) count_within_spread(&adder);
    if (has_paths) callpaths_clear(&adder.paths);
    FREE_ALL(adder.repeated, adder.widths, adder.errors_s, adder.relative);
    transfers_clear(&own);
    return status;
}
