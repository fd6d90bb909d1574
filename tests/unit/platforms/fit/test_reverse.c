/* What both directions at once take longer: shares by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "platforms/fit/reverse.h"

enum { MOST = 4, COUNT = 10 };

/* Sizes of 1000, 2000, ... bytes, and what each takes longer; alone a byte takes 1 ns with an error of error_s. */
struct row {
    const char *what;
    size_t sizes;
    double extra_s[MOST], s_per_byte, error_s;
    double share; /* 0: none */
    const char *why;
    double median_error_s;
};

/* Medians without error count with 1 ns. x is 1000, 0 and 1000 bytes from its mean: three errors of the slope are 3 ns
 * / sqrt(2) in 1000 bytes, 0.0021213 of 1 ns. */
static const struct row rows[] = {
    {"nothing measured", 0, {0}, 1e-9, 0, 0, .why = NULL},
    {"two sizes", 2, {1e-7, 2e-7}, 1e-9, 0, 0, .why = "three sizes"},
    {"an operation whose bytes take no time", 3, {1e-7, 2e-7, 3e-7}, 0, 0, 0, .why = NULL},
    {"a tenth", 3, {1e-7, 2e-7, 3e-7}, 1e-9, 0, 0.1, .why = NULL},
    {"a tenth and a constant", 3, {5.1e-6, 5.2e-6, 5.3e-6}, 1e-9, 0, 0.1, .why = NULL},
    {"a constant", 3, {5e-6, 5e-6, 5e-6}, 1e-9, 0, 0, .why = NULL},
    {"less than its error", 3, {2e-9, 4e-9, 6e-9}, 1e-9, 0, 0, .why = NULL},              /* 0.002 */
    {"more than its error", 3, {2.2e-9, 4.4e-9, 6.6e-9}, 1e-9, 0, 0.0022, .why = NULL},   /* 0.0022 */
    {"an uncertain time of a byte", 3, {1e-7, 2e-7, 3e-7}, 1e-9, 1.1e-9, 0, .why = NULL}, /* 0.1 +- 0.11 */
    {"a little less than a fifth", 3, {1.99e-7, 3.98e-7, 5.97e-7}, 1e-9, 0, 0.199, .why = NULL},
    /* above a fifth it is no share; how far, decides whether it is told: 0.2021213 */
    /* exactly a fifth: 200, 400 and 600 s with errors of 1 s, where a byte takes 1 s */
    {"a fifth", 3, {200, 400, 600}, 1, 0, 0.2, .why = NULL, .median_error_s = 1},
    {"more than a fifth by less than the error", 3, {2.02e-7, 4.04e-7, 6.06e-7}, 1e-9, 0, 0, .why = NULL},
    {"more than a fifth", 3, {2.03e-7, 4.06e-7, 6.09e-7}, 1e-9, 0, 0, .why = "wait for each other"},
};

static void shares_between_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const struct fit_value s_per_byte = {row->s_per_byte, row->error_s};
        struct size_curve curve = {.count = row->sizes};
        struct reverse_found found;
        for (size_t k = 0; k < row->sizes; k++) {
            curve.points[k].x = 1000 * (double)(k + 1);
            curve.sizes[k].all = (struct bench_statistics){
                .count = COUNT, .median = row->extra_s[k], .median_error = row->median_error_s};
        }
        bool is = reverse_find(&curve, &s_per_byte, &found);
        if (is != (row->share > 0))
            fail_msg("%s: found %d, %g +- %g", row->what, is, found.share.value, found.share.error);
        if (row->why ? !found.why || !strstr(found.why, row->why) : found.why != NULL)
            fail_msg("%s: why: %s", row->what, found.why ? found.why : "none");
        if (is && (fabs(found.share.value - row->share) > 1e-9 || fabs(found.share.error - 0.0021213203) > 1e-9))
            fail_msg("%s: %g +- %.10g", row->what, found.share.value, found.share.error);
        if (is) assert_int_equal(found.n, 3 * COUNT);
    }
}

/* A size of 1000 bytes takes 1 us alone, with a byte of 1 ns. The bounds are 1 and -0.5; a share of its error or less,
 * and one beyond the bounds, is 0. Medians have an error of half of error_s each, so that of their difference is
 * error_s / sqrt(2) of 1 us three times. */
static void shares_within_a_node(void **state)
{
    static const struct {
        double bytes, both_us, error_us, share;
    } single[] = {{1000, 1.5, 0, 0.5},   {1000, 2, 0, 1},     {1000, 2.001, 0, 0},
                  {1000, 0.5, 0, -0.5},  {1000, 0.499, 0, 0}, {1000, 1, 0, 0},
                  {1000, 1.5, 0.1, 0.5}, {1000, 1.1, 0.1, 0}, {1000, 0.9, 0.1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        struct size_curve both = {.count = 1}, alone = {.count = 1};
        const double s_per_byte[FIT_POINTS_MOST] = {1e-9};
        struct reverse_sizes found;
        both.points[0] = (struct fit_point){single[i].bytes, single[i].both_us * 1e-6, 0};
        alone.points[0] = (struct fit_point){single[i].bytes, 1e-6, 0};
        both.sizes[0].statistics =
            (struct bench_statistics){.count = COUNT, .median_error = single[i].error_us * 0.5e-6};
        alone.sizes[0].statistics = both.sizes[0].statistics;
        bool any = reverse_find_within(&both, &alone, s_per_byte, &found);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.rows[0].n, COUNT);
        if (any != (single[i].share != 0) || fabs(found.rows[0].share.value - single[i].share) > 1e-9)
            fail_msg("row %zu: %d, %g +- %g", i, any, found.rows[0].share.value, found.rows[0].share.error);
    }
}

/* 0 bytes, a size that was not measured alone and one whose bytes take no time are left out. Between 1000 and 4000
 * bytes the share changes at their geometric mean, 2000. */
static void sizes_that_cannot_be_compared_are_left_out(void **state)
{
    static const double bytes[] = {0, 1000, 2000, 3000, 4000};
    const double s_per_byte[FIT_POINTS_MOST] = {1e-9, 1e-9, 1e-9, 0, 1e-9};
    struct size_curve both = {.count = 5}, alone = {.count = 0};
    struct reverse_sizes found;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        both.points[i] = (struct fit_point){bytes[i], 3e-6, 0};
        if (i != 2) alone.points[alone.count++] = (struct fit_point){bytes[i], i == 1 ? 2.6e-6 : 2e-6, 0};
    }
    assert_true(reverse_find_within(&both, &alone, s_per_byte, &found));
    assert_int_equal(found.count, 2);
    assert_true(found.rows[0].upto_bytes == 2000);
    assert_true(fabs(found.rows[0].share.value - 0.4) < 1e-9 && fabs(found.rows[1].share.value - 0.25) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_between_nodes),
        cmocka_unit_test(shares_within_a_node),
        cmocka_unit_test(sizes_that_cannot_be_compared_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
