/* Transfers summed: counts, bytes, pairs, and how the bounds of their bandwidth are distributed. */
#ifndef MODEL_RATES_H
#define MODEL_RATES_H

#include <stdbool.h>

#include "common/map.h"
#include "model/bounds.h"
#include "model/distribution.h"
#include "model/result.h"

/* All-zero is the empty sum. */
struct rates {
    uint64_t count, bytes, within_bounds;
    uint64_t true_end_unknown; /* transfers */
    struct distribution lower, upper;
    struct result_pair *pairs;
    size_t pair_count, pair_capacity;
    struct map index; /* pair and kind to pairs */
};

void rates_clear(struct rates *rates);
enum status rates_add(struct rates *rates, const struct trace *trace, const struct transfers *transfers,
                      struct err *err);

/* Fills result's transfer members, which take the pairs from rates. */
void rates_report(struct rates *rates, bool simulated, struct result *result);

#endif
