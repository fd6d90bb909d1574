/* mpi.pause of times behind pauses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "platforms/fit/pause.h"

enum { COUNT = 40, MOST = 6 };

struct row {
    const char *what;
    struct {
        double us, time_s, p90_s; /* p90_s above 1.2 times: unsteady */
    } sizes[MOST];
    double after_s, after_error_s, call_s, call_error_s; /* call_s 0: none */
    size_t n;
    const char *why;
};

static struct size_curve curve_of(const struct row *row)
{
    struct size_curve curve = {.count = 0};
    for (int i = 0; i < MOST && row->sizes[i].time_s > 0; i++, curve.count++) {
        curve.points[i] = (struct fit_point){row->sizes[i].us, row->sizes[i].time_s, 0};
        curve.sizes[i].statistics =
            (struct bench_statistics){.count = COUNT, .median = row->sizes[i].time_s, .p90 = row->sizes[i].p90_s,
                                      .median_error = 1e-6};
        curve.sizes[i].unsteady = row->sizes[i].p90_s > 1.2 * row->sizes[i].time_s;
    }
    return curve;
}

/* The standard error of each median is 1 us: of a difference 1.414 us, three of them 4.243 us. */
static const struct row rows[] = {
    {"no measurement", {{0, 0, 0}}, 0, 0, 0, 0, 0, NULL},
    {"only without a pause", {{0, 2e-3, 0}}, 0, 0, 0, 0, 0, NULL},
    {"nothing without a pause", {{100, 2e-3, 0}, {1000, 3e-3, 0}}, 0, 0, 0, 0, 0, NULL},
    {"not more than its error", {{0, 2e-3, 0}, {1000, 2.004e-3, 0}}, 0, 0, 0, 0, 0, "error"},
    {"a pause that costs nothing", {{0, 2e-3, 0}, {1000, 1.9e-3, 0}}, 0, 0, 0, 0, 0, "error"},
    /* 10, 60 and 100 us longer: half of 100 is reached between 0.3 and 1 ms; mean of 60 and 100, half of their range */
    {"grows",
     {{0, 2e-3, 0}, {300, 2.01e-3, 0}, {1000, 2.06e-3, 0}, {3000, 2.1e-3, 0}},
     6.5e-4,
     3.5e-4,
     8e-5,
     2e-5,
     2 * COUNT,
     NULL},
    /* one pause: the error is that of its difference */
    {"one pause", {{0, 2e-3, 0}, {1000, 2.1e-3, 0}}, 5e-4, 5e-4, 1e-4, 4.2426e-6, COUNT, NULL},
    /* inside a node all scatter by more than a fifth, and less than half of the 20 us that the longest pause costs: extras of 1,
       16 and 20 us; half of 20 is reached between 1 and 3 ms; mean of 16 and 20 */
    {"scatter below what a pause costs",
     {{0, 1e-6, 1.5e-6}, {1000, 2e-6, 4e-6}, {3000, 1.7e-5, 2.5e-5}, {10000, 2.1e-5, 3e-5}},
     2e-3,
     1e-3,
     1.8e-5,
     3e-6,
     2 * COUNT,
     NULL},
    {"without a pause unsteady", {{0, 2e-3, 3e-3}, {1000, 2.1e-3, 0}}, 0, 0, 0, 0, 0, "90th percentile"},
    {"all pauses unsteady", {{0, 2e-3, 0}, {1000, 2.1e-3, 3e-3}}, 0, 0, 0, 0, 0, "90th percentile"},
    /* the two unsteady ones count as not measured */
    {"some unsteady",
     {{0, 2e-3, 0}, {300, 2.09e-3, 9e-3}, {1000, 2.1e-3, 0}, {3000, 2.5e-3, 9e-3}},
     5e-4,
     5e-4,
     1e-4,
     4.2426e-6,
     COUNT,
     NULL},
};

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
        if (is &&
            (fabs(found.after_s.value - row->after_s) > 1e-9 || fabs(found.after_s.error - row->after_error_s) > 1e-9 ||
             fabs(found.call_s.value - row->call_s) > 1e-9 || fabs(found.call_s.error - row->call_error_s) > 1e-9 ||
             found.n != row->n))
            fail_msg("%s: after %g +- %g, call %g +- %g of %zu", row->what, found.after_s.value, found.after_s.error,
                     found.call_s.value, found.call_s.error, found.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_of_pauses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
