#include "predictors/curve/limits.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

#define STILL_PAYS   0.5  /* parallel efficiency of weak scaling below which more ranks do not pay */

static double run_time_s(const struct curve *curve, size_t point)
{
    return curve->points[point].result->run_time_s;
}

size_t limits_stops_paying(const struct curve *curve, size_t row)
{
    size_t fastest = row;
    for (size_t i = row; i < curve->count; i += curve->rows) {
        if (!curve->strong && curve_efficiency(curve, i) < STILL_PAYS) return i;
        if (run_time_s(curve, i) < run_time_s(curve, fastest)) fastest = i;
    }
    return curve->strong && fastest + curve->rows < curve->count ? fastest : curve->count;
}

size_t limits_optimum(const struct curve *curve, size_t row)
{
    size_t best = row;
    for (size_t i = row; i < curve->count; i += curve->rows)
        if (curve_speedup(curve, i) > curve_speedup(curve, best)) best = i;
    return best;
}

struct amdahl limits_amdahl(const struct curve *curve, size_t row)
{
    struct amdahl amdahl = {.known = false};
    size_t count = curve->count / curve->rows, n = 0;
    double *values = malloc((3 * count + 1) * sizeof *values), *shares = values, *times = values + count,
           *weights = times + count;
    double serial, parallel, c00, c01, c11, residual;
    for (size_t i = row; values && i < curve->count; i += curve->rows) {
        if (!(run_time_s(curve, i) > 0)) continue;
        shares[n] = 1.0 / curve->points[i].ranks;
        times[n] = run_time_s(curve, i);
        weights[n] = 1 / (times[n] * times[n]);
        n++;
    }
    if (curve->strong && n >= 2) {
        gsl_fit_wlinear(shares, 1, weights, 1, times, 1, n, &serial, &parallel, &c00, &c01, &c11, &residual);
        if (serial < 0) { /* no program has less than nothing that is not divided */
            serial = 0;
            gsl_fit_wmul(shares, 1, weights, 1, times, 1, n, &parallel, &c11, &residual);
        }
        amdahl.points = n;
        amdahl.known = isfinite(serial) && parallel > 0;
        amdahl.serial_share = serial / (serial + parallel);
        for (size_t i = 0; i < n; i++)
            amdahl.error = fmax(amdahl.error, fabs((serial + parallel * shares[i]) / times[i] - 1));
    }
    free(values);
    return amdahl;
}

bool limits_is_fastest(const struct curve *curve, size_t point)
{
    size_t first = point - point % curve->rows, best = first;
    for (size_t i = first + 1; i < first + curve->rows; i++)
        if (run_time_s(curve, i) < run_time_s(curve, best)) best = i;
    const struct uncertainty error = uncertainty_of_difference(&curve->points[point].result->uncertainty,
                                                               &curve->points[best].result->uncertainty);
    return !uncertainty_tells(&error, run_time_s(curve, point) - run_time_s(curve, best));
}

bool limits_next_win(const struct curve *curve, size_t row, size_t *first, size_t *last)
{
    size_t i = *last == SIZE_MAX ? row : *last + curve->rows;
    while (i < curve->count && !limits_is_fastest(curve, i)) i += curve->rows;
    if (i >= curve->count) return false;
    *first = i;
    while (i + curve->rows < curve->count && limits_is_fastest(curve, i + curve->rows)) i += curve->rows;
    *last = i;
    return true;
}
