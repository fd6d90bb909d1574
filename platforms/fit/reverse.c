#include "platforms/fit/reverse.h"

#include <math.h>

#include "common/line.h"
#include "platforms/limits.h"

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

static double error_of(const struct curve_size *size)
{
    return size_curve_three_errors(size, size_curve_median_error(&size->statistics));
}

bool reverse_find_within(const struct size_curve *both, const struct size_curve *alone, const double s_per_byte[FIT_POINTS_MOST],
                         struct reverse_sizes *found)
{
    bool any = false;
    double before = 0;
    found->count = 0;
    for (size_t i = 0; i < both->count; i++) {
        const double bytes = both->points[i].x;
        const struct fit_point *same = size_curve_point(alone, bytes);
        if (!same || !(bytes > 0) || !(s_per_byte[i] > 0)) continue;
        const double bytes_s = bytes * s_per_byte[i], share = (both->points[i].y - same->y) / bytes_s;
        const double error = hypot(error_of(&both->sizes[i]), error_of(&alone->sizes[same - alone->points])) / bytes_s;
        const bool tells = fabs(share) > error && share <= 1 && share >= REVERSE_WITHIN_LEAST;
        if (found->count > 0) found->rows[found->count - 1].upto_bytes = floor(sqrt(before * bytes));
        found->rows[found->count].share = (struct fit_value){tells ? share : 0, error};
        found->rows[found->count++].n = both->sizes[i].statistics.count;
        any = any || tells;
        before = bytes;
    }
    return any;
}
