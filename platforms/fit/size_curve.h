/* The time of one test function by message size, from the results of a bench: points, and the lines fitted to them. */
#ifndef PLATFORMS_FIT_SIZE_CURVE_H
#define PLATFORMS_FIT_SIZE_CURVE_H

#include <cjson/cJSON.h>

#include "platforms/bench/results.h"
#include "platforms/fit/conditions.h"
#include "platforms/fit/piecewise.h"

/* One size of a test function. The lines are fitted to points. The point of a steady series is the median and its
 * standard error. The point of an unsteady series is the 10th percentile, with the distance to the lower quartile as
 * its error, since load only adds time. An error is at least CURVE_ERROR_LEAST of the time, since a straight line is
 * only a model, and at least the scatter from size to size (pseudo-residuals: Gasser, Sroka, Jennen-Steinmetz,
 * Biometrika 73, 1986; here their median). Of several passes the repetitions under the given conditions are one series, if they
 * are CONDITIONS_REPETITIONS_LEAST. Where no references are known, the repetitions without losses of the core are, if others have
 * some. Else of up to four passes, of all passes within a node, and of passes whose quartiles differ by more than
 * BENCH_SPREAD_MOST the one whose median is at the lower quartile is taken, of other passes between nodes the middle one (of more
 * than four passes it stays the median), of several places (pairs of nodes) the middle one. */
#define CURVE_ERROR_LEAST 0.01
struct curve_size {
    struct bench_statistics statistics;
    struct bench_statistics all;  /* repetitions of all passes of its place */
    struct bench_statistics lost; /* those of these in which another process had the core */
    double pass_error_s;          /* standard error of the median, from the medians of passes and of launches; 0 of one pass */
    bool unsteady;
    bool selected;  /* only the repetitions that count: under the conditions, or without losses */
    bool elsewhere; /* it has references, but too few of the conditions */
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

/* The standard error of a median in seconds, without the scatter from size to size, which a single size does not have. */
double size_curve_median_error(const struct bench_statistics *statistics);

/* Three standard errors of a median of the size in seconds: of its own error, or of that from pass to pass and launch to launch,
 * if that is larger. */
double size_curve_three_errors(const struct curve_size *size, double median_error);

enum status size_curve_series_point(const struct bench_series *series, struct fit_point *point, struct err *err);

/* Collects the points of all series of the test function; count is 0 if there are none. Conditions of share 0 select nothing.
 * Returns STATUS_DATA for more than FIT_POINTS_MOST sizes. */
enum status size_curve_collect(const struct bench_results *results, const char *spec, bool between,
                               const struct conditions *conditions, struct size_curve *curve, struct err *err);

/* Fits the curve if it has enough points; otherwise reason says why not. Returns STATUS_SYSTEM if memory runs out. */
enum status size_curve_fit(struct size_curve *curve, struct err *err);

/* The point of this size, or with bytes < 0 that of the smallest size; NULL if there is none. */
const struct fit_point *size_curve_point(const struct size_curve *curve, double bytes);

/* { "points": [{bytes, median_s, least_s, p90_s, used_s, error_s, n, unsteady}], "segments": [{from_bytes, upto_bytes,
 * intercept_s, s_per_byte}] }, for `platform plot` and for later fits; of putBehindPause pause_s in place of bytes. NULL: out of
 * memory. */
cJSON *size_curve_to_json(const struct size_curve *curve);

#endif
