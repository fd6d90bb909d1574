#include "platforms/fit/pause.h"

#include <math.h>

#define MICROSECOND 1e-6

/* What the time behind a pause is longer than without one, with three standard errors. */
static struct fit_value extra_of(const struct size_curve *curve, size_t index)
{
    const struct bench_statistics *without = &curve->sizes[0].statistics, *behind = &curve->sizes[index].statistics;
    return (struct fit_value){behind->median - without->median, 3 * hypot(without->median_error, behind->median_error)};
}

/* An unsteady size counts if its 90th percentile is above its median by less than half of what the longest pause costs: inside a
 * node, caches scatter by more than a fifth of the time without a pause. */
static bool is_steady(const struct size_curve *curve, size_t index)
{
    const struct bench_statistics *statistics = &curve->sizes[index].statistics;
    return !curve->sizes[index].unsteady ||
           statistics->p90 - statistics->median < extra_of(curve, curve->count - 1).value / 2;
}

/* The longest pause that was measured steadily; 0: none. */
static size_t find_longest(const struct size_curve *curve)
{
    for (size_t i = curve->count; i-- > 1;)
        if (is_steady(curve, i)) return i;
    return 0;
}

/* The shortest pause from which on the time is longer by half of what it is behind the longest one. */
static size_t find_first(const struct size_curve *curve, size_t longest)
{
    double half_s = extra_of(curve, longest).value / 2;
    size_t first = longest;
    for (size_t i = longest; i-- > 1;) {
        if (!is_steady(curve, i)) continue;
        if (extra_of(curve, i).value < half_s) break;
        first = i;
    }
    return first;
}

/* The longest steady one before it, or no pause. */
static double length_before(const struct size_curve *curve, size_t first)
{
    size_t before = first - 1;
    while (before > 0 && !is_steady(curve, before)) before--;
    return curve->points[before].x * MICROSECOND;
}

/* call_s: the mean behind the pauses from the first on. One value stands for all of them: the error is half of their
 * range, if that is more than the error of the mean. */
static void take_mean(const struct size_curve *curve, size_t first, size_t longest, struct pause_found *found)
{
    double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
    size_t count = 0;
    for (size_t i = first; i <= longest; i++) {
        if (!is_steady(curve, i)) continue;
        struct fit_value extra = extra_of(curve, i);
        sum += extra.value;
        squares += extra.error * extra.error;
        least = fmin(least, extra.value);
        most = fmax(most, extra.value);
        found->n += curve->sizes[i].statistics.count;
        count++;
    }
    found->call_s = (struct fit_value){sum / (double)count, fmax(sqrt(squares) / (double)count, (most - least) / 2)};
}

bool pause_find(const struct size_curve *curve, struct pause_found *found)
{
    *found = (struct pause_found){.why = NULL};
    if (curve->count < 2 || curve->points[0].x != 0) return false;
    size_t longest = find_longest(curve);
    if (!is_steady(curve, 0) || longest == 0) {
        found->why = "the 90th percentile is above 1.2 medians";
        return false;
    }
    struct fit_value extra = extra_of(curve, longest);
    if (extra.value <= extra.error) {
        found->why = "it is not more than its error";
        return false;
    }
    size_t first = find_first(curve, longest);
    double from_s = length_before(curve, first), upto_s = curve->points[first].x * MICROSECOND;
    found->after_s = (struct fit_value){(from_s + upto_s) / 2, (upto_s - from_s) / 2};
    take_mean(curve, first, longest, found);
    return true;
}
