/* What an operation takes longer while the partner makes the same one, by bytes: mpi.rma.protocol.reverse_share from the bench's
 * putOpposed, getOpposed and accumulateOpposed between nodes, network.loopback.reverse_share from putBothWays, getBothWays and
 * accumulateBothWays within one. docs/calibration.md, Both directions. */
#ifndef PLATFORMS_FIT_REVERSE_H
#define PLATFORMS_FIT_REVERSE_H

#include "platforms/fit/size_curve.h"

/* More than that is no acknowledgement: the transfers wait for each other. */
#define REVERSE_MOST 0.2
enum { REVERSE_SIZES_LEAST = 3 };

struct reverse_found {
    struct fit_value share; /* error: three standard errors */
    size_t n;               /* repetitions */
    const char *why;        /* if there is none though it was measured: not more than its error is no reason */
};

/* s_per_byte: of an operation alone. False: no share, or 0. */
bool reverse_find(const struct size_curve *opposed, const struct fit_value *s_per_byte, struct reverse_found *found);
/* Within a node both directions together and one alone have points under the same conditions, so each size has a share. Times are
 * compared at the same size, so errors are those of the medians, without the curves' scatter from size to size. */
struct reverse_sizes {
    struct {
        double upto_bytes; /* half way to the next size, by ratio; unused in the last row */
        struct fit_value share; /* 0: it is not more than its error, or above 1 */
        size_t n;
    } rows[FIT_POINTS_MOST];
    size_t count;
};

/* s_per_byte: by point of `both`. False: no size has a share other than 0. */
bool reverse_find_within(const struct size_curve *both, const struct size_curve *alone, const double s_per_byte[FIT_POINTS_MOST],
                         struct reverse_sizes *found);

#endif
