#include "model/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "common/array.h"
#include "common/map.h"
#include "common/units.h"

struct rates {
    double *items;
    size_t count;
    uint64_t unbounded;
};

/* An empty interval bounds nothing; an end that is not known says nothing. */
static void add_rate(struct rates *rates, const struct transfer *transfer, int64_t end_ps)
{
    if (end_ps == TRACE_UNKNOWN_PS) return;
    if (end_ps <= transfer->start_ps)
        rates->unbounded++;
    else
        rates->items[rates->count++] = (double)transfer->bytes / units_s(end_ps - transfer->start_ps);
}

static struct result_distribution distribution(struct rates *rates)
{
    struct result_distribution made = {.count = rates->count, .unbounded = rates->unbounded};
    if (rates->count == 0) return made;
    gsl_sort(rates->items, 1, rates->count);
    made.min = rates->items[0];
    made.max = rates->items[rates->count - 1];
    made.mean = gsl_stats_mean(rates->items, 1, rates->count);
    made.median = gsl_stats_median_from_sorted_data(rates->items, 1, rates->count);
    return made;
}

static enum status report_bounds(const struct transfers *transfers, struct result *result, struct err *err)
{
    double *items = malloc((transfers->count + 1) * sizeof *items);
    if (!items) return err_memory(err);
    struct rates lower = {.items = items}, upper = {.items = items};
    for (size_t i = 0; i < transfers->count; i++)
        add_rate(&lower, &transfers->items[i], transfers->items[i].upper_end_ps);
    result->lower_bound_Bps = distribution(&lower);
    for (size_t i = 0; i < transfers->count; i++)
        add_rate(&upper, &transfers->items[i], transfers->items[i].lower_end_ps);
    result->upper_bound_Bps = distribution(&upper);
    free(items);
    return STATUS_OK;
}

static int compare_pairs(const void *one, const void *other)
{
    const struct result_pair *a = one, *b = other;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    return strcmp(a->kind, b->kind);
}

static enum status add_to_pair(struct result *result, struct map *index, const struct transfer *transfer,
                               const char *kind, struct err *err)
{
    /* Kinds differ in their first letter, ranks stay below 2^28: the key is exact. */
    uint64_t key = ((uint64_t)transfer->origin << 28 | transfer->target) << 8 | (uint8_t)kind[0], *slot;
    TRY(map_put(index, key, result->pair_count, &slot, err));
    size_t at = *slot;
    if (at == result->pair_count) {
        struct result_pair made = {.origin = (int32_t)transfer->origin, .target = (int32_t)transfer->target};
        snprintf(made.kind, sizeof made.kind, "%s", kind);
        ARRAY_PUSH(result->pairs, result->pair_count, result->pair_capacity, made, err);
    }
    result->pairs[at].count++;
    result->pairs[at].bytes += (uint64_t)transfer->bytes;
    return STATUS_OK;
}

static enum status report_pairs(const struct trace *trace, const struct transfers *transfers, struct result *result,
                                struct err *err)
{
    struct map index = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < transfers->count && status == STATUS_OK; i++)
        status = add_to_pair(result, &index, &transfers->items[i], transfer_kind_name(trace, &transfers->items[i]),
                             err);
    map_clear(&index);
    if (result->pair_count > 1) qsort(result->pairs, result->pair_count, sizeof *result->pairs, compare_pairs);
    return status;
}

enum status rates_report(const struct trace *trace, const struct transfers *transfers, struct result *result,
                         struct err *err)
{
    result->transfer_count = transfers->count;
    result->within_known = trace->simulated;
    for (size_t i = 0; i < transfers->count; i++) {
        result->transfer_bytes += (uint64_t)transfers->items[i].bytes;
        if (transfer_true_end_ps(trace, &transfers->items[i]) == TRACE_UNKNOWN_PS) result->within_known = false;
        if (transfer_within_bounds(trace, &transfers->items[i])) result->within_bounds++;
    }
    TRY(report_bounds(transfers, result, err));
    return report_pairs(trace, transfers, result, err);
}
