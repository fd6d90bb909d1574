/* The distribution of any number of positive values: exact up to DISTRIBUTION_EXACT_MAX values, in classes above.
 *
 * A class holds the values whose first 10 bits after the binary point are equal, so its width is less than 2^-10 of its
 * values. Each class has its exact count and sum. So a distribution depends on the values alone, neither on their order
 * nor on the order of merging. */
#ifndef MODEL_TRANSFERS_RATE_SAMPLES_H
#define MODEL_TRANSFERS_RATE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "common/status.h"
#include "model/result/result.h"

enum { DISTRIBUTION_EXACT_MAX = 1 << 18 };

struct distribution_class {
    uint64_t number; /* the leading bits */
    uint64_t count;
    uint64_t sum_high, sum_low; /* of the bits that follow, 128 bits wide */
};

/* All-zero is the empty one. */
struct distribution {
    uint64_t count, unbounded; /* unbounded: counted by the caller, not among the values */
    double min, max;
    double *exact; /* all values while they are few, else NULL */
    size_t exact_capacity;
    struct distribution_class *classes;
    size_t class_count, class_capacity;
    size_t last; /* the class added to last */
    struct map index;
};

void distribution_clear(struct distribution *distribution);

/* value >= 0 and finite. */
enum status distribution_add(struct distribution *distribution, double value, struct err *err);

/* The figures are exact while the values are. In classes min and max are exact, the mean is exact up to rounding, and
 * the median is the mean of its class, within 2^-10 of the true one. Sorts the distribution's values. */
struct result_distribution distribution_report(struct distribution *distribution);

#endif
