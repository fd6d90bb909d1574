/* How positive values are distributed, for any number of them: exact up to DISTRIBUTION_EXACT_MAX, in classes above.
 *
 * A class holds the values whose leading 10 bits behind the binary point agree: it is less than 2^-10 of its values
 * wide. Of each class count and sum are kept exactly, so that a distribution depends on the values alone, not on their
 * order or on how they were gathered. */
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
    double *exact; /* all values as long as there are few, else NULL */
    size_t exact_capacity;
    struct distribution_class *classes;
    size_t class_count, class_capacity;
    size_t last; /* the class added to last */
    struct map index;
};

void distribution_clear(struct distribution *distribution);

/* value >= 0 and finite. */
enum status distribution_add(struct distribution *distribution, double value, struct err *err);
enum status distribution_merge(struct distribution *into, const struct distribution *from, struct err *err);

/* Exact where the values are; else min and max are exact, the mean is to rounding, and the median is the mean of its
 * class: within 2^-10 of the true one. Sorts what the distribution holds. */
struct result_distribution distribution_report(struct distribution *distribution);

#endif
