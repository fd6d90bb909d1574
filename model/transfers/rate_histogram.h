/* How rates of one group of transfers are spread, in little memory: there may be as many groups as pairs of ranks.
 * model/transfers/rate_samples.h is the exact one, of all transfers.
 *
 * Up to RATE_HISTOGRAM_EXACT_MAX rates each is kept; of more, counts in classes of which each octave has
 * RATE_HISTOGRAM_CLASSES. Both, and the sums, depend on the values alone, not on their order or on how they were
 * gathered. */
#ifndef MODEL_TRANSFERS_RATE_HISTOGRAM_H
#define MODEL_TRANSFERS_RATE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/status.h"
#include "model/result/result.h"

enum { RATE_HISTOGRAM_EXACT_MAX = 16, RATE_HISTOGRAM_CLASSES = 32 };

/* All-zero is the empty one. */
struct rate_histogram {
    uint64_t count, unbounded;            /* unbounded: transfers whose interval is empty, not among the others */
    uint64_t bytes, time_high, time_low;  /* of the others: the sum of their bytes, of their picoseconds (128 bits) */
    double min, max;
    uint64_t *cells; /* as long as there are few the values' bits, else a count for each class from `first` on */
    size_t cell_count, cell_capacity;
    uint64_t first;
};

void rate_histogram_clear(struct rate_histogram *histogram);

/* A transfer of bytes >= 0 in time_ps; an empty interval bounds nothing. */
struct rate_value {
    int64_t bytes, time_ps;
    double rate_Bps; /* if time_ps > 0 */
};
struct rate_value rate_value(int64_t bytes, int64_t time_ps);
enum status rate_histogram_add(struct rate_histogram *histogram, const struct rate_value *value, struct err *err);
enum status rate_histogram_merge(struct rate_histogram *into, const struct rate_histogram *from, struct err *err);

/* The median is exact where the values are, else within 1/64 of the true one. */
struct result_rates rate_histogram_report(const struct rate_histogram *histogram);

/* For another process; rate_histogram_take inits *histogram. */
enum status rate_histogram_put(const struct rate_histogram *histogram, struct bytes *bytes, struct err *err);
enum status rate_histogram_take(struct rate_histogram *histogram, struct bytes *bytes, struct err *err);

#endif
