/* Distributions depend on the values alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/transfers/rate_samples.h"

enum { MANY = 4 * DISTRIBUTION_EXACT_MAX + 1 };

static void add(struct distribution *distribution, double value)
{
    struct err err;
    if (distribution_add(distribution, value, &err) != STATUS_OK) fail_msg("%s", err.text);
}

static struct result_distribution report(struct distribution *distribution)
{
    struct result_distribution made = distribution_report(distribution);
    distribution_clear(distribution);
    return made;
}

static void few_are_exact(void **state)
{
    (void)state;
    struct distribution distribution = {.unbounded = 2};
    add(&distribution, 8);
    add(&distribution, 1);
    add(&distribution, 3);
    add(&distribution, 2);
    struct result_distribution made = report(&distribution);
    assert_int_equal(made.count, 4);
    assert_int_equal(made.unbounded, 2);
    assert_true(made.min == 1 && made.max == 8 && made.median == 2.5 && made.mean == 3.5);
}

/* 0, 1, ..., MANY - 1: median and mean are (MANY - 1) / 2. */
static void many_rates(void **state)
{
    (void)state;
    const double middle = (MANY - 1) / 2.0;
    struct distribution distribution = {0};
    for (int i = 0; i < MANY; i++) add(&distribution, i);
    struct result_distribution made = report(&distribution);
    assert_int_equal(made.count, MANY);
    assert_true(made.min == 0 && made.max == MANY - 1);
    assert_true(fabs(made.median - middle) <= middle * 0x1p-10);
    assert_true(fabs(made.mean - middle) <= middle * 1e-12);
}

static double value_of(int i)
{
    return 1e9 * pow(1.00001, i % 1000003) / 3;
}

static void expect_same(struct result_distribution one, struct result_distribution other)
{
    assert_int_equal(one.count, other.count);
    assert_int_equal(one.unbounded, other.unbounded);
    assert_true(one.min == other.min && one.max == other.max);
    assert_true(one.median == other.median && one.mean == other.mean);
}

static void compare_orders(int count)
{
    struct distribution up = {.unbounded = 3}, down = {.unbounded = 3};
    for (int i = 0; i < count; i++) {
        add(&up, value_of(i));
        add(&down, value_of(count - 1 - i));
    }
    expect_same(report(&down), report(&up));
}

static void order_does_not_matter(void **state)
{
    (void)state;
    compare_orders(7);
    compare_orders(DISTRIBUTION_EXACT_MAX);
    compare_orders(DISTRIBUTION_EXACT_MAX + 1);
    compare_orders(3 * DISTRIBUTION_EXACT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_exact),
        cmocka_unit_test(many_rates),
        cmocka_unit_test(order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
