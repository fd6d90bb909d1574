/* Sums of transfers: counts, bytes, and the distributions of the bounds of their bandwidth, for all transfers and by
 * group. */
#ifndef MODEL_TRANSFERS_RATES_H
#define MODEL_TRANSFERS_RATES_H

#include <stdbool.h>

#include "model/transfers/bounds.h"
#include "model/transfers/rate_samples.h"
#include "model/waits/filter.h"
#include "model/transfers/transfer_groups.h"
#include "model/transfers/transfer_log.h"

/* All-zero is the empty sum. */
struct rates {
    uint64_t count, bytes, within_bounds;
    uint64_t gap_count, gap_bytes; /* of transfers with buffers that are not contiguous */
    uint64_t true_end_unknown; /* transfers */
    struct distribution lower, upper;
    struct distribution platform; /* of a simulated trace: upper bounds by the ends that its platform allows */
    struct transfer_groups groups;
};

void rates_clear(struct rates *rates);
struct over_time;
/* Adds the transfers whose operation passes the filter, also to log and over_time, which may be NULL. */
enum status rates_add(struct rates *rates, const struct trace *trace, const struct callpaths *paths,
                      const struct filter *filter, const struct transfers *transfers, struct transfer_log *log,
                      struct over_time *over_time, struct err *err);

/* Fills result's transfer members. */
enum status rates_report(struct rates *rates, const struct trace *trace, const struct callpaths *paths,
                         struct result *result, struct err *err);

#endif
