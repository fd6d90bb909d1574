#include "model/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"

void rates_clear(struct rates *rates)
{
    distribution_clear(&rates->lower);
    distribution_clear(&rates->upper);
    free(rates->pairs);
    map_clear(&rates->index);
    memset(rates, 0, sizeof *rates);
}

/* An empty interval bounds nothing; an end that is not known says nothing. */
static enum status add_rate(struct distribution *rates, const struct transfer *transfer, int64_t end_ps,
                            struct err *err)
{
    if (end_ps == TRACE_UNKNOWN_PS) return STATUS_OK;
    if (end_ps > transfer->start_ps)
        return distribution_add(rates, (double)transfer->bytes / units_s(end_ps - transfer->start_ps), err);
    rates->unbounded++;
    return STATUS_OK;
}

static enum status add_to_pair(struct rates *rates, const struct transfer *transfer, const char *kind,
                               struct err *err)
{
    /* Kinds differ in their first letter, ranks stay below 2^28: the key is exact. */
    uint64_t key = ((uint64_t)transfer->origin << 28 | transfer->target) << 8 | (uint8_t)kind[0], *slot;
    TRY(map_put(&rates->index, key, rates->pair_count, &slot, err));
    size_t at = *slot;
    if (at == rates->pair_count) {
        struct result_pair made = {.origin = (int32_t)transfer->origin, .target = (int32_t)transfer->target};
        snprintf(made.kind, sizeof made.kind, "%s", kind);
        ARRAY_PUSH(rates->pairs, rates->pair_count, rates->pair_capacity, made, err);
    }
    rates->pairs[at].count++;
    rates->pairs[at].bytes += (uint64_t)transfer->bytes;
    return STATUS_OK;
}

enum status rates_add(struct rates *rates, const struct trace *trace, const struct transfers *transfers,
                      struct err *err)
{
    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->items[i];
        rates->count++;
        rates->bytes += (uint64_t)transfer->bytes;
        rates->true_end_unknown += transfer_true_end_ps(trace, transfer) == TRACE_UNKNOWN_PS;
        rates->within_bounds += transfer_within_bounds(trace, transfer);
        TRY(add_rate(&rates->lower, transfer, transfer->upper_end_ps, err));
        TRY(add_rate(&rates->upper, transfer, transfer->lower_end_ps, err));
        TRY(add_to_pair(rates, transfer, transfer_kind_name(trace, transfer), err));
    }
    return STATUS_OK;
}

static int compare_pairs(const void *one, const void *other)
{
    const struct result_pair *a = one, *b = other;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    if (a->target != b->target) return a->target < b->target ? -1 : 1;
    return strcmp(a->kind, b->kind);
}

void rates_report(struct rates *rates, bool simulated, struct result *result)
{
    result->transfer_count = rates->count;
    result->transfer_bytes = rates->bytes;
    result->within_known = simulated && rates->true_end_unknown == 0;
    result->within_bounds = rates->within_bounds;
    result->lower_bound_Bps = distribution_report(&rates->lower);
    result->upper_bound_Bps = distribution_report(&rates->upper);
    result->pairs = rates->pairs;
    result->pair_count = rates->pair_count;
    result->pair_capacity = rates->pair_capacity;
    rates->pairs = NULL;
    rates->pair_count = rates->pair_capacity = 0;
    if (result->pair_count > 1) qsort(result->pairs, result->pair_count, sizeof *result->pairs, compare_pairs);
}
