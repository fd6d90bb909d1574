/* A machine whose messages take three times as long for a part of the time, or whose cores are half as fast: which passes the fit
 * takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "platforms/fit/conditions.h"
#include "platforms/fit/size_curve.h"

enum { BATCH = 10 };

/* A pass of one batch. */
static void add_size_pass(struct bench_results *results, bool between, int64_t bytes, double time_s, double reference_s,
                          double work_s)
{
    struct bench_series series = {.spec = "putLatency -s flush", .place = "0", .function = BENCH_FUNCTION_put_latency,
                                  .demand = {.nodes = between ? 2 : 1, .ranks = 2}, .bytes = bytes};
    struct err err;
    for (int i = 0; i < BATCH; i++) {
        const double value = time_s * (1 + 0.01 * (i - BATCH / 2));
        const struct bench_repetition times = {value, value, value, value, reference_s, work_s, 0};
        assert_int_equal(array_reserve((void **)&series.repetitions, &series.capacity, series.count + 1, sizeof times, &err),
                         STATUS_OK);
        series.repetitions[series.count++] = times;
    }
    assert_int_equal(array_reserve((void **)&results->series, &results->capacity, results->count + 1, sizeof series, &err),
                     STATUS_OK);
    results->series[results->count++] = series;
}

static void add_pass(struct bench_results *results, bool between, double time_s, double reference_s)
{
    add_size_pass(results, between, 8, time_s, reference_s, 0);
}

/* 40 passes: of a reference of 250 to 262 ns, which take 1 us, and of 700 ns, which take 3 us. */
static void make_results(struct bench_results *results, int fast)
{
    *results = (struct bench_results){0};
    for (int i = 0; i < 40; i++)
        if (i < fast)
            add_pass(results, false, 1e-6, 2.5e-7 + 1e-9 * (i % 13));
        else
            add_pass(results, false, 3e-6, 7e-7);
}

/* A fifth of the batches is enough, so of 10 and 30 passes the fast ones count. Of 5 and 35 the slow ones do. */
static void the_fastest_of_frequent_conditions_count(void **state)
{
    (void)state;
    for (int few = 0; few < 2; few++) {
        const int fast = few ? 5 : 10, taken = few ? 35 : 10;
        struct bench_results results;
        struct conditions conditions;
        struct size_curve curve;
        struct err err;
        make_results(&results, fast);
        assert_int_equal(conditions_find(&results, false, &conditions, &err), STATUS_OK);
        assert_true(conditions.from_s == (few ? 7e-7 : 2.5e-7) && conditions.upto_s >= (few ? 7e-7 : 2.62e-7));
        assert_true(fabs(conditions.upto_s / conditions.from_s - CONDITIONS_WIDTH) < 1e-9);
        assert_true(fabs(conditions.share - taken / 40.0) < 1e-9);
        assert_int_equal(size_curve_collect(&results, "putLatency -s flush", false, &conditions, &curve, &err), STATUS_OK);
        assert_int_equal(curve.count, 1);
        assert_int_equal(curve.sizes[0].statistics.count, taken * BATCH);
        assert_true(fabs(curve.points[0].y / (few ? 3e-6 : 1e-6) - 1) < 0.006); /* between 0.99 and 1.00 */
        bench_results_clear(&results);
    }
}

/* Exactly a fifth of the batches, 8 of 40, is enough, however few repetitions these have. */
static void a_fifth_of_the_batches_is_enough(void **state)
{
    (void)state;
    for (int fast = 7; fast <= 8; fast++)
        for (int alone = 0; alone < 2; alone++) { /* one repetition in each fast batch */
            struct bench_results results;
            struct conditions conditions;
            struct err err;
            make_results(&results, fast);
            for (int i = 0; i < fast && alone; i++) results.series[i].count = 1;
            assert_int_equal(conditions_find(&results, false, &conditions, &err), STATUS_OK);
            assert_true(conditions.from_s == (fast == 8 ? 2.5e-7 : 7e-7));
            assert_true(fabs(conditions.share - (fast == 8 ? 8 : 33) / 40.0) < 1e-9);
            bench_results_clear(&results);
        }
}

/* Six kinds of round trips with four batches each: none is a fifth, and of equally frequent ones the fastest count. */
static void the_fastest_of_equally_frequent_ones_count(void **state)
{
    (void)state;
    struct bench_results results = {0};
    struct conditions conditions;
    struct err err;
    for (int i = 0; i < 24; i++) add_pass(&results, false, 1e-6, 1e-7 * (1 << (23 - i) / 4));
    assert_int_equal(conditions_find(&results, false, &conditions, &err), STATUS_OK);
    assert_true(conditions.from_s == 1e-7 && fabs(conditions.share - 4 / 24.0) < 1e-9);
    bench_results_clear(&results);
}

/* Fewer than 20 repetitions under the conditions: the pass at the lower quartile of all. */
static void few_repetitions_do_not_count(void **state)
{
    (void)state;
    struct bench_results results;
    struct conditions conditions = {.from_s = 4e-7, .upto_s = 4.6e-7, .share = 0.5};
    struct size_curve curve;
    struct err err;
    make_results(&results, 18);
    add_pass(&results, false, 2e-6, 4.3e-7);
    assert_int_equal(size_curve_collect(&results, "putLatency -s flush", false, &conditions, &curve, &err), STATUS_OK);
    assert_int_equal(curve.sizes[0].statistics.count, BATCH);
    assert_true(fabs(curve.points[0].y - 1e-6) < 2e-8); /* 18 of 41 passes take 1 us */
    bench_results_clear(&results);
}

/* Tests between nodes have conditions of their own, and results without references have none. */
static void without_references_there_are_none(void **state)
{
    (void)state;
    struct bench_results results;
    struct conditions conditions;
    struct err err;
    make_results(&results, 22);
    for (int i = 0; i < 30; i++) add_pass(&results, true, 1e-3, 0);
    assert_int_equal(conditions_find(&results, true, &conditions, &err), STATUS_OK);
    assert_true(conditions.share == 0 && conditions.upto_s == 0);
    bench_results_clear(&results);
}

/* Round trips of 250 ns and full speed, of 260 ns and half speed, and of 700 ns and half speed: puts of 1, 2 and 3 us. By round
 * trips alone the first two are alike. */
static void make_speeds(struct bench_results *results, int full, int near, int far)
{
    *results = (struct bench_results){0};
    for (int i = 0; i < full; i++) add_size_pass(results, false, 8, 1e-6, 2.5e-7, 2e-6);
    for (int i = 0; i < near; i++) add_size_pass(results, false, 8, 2e-6, 2.6e-7, 4e-6);
    for (int i = 0; i < far; i++) add_size_pass(results, false, 8, 3e-6, 7e-7, 4e-6);
}

/* Of 12, 8 and 20 batches 30 % are at full speed, which are enough. Of 5, 10 and 25 it is 12 %: half speed counts, and of its 35
 * batches the 10 with the fast round trips, 28 %. */
static void speeds_of_the_core_are_apart(void **state)
{
    (void)state;
    for (int few = 0; few < 2; few++) {
        const int taken = few ? 10 : 12;
        struct bench_results results;
        struct conditions conditions;
        struct size_curve curve;
        struct err err;
        if (few) make_speeds(&results, 5, 10, 25);
        else make_speeds(&results, 12, 8, 20);
        assert_int_equal(conditions_find(&results, false, &conditions, &err), STATUS_OK);
        assert_true(conditions.work_from_s == (few ? 4e-6 : 2e-6) && conditions.from_s == (few ? 2.6e-7 : 2.5e-7));
        assert_true(fabs(conditions.share - taken / 40.0) < 1e-9);
        assert_int_equal(size_curve_collect(&results, "putLatency -s flush", false, &conditions, &curve, &err), STATUS_OK);
        assert_int_equal(curve.sizes[0].statistics.count, taken * BATCH);
        assert_true(fabs(curve.points[0].y / (few ? 2e-6 : 1e-6) - 1) < 0.006); /* between 0.99 and 1.00 */
        assert_true(curve.sizes[0].selected && !curve.sizes[0].elsewhere);
        bench_results_clear(&results);
    }
}

/* 8 bytes have 120 repetitions at full speed. 64 bytes have 10 of them, 128 bytes none: both are missing. 256 bytes have no
 * references, 512 bytes have 20 repetitions at full speed, which are enough. */
static void sizes_of_another_speed_are_missing(void **state)
{
    (void)state;
    struct bench_results results;
    struct conditions conditions;
    struct size_curve curve;
    struct err err;
    size_t counted, missing;
    make_speeds(&results, 12, 8, 20);
    add_size_pass(&results, false, 64, 1e-6, 2.5e-7, 2e-6);
    for (int i = 0; i < 3; i++) add_size_pass(&results, false, 64, 2e-6, 2.6e-7, 4e-6);
    for (int i = 0; i < 3; i++) add_size_pass(&results, false, 128, 2e-6, 2.6e-7, 4e-6);
    for (int i = 0; i < 3; i++) add_size_pass(&results, false, 256, 1e-6, 0, 0);
    for (int i = 0; i < 2; i++) add_size_pass(&results, false, 512, 1e-6, 2.5e-7, 2e-6);
    assert_int_equal(conditions_find(&results, false, &conditions, &err), STATUS_OK);
    assert_int_equal(conditions_count(&results, false, &conditions, &counted, &missing, &err), STATUS_OK);
    assert_int_equal(counted, 4);
    assert_int_equal(missing, 2);
    assert_int_equal(size_curve_collect(&results, "putLatency -s flush", false, &conditions, &curve, &err), STATUS_OK);
    assert_int_equal(curve.count, 5);
    for (size_t i = 0; i < curve.count; i++) assert_int_equal(curve.sizes[i].elsewhere, i == 1 || i == 2);
    bench_results_clear(&results);
}

/* A batch of its own is told from the one before by either reference; repetitions with the references of the one before
 * are the same batch. 19 batches are none, 20 are enough. Batches without a reference do not count. */
static void twenty_batches_are_needed(void **state)
{
    static const struct {
        int batches, bare;        /* bare: without references */
        bool trips, works, apart; /* what differs between neighbours; each in a series of its own */
        double share;             /* 0: none */
    } rows[] = {
        {19, 0, false, false, true, 0}, {20, 0, false, false, true, 1},  {20, 0, true, false, false, 1},
        {20, 0, false, true, false, 1}, {20, 0, false, false, false, 0}, {19, 5, false, false, true, 0},
        {20, 5, false, false, true, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_results results = {0};
        struct conditions conditions;
        struct err err;
        for (int k = 0; k < rows[i].batches; k++)
            add_size_pass(&results, false, 8, 1e-6, rows[i].trips && k % 2 ? 2.6e-7 : 2.5e-7,
                          rows[i].works && k % 2 ? 2.1e-6 : 2e-6);
        for (int k = 0; k < rows[i].bare; k++) add_size_pass(&results, false, 8, 1e-6, 0, 0);
        struct bench_series *all = &results.series[0]; /* of all series, if they are not apart */
        for (size_t s = 1; !rows[i].apart && s < results.count; s++)
            for (size_t r = 0; r < results.series[s].count; r++) {
                assert_int_equal(array_reserve((void **)&all->repetitions, &all->capacity, all->count + 1,
                                               sizeof *all->repetitions, &err),
                                 STATUS_OK);
                all->repetitions[all->count++] = results.series[s].repetitions[r];
            }
        for (size_t s = 1; !rows[i].apart && s < results.count; s++) results.series[s].count = 0;
        assert_int_equal(conditions_find(&results, false, &conditions, &err), STATUS_OK);
        if (fabs(conditions.share - rows[i].share) > 1e-9) fail_msg("row %zu: share %g", i, conditions.share);
        bench_results_clear(&results);
    }
}

/* The conditions of a repetition: each limit belongs to them. */
static void limits_belong_to_the_conditions(void **state)
{
    static const struct conditions conditions = {2, 3, 5, 7, 1}, unknown = {0, 3, 0, 7, 1};
    static const struct {
        double reference_s, work_s;
        bool holds;
    } rows[] = {{2, 5, true},      {3, 7, true},      {1.999, 5, false}, {3.001, 5, false},
                {2, 4.999, false}, {2, 7.001, false}, {2.5, 6, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bench_repetition repetition = {.reference_s = rows[i].reference_s, .work_s = rows[i].work_s};
        if (conditions_hold(&conditions, &repetition) != rows[i].holds) fail_msg("row %zu", i);
    }
    assert_false(conditions_hold(&unknown, &(struct bench_repetition){.reference_s = 0, .work_s = 6}));
}

/* Each of test, size, place and number of nodes makes a series another size; two passes of 10 of one are 20, which are
 * enough. */
static void sizes_are_told_apart(void **state)
{
    static const struct {
        const char *spec, *place;
        int64_t bytes;
        size_t sizes, missing;
    } rows[] = {{"putLatency -s flush", "0", 8, 1, 0},
                {"getLatency -s flush", "0", 8, 2, 2},
                {"putLatency -s flush", "1", 8, 2, 2},
                {"putLatency -s flush", "0", 16, 2, 2}};
    static const struct conditions conditions = {2e-7, 3e-7, 0, 1, 1};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_results results = {0};
        struct err err;
        size_t sizes, missing;
        add_pass(&results, false, 1e-6, 2.5e-7);
        add_size_pass(&results, false, rows[i].bytes, 1e-6, 2.5e-7, 0);
        add_pass(&results, true, 1e-6, 2.5e-7); /* between nodes */
        strcpy(results.series[1].spec, rows[i].spec);
        strcpy(results.series[1].place, rows[i].place);
        assert_int_equal(conditions_count(&results, false, &conditions, &sizes, &missing, &err), STATUS_OK);
        if (sizes != rows[i].sizes || missing != rows[i].missing) fail_msg("row %zu: %zu, %zu", i, sizes, missing);
        bench_results_clear(&results);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_of_frequent_conditions_count),
        cmocka_unit_test(a_fifth_of_the_batches_is_enough),
        cmocka_unit_test(the_fastest_of_equally_frequent_ones_count),
        cmocka_unit_test(few_repetitions_do_not_count),
        cmocka_unit_test(without_references_there_are_none),
        cmocka_unit_test(speeds_of_the_core_are_apart),
        cmocka_unit_test(sizes_of_another_speed_are_missing),
        cmocka_unit_test(twenty_batches_are_needed),
        cmocka_unit_test(limits_belong_to_the_conditions),
        cmocka_unit_test(sizes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
