/* Piecewise linear fit: y = intercept + slope x in segments of x, with jumps between segments. The ends of segments are
 * found, not given.
 *
 * For each number of segments, dynamic programming finds the break points of least loss among all places between two
 * points (Bellman, Roth, J. Am. Stat. Assoc. 64, 1969). The number of segments is chosen by the loss of left-out points
 * (tenfold cross validation): the smallest one within one standard error of the least loss (Breiman et al.,
 * Classification and Regression Trees, sec. 3.4.3). Losses are Huber's, so a few outliers do not matter. */
#ifndef PLATFORMS_FIT_PIECEWISE_H
#define PLATFORMS_FIT_PIECEWISE_H

#include <stddef.h>

#include "common/status.h"

/* error: standard error of y, above 0. */
struct fit_point {
    double x, y, error;
};

/* error: three standard errors, the larger of the residuals' and the bootstrap's. */
struct fit_value {
    double value, error;
};

struct fit_segment {
    double from, upto; /* its first and last point's x; the break is between upto and the next one's from */
    struct fit_value intercept, slope;
    size_t first, points; /* indices of points */
    double covariance;    /* of intercept and slope */
};

enum { FIT_SEGMENTS_MOST = 4, FIT_SEGMENT_POINTS = 4, FIT_POINTS_MOST = 256 };

struct piecewise {
    struct fit_segment segments[FIT_SEGMENTS_MOST];
    int count;
    double left_out_loss[FIT_SEGMENTS_MOST]; /* mean, of each number of segments; INFINITY: too few points for it */
    double scale; /* of the residuals, in standard errors of their points; 1: as the points say */
};

/* points: ascending x. STATUS_DATA: fewer than FIT_SEGMENT_POINTS or more than FIT_POINTS_MOST points, or a point that
 * is not finite or has no error. The same points give the same fit. */
enum status piecewise_fit(const struct fit_point *points, size_t count, struct piecewise *fit, struct err *err);

/* STATUS_DATA outside the range of the points: no extrapolation. Between two segments the lower one is used. error:
 * three standard errors of the line there. */
enum status piecewise_predict(const struct piecewise *fit, double x, struct fit_value *y, struct err *err);

/* y = slope x + intercept with a given slope, or a given intercept: weighted mean of what is free. */
struct fit_value fit_intercept(const struct fit_point *points, size_t count, double slope);
struct fit_value fit_slope(const struct fit_point *points, size_t count, double intercept);

#endif
