/* mpi.pause of times behind pauses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "platforms/fit/pause.h"

enum { COUNT = 40, MOST = 7 };

struct row {
    const char *what;
    struct {
        double us, time_s;
    } sizes[MOST];
    double after_s, full_s, call_s; /* call_s 0: none */
    double after_error_s, full_error_s, call_error_s; /* 0: not worked out */
    const char *why;
    double median_error_s; /* 0: 1 us; below 0: none */
    int busy; /* so many of the last lengths have a 10th percentile of a sixteenth of their median, the others of the median */
    double spread; /* in place of a sixteenth; 0: a sixteenth */
    bool steady; /* they count all the same */
};

static struct size_curve curve_of(const struct row *row)
{
    struct size_curve curve = {.count = 0};
    for (int i = 0; i < MOST && row->sizes[i].time_s > 0; i++, curve.count++) {
        curve.points[i] = (struct fit_point){row->sizes[i].us, row->sizes[i].time_s, 0};
        curve.sizes[i].statistics = (struct bench_statistics){
            .count = COUNT, .median = row->sizes[i].time_s, .p10 = row->sizes[i].time_s,
            .median_error = row->median_error_s == 0 ? 1e-6 : fmax(row->median_error_s, 0)};
    }
    for (size_t i = curve.count - (size_t)row->busy; i < curve.count; i++)
        curve.sizes[i].statistics.p10 /= row->spread == 0 ? 16 : row->spread;
    return curve;
}

/* The standard error of each median is 1 us. A line begins and ends at a length or at a quarter of the way to the next one. */
static const struct row rows[] = {
    {.what = "no measurement"},
    {"four lengths", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 3e-3}}, .why = "four lengths"},
    {"none without a pause", {{100, 2e-3}, {300, 2e-3}, {1000, 2e-3}, {3000, 3e-3}, {10000, 3e-3}}, .why = "four lengths"},
    /* two groups of n and 6 - n lengths differ by at most 2 us; three standard errors are at least 3 / sqrt(6 / 4) = 2.4 us */
    {"not more than its error",
     {{0, 2e-3}, {100, 2.001e-3}, {300, 1.999e-3}, {1000, 2.001e-3}, {3000, 2e-3}, {10000, 2.001e-3}},
     .why = "error"},
    {"a pause that costs nothing", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 1.9e-3}, {3000, 1.9e-3}}, .why = "error"},
    /* 60 us: none up to 2 ms, a third of the way at 4 ms, all from 8 ms on */
    {"a line", {{0, 2e-3}, {1000, 2e-3}, {2000, 2e-3}, {4000, 2.02e-3}, {8000, 2.06e-3}, {16000, 2.06e-3}}, 2e-3, 8e-3, 6e-5,
     .why = NULL},
    {"grows up to the longest pause", {{0, 2e-3}, {1000, 2.005e-3}, {2000, 2.01e-3}, {4000, 2.02e-3}, {8000, 2.04e-3}}, 0, 8e-3,
     4e-5, .why = NULL},
    /* All lines from 300 us or later to 1 ms or earlier fit. The first one ends a quarter of 700 us behind 300 us, the last one
       is a step at 1 ms. A line from 250 us adds 6.7 us or more at 300 us, one to 1.5 ms lacks 42 us at 1 ms: more than three
       standard errors. Shares of 0 and 1 of three lengths each: 3 us / sqrt(6 / 4). */
    {"a step", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 2.1e-3}, {3000, 2.1e-3}, {10000, 2.1e-3}}, 3e-4, 4.75e-4, 1e-4, 7e-4,
     5.25e-4, 2.4495e-6, .why = NULL},
    /* the line above, and a length behind which others had the cores: of it the median is 3 ms longer */
    {"a busy length",
     {{0, 2e-3}, {1000, 2e-3}, {2000, 2e-3}, {4000, 2.02e-3}, {8000, 2.06e-3}, {16000, 2.06e-3}, {20000, 5e-3}}, 2e-3, 8e-3, 6e-5,
     .busy = 1},
    {"too many busy lengths", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 2.1e-3}, {3000, 5e-3}, {10000, 5e-3}},
     .why = "ten times", .busy = 2},
    /* a median of exactly ten times its 10th percentile counts: 0.5 s by 0.05 s */
    {"nearly busy lengths", {{0, 0.25}, {100, 0.25}, {300, 0.25}, {1000, 0.5}, {3000, 0.5}, {10000, 0.5}}, 3e-4, 4.75e-4, 0.25,
     7e-4, 5.25e-4, .why = NULL, .busy = 3, .spread = 10, .steady = true},
    /* no time and no error: 0 is not more than 0 */
    {"equal without errors", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 2e-3}, {3000, 2e-3}}, .why = "error",
     .median_error_s = -1},
    /* five lengths with 0, the fewest; and five without */
    {"five lengths", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 3e-3}, {3000, 3e-3}}, 3e-4, 4.75e-4, 1e-3, .why = NULL},
    {"five lengths without 0", {{1, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 3e-3}, {3000, 3e-3}}, .why = "four lengths"},
    /* errors of the medians alone: 3 * 40 us / sqrt(6 / 4) = 98 us is less than 100, with 41 us it is not */
    {"medians just certain enough", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 2.1e-3}, {3000, 2.1e-3}, {10000, 2.1e-3}}, 3e-4,
     4.75e-4, 1e-4, .why = NULL, .median_error_s = 4e-5},
    {"uncertain medians", {{0, 2e-3}, {100, 2e-3}, {300, 2e-3}, {1000, 2.1e-3}, {3000, 2.1e-3}, {10000, 2.1e-3}}, .why = "error",
     .median_error_s = 4.1e-5},
};

static bool is_near(struct fit_value value, double right, double error)
{
    return fabs(value.value - right) < 1e-9 && value.error > 0 && (error == 0 || fabs(value.error - error) < 1e-9);
}

static void values_of_pauses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct size_curve curve = curve_of(row);
        struct pause_found found;
        bool is = pause_find(&curve, &found);
        if (is != (row->call_s > 0)) fail_msg("%s: found %d", row->what, is);
        if (row->why ? !found.why || !strstr(found.why, row->why) : found.why != NULL)
            fail_msg("%s: why: %s", row->what, found.why ? found.why : "none");
        if (is && (!is_near(found.after_s, row->after_s, row->after_error_s) ||
                   !is_near(found.full_s, row->full_s, row->full_error_s) ||
                   !is_near(found.call_s, row->call_s, row->call_error_s) ||
                   found.n != (curve.count - (row->steady ? 0 : (size_t)row->busy)) * COUNT))
            fail_msg("%s: after %g +- %g, full %g +- %g, call %g +- %g of %zu", row->what, found.after_s.value,
                     found.after_s.error, found.full_s.value, found.full_s.error, found.call_s.value, found.call_s.error,
                     found.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_of_pauses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
