/* Noise of a block, worked out by hand from executions of a few ranks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predictors/scale/block_noise.h"

enum { RANKS = 2, EACH = 4 };

static double noise_of(const double seconds[RANKS][EACH], uint32_t ranks, size_t each)
{
    struct executions made;
    double sigma_s;
    assert_int_equal(executions_open(&made, ranks, NULL), STATUS_OK);
    for (uint32_t r = 0; r < ranks; r++) {
        made.first[r] = made.count;
        for (size_t i = 0; i < each; i++) assert_int_equal(executions_add(&made, seconds[r][i], NULL), STATUS_OK);
    }
    made.first[ranks] = made.count;
    assert_int_equal(block_noise(&made, ranks, &sigma_s, NULL), STATUS_OK);
    executions_clear(&made);
    return sigma_s;
}

/* A step of 3:1:1:1 on both ranks; the same with the second rank slower by half, and with the long step at another execution of
 * each rank, where only the two branches explain it. */
static void systematic_differences_are_no_noise(void **state)
{
    (void)state;
    static const double same[][EACH] = {{3, 1, 1, 1}, {3, 1, 1, 1}}, slower[][EACH] = {{3, 1, 1, 1}, {4.5, 1.5, 1.5, 1.5}},
                        moved[][EACH] = {{3, 1, 1, 1}, {1, 1, 3, 1}};
    assert_true(noise_of(same, RANKS, EACH) < 1e-6);
    assert_true(noise_of(slower, RANKS, EACH) < 1e-6);
    assert_true(noise_of(moved, RANKS, EACH) < 1e-6);
}

/* One rank takes the long branch once, the other one three times. As branches: shares of 1/4 and 3/4 have the variance 1/8. Their
 * mean over 2 ranks is that of 8 values with the variance 1/8 * 8 / 2, times the squared distance of 2 s: sigma is sqrt(2) s. As
 * factors: the ranks' means of 1.5 and 2.5 s leave 2, 2/3, 2/3, 2/3 and 1.2, 1.2, 1.2, 0.4. The executions' means of 1.6, 14/15,
 * 14/15 and 8/15 leave 1 +- 1/4, 1 -+ 2/7 twice, and 1 +- 1/4, with 8 - 2 - 3 degrees of freedom, of 2 s. That is less. */
static void branches_that_ranks_take_at_will_are_noise(void **state)
{
    (void)state;
    static const double seconds[][EACH] = {{3, 1, 1, 1}, {3, 3, 3, 1}};
    double squares = 2 * (0.25 * 0.25 + 2 * (2. / 7) * (2. / 7) + 0.25 * 0.25);
    assert_true(fabs(noise_of(seconds, RANKS, EACH) - 2 * sqrt(squares / 3)) < 1e-5);
}

/* A rank alone with four executions, and two ranks with one: nothing separates noise from the rest. Sigma of 1, 2, 3 and 4 is
 * sqrt(5 / 3). */
static void what_nothing_separates_is_noise(void **state)
{
    (void)state;
    static const double alone[][EACH] = {{1, 2, 3, 4}, {0}}, once[][EACH] = {{1}, {3}};
    assert_true(fabs(noise_of(alone, 1, EACH) - sqrt(5. / 3)) < 1e-6);
    assert_true(fabs(noise_of(once, RANKS, 1) - sqrt(2)) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systematic_differences_are_no_noise),
        cmocka_unit_test(branches_that_ranks_take_at_will_are_noise),
        cmocka_unit_test(what_nothing_separates_is_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
