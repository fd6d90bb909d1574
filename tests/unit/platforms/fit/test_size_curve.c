/* Curves of synthetic runs whose break points are known, in which other processes disturb the bench for a while. */
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

#include "common/array.h"
#include "platforms/fit/size_curve.h"
#include "tests/unit/platforms/fit/truth.h"

enum { SIZES = 28, PASSES = 2, REPETITIONS = 30, BURST_SIZES_MOST = 5, SEEDS_CHECKED = 20 };
static const int64_t sizes[SIZES] = {8,     16,     32,     64,     128,    256,    512,     1024,   1536,  2048,
                                     3072,  4096,   6144,   8192,   12288,  16384,  24576,   32768,  49152, 65536,
                                     98304, 131072, 196608, 262144, 393216, 524288, 1048576, 2097152};

static const struct conditions unknown = {0};

/* Each repetition takes one unit of time of the run. In a burst it takes longer by a factor. */
struct burst {
    double from, upto, factor;
};

static struct burst draw_burst(gsl_rng *random, double sizes_long)
{
    static const double factors[] = {1.1, 1.5, 3};
    double from = gsl_ran_flat(random, 0, PASSES * SIZES * REPETITIONS);
    return (struct burst){from, from + sizes_long * REPETITIONS, factors[gsl_rng_uniform_int(random, 3)]};
}

/* Normal noise of 2 %. Of each size at spotted, a fifth of the repetitions takes three times as long. */
static void add_series(struct bench_results *results, int place, double time, const struct burst *burst, bool spotted,
                       gsl_rng *random)
{
    struct bench_series series = {.spec = "putLatency -s flush", .place = "0+1", .function = BENCH_FUNCTION_put_latency,
                                  .demand = {.nodes = 2, .ranks = 2}, .bytes = sizes[place % SIZES]};
    series.repetitions = calloc(REPETITIONS, sizeof *series.repetitions);
    assert_non_null(series.repetitions);
    for (; series.count < REPETITIONS; series.count++) {
        double now = place * REPETITIONS + (double)series.count, value = time * (1 + gsl_ran_gaussian(random, 0.02));
        if (now >= burst->from && now < burst->upto) value *= burst->factor;
        if (spotted && series.count % 5 == 0) value *= 3;
        series.repetitions[series.count] = (struct bench_repetition){value, value, value, value, 0, 0, 0};
    }
    results->series[results->count++] = series;
}

/* A run of two passes over the sizes. */
static void measure(const struct truth *truth, double burst_sizes, bool spots, unsigned long seed, struct size_curve *curve)
{
    struct bench_results results = {.series = calloc(PASSES * SIZES, sizeof *results.series)};
    struct err err;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus);
    assert_true(results.series && random);
    gsl_rng_set(random, seed);
    struct burst burst = draw_burst(random, burst_sizes * gsl_ran_flat(random, 0.2, 1));
    int spot = spots ? (int)gsl_rng_uniform_int(random, SIZES) : -1;
    for (int place = 0; place < PASSES * SIZES; place++)
        add_series(&results, place, true_time(truth, (double)sizes[place % SIZES]), &burst, place % SIZES == spot, random);
    assert_int_equal(size_curve_collect(&results, "putLatency -s flush", true, &unknown, curve, &err), STATUS_OK);
    assert_int_equal(size_curve_fit(curve, &err), STATUS_OK);
    assert_true(curve->fitted);
    bench_results_clear(&results);
    gsl_rng_free(random);
}

/* A break is right if it is between the two sizes that the fit states. */
static bool breaks_are_right(const struct piecewise *fit, const struct truth *truth, int segments)
{
    bool right = fit->count == segments;
    for (int s = 0; s + 1 < segments && right; s++)
        right = fit->segments[s].upto <= truth[s].upto && fit->segments[s + 1].from > truth[s].upto;
    return right;
}

/* RMACAST_FIT_SEEDS=200 asks for all seeds, as ./check --long does. */
static void expect_breaks(const struct truth *truth, int segments, double burst_sizes, bool spots)
{
    const char *asked = getenv("RMACAST_FIT_SEEDS");
    int seeds = asked ? atoi(asked) : SEEDS_CHECKED, right = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        struct size_curve curve;
        measure(truth, burst_sizes, spots, (unsigned long)seed, &curve);
        right += breaks_are_right(&curve.fit, truth, segments);
    }
    if (right < 0.95 * seeds) fail_msg("the breaks of %d of %d seeds are right, expected 95 %%", right, seeds);
}

static const struct truth one[] = {{INFINITY, 2e-6, 1e-10}}, two[] = {{8192, 2e-6, 5e-10}, {INFINITY, 9e-6, 1e-10}},
                          slow[] = {{65536, 1e-3, 8e-8}, {INFINITY, 3e-3, 8e-8}},
                          three[] = {{1024, 1e-6, 1e-9}, {16384, 3e-6, 4e-10}, {INFINITY, 14e-6, 1e-10}};

static void several_sizes_in_a_row_are_disturbed(void **state)
{
    (void)state;
    expect_breaks(one, 1, BURST_SIZES_MOST, false);
    expect_breaks(two, 2, BURST_SIZES_MOST, false);
    expect_breaks(slow, 2, BURST_SIZES_MOST, false);
    expect_breaks(three, 3, BURST_SIZES_MOST, false);
}

static void a_fifth_of_the_repetitions_of_a_size_is_disturbed(void **state)
{
    (void)state;
    expect_breaks(one, 1, 0, true);
    expect_breaks(two, 2, 0, true);
    expect_breaks(slow, 2, 0, true);
    expect_breaks(three, 3, 0, true);
}

/* A process has one of two times, in all its passes. Six launches of ten passes: four take 1, two 2.5. The middle of six is at
 * 2.5 (from 0), three standard deviations of a rank are 1.5 sqrt(6) = 3.7, so the interval has all of them: (2.5 - 1) / 3. So it
 * does if four take 2.5. Ten launches, of which one takes 2.5: the middle is at 4.5, 1.5 sqrt(10) = 4.74. Forty, of which five
 * do: 19.5 - 9.49 = 10.01, and the 10th and the 29th take 1. */
static void launches_differ(void **state)
{
    (void)state;
    enum { EACH = 10, MOST = 40 };
    static const struct {
        uint32_t rounds, slows;
        double error_s;
    } cases[] = {{6, 2, 0.5}, {6, 4, 0.5}, {10, 1, 0.5}, {40, 5, 0}, {1, 1, 0}};
    static struct bench_series series[EACH * MOST];
    struct bench_repetition fast = {1, 1, 1, 1, 0, 0, 0}, late = {2.5, 2.5, 2.5, 2.5, 0, 0, 0};
    struct size_curve curve;
    struct err err;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (uint32_t i = 0; i < cases[k].rounds * EACH; i++)
            series[i] = (struct bench_series){.spec = "putLatency -s flush", .place = "0", .demand = {.nodes = 1, .ranks = 2},
                                              .bytes = 8, .repetitions = i / EACH < cases[k].slows ? &late : &fast, .count = 1,
                                              .round = i / EACH};
        struct bench_results results = {.series = series, .count = cases[k].rounds * EACH};
        assert_int_equal(size_curve_collect(&results, "putLatency -s flush", false, &unknown, &curve, &err), STATUS_OK);
        assert_true(fabs(curve.sizes[0].pass_error_s - cases[k].error_s) < 1e-12);
    }
}

/* Five passes, each with a fifth of its repetitions at three times the time and a fifth at 0.9. */
static void check_passes(const double passes_s[5], double between_s, double within_s, double four_s, double pass_error_s)
{
    static const double shares[] = {0.9, 0.9, 1, 1, 1, 1, 1, 1, 3, 3};
    struct bench_repetition repetitions[5][10];
    struct bench_series series[10]; /* between nodes, then the same within one */
    for (int pass = 0; pass < 5; pass++) {
        for (int i = 0; i < 10; i++) {
            double value = passes_s[pass] * shares[i];
            repetitions[pass][i] = (struct bench_repetition){value, value, value, value, 0, 0, 0};
        }
        series[pass] = (struct bench_series){.spec = "putLatency -s flush", .place = "0+1", .demand = {.nodes = 2, .ranks = 2},
                                             .bytes = 8, .repetitions = repetitions[pass], .count = 10};
        series[5 + pass] = series[pass];
        series[5 + pass].demand.nodes = 1;
    }
    struct size_curve curve;
    struct err err;
    struct bench_results five = {.series = series, .count = 10}, four = {.series = series, .count = 4};
    assert_int_equal(size_curve_collect(&five, "putLatency -s flush", true, &unknown, &curve, &err), STATUS_OK);
    assert_true(fabs(curve.points[0].y - between_s) < 1e-12 && curve.unsteady == 0);
    assert_int_equal(curve.sizes[0].all.count, 50);
    assert_true(fabs(curve.sizes[0].pass_error_s - pass_error_s) < 1e-12);
    assert_int_equal(size_curve_collect(&five, "putLatency -s flush", false, &unknown, &curve, &err), STATUS_OK);
    assert_true(fabs(curve.points[0].y - within_s) < 1e-12 && curve.unsteady == 0);
    assert_int_equal(size_curve_collect(&four, "putLatency -s flush", true, &unknown, &curve, &err), STATUS_OK);
    assert_true(fabs(curve.points[0].y - four_s) < 1e-12 && curve.unsteady == 1);
}

/* The passes' medians differ from their median, 3 us, by 0, 0.1, 0.1, 0.2 and 0.2 us: the middle deviation makes the standard
 * error. Of five passes the middle one counts between nodes and the second one within a node, whose medians stay. Of four the
 * first one counts, which is unsteady: its 10th percentile. */
static void one_of_many_passes_is_not_lowered_again(void **state)
{
    (void)state;
    static const double passes_s[] = {3e-6, 2.8e-6, 3.2e-6, 2.9e-6, 3.1e-6};
    check_passes(passes_s, 3e-6, 2.9e-6, 0.9 * 2.8e-6, 1.2533 * 1.4826 * 0.1e-6 / sqrt(5));
}

/* Five equal passes of ten repetitions, which take 3 to 3.9 us. In the last `lost` of them another process has the core for 15
 * us. */
static void check_losses(int lost, bool selected, size_t count, double median_s)
{
    struct bench_repetition repetitions[10];
    struct bench_series series[5];
    for (int i = 0; i < 10; i++) {
        const double value = 3e-6 + 1e-7 * i + (i >= 10 - lost ? 15e-6 : 0);
        repetitions[i] = (struct bench_repetition){value, value, value, value, 0, 0, i >= 10 - lost};
    }
    for (int pass = 0; pass < 5; pass++)
        series[pass] = (struct bench_series){.spec = "putIssue", .place = "0+1", .demand = {.nodes = 2, .ranks = 2}, .bytes = 8,
                                             .repetitions = repetitions, .count = 10};
    struct bench_results results = {.series = series, .count = 5};
    struct size_curve curve;
    struct err err;
    assert_int_equal(size_curve_collect(&results, "putIssue", true, &unknown, &curve, &err), STATUS_OK);
    assert_int_equal(curve.sizes[0].selected, selected);
    assert_int_equal(curve.sizes[0].statistics.count, count);
    assert_int_equal(curve.sizes[0].lost.count, 5 * lost);
    assert_int_equal(curve.sizes[0].all.count, 50);
    assert_true(fabs(curve.points[0].y - median_s) < 1e-12);
    assert_true(curve.sizes[0].pass_error_s == 0); /* equal passes */
}

/* Six of ten are lost: the median of all is 18.45 us, that of the other 20 repetitions, five times 3.0 to 3.3 us, 3.15 us. Seven
 * of ten: 15 repetitions are too few, so one pass counts, with its median (18.4 + 18.5) / 2 us. None: one pass. */
static void repetitions_without_the_core_do_not_count(void **state)
{
    (void)state;
    check_losses(6, true, 20, 3.15e-6);
    check_losses(7, false, 10, 18.45e-6);
    check_losses(0, false, 10, 3.45e-6);
}

/* The fourth of five passes takes twice as long as the second one, which counts between nodes, too. The middle deviation from the
 * median, 3 us, is 1 us. */
static void loaded_passes_do_not_count(void **state)
{
    (void)state;
    static const double passes_s[] = {3e-6, 1e-6, 5e-6, 2e-6, 4e-6};
    check_passes(passes_s, 2e-6, 2e-6, 0.9 * 1e-6, 1.2533 * 1.4826 * 1e-6 / sqrt(5));
}

/* Sizes 1000, 2000, ... take 1 and 1.2 us in turn. Each point but the first and the last is 0.2 us off the line through its
 * neighbours, which alone would differ by sqrt(1 + 1/4 + 1/4) errors. Of eight such points half are off by 1/6 of their time
 * and half by 1/5: the median is half way. Seven are too few. */
static void scatter_needs_eight_sizes(void **state)
{
    (void)state;
    enum { MOST = 10 };
    struct bench_series series[MOST];
    struct bench_repetition times[MOST];
    const double share = 1.4826 * (1. / 6 + 1. / 5) / 2 / sqrt(1.5);
    for (int i = 0; i < MOST; i++) {
        double value = i % 2 ? 1.2e-6 : 1e-6;
        times[i] = (struct bench_repetition){value, value, value, value, 0, 0, 0};
        series[i] = (struct bench_series){.spec = "putIssue", .place = "0", .demand = {.nodes = 1, .ranks = 2},
                                          .bytes = 1000 * (i + 1), .repetitions = &times[i], .count = 1};
    }
    for (size_t count = MOST - 1; count <= MOST; count++) {
        struct bench_results results = {.series = series, .count = count};
        struct size_curve curve;
        struct err err;
        assert_int_equal(size_curve_collect(&results, "putIssue", false, &unknown, &curve, &err), STATUS_OK);
        assert_int_equal(curve.count, count);
        for (size_t i = 0; i < count; i++) {
            if (count == MOST) assert_true(fabs(curve.points[i].error / curve.points[i].y - share) < 1e-9);
            else assert_true(curve.points[i].error < 0.1 * curve.points[i].y);
        }
    }
}

/* A size is measured in several places, which take 1, 2, 3 and 4 us in another order: of an even number the lower of both middles
 * counts. */
static void the_middle_place_counts(void **state)
{
    enum { PLACES = 4 };
    static const double times_s[PLACES] = {2e-6, 1e-6, 3e-6, 4e-6}, middle_s[PLACES] = {2e-6, 1e-6, 2e-6, 2e-6};
    struct bench_series series[PLACES];
    struct bench_repetition times[PLACES];
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        times[i] = (struct bench_repetition){times_s[i], times_s[i], times_s[i], times_s[i], 0, 0, 0};
        series[i] = (struct bench_series){.spec = "putIssue", .place = {(char)('0' + (i ^ 1))}, .bytes = 8,
                                          .demand = {.nodes = 1, .ranks = 2}, .repetitions = &times[i], .count = 1};
        struct bench_results results = {.series = series, .count = (size_t)i + 1};
        struct size_curve curve;
        struct err err;
        assert_int_equal(size_curve_collect(&results, "putIssue", false, &unknown, &curve, &err), STATUS_OK);
        assert_int_equal(curve.count, 1);
        if (curve.points[0].y != middle_s[i]) fail_msg("%d places: %g", i + 1, curve.points[0].y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_differ),
        cmocka_unit_test(several_sizes_in_a_row_are_disturbed),
        cmocka_unit_test(a_fifth_of_the_repetitions_of_a_size_is_disturbed),
        cmocka_unit_test(one_of_many_passes_is_not_lowered_again),
        cmocka_unit_test(repetitions_without_the_core_do_not_count),
        cmocka_unit_test(loaded_passes_do_not_count),
        cmocka_unit_test(scatter_needs_eight_sizes),
        cmocka_unit_test(the_middle_place_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
