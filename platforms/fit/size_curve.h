/* One time by message size, from the results of a bench: its points, and the lines through them. */
#ifndef PLATFORMS_FIT_SIZE_CURVE_H
#define PLATFORMS_FIT_SIZE_CURVE_H

#include <cjson/cJSON.h>

#include "platforms/bench/results.h"
#include "platforms/fit/piecewise.h"

/* A size of a test function. What the lines take is in points: the median and its standard error where the series is
 * steady. Load only ever adds time, so of an unsteady one it is the 10th percentile, with the distance to the lower
 * quartile as its error. No error is below CURVE_ERROR_LEAST of the time, since a straight line is a model, or below
 * the scatter from size to size (pseudo-residuals: Gasser, Sroka, Jennen-Steinmetz, Biometrika 73, 1986; here their
 * median). Of several places (pairs of nodes) or rounds it is the middle one. */
#define CURVE_ERROR_LEAST 0.01
struct curve_size {
    struct bench_statistics statistics;
    bool unsteady;
};

struct size_curve {
    char spec[BENCH_SPEC_BYTES];
    bool between; /* two nodes or more; else within one */
    struct fit_point points[FIT_POINTS_MOST]; /* by bytes, ascending */
    struct curve_size sizes[FIT_POINTS_MOST];
    size_t count, repetitions, unsteady;
    bool fitted;
    struct piecewise fit;
    char reason[160]; /* why it is not fitted */
};

enum status size_curve_series_point(const struct bench_series *series, struct fit_point *point, struct err *err);

/* The points of all series of the test function; count is 0 if there are none. More than FIT_POINTS_MOST sizes are
 * STATUS_DATA. */
enum status size_curve_collect(const struct bench_results *results, const char *spec, bool between,
                               struct size_curve *curve, struct err *err);

/* Fits what there are enough points for; reason says why not. STATUS_SYSTEM: memory. */
enum status size_curve_fit(struct size_curve *curve, struct err *err);

/* The point of this size, or of bytes < 0 the smallest one; NULL: there is none. */
const struct fit_point *size_curve_point(const struct size_curve *curve, double bytes);

/* { "points": [{bytes, median_s, least_s, p90_s, used_s, error_s, n, unsteady}], "segments": [{from_bytes, upto_bytes,
 * intercept_s, s_per_byte}] }, for `platform plot` and for those who fit again. NULL: memory. */
cJSON *size_curve_to_json(const struct size_curve *curve);

#endif
