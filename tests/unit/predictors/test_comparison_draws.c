#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predictors/comparison_draws.h"

/* Three draws of each of four rows, in seconds; ranges and medians by hand. */
static double times[4][3] = {
    {4, 2, 3}, /* 2 to 4, median 3 */
    {5, 2, 1}, /* 1 to 5, median 2 */
    {9, 7, 8}, /* 7 to 9, median 8 */
    {1, 5, 3}, /* 1 to 5, median 3 */
};

static struct draws draws_of(int row, double median_s, double min_s, double max_s)
{
    return (struct draws){.count = 3, .run_times_s = times[row], .run_time = {median_s, min_s, max_s}};
}

/* Ranges that share one time overlap: 2 to 4 and 4 to 9, 4.1 to 9 not. The first is faster in the draws 1 and 2, as fast in 0. */
static void ranges_that_touch_overlap(void **state)
{
    (void)state;
    double low_s[] = {4, 2, 3}, high_s[] = {4, 9, 5};
    const struct draws low = {.count = 3, .run_times_s = low_s, .run_time = {3, 2, 4}};
    struct draws high = {.count = 3, .run_times_s = high_s, .run_time = {5, 4, 9}};
    assert_true(draws_pair_of(&low, &high).overlap && draws_pair_of(&high, &low).overlap);
    assert_int_equal(draws_pair_of(&low, &high).faster, 2);
    assert_int_equal(draws_pair_of(&low, &high).same, 1);
    assert_int_equal(draws_pair_of(&high, &low).faster, 0);
    high.run_time.min_s = 4.1;
    assert_false(draws_pair_of(&low, &high).overlap || draws_pair_of(&high, &low).overlap);
}

/* Draw by draw: 4 < 5, 2 = 2, 3 > 1. No draw of the third row is as fast as any of the first one. */
static void rows_are_compared_draw_by_draw(void **state)
{
    (void)state;
    const struct draws one = draws_of(0, 3, 2, 4), other = draws_of(1, 2, 1, 5), slow = draws_of(2, 8, 7, 9);
    struct draws_pair pair = draws_pair_of(&one, &other);
    assert_int_equal(pair.faster, 1);
    assert_int_equal(pair.same, 1);
    assert_true(pair.overlap);
    pair = draws_pair_of(&one, &slow);
    assert_int_equal(pair.faster, 3);
    assert_int_equal(pair.same, 0);
    assert_false(pair.overlap);
    assert_false(draws_pair_of(&slow, &one).overlap);
    assert_int_equal(draws_pair_of(&slow, &one).faster, 0);
}

/* Medians 3, 2, none, 8, 3: the second row, then the first and the last one of 3, then the one of 8. */
static void rows_are_ordered_by_their_medians(void **state)
{
    (void)state;
    const struct draws draws[] = {draws_of(0, 3, 2, 4), draws_of(1, 2, 1, 5), {.count = 0}, draws_of(2, 8, 7, 9),
                                  draws_of(3, 3, 1, 5)};
    const struct comparison comparison = {.count = 5, .draws = draws};
    size_t order[5];
    assert_int_equal(comparison_draws_order(&comparison, order), 4);
    const size_t expected[] = {1, 0, 4, 3};
    for (size_t i = 0; i < 4; i++) assert_int_equal(order[i], expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_that_touch_overlap),
        cmocka_unit_test(rows_are_compared_draw_by_draw),
        cmocka_unit_test(rows_are_ordered_by_their_medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
