/* mpi.rma.protocol.reverse_share from the bench's putOpposed, getOpposed and accumulateOpposed: what an operation takes longer
 * while the partner makes the same one, by bytes. docs/calibration.md, Both directions. */
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

#endif
