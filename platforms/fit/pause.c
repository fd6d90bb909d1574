#include "platforms/fit/pause.h"

#include <math.h>

#define MICROSECOND 1e-6

enum { STEPS = 4, PLACES_MOST = STEPS * FIT_POINTS_MOST };

/* A line from after_s to full_s: the time is `base` before it, and base + call behind it. */
struct pause_line {
    double after_s, full_s, base_s, call_s;
    double call_error_s; /* one standard error, of points that have an error of 1 */
    double squares;      /* of the residuals */
};

static double share_of(const struct pause_line *line, double length_s)
{
    if (length_s < line->after_s) return 0;
    return length_s >= line->full_s ? 1 : (length_s - line->after_s) / (line->full_s - line->after_s);
}

static double time_at(const struct size_curve *curve, size_t index)
{
    return curve->sizes[index].statistics.median;
}

/* Base and call by least squares. All lengths count alike: a program pays what is lacking of each. False: no length, or each
 * one, is behind the line. */
static bool fit_times(const struct size_curve *curve, struct pause_line *line)
{
    double n = (double)curve->count, share = 0, time = 0, shares = 0, both = 0;
    for (size_t i = 0; i < curve->count; i++) {
        share += share_of(line, curve->points[i].x * MICROSECOND) / n;
        time += time_at(curve, i) / n;
    }
    for (size_t i = 0; i < curve->count; i++) {
        double apart = share_of(line, curve->points[i].x * MICROSECOND) - share;
        shares += apart * apart;
        both += apart * (time_at(curve, i) - time);
    }
    if (shares < 1e-9) return false;
    line->call_s = both / shares;
    line->base_s = time - line->call_s * share;
    line->call_error_s = 1 / sqrt(shares);
    line->squares = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double at = line->base_s + line->call_s * share_of(line, curve->points[i].x * MICROSECOND);
        line->squares += (time_at(curve, i) - at) * (time_at(curve, i) - at);
    }
    return true;
}

/* The best of all lines; with `best`, instead, how far the values of lines are from it whose squares are at most `most`. */
static void try_lines(const struct size_curve *curve, struct pause_line *best, double most, struct pause_found *range)
{
    double places_s[PLACES_MOST];
    /* Where a line may begin or end: at the measured lengths, and at some places between two of them. */
    size_t count = 0;
    for (size_t i = 0; i + 1 < curve->count; i++)
        for (int step = 0; step < STEPS; step++)
            places_s[count++] = MICROSECOND * (curve->points[i].x + (curve->points[i + 1].x - curve->points[i].x) * step / STEPS);
    places_s[count++] = MICROSECOND * curve->points[curve->count - 1].x;
    for (size_t from = 0; from < count; from++)
        for (size_t to = from; to < count; to++) {
            struct pause_line line = {.after_s = places_s[from], .full_s = places_s[to]};
            if (!fit_times(curve, &line)) continue;
            if (!range && line.squares < best->squares) *best = line;
            if (!range || line.squares > most) continue;
            range->after_s.error = fmax(range->after_s.error, fabs(line.after_s - best->after_s));
            range->full_s.error = fmax(range->full_s.error, fabs(line.full_s - best->full_s));
            range->call_s.error = fmax(range->call_s.error, fabs(line.call_s - best->call_s));
        }
}

/* The variance of a length's time: that of the residuals, or of the medians if that is larger. */
static double variance_of(const struct size_curve *curve, const struct pause_line *line)
{
    enum { VALUES = 4 };
    double medians = 0;
    for (size_t i = 0; i < curve->count; i++)
        medians += curve->sizes[i].statistics.median_error * curve->sizes[i].statistics.median_error;
    return fmax(line->squares / (double)(curve->count - VALUES), medians / (double)curve->count);
}

/* Where other processes have the cores behind most pauses of a length, its median says what they take. */
static struct size_curve keep_steady(const struct size_curve *measured)
{
    struct size_curve kept = {.count = 0};
    for (size_t i = 0; i < measured->count; i++) {
        const struct bench_statistics *statistics = &measured->sizes[i].statistics;
        if (statistics->median > PAUSE_SPREAD_MOST * statistics->p10) continue;
        kept.points[kept.count] = measured->points[i];
        kept.sizes[kept.count++] = measured->sizes[i];
    }
    return kept;
}

bool pause_find(const struct size_curve *measured, struct pause_found *found)
{
    struct pause_line best = {.squares = INFINITY};
    const struct size_curve kept = keep_steady(measured), *curve = &kept;
    *found = (struct pause_found){.why = NULL};
    if (measured->count == 0) return false;
    if (curve->count < PAUSE_LENGTHS_LEAST || curve->points[0].x != 0) {
        found->why = curve->count < measured->count
                         ? "it needs 0 and four lengths, without those whose median is above ten times their 10th percentile"
                         : "it needs 0 and four lengths";
        return false;
    }
    try_lines(curve, &best, 0, NULL);
    double variance = variance_of(curve, &best);
    found->call_s = (struct fit_value){best.call_s, 3 * sqrt(variance) * best.call_error_s};
    if (found->call_s.value <= found->call_s.error) {
        found->why = "it is not more than its error";
        return false;
    }
    found->after_s.value = best.after_s;
    found->full_s.value = best.full_s;
    try_lines(curve, &best, best.squares + 9 * variance, found);
    for (size_t i = 0; i < curve->count; i++) found->n += curve->sizes[i].statistics.count;
    return true;
}
