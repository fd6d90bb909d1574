/* mpi.pause from what a put and flush takes behind pauses of several lengths (docs/calibration.md). */
#ifndef PLATFORMS_FIT_PAUSE_H
#define PLATFORMS_FIT_PAUSE_H

#include "platforms/fit/size_curve.h"

/* Lengths, with 0; and how far the median of a length that counts may be above its 10th percentile. */
enum { PAUSE_LENGTHS_LEAST = 5, PAUSE_SPREAD_MOST = 10 };

struct pause_found {
    struct fit_value after_s, full_s, call_s;
    size_t n;        /* repetitions of the lengths that count */
    const char *why; /* there is none; NULL: there is */
};

/* The curve's x is the length of the pause in microseconds; without points nothing is found and `why` is NULL, too. */
bool pause_find(const struct size_curve *curve, struct pause_found *found);

#endif
