/* Lines by segments of x: y = intercept + slope x, with jumps between segments. Where the segments end is found, not given.
 *
 * For each number of segments the break points of least loss are found by dynamic programming over all places between two points
 * (Bellman, Roth, J. Am. Stat. Assoc. 64, 1969). The number is that of the least loss of left-out points (tenfold cross validation),
 * and of those within one standard error of it the smallest (Breiman et al., Classification and Regression Trees, sec. 3.4.3). Losses are Huber's, so a
 * few points that are far off do not matter. */
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

/* points: ascending x. STATUS_DATA: fewer than FIT_SEGMENT_POINTS or more than FIT_POINTS_MOST points, or a point that is no number
 * or has no error. The same points give the same fit. */
enum status piecewise_fit(const struct fit_point *points, size_t count, struct piecewise *fit, struct err *err);

/* STATUS_DATA outside the range of the points: it does not extrapolate. Between two segments the lower one holds. error: three
 * standard errors of the line there. */
enum status piecewise_predict(const struct piecewise *fit, double x, struct fit_value *y, struct err *err);

/* y = slope x + intercept with a given slope, or a given intercept: weighted mean of what is free. */
struct fit_value fit_intercept(const struct fit_point *points, size_t count, double slope);
struct fit_value fit_slope(const struct fit_point *points, size_t count, double intercept);

#endif
