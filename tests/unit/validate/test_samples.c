#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "validate/samples.h"

#define assert_close(a, b) assert_true(fabs((a) - (b)) < 1e-12)

/* Orders 1 2 3 and 1 3 2: two pairs agree, one does not: (2 - 1) / 3. With a tie, 1 1 2 and 1 2 3: two pairs agree, one is
 * decided by one side only: 2 / sqrt(2 * 3). */
static void tau_counts_pairs(void **state)
{
    (void)state;
    assert_close(samples_kendall_tau((double[]){1, 2, 3}, (double[]){1, 3, 2}, 3), 1.0 / 3);
    assert_close(samples_kendall_tau((double[]){1, 1, 2}, (double[]){1, 2, 3}, 3), 2 / sqrt(6));
    assert_close(samples_kendall_tau((double[]){1, 2, 3}, (double[]){1, 1, 2}, 3), 2 / sqrt(6));
    assert_close(samples_kendall_tau((double[]){4, 3, 2, 1}, (double[]){1, 2, 3, 4}, 4), -1);
    assert_true(isnan(samples_kendall_tau((double[]){1, 1}, (double[]){1, 2}, 2)));
}

/* Of 1 to 20: the middle is 10.5, 19 of 20 are at most 19. */
static void summaries_are_order_statistics(void **state)
{
    (void)state;
    double samples[20];
    for (int i = 0; i < 20; i++) samples[i] = 20 - i;
    struct sample_summary summary = samples_summarize(samples, 20);
    assert_close(summary.median, 10.5);
    assert_close(summary.p95, 19);
    assert_close(summary.worst, 20);
    assert_true(isnan(samples_summarize(samples, 0).median));
    /* So many of N values are at most the 95th percentile: 1 of 1, 3 of 3, 20 of 21, 38 of 40. */
    static const size_t counts[][2] = {{1, 1}, {3, 3}, {19, 19}, {21, 20}, {40, 38}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double many[40];
        for (size_t k = 0; k < counts[i][0]; k++) many[k] = (double)(k + 1);
        summary = samples_summarize(many, counts[i][0]);
        assert_close(summary.p95, (double)counts[i][1]);
        assert_close(summary.worst, (double)counts[i][0]);
    }
}

/* 10 11 | 30 31: 19 between them, 1 + 1 inside. 10 14 | 30 34: 16, not more than twice 4 + 4. One sample alone is no group. */
static void two_groups_are_apart(void **state)
{
    (void)state;
    assert_true(samples_two_groups((double[]){10, 11, 30, 31}, 4));
    assert_true(samples_two_groups((double[]){10, 11, 12, 40, 41}, 5));
    assert_false(samples_two_groups((double[]){10, 14, 30, 34}, 4));
    assert_false(samples_two_groups((double[]){10, 11, 12, 50}, 4));
    assert_false(samples_two_groups((double[]){1, 10, 11, 12}, 4));
    assert_false(samples_two_groups((double[]){10, 10, 30}, 3));
    assert_false(samples_two_groups((double[]){10, 10, 10, 10}, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tau_counts_pairs), cmocka_unit_test(summaries_are_order_statistics),
                                       cmocka_unit_test(two_groups_are_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
