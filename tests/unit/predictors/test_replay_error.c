/* The replay's error, carried from measured scales to others. Student's 95 % quantile is tan(0.45 pi) = 6.313752 with one degree
 * of freedom, and 2.919986 with two (0.9 / sqrt(2 * 0.05 * 0.95)). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predictors/curve/replay_error.h"

/* A run with e = ln(measured / replayed). */
static struct measured_run run_of(uint32_t ranks, double e)
{
    return (struct measured_run){.ranks = ranks, .measured_s = 0.5 * exp(e), .replayed_s = 0.5};
}

static void expect_error(const struct measured_run *runs, size_t count, uint32_t ranks, double low, double high)
{
    struct replay_error error = replay_error_at(runs, count, ranks);
    assert_true(fabs(log(error.low) - low) < 1e-6);
    assert_true(fabs(log(error.high) - high) < 1e-6);
}

static void no_runs_no_error(void **state)
{
    (void)state;
    expect_error(NULL, 0, 8, 0, 0);
    assert_int_equal(replay_error_scales(NULL, 0), 0);
}

/* e rises by 0.02 from 2 to 4 ranks: s is 0.02, t s 0.12627504. At 8 ranks the distance is 1, at 16 it is 2, at 1 it is 1. At a
 * measured scale the replay is known to be too short, and the band begins with it. */
static void one_change_gives_a_wide_band(void **state)
{
    (void)state;
    const struct measured_run runs[] = {run_of(2, 0.01), run_of(4, 0.03)};
    assert_int_equal(replay_error_scales(runs, 2), 2);
    expect_error(runs, 2, 2, 0, 0.01);
    expect_error(runs, 2, 4, 0, 0.03);
    expect_error(runs, 2, 8, 0.03 - 0.12627504, 0.03 + 0.12627504);
    expect_error(runs, 2, 16, 0.03 - 0.12627504 * M_SQRT2, 0.03 + 0.12627504 * M_SQRT2);
    expect_error(runs, 2, 1, 0.01 - 0.12627504, 0.01 + 0.12627504);
}

/* Changes of -0.02 over one doubling and 0.04 over two: s^2 is (0.0004 + 0.0016 / 2) / 2 = 0.0006, t s 0.07152476. At 8 ranks, in
 * the middle of 4 and 16, e is 0 +- t s sqrt(1 * 1 / 2). */
static void more_scales_and_a_scale_between(void **state)
{
    (void)state;
    const struct measured_run runs[] = {run_of(2, 0), run_of(4, -0.02), run_of(16, 0.02)};
    expect_error(runs, 3, 8, -0.07152476 * M_SQRT1_2, 0.07152476 * M_SQRT1_2);
    expect_error(runs, 3, 32, 0.02 - 0.07152476, 0.02 + 0.07152476);
    expect_error(runs, 3, 16, 0, 0.02);
    expect_error(runs, 3, 4, -0.02, 0);
}

/* Two runs at 2 ranks: their mean of 0.01 counts for the change, which is 0.02 as above, and their range at their own scale. */
static void repetitions_widen_their_scale(void **state)
{
    (void)state;
    const struct measured_run runs[] = {run_of(2, -0.01), run_of(2, 0.03), run_of(4, 0.03)};
    assert_int_equal(replay_error_scales(runs, 3), 2);
    expect_error(runs, 3, 2, -0.01, 0.03);
    expect_error(runs, 3, 8, 0.03 - 0.12627504, 0.03 + 0.12627504);
    expect_error(runs, 3, 1, -0.01 - 0.12627504, 0.03 + 0.12627504);
}

/* The same error at all scales: the band holds it, and has no width of its own. */
static void a_constant_error_stays(void **state)
{
    (void)state;
    const struct measured_run runs[] = {run_of(2, 0.05), run_of(4, 0.05)};
    expect_error(runs, 2, 1024, 0, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_runs_no_error),
        cmocka_unit_test(one_change_gives_a_wide_band),
        cmocka_unit_test(more_scales_and_a_scale_between),
        cmocka_unit_test(repetitions_widen_their_scale),
        cmocka_unit_test(a_constant_error_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
