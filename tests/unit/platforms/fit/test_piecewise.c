/* Fits of synthetic measurements whose parameters are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/fit/piecewise.h"
#include "tests/unit/platforms/fit/truth.h"

enum { SIZES = 28, SEEDS_CHECKED = 20 };
static const double sizes[SIZES] = {8,     16,     32,     64,     128,    256,    512,     1024,   1536,  2048,
                                    3072,  4096,   6144,   8192,   12288,  16384,  24576,   32768,  49152, 65536,
                                    98304, 131072, 196608, 262144, 393216, 524288, 1048576, 2097152};

/* Normal noise of a share of each time; so many points, at random places, are three times too late. */
static void measure(const struct truth *truth, double share, int outliers, unsigned long seed, struct fit_point points[SIZES])
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus);
    gsl_rng_set(random, seed);
    for (int i = 0; i < SIZES; i++) {
        double time = true_time(truth, sizes[i]);
        points[i] = (struct fit_point){sizes[i], time * (1 + gsl_ran_gaussian(random, share)), time * share};
    }
    for (int i = 0; i < outliers; i++) points[gsl_rng_uniform_int(random, SIZES)].y *= 3;
    gsl_rng_free(random);
}

static bool is_within(const struct fit_value *found, double value)
{
    return fabs(found->value - value) <= found->error;
}

/* Of how many seeds the number of segments, the places of breaks and all parameters are right. */
static int count_recovered(const struct truth *truth, int segments, double share, int outliers, int seeds)
{
    int recovered = 0;
    for (int seed = 0; seed < seeds; seed++) {
        struct fit_point points[SIZES];
        struct piecewise fit;
        struct err err;
        measure(truth, share, outliers, (unsigned long)seed + 1, points);
        assert_int_equal(piecewise_fit(points, SIZES, &fit, &err), STATUS_OK);
        bool right = fit.count == segments;
        for (int s = 0; s < segments && right; s++) {
            right = is_within(&fit.segments[s].intercept, truth[s].latency) &&
                    is_within(&fit.segments[s].slope, truth[s].per_byte);
            if (s + 1 < segments)
                right = right && fit.segments[s].upto <= truth[s].upto && fit.segments[s + 1].from > truth[s].upto;
        }
        recovered += right;
    }
    return recovered;
}

/* RMACAST_FIT_SEEDS=200 asks for all seeds, as ./check --long does. */
static int seed_count(void)
{
    const char *asked = getenv("RMACAST_FIT_SEEDS");
    return asked ? atoi(asked) : SEEDS_CHECKED;
}

static void expect_recovered(const struct truth *truth, int segments, double share, int outliers)
{
    int seeds = seed_count(), recovered = count_recovered(truth, segments, share, outliers, seeds);
    if (recovered < 0.95 * seeds) fail_msg("%d of %d seeds recovered, expected 95 %%", recovered, seeds);
}

static void one_segment(void **state)
{
    (void)state;
    const struct truth truth[] = {{INFINITY, 2e-6, 1e-10}};
    expect_recovered(truth, 1, 0.01, 0);
}

static void a_jump_and_a_bend(void **state)
{
    (void)state;
    const struct truth truth[] = {{8192, 2e-6, 5e-10}, {INFINITY, 9e-6, 1e-10}};
    expect_recovered(truth, 2, 0.01, 0);
}

static void three_segments(void **state)
{
    (void)state;
    const struct truth truth[] = {{1024, 1e-6, 1e-9}, {16384, 3e-6, 4e-10}, {INFINITY, 14e-6, 1e-10}};
    expect_recovered(truth, 3, 0.01, 0);
}

/* Without noise each point that is left out is on the line of its neighbours, the last one before a jump and the first one
 * behind it on the nearer line. One line for all misses. */
static void points_beside_a_jump_have_the_nearer_line(void **state)
{
    (void)state;
    for (int jump = 6; jump <= SIZES - 6; jump++) {
        struct fit_point points[SIZES];
        struct piecewise fit;
        struct err err;
        for (int i = 0; i < SIZES; i++) {
            const double time = i < jump ? 2e-6 + 5e-10 * sizes[i] : 9e-3 + 1e-10 * sizes[i];
            points[i] = (struct fit_point){sizes[i], time, 1e-8};
        }
        assert_int_equal(piecewise_fit(points, SIZES, &fit, &err), STATUS_OK);
        assert_int_equal(fit.count, 2);
        assert_int_equal(fit.segments[1].first, jump);
        if (!(fit.left_out_loss[1] < 1e-6 && fit.left_out_loss[0] > 1)) fail_msg("%d: %g", jump, fit.left_out_loss[1]);
    }
}

static void outliers_do_not_matter(void **state)
{
    (void)state;
    const struct truth truth[] = {{8192, 2e-6, 5e-10}, {INFINITY, 9e-6, 1e-10}};
    expect_recovered(truth, 2, 0.01, 1);
}

static void more_noise_has_wider_errors(void **state)
{
    (void)state;
    const struct truth truth[] = {{INFINITY, 2e-6, 1e-10}};
    struct fit_point points[SIZES];
    struct piecewise quiet, noisy;
    struct err err;
    measure(truth, 0.001, 0, 7, points);
    assert_int_equal(piecewise_fit(points, SIZES, &quiet, &err), STATUS_OK);
    measure(truth, 0.05, 0, 7, points);
    assert_int_equal(piecewise_fit(points, SIZES, &noisy, &err), STATUS_OK);
    assert_true(noisy.segments[0].intercept.error > 10 * quiet.segments[0].intercept.error);
}

static void exact_lines_are_exact(void **state)
{
    (void)state;
    struct fit_point points[8];
    struct piecewise fit;
    struct fit_value y;
    struct err err;
    for (int i = 0; i < 8; i++) points[i] = (struct fit_point){i + 1, 3 + 2 * (i + 1), 0.1};
    assert_int_equal(piecewise_fit(points, 8, &fit, &err), STATUS_OK);
    assert_int_equal(fit.count, 1);
    assert_true(fabs(fit.segments[0].intercept.value - 3) < 1e-9 && fabs(fit.segments[0].slope.value - 2) < 1e-9);
    assert_int_equal(piecewise_predict(&fit, 4.5, &y, &err), STATUS_OK);
    assert_true(fabs(y.value - 12) < 1e-9 && y.error > 0);
    /* It does not extrapolate. */
    assert_int_equal(piecewise_predict(&fit, 8.5, &y, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "outside what was measured"));
    assert_int_equal(piecewise_predict(&fit, 0.5, &y, &err), STATUS_DATA);
    assert_int_equal(piecewise_predict(&fit, NAN, &y, &err), STATUS_DATA);
}

/* With slope 2: the mean of 3, 3, 3, 5 is 3.5. With intercept 0: sum(x y) / sum(x^2) = (5 + 14 + 27 + 52) / 30. */
static void one_parameter_given(void **state)
{
    (void)state;
    const struct fit_point points[] = {{1, 5, 1}, {2, 7, 1}, {3, 9, 1}, {4, 13, 1}};
    assert_true(fabs(fit_intercept(points, 4, 2).value - 3.5) < 1e-12);
    assert_true(fabs(fit_intercept(points, 4, 2).error - 1.5) < 1e-12);
    assert_true(fabs(fit_slope(points, 4, 0).value - 98.0 / 30) < 1e-12);
}

static void bad_points_are_refused(void **state)
{
    (void)state;
    struct fit_point points[] = {{1, 5, 1}, {2, 7, 1}, {3, 9, 1}, {4, 13, 1}};
    struct piecewise fit;
    struct err err;
    assert_int_equal(piecewise_fit(points, 3, &fit, &err), STATUS_DATA);
    points[2].error = 0;
    assert_int_equal(piecewise_fit(points, 4, &fit, &err), STATUS_DATA);
    points[2] = (struct fit_point){3, NAN, 1};
    assert_int_equal(piecewise_fit(points, 4, &fit, &err), STATUS_DATA);
    points[2] = (struct fit_point){2, 9, 1};
    assert_int_equal(piecewise_fit(points, 4, &fit, &err), STATUS_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_lines_are_exact), cmocka_unit_test(one_segment),
        cmocka_unit_test(a_jump_and_a_bend),     cmocka_unit_test(three_segments),
        cmocka_unit_test(points_beside_a_jump_have_the_nearer_line),
        cmocka_unit_test(outliers_do_not_matter), cmocka_unit_test(more_noise_has_wider_errors),
        cmocka_unit_test(one_parameter_given),   cmocka_unit_test(bad_points_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
