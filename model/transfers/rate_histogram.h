/* The approximate distribution of the rates of one group of transfers, in little memory, since there may be as many
 * groups as pairs of ranks. model/transfers/rate_samples.h has the exact distribution of all transfers.
 *
 * Up to RATE_HISTOGRAM_EXACT_MAX rates are kept exactly. More rates are counted in classes, RATE_HISTOGRAM_CLASSES per
 * octave. The result depends on the values alone, neither on their order nor on the order of merging. */
#ifndef MODEL_TRANSFERS_RATE_HISTOGRAM_H
#define MODEL_TRANSFERS_RATE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "model/result/result.h"

enum { RATE_HISTOGRAM_EXACT_MAX = 16, RATE_HISTOGRAM_CLASSES = 32 };

/* All-zero is the empty one. */
struct rate_histogram {
    uint64_t count, unbounded;            /* unbounded: transfers whose interval is empty; count excludes them */
    uint64_t bytes, time_high, time_low;  /* sums over the others: bytes, picoseconds (128 bits) */
    double min, max;
    uint64_t *cells; /* the values' bits while they are few, else a count per class from `first` on */
    size_t cell_count, cell_capacity;
    uint64_t first;
};

void rate_histogram_clear(struct rate_histogram *histogram);

/* The rate of a transfer of bytes >= 0 in time_ps; it is unbounded if the interval is empty. */
struct rate_value {
    int64_t bytes, time_ps;
    double rate_Bps; /* if time_ps > 0 */
};
struct rate_value rate_value(int64_t bytes, int64_t time_ps);
enum status rate_histogram_add(struct rate_histogram *histogram, const struct rate_value *value, struct err *err);

/* The median is exact while the values are, else within 1/64 of the true one. */
struct result_rates rate_histogram_report(const struct rate_histogram *histogram);

#endif
