#include "platforms/fit/reverse.h"

#include <math.h>

#include "common/line.h"

#define ERROR_LEAST_S 1e-9

/* The line through the medians of all repetitions: each repetition has both times, so passes that were slow are no worse. What
 * small messages take longer is no matter of bytes: it is the line's intercept. */
bool reverse_find(const struct size_curve *opposed, const struct fit_value *s_per_byte, struct reverse_found *found)
{
    double bytes[FIT_POINTS_MOST], extra_s[FIT_POINTS_MOST], errors_s[FIT_POINTS_MOST];
    *found = (struct reverse_found){.why = NULL};
    if (opposed->count == 0 || !(s_per_byte->value > 0)) return false;
    if (opposed->count < REVERSE_SIZES_LEAST) {
        found->why = "it needs three sizes";
        return false;
    }
    for (size_t i = 0; i < opposed->count; i++) {
        const struct bench_statistics *all = &opposed->sizes[i].all;
        bytes[i] = opposed->points[i].x;
        extra_s[i] = all->median;
        errors_s[i] = fmax(all->median_error, ERROR_LEAST_S);
        found->n += all->count;
    }
    const struct line line = line_fit(bytes, extra_s, errors_s, opposed->count);
    const double share = line.slope / s_per_byte->value;
    found->share = (struct fit_value){share, hypot(line.slope_error, share * s_per_byte->error) / s_per_byte->value};
    if (share - found->share.error > REVERSE_MOST) found->why = "the transfers wait for each other";
    return share > found->share.error && share <= REVERSE_MOST;
}

/* Least squares of the relative differences: every size's time counts alike, whatever its bytes. */
bool reverse_find_within(const struct size_curve *both, const struct size_curve *alone, const struct fit_value *s_per_byte,
                         struct reverse_found *found)
{
    double bytes[FIT_POINTS_MOST], longer[FIT_POINTS_MOST], squares = 0, products = 0, residuals = 0; /* parts of the time */
    size_t count = 0;
    *found = (struct reverse_found){.why = NULL};
    if (both->count == 0 || !(s_per_byte->value > 0)) return false;
    for (size_t i = 0; i < both->count; i++) {
        const struct fit_point *own = &both->points[i], *same = size_curve_point(alone, own->x);
        if (!same || !(own->y > 0)) continue;
        bytes[count] = own->x * s_per_byte->value / own->y;
        longer[count] = 1 - same->y / own->y;
        squares += bytes[count] * bytes[count];
        products += bytes[count] * longer[count];
        found->n += both->sizes[i].statistics.count;
        count++;
    }
    if (count < REVERSE_SIZES_WITHIN_LEAST) {
        found->why = "it needs four sizes";
        return false;
    }
    const double share = products / squares;
    for (size_t i = 0; i < count; i++) residuals += pow(longer[i] - share * bytes[i], 2);
    const double error = sqrt(residuals / (double)(count - 1) / squares);
    found->share = (struct fit_value){share, hypot(3 * error, share * s_per_byte->error / s_per_byte->value)};
    return share > found->share.error && share <= 1;
}
