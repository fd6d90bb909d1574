/* Costs per byte of platforms/probe/findings.h. */
#include <math.h>

#include <gsl/gsl_statistics_double.h>

#include "common/line.h"
#include "platforms/probe/findings.h"

enum { SIZES_MAX = 32 };
/* Two costs explain the sizes better than one if they reduce the squares to this share, and differ by this factor. */
#define SQUARES_LEFT 0.2
#define STEP_LEAST   1.5
/* Of a time: a straight line is only a model. */
#define ERROR_LEAST 0.01

bool probe_put_cost(const struct probe_findings *findings, struct probe_cost *cost)
{
    double bytes[SIZES_MAX], times_s[SIZES_MAX], errors_s[SIZES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < findings->time_count && count < SIZES_MAX; i++) {
        const struct probe_time *time = probe_find_time(findings, "put_call", findings->times[i].bytes);
        if (time != &findings->times[i]) continue;
        bytes[count] = (double)time->bytes;
        times_s[count] = time->value_s;
        errors_s[count++] = hypot(time->error_s, ERROR_LEAST * time->value_s);
    }
    if (count < 3) return false;
    struct line line = line_fit(bytes, times_s, errors_s, count);
    if (!(line.slope > line.slope_error)) return false;
    *cost = (struct probe_cost){.upto_bytes = INT64_MAX, .below_s_per_byte = line.slope, .above_s_per_byte = line.slope,
                                .error_s = line.slope_error, .n = count};
    return true;
}

struct work {
    int64_t bytes[SIZES_MAX];
    double s_per_byte[SIZES_MAX];
    size_t count;
};

static void add_work(struct work *work, int64_t bytes, double s_per_byte)
{
    size_t at = work->count;
    if (at == SIZES_MAX) return;
    for (; at > 0 && work->bytes[at - 1] > bytes; at--) {
        work->bytes[at] = work->bytes[at - 1];
        work->s_per_byte[at] = work->s_per_byte[at - 1];
    }
    work->bytes[at] = bytes;
    work->s_per_byte[at] = s_per_byte;
    work->count++;
}

static double squares_of(const double *values, size_t count)
{
    return count ? gsl_stats_tss(values, 1, count) : 0;
}

bool probe_apply_cost(const struct probe_findings *findings, struct probe_cost *cost)
{
    struct work work = {.count = 0};
    for (size_t i = 0; i < findings->time_count; i++) {
        int64_t bytes = findings->times[i].bytes;
        const struct probe_time *time = probe_find_time(findings, "accumulate_flush", bytes),
                                *put = probe_find_time(findings, "put_flush", bytes);
        if (time == &findings->times[i] && put && bytes >= 1024)
            add_work(&work, bytes, fmax(0, time->value_s - put->value_s) / (double)bytes);
    }
    if (work.count < 3) return false;
    size_t split = 0;
    double all = squares_of(work.s_per_byte, work.count), least = all;
    for (size_t i = 1; i < work.count; i++) {
        double left = squares_of(work.s_per_byte, i) + squares_of(work.s_per_byte + i, work.count - i);
        if (left >= least) continue;
        least = left;
        split = i;
    }
    double below = gsl_stats_mean(work.s_per_byte, 1, split ? split : work.count);
    double above = split ? gsl_stats_mean(work.s_per_byte + split, 1, work.count - split) : below;
    bool steps = split && least < SQUARES_LEFT * all && above > STEP_LEAST * below;
    double mean = gsl_stats_mean(work.s_per_byte, 1, work.count);
    double left = (steps ? least : all) / (double)(work.count - 1) / (double)work.count;
    *cost = (struct probe_cost){.upto_bytes = steps ? (work.bytes[split - 1] + work.bytes[split]) / 2 - 1 : INT64_MAX,
                                .upto_error_bytes = steps ? (double)(work.bytes[split] - work.bytes[split - 1]) / 2 : 0,
                                .below_s_per_byte = steps ? below : mean,
                                .above_s_per_byte = steps ? above : mean,
                                .error_s = sqrt(left),
                                .n = work.count};
    return mean > 0;
}
