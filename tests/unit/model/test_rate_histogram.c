/* How rates of a group are spread: exact of few, in classes of many, whatever way they were gathered. */
#include "model_test.h"

#include <math.h>
#include <string.h>

#include "model/transfers/rate_histogram.h"

static struct err err;

#define OK(call)                                                                                                       \
    if ((call) != STATUS_OK) fail_msg("%s", err.text)

enum { PS_PER_US = 1000000 };

static void add(struct rate_histogram *histogram, int64_t bytes, int64_t time_ps)
{
    struct rate_value value = rate_value(bytes, time_ps);
    OK(rate_histogram_add(histogram, &value, &err));
}

static void expect_near(double found, double expected, double share)
{
    if (fabs(found - expected) > share * expected) fail_msg("%.9g, expected %.9g", found, expected);
}

/* 100 bytes in 1, 2 and 4 us, 1000 bytes in 10 us: 100, 50, 25, 100 MB/s. The middle ones are 50 and 100; 1300 bytes in
 * 17 us. What takes no time is not among them. */
static void few_rates_are_exact(void **state)
{
    (void)state;
    struct rate_histogram histogram = {0};
    add(&histogram, 100, 1 * PS_PER_US);
    add(&histogram, 100, 2 * PS_PER_US);
    add(&histogram, 7, 0);
    add(&histogram, 100, 4 * PS_PER_US);
    add(&histogram, 1000, 10 * PS_PER_US);
    struct result_rates found = rate_histogram_report(&histogram);
    assert_int_equal(found.count, 4);
    assert_int_equal(found.unbounded, 1);
    expect_near(found.min, 25e6, 1e-12);
    expect_near(found.median, 75e6, 1e-12);
    expect_near(found.max, 100e6, 1e-12);
    expect_near(found.overall, 1300 / 17e-6, 1e-12);
    rate_histogram_clear(&histogram);
}

/* n bytes in 1 us for n = 1 ... 1000, in a scattered order (373 is prime to 1001): the middle ones are 500 and 501
 * MB/s; 500500 bytes in 1 ms. */
static void many_rates_are_near(void **state)
{
    (void)state;
    struct rate_histogram histogram = {0};
    for (int i = 1; i <= 1000; i++) add(&histogram, i * 373 % 1001, PS_PER_US);
    struct result_rates found = rate_histogram_report(&histogram);
    assert_int_equal(found.count, 1000);
    expect_near(found.min, 1e6, 1e-12);
    expect_near(found.median, 500.5e6, 1.0 / 64);
    expect_near(found.max, 1000e6, 1e-12);
    expect_near(found.overall, 500500 / 1e-3, 1e-12);
    rate_histogram_clear(&histogram);
}

/* 40 transfers of nothing and 10 of 2^30 bytes in 1 s, far above in few classes: half of all and more are 0. */
static void transfers_of_nothing(void **state)
{
    (void)state;
    struct rate_histogram histogram = {0};
    for (int i = 0; i < 50; i++) add(&histogram, i % 5 == 0 ? 1 << 30 : 0, INT64_C(1000000) * PS_PER_US);
    struct result_rates found = rate_histogram_report(&histogram);
    assert_true(found.min == 0 && found.median == 0);
    expect_near(found.max, 1073741824, 1e-12);
    expect_near(found.overall, 1073741824 / 5.0, 1e-12);
    assert_true(histogram.cell_count <= 31 * RATE_HISTOGRAM_CLASSES + 1);
    rate_histogram_clear(&histogram);
}

/* Five transfers of 1 TB in 9e18 ps each are 45e18 ps together, more than 2^64 (18.4e18): 5e12 B in 45e6 s. Ten are
 * 90e18 ps, which has carried twice more. */
static void long_times_do_not_wrap(void **state)
{
    (void)state;
    struct rate_histogram one = {0};
    for (int i = 0; i < 5; i++) add(&one, INT64_C(1000000000000), INT64_C(9000000000000000000));
    expect_near(rate_histogram_report(&one).overall, 5e12 / 45e6, 1e-12);
    for (int i = 0; i < 5; i++) add(&one, INT64_C(1000000000000), INT64_C(9000000000000000000));
    expect_near(rate_histogram_report(&one).overall, 10e12 / 90e6, 1e-12);
    rate_histogram_clear(&one);
}

/* Of many equal rates the median is that rate, as it lies between the least and the largest one, and not the middle of its class,
 * which is up to a 64th of an octave away: 41 rates, above and below the middles of their classes. */
static void medians_stay_between_the_extremes(void **state)
{
    (void)state;
    for (int64_t bytes = 980; bytes <= 1020; bytes++) {
        struct rate_histogram histogram = {0};
        for (int i = 0; i < 3 * RATE_HISTOGRAM_EXACT_MAX; i++) add(&histogram, bytes, PS_PER_US);
        struct result_rates found = rate_histogram_report(&histogram);
        expect_near(found.median, (double)bytes * 1e6, 1e-12);
        rate_histogram_clear(&histogram);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rates_are_exact),
        cmocka_unit_test(many_rates_are_near),
        cmocka_unit_test(transfers_of_nothing),
        cmocka_unit_test(long_times_do_not_wrap),
        cmocka_unit_test(medians_stay_between_the_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
