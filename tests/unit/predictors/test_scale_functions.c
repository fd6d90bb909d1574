/* Functions of the number of ranks: grids, series of partners, whole numbers, times. All expected values follow from the
 * definitions in the headers, worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "predictors/scale/count_model.h"
#include "trace/program_model/executions.h"
#include "predictors/scale/program.h"
#include "predictors/scale/time_model.h"

static struct grid make(enum grid_rule rule, int32_t ranks, int32_t fixed, bool periodic)
{
    struct grid grid;
    const struct grid_shape shape = {.rule = rule, .fixed = fixed, .periodic = {periodic, periodic, periodic}};
    assert_true(grid_make(&shape, ranks, &grid));
    return grid;
}

static void ranks_divide_into_grids(void **state)
{
    (void)state;
    static const struct {
        enum grid_rule rule;
        int32_t ranks, fixed, x, y, z;
    } cases[] = {
        {GRID_LINE, 7, 0, 7, 1, 1},        {GRID_SQUARE, 12, 0, 3, 4, 1},  {GRID_SQUARE_HIGH, 12, 0, 4, 3, 1},
        {GRID_SQUARE, 7, 0, 1, 7, 1},      {GRID_CUBE, 24, 0, 2, 3, 4},    {GRID_CUBE, 72, 0, 3, 4, 6},
        {GRID_CUBE_HIGH, 24, 0, 4, 3, 2},  {GRID_FIXED, 20, 5, 5, 4, 1},   {GRID_FIXED_HIGH, 20, 5, 4, 5, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct grid grid = make(cases[i].rule, cases[i].ranks, cases[i].fixed, false);
        assert_int_equal(grid.extents[0], cases[i].x);
        assert_int_equal(grid.extents[1], cases[i].y);
        assert_int_equal(grid.extents[2], cases[i].z);
    }
    struct grid grid;
    assert_false(grid_make(&(struct grid_shape){.rule = GRID_FIXED, .fixed = 5}, 21, &grid));
}

/* On 3 x 4, rank 5 is at (2, 1): the right end. */
static void neighbors_end_or_wrap(void **state)
{
    (void)state;
    const struct grid_offset right = {{1, 0, 0}}, up = {{0, 1, 0}};
    struct grid open = make(GRID_SQUARE, 12, 0, false), closed = make(GRID_SQUARE, 12, 0, true);
    assert_int_equal(grid_neighbor(&open, 5, &right), -1);
    assert_int_equal(grid_neighbor(&closed, 5, &right), 3);
    assert_int_equal(grid_neighbor(&open, 5, &up), 8);
    assert_int_equal(grid_neighbor(&closed, 11, &up), 2);
    struct grid_offset back = grid_offset_between(&closed, 3, 5); /* (0, 1) to (2, 1): one to the left is shorter */
    assert_int_equal(back.of[0], -1);
    back = grid_offset_between(&open, 3, 5);
    assert_int_equal(back.of[0], 2);
    struct grid line = make(GRID_LINE, 4, 0, true);
    assert_int_equal(grid_offset_between(&line, 3, 1).of[0], 2); /* two ways of 2: the one upwards */
}

/* Ends stay ends: of 8 places on a line, 0 1 2 3 4 5 6 7 are like 0 1 2 1 2 1 2 3 of 4. */
static void places_are_similar(void **state)
{
    (void)state;
    static const int32_t expected[] = {0, 1, 2, 1, 2, 1, 2, 3};
    struct grid large = make(GRID_LINE, 8, 0, false), small = make(GRID_LINE, 4, 0, false);
    for (int32_t r = 0; r < 8; r++) assert_int_equal(grid_similar(&large, r, &small), expected[r]);
    for (int32_t r = 0; r < 4; r++) assert_int_equal(grid_similar(&small, r, &small), r);
}

static void series_name_their_partners(void **state)
{
    (void)state;
    static const struct {
        enum series series;
        int32_t ranks, rank;
        uint32_t rounds;
        int32_t partners[4];
    } cases[] = {
        {SERIES_UP, 5, 3, 4, {4, 0, 1, 2}},        {SERIES_DOWN, 5, 1, 4, {0, 4, 3, 2}},
        {SERIES_ASCENDING, 5, 2, 4, {0, 1, 3, 4}}, {SERIES_FROM_SELF, 4, 2, 4, {2, 3, 0, 1}},
        {SERIES_ALL, 4, 2, 4, {0, 1, 2, 3}},       {SERIES_EXCLUSIVE, 4, 2, 3, {3, 0, 1}},
        {SERIES_EXCLUSIVE, 6, 2, 0, {0}},          {SERIES_CUBE, 8, 5, 3, {4, 7, 1}},
        {SERIES_DOUBLE_UP, 6, 4, 3, {5, 0, 2}},    {SERIES_DOUBLE_DOWN, 6, 1, 3, {0, 5, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(series_rounds(cases[i].series, cases[i].ranks), cases[i].rounds);
        for (uint32_t k = 0; k < cases[i].rounds; k++)
            assert_int_equal(series_partner(cases[i].series, cases[i].ranks, cases[i].rank, k), cases[i].partners[k]);
    }
}

/* Values at 4, 8 and 16 ranks on x x y = 2 x 2, 2 x 4, 4 x 4, and at 64 on 8 x 8. */
static void numbers_follow_functions(void **state)
{
    (void)state;
    static const struct {
        int64_t at[3], at_64;
        enum count_form form;
    } cases[] = {
        {{7, 7, 7}, 7, COUNT_FIXED},           {{8, 16, 32}, 128, COUNT_RANKS},
        {{9, 21, 45}, 189, COUNT_OTHERS},      {{1024, 512, 256}, 64, COUNT_SHARE},
        {{1024, 256, 64}, 4, COUNT_SHARE_SQUARED}, {{512, 512, 256}, 128, COUNT_PER_X},
        {{512, 256, 256}, 128, COUNT_PER_Y},   {{6, 9, 12}, 18, COUNT_LOG},
        {{13, 21, 37}, 133, COUNT_RANKS},      {{7, 8, 9}, 11, COUNT_LOG}, /* 5 + 2 p, 5 + log2 p */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct count_sample samples[3];
        struct count_model models[COUNT_FITS_MAX];
        int64_t value;
        for (int k = 0; k < 3; k++)
            samples[k] = (struct count_sample){make(GRID_SQUARE, 4 << k, 0, false), 0, cases[i].at[k]};
        assert_true(count_model_fit(samples, 3, models) > 0);
        assert_int_equal(models[0].form, cases[i].form);
        struct grid far = make(GRID_SQUARE, 64, 0, false);
        assert_true(count_model_value(&models[0], &far, 0, &value));
        assert_int_equal(value, cases[i].at_64);
    }
}

static void numbers_without_function_have_none(void **state)
{
    (void)state;
    struct count_sample samples[] = {{make(GRID_LINE, 4, 0, false), 0, 10},
                                     {make(GRID_LINE, 8, 0, false), 0, 11},
                                     {make(GRID_LINE, 16, 0, false), 0, 15}};
    struct count_model models[COUNT_FITS_MAX];
    assert_int_equal(count_model_fit(samples, 3, models), 0);
    assert_int_equal(count_model_fit(samples, 2, models), 0); /* two values would lie on any line: none is drawn */
}

/* On 4, 8 and 16 ranks 3 p / 2 and 1 + 3 p / 2, and on 4 ranks with n = 1, 3, 5 the whole part of 10 + n / 2: numbers of calls
 * are no fractions of the number of ranks, and a function gives the numbers exactly, not after rounding. */
static void numbers_are_not_rounded(void **state)
{
    (void)state;
    static const struct {
        int32_t ranks[3];
        int64_t n[3], at[3];
    } rows[] = {{{4, 8, 16}, {0, 0, 0}, {6, 12, 24}}, {{4, 8, 16}, {0, 0, 0}, {7, 13, 25}}, {{4, 4, 4}, {1, 3, 5}, {10, 11, 12}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct count_sample samples[3];
        struct count_model models[COUNT_FITS_MAX];
        for (int k = 0; k < 3; k++)
            samples[k] = (struct count_sample){make(GRID_LINE, rows[i].ranks[k], 0, false), rows[i].n[k], rows[i].at[k]};
        assert_int_equal(count_model_fit(samples, 3, models), 0);
    }
}

/* Runs at (ranks, n) = (4, 100), (4, 200), (8, 100), (8, 300), (16, 200) on a square: 2 x 2, 2 x 4, 4 x 4; and at 64 ranks with
 * n = 1000. */
static void numbers_follow_functions_of_two(void **state)
{
    (void)state;
    static const struct {
        int64_t at[5], far;
        const char *text;
    } cases[] = {
        {{7, 7, 7, 7, 7}, 7, "7"},
        {{200, 400, 200, 600, 400}, 2000, "2 n"},
        {{20, 40, 20, 60, 40}, 200, "1 n / 5"},
        {{800, 1600, 400, 1200, 400}, 500, "32 n / p"},            /* 32 * 1000 / 64 */
        {{10000, 40000, 5000, 45000, 10000}, 62500, "4 n^2 / p"},  /* 4 * 10^6 / 64 */
        {{816, 1616, 816, 2416, 1616}, 8016, "16 + 8 n"},
        {{402, 802, 402, 1202, 402}, 1002, "2 + 8 n / x"},         /* x is 2, 2, 2, 2, 4: 8 * 1000 / 8 + 2 */
        {{4000000, 32000000, 8000000, 216000000, 128000000}, 64000000000, "1 n^3 p"},
    };
    static const int32_t ranks[] = {4, 4, 8, 8, 16};
    static const int64_t n[] = {100, 200, 100, 300, 200};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct count_sample samples[5];
        struct count_model models[COUNT_FITS_MAX];
        char text[COUNT_TEXT_BYTES];
        int64_t value;
        for (int k = 0; k < 5; k++)
            samples[k] = (struct count_sample){make(GRID_SQUARE, ranks[k], 0, false), n[k], cases[i].at[k]};
        size_t found = count_model_fit(samples, 5, models);
        assert_true(found > 0);
        assert_string_equal(count_model_text(&models[0], "n", text), cases[i].text);
        struct grid far = make(GRID_SQUARE, 64, 0, false);
        for (size_t k = 0; k < found; k++) { /* p is x y: others are the same function */
            assert_true(count_model_value(&models[k], &far, 1000, &value));
            assert_int_equal(value, cases[i].far);
        }
    }
}

/* 100 - n / 4 falls: 99, 98, 96 at n = 4, 8, 16. It is 2 at 392, 0 at 400, and no number of anything at 404. */
static void falling_numbers_end_at_none(void **state)
{
    (void)state;
    static const struct {
        int32_t ranks;
        int64_t n, value;
    } runs[] = {{4, 4, 99}, {4, 8, 98}, {8, 4, 99}, {8, 16, 96}};
    struct count_sample samples[4];
    struct count_model models[COUNT_FITS_MAX];
    char text[COUNT_TEXT_BYTES];
    int64_t value;
    for (int k = 0; k < 4; k++)
        samples[k] = (struct count_sample){make(GRID_SQUARE, runs[k].ranks, 0, false), runs[k].n, runs[k].value};
    assert_true(count_model_fit(samples, 4, models) > 0);
    assert_string_equal(count_model_text(&models[0], "n", text), "100 + -1 n / 4");
    struct grid far = make(GRID_SQUARE, 64, 0, false);
    assert_true(count_model_value(&models[0], &far, 392, &value) && value == 2);
    assert_true(count_model_value(&models[0], &far, 400, &value) && value == 0);
    assert_false(count_model_value(&models[0], &far, 404, &value));
}

/* A sum needs three values of its form. At n = 10, 10, 20 there are two: 1 + 3 n would fit 31, 31, 61, and so would others; 30
 * and 60 follow 3 n by themselves. With n = 30 it is three: 91. */
static void two_values_prove_no_sum(void **state)
{
    (void)state;
    static const int64_t n[] = {10, 20, 20, 30};
    static const int32_t ranks[] = {4, 4, 8, 8};
    struct count_sample samples[4];
    struct count_model models[COUNT_FITS_MAX];
    char text[COUNT_TEXT_BYTES];
    for (int k = 0; k < 4; k++) samples[k] = (struct count_sample){make(GRID_LINE, ranks[k], 0, false), n[k], 1 + 3 * n[k]};
    assert_int_equal(count_model_fit(samples, 3, models), 0);
    assert_true(count_model_fit(samples, 4, models) > 0);
    assert_string_equal(count_model_text(&models[0], "n", text), "1 + 3 n");
    for (int k = 0; k < 3; k++) samples[k].value--;
    assert_true(count_model_fit(samples, 3, models) > 0);
    assert_string_equal(count_model_text(&models[0], "n", text), "3 n");
}

/* At 8, 12 and 16 ranks a fixed side of 4 and p / 4 are one number: 64 x and 16 p are the same, and differ on 8 x 8. */
static void other_functions_are_known(void **state)
{
    (void)state;
    struct count_sample samples[3];
    struct count_model models[COUNT_FITS_MAX];
    char text[COUNT_TEXT_BYTES];
    for (int k = 0; k < 3; k++) samples[k] = (struct count_sample){make(GRID_SQUARE, 8 + 4 * k, 0, false), 0, 128 + 64 * k};
    assert_int_equal(count_model_fit(samples, 3, models), 2);
    assert_string_equal(count_model_text(&models[0], NULL, text), "16 p");
    assert_string_equal(count_model_text(&models[1], NULL, text), "64 x");
}

static struct time_sample equal_times(int32_t ranks, double seconds)
{
    struct time_sample sample = {.ranks = ranks};
    for (int i = 0; i < 10; i++) time_sample_add(&sample, seconds);
    return sample;
}

/* The functions of which the samples are made must come back: the value at 1024 ranks by hand. */
static void times_follow_functions(void **state)
{
    (void)state;
    static const struct {
        double at[4], at_1024;
    } cases[] = {
        {{1e-3, 1e-3, 1e-3, 1e-3}, 1e-3},
        {{1., 0.5, 0.25, 0.125}, 4. / 1024},             /* 4 / p */
        {{2e-3, 3e-3, 4e-3, 5e-3}, 10e-3},               /* 1e-3 log2 p */
        {{0.35, 0.225, 0.1625, 0.13125}, 0.1 + 1. / 1024}, /* 0.1 + 1 / p */
        {{5., 7., 11., 19.}, 3 + 0.5 * 1024},            /* 3 + p / 2 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct time_sample samples[4];
        struct time_model model;
        for (int k = 0; k < 4; k++) samples[k] = equal_times(4 << k, cases[i].at[k]);
        time_model_fit(samples, 4, i % 2, &model);
        assert_true(fabs(time_model_mean(&model, 1024, 0) - cases[i].at_1024) < 1e-9 * cases[i].at_1024 + 1e-15);
        assert_true(model.balanced);
        assert_true(model.error < 1e-9 && model.missed < 1e-9);
    }
}

static double value_by_hand(const struct time_model *of, double ranks, double n)
{
    return of->c0 + of->c1 * pow(ranks, of->ranks.exponent) * pow(n, of->n.exponent) * pow(log2(n), of->n.logs);
}

/* Times at the same runs: the functions that made them give the values at 1024 ranks and n 5000. */
static void times_follow_functions_of_two(void **state)
{
    (void)state;
    static const int32_t ranks[] = {4, 4, 8, 8, 16, 16};
    static const int64_t n[] = {100, 200, 100, 300, 200, 400};
    static const struct {
        double c0, c1, ranks, n;
        int logs;
    } cases[] = {{0.001, 0, 0, 0, 0}, {0, 1e-5, 0, 1, 0}, {0, 2e-7, -1, 2, 0}, {0.01, 3e-5, -1, 1, 0}, {0, 1e-6, 1, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct time_model made = {
            .c0 = cases[i].c0, .c1 = cases[i].c1, .ranks = {cases[i].ranks, 0}, .n = {cases[i].n, cases[i].logs}};
        struct time_sample samples[6];
        struct time_model model;
        for (int k = 0; k < 6; k++) {
            samples[k] = equal_times(ranks[k], value_by_hand(&made, ranks[k], (double)n[k]));
            samples[k].n = n[k];
        }
        time_model_fit(samples, 6, false, &model);
        double far = value_by_hand(&made, 1024, 5000);
        assert_true(fabs(time_model_mean(&model, 1024, 5000) - far) < 1e-9 * far);
        assert_true(model.error < 1e-9 && model.missed < 1e-9);
    }
}

/* 9 times 1 s and once 1.11 s are 1.011 s in the mean: 1.11 is 9.8 % above, 1.15 (mean 1.015) is 13 %. With one of 0.9 s the mean
 * is 0.99 s: it is 9.1 % below; 0.85 s (mean 0.985) is 13.7 %. */
static void uneven_times_are_told(void **state)
{
    (void)state;
    struct time_model model;
    struct time_sample sample = {.ranks = 4};
    for (int i = 0; i < 9; i++) time_sample_add(&sample, 1);
    struct time_sample more = sample, less = sample, least = sample;
    time_sample_add(&sample, 1.11);
    time_sample_add(&more, 1.15);
    time_sample_add(&less, 0.9);
    time_sample_add(&least, 0.85);
    time_model_fit(&less, 1, false, &model);
    assert_true(model.balanced);
    time_model_fit(&least, 1, false, &model);
    assert_false(model.balanced);
    time_model_fit(&sample, 1, false, &model);
    assert_true(model.balanced);
    time_model_fit(&more, 1, false, &model);
    assert_false(model.balanced);
    /* 3 sigma / (sqrt(10) (mean - sigma)): the ten values have the standard deviation 0.15 / sqrt(10) */
    double sigma = 0.15 / sqrt(10);
    assert_true(fabs(model.error - 3 * sigma / sqrt(10) / (1.015 - sigma)) < 1e-12);
}

/* Nine times 0 and once 10 s: mean 1, standard deviation sqrt(10), so there is no bound below the mean itself. A mean that is
 * twice or half of what another run predicts is wrong by 1: by a factor of 2. */
static void errors_are_relative_to_what_is_predicted(void **state)
{
    (void)state;
    struct time_model model;
    struct time_sample rare = {.ranks = 4}, two[2] = {equal_times(4, 1), equal_times(4, 2)};
    for (int i = 0; i < 9; i++) time_sample_add(&rare, 0);
    time_sample_add(&rare, 10);
    time_model_fit(&rare, 1, false, &model);
    assert_true(fabs(model.error - 1) < 1e-12);
    time_model_fit(two, 2, false, &model); /* no function but a constant: 2 s are 1 s more than the other says */
    assert_true(model.error == 0 && fabs(model.missed - 1) < 1e-12 && fabs(model.missed_s - 1) < 1e-12);
}

/* A quarter of the time waited for a core in one run, a tenth in the other. */
static void disturbances_are_errors(void **state)
{
    (void)state;
    struct time_model model;
    struct time_sample samples[2] = {equal_times(4, 2), equal_times(8, 2)};
    samples[0].waited = 5;
    samples[0].recorded = 20;
    samples[1].waited = 2;
    samples[1].recorded = 20;
    time_model_fit(samples, 2, false, &model);
    assert_true(model.error == 0.25 && model.missed == 0);
    samples[0].waited = 30; /* never more than all of it */
    time_model_fit(samples, 2, false, &model);
    assert_true(model.error == 1);
}

/* 4 and 1.8 s at 4 and 8 ranks are nearest to a / p. The first says 2 s at 8, of which 0.2 s are a tenth; the second 3.6 s at 4,
 * of which 0.4 s are a ninth; each is one doubling away. Without a function, 1.8 s may be 2.2 s more. */
static void misses_are_of_runs_left_out(void **state)
{
    (void)state;
    const struct time_sample samples[2] = {equal_times(4, 4), equal_times(8, 1.8)};
    struct time_model model;
    time_model_fit(samples, 2, false, &model);
    assert_true(model.ranks.exponent == -1 && model.c0 == 0);
    assert_true(fabs(model.missed - 1. / 9) < 1e-9 && fabs(model.missed_s - 0.4) < 1e-9 && model.missed_doublings == 1);
    time_model_fit_last(samples, 2, &model);
    assert_true(fabs(model.c0 - 1.8) < 1e-9 && fabs(model.missed - 2.2 / 1.8) < 1e-9 && fabs(model.missed_s - 2.2) < 1e-9);
}

struct timed_run {
    int32_t ranks;
    int64_t n;
    double seconds;
};

static struct time_model fit(const struct timed_run *runs, size_t count, bool surely)
{
    struct time_sample samples[TIME_POINTS_MAX];
    struct time_model model;
    for (size_t i = 0; i < count; i++) {
        samples[i] = equal_times(runs[i].ranks, runs[i].seconds);
        samples[i].n = runs[i].n;
    }
    time_model_fit(samples, count, surely, &model);
    return model;
}

/* The constant c with the least sum of ((c - y) / y)^2: its derivative is 0 at (sum of 1 / y) / (sum of 1 / y^2). */
static double constant_of(const struct timed_run *runs, size_t count)
{
    double inverse = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        inverse += 1 / runs[i].seconds;
        squares += 1 / runs[i].seconds / runs[i].seconds;
    }
    return inverse / squares;
}

/* Each row of four lies on a line that is below 0 somewhere in the relevant range, up to 2^20 ranks and 1024 times the largest
 * n: 1.1 - 0.0001 n from n = 11000 on, 1.1 - 0.025 p from 44 ranks on, 1.1 - 0.000025 p n likewise, and 1.01 - 0.4 p / n,
 * which the largest n keeps positive (0.4 * 2^20 / 10^6 is 0.42), but the smallest does not, and 1 - 0.00001 n, from n =
 * 100000 on, where the run with most ranks has the least n: 1024 times that is less. 1 - p n / 8192000 is below 0 only at 2^20
 * ranks and the largest n: 2^20 / 8192000 is 0.13, 4 * 1024000 / 8192000 is 0.5. -500 + p n is below 0 only at the fewest
 * ranks and the smallest n together. None is taken: no time is 0 anywhere. In the first row the constant is best. */
static void falling_functions_are_refused(void **state)
{
    (void)state;
    static const struct timed_run cases[][4] = {
        {{4, 1000, 1.0}, {4, 2000, 0.9}, {4, 4000, 0.7}, {4, 8000, 0.3}},
        {{4, 0, 1.0}, {8, 0, 0.9}, {16, 0, 0.7}, {32, 0, 0.3}},
        {{4, 1000, 1.0}, {8, 1000, 0.9}, {8, 2000, 0.7}, {16, 2000, 0.3}},
        {{4, 4, 0.61}, {8, 4, 0.21}, {8, 1000000, 1.0099968}, {16, 1000000, 1.0099936}},
        {{4, 8000, 0.92}, {4, 20000, 0.8}, {8, 10000, 0.9}, {8, 50, 0.9995}},
        {{4, 1, 1 - 4 / 8192e3}, {512, 1, 1 - 512 / 8192e3}, {512, 1000, 0.9375}, {1024, 1000, 0.875}},
        {{4, 200, 300}, {8, 100, 300}, {8, 200, 1100}, {16, 100, 1100}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct time_model model = fit(cases[i], 4, false);
        int64_t small = cases[i][0].n, large = small;
        for (size_t k = 1; k < 4; k++) {
            if (cases[i][k].n < small) small = cases[i][k].n;
            if (cases[i][k].n > large) large = cases[i][k].n;
        }
        assert_true(time_model_mean(&model, 1 << 20, small) > 0 && time_model_mean(&model, 1 << 20, large) > 0);
        assert_true(time_model_mean(&model, 4, 1024 * large) > 0 && time_model_mean(&model, 4, small) > 0);
        if (i > 0) continue;
        assert_true(model.c1 == 0 && fabs(model.c0 - constant_of(cases[i], 4)) < 1e-9);
    }
}

/* 1 and 1.2 s: mean 1.1, standard deviation sqrt(0.02) s; 3 sigma / (sqrt(2) (mean - sigma)) is 0.3 / (1.1 - sigma). One
 * execution has no deviation. Among several runs the largest error counts. */
static void two_executions_have_an_error(void **state)
{
    (void)state;
    const double expected = 0.3 / (1.1 - sqrt(0.02));
    struct time_sample samples[2] = {{.ranks = 4}, {.ranks = 8}};
    struct time_model model;
    time_sample_add(&samples[0], 1.0);
    time_model_fit(samples, 1, false, &model);
    assert_true(model.error == 0);
    time_sample_add(&samples[0], 1.2);
    time_model_fit(samples, 1, false, &model);
    assert_true(fabs(model.error - expected) < 1e-12);
    time_sample_add(&samples[1], 1.1);
    time_sample_add(&samples[1], 1.1);
    time_model_fit(samples, 2, false, &model);
    assert_true(fabs(model.error - expected) < 1e-12);
}

/* 1, 3 and 2 s at 2, 4 and 64 ranks follow no function. The constants of the other two runs are 2.5 / 3 / (1.25 / 3.6),
 * (3 / 2) / (5 / 4) and (4 / 3) / (10 / 9): 30/13, 6/5, 6/5 s. The largest miss is that of 4 ranks: 1.8 s, 3/2 of 6/5 s. It is
 * one doubling away from 2 ranks; 64 ranks are four away from 4. */
static void misses_state_the_nearest_distance(void **state)
{
    (void)state;
    static const struct timed_run runs[] = {{2, 0, 1}, {4, 0, 3}, {64, 0, 2}};
    struct time_model model = fit(runs, 3, false);
    assert_true(model.c1 == 0 && fabs(model.missed - 1.5) < 1e-9 && fabs(model.missed_s - 1.8) < 1e-9);
    assert_true(model.missed_doublings == 1);
}

/* From (4, 100) to (8, 400) it is one doubling of the ranks and two of the parameter, three together. 1 and 2 s follow no
 * function of two runs that a product of terms would not fit by chance; the last one's distance is looked at alone. 2 s are
 * twice 1 s: an error of 1. */
static void distances_are_of_both(void **state)
{
    (void)state;
    struct time_sample samples[] = {equal_times(4, 1), equal_times(8, 2)};
    struct time_model model;
    samples[0].n = 100;
    samples[1].n = 400;
    time_model_fit_last(samples, 2, &model);
    assert_true(model.missed_doublings == 3 && model.missed == 1 && model.missed_s == 1);
}

/* 2 s once, with 1 s of sleep, and 1 s 8 times, with 4 s of sleep in all: 5 of 10 s. Sleep is part of the times, never more. */
static void sleep_is_a_share_of_all_times(void **state)
{
    (void)state;
    struct time_sample samples[2] = {{.ranks = 4, .slept = 1}, {.ranks = 8, .slept = 4}};
    struct time_model model;
    time_sample_add(&samples[0], 2);
    for (int i = 0; i < 8; i++) time_sample_add(&samples[1], 1);
    time_model_fit(samples, 2, false, &model);
    assert_true(fabs(model.slept - 0.5) < 1e-12);
    samples[1].slept = 100;
    time_model_fit(samples, 2, false, &model);
    assert_true(model.slept == 1);
}

/* Two values of 10 s with 1 s: relative errors are squared, so that of the small value decides: (1/10 + 1/10 + 1) /
 * (1/100 + 1/100 + 1) = 1.2 / 1.02 s, not the mean. The term that halves the error is refused without certainty only: surely. */
static void errors_are_weighed_relative_to_times(void **state)
{
    (void)state;
    static const struct timed_run runs[] = {{4, 0, 10}, {8, 0, 1}, {16, 0, 10}};
    struct time_model model = fit(runs, 3, true);
    assert_true(model.c1 == 0 && fabs(model.c0 - 1.2 / 1.02) < 1e-12);
}

/* Two runs. 8 and 4 s at 2 and 4 ranks are 16 / p, without a part that the ranks do not change. 48 and 12 s are 192 / p^2, 3 s at
 * 8 ranks; what is only divided by them from 4 on is 6 s there, 100 % and 3 s more. 1 and 2 s are p / 2. */
static void two_runs_leave_other_functions(void **state)
{
    (void)state;
    static const struct timed_run divided[] = {{2, 0, 8}, {4, 0, 4}}, faster[] = {{2, 0, 48}, {4, 0, 12}},
                                  grown[] = {{2, 0, 1}, {4, 0, 2}};
    struct time_model model = fit(divided, 2, false);
    assert_true(model.c0 == 0 && model.ranks.exponent == -1 && model.missed < 1e-9);
    model = fit(faster, 2, false);
    assert_true(model.ranks.exponent == -2 && fabs(model.missed - 1) < 1e-9 && fabs(model.missed_s - 3) < 1e-9);
    assert_true(model.missed_doublings == 1);
    model = fit(grown, 2, false);
    assert_true(model.c0 == 0 && model.ranks.exponent == 1 && model.missed < 1e-9);
}

/* 1, 1.1 and 1.9 s at 4, 8 and 16 ranks are near c0 + c1 p^2, but not within 1 %: a small place keeps a constant. */
static void small_places_grow_only_if_it_is_sure(void **state)
{
    (void)state;
    struct time_model model;
    const struct time_sample samples[3] = {equal_times(4, 1), equal_times(8, 1.1), equal_times(16, 1.9)};
    time_model_fit(samples, 3, false, &model);
    assert_true(time_model_mean(&model, 1024, 0) > 10);
    time_model_fit(samples, 3, true, &model);
    assert_true(model.c1 == 0 && model.c0 > 1 && model.c0 < 1.9);
}

/* A grid of 3 x 2 x 2, x fastest: rank 7 is at (1,0,1). Its row is 6 7 8, its line along y 7 10, its plane along x and z
 * 0 1 2 6 7 8. */
static void parts_of_a_grid_have_places(void **state)
{
    (void)state;
    const struct grid grid = {.ranks = 12, .extents = {3, 2, 2}};
    enum { X = 6, Y = 5, XZ = 2, ALL = 0 };
    static const struct {
        unsigned shared;
        int32_t count, place, first, last;
    } cases[] = {{ALL, 12, 7, 0, 11}, {X, 3, 1, 6, 8}, {Y, 2, 0, 7, 10}, {XZ, 6, 4, 0, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned shared = cases[i].shared;
        assert_int_equal(grid_part_count(&grid, shared), cases[i].count);
        assert_int_equal(grid_part_place(&grid, 7, shared), cases[i].place);
        assert_int_equal(grid_part_rank(&grid, 7, shared, 0), cases[i].first);
        assert_int_equal(grid_part_rank(&grid, 7, shared, cases[i].count - 1), cases[i].last);
        assert_int_equal(grid_part_rank(&grid, 7, shared, cases[i].count), -1);
        assert_true(grid_part_has(&grid, 7, shared, cases[i].last));
    }
    assert_false(grid_part_has(&grid, 7, X, 1));
}

/* Two ranks, three executions: 1 2 3 and 3 6 9 s, mean 4. Rank means 2 and 6 are 0.5 and 1.5 of it; what is left is
 * 0.5 1 1.5 by execution; chance explains nothing. */
static void executions_split_by_rank_and_time(void **state)
{
    (void)state;
    struct executions executions;
    assert_int_equal(executions_open(&executions, 2, NULL), STATUS_OK);
    for (int r = 1; r <= 3; r += 2) {
        executions.first[r / 2] = executions.count;
        for (int i = 1; i <= 3; i++) assert_int_equal(executions_add(&executions, r * i, NULL), STATUS_OK);
    }
    executions.first[2] = executions.count;
    assert_int_equal(executions_split(&executions, 2, false, NULL), STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        double expected = 1.5 * 0.5 * (double)(i + 1);
        assert_true(fabs(executions_observed(&executions, 1, i) - expected) < 1e-6);
        assert_true(fabs(executions_drawn(&executions, 1, i, 12345 + i) - expected) < 1e-6);
    }
    executions_clear(&executions);
}

/* Alike are ranks whose executions are within 10 %. Four ranks of 0.96 and 1.04 s in turn share both: all are drawn the same,
 * and nothing is random. Where odd ranks have them the other way round, the means of executions are equal: nothing is shared, and
 * each execution may be drawn as either. */
static void alike_ranks_share_executions(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        struct executions executions;
        assert_int_equal(executions_open(&executions, 4, NULL), STATUS_OK);
        for (int r = 0; r < 4; r++) {
            executions.first[r] = executions.count;
            for (int i = 0; i < 6; i++)
                assert_int_equal(executions_add(&executions, (i + turned * r) % 2 ? 1.04 : 0.96, NULL), STATUS_OK);
        }
        executions.first[4] = executions.count;
        assert_int_equal(executions_split(&executions, 4, true, NULL), STATUS_OK);
        for (uint64_t random = 0; random < 24; random++) {
            double expected = turned && random / 6 % 2 == random % 2 ? 0.96 : 1.04;
            assert_true(fabs(executions_drawn(&executions, 0, 1, random) - expected) < 1e-6);
        }
        executions_clear(&executions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_divide_into_grids),
        cmocka_unit_test(neighbors_end_or_wrap),
        cmocka_unit_test(places_are_similar),
        cmocka_unit_test(series_name_their_partners),
        cmocka_unit_test(numbers_follow_functions),
        cmocka_unit_test(numbers_without_function_have_none), cmocka_unit_test(numbers_are_not_rounded),
        cmocka_unit_test(numbers_follow_functions_of_two),
        cmocka_unit_test(falling_numbers_end_at_none),
        cmocka_unit_test(two_values_prove_no_sum),
        cmocka_unit_test(other_functions_are_known),
        cmocka_unit_test(times_follow_functions),
        cmocka_unit_test(times_follow_functions_of_two),
        cmocka_unit_test(uneven_times_are_told),
        cmocka_unit_test(errors_are_relative_to_what_is_predicted),
        cmocka_unit_test(disturbances_are_errors),
        cmocka_unit_test(misses_are_of_runs_left_out),
        cmocka_unit_test(falling_functions_are_refused),
        cmocka_unit_test(two_executions_have_an_error),
        cmocka_unit_test(misses_state_the_nearest_distance),
        cmocka_unit_test(distances_are_of_both),
        cmocka_unit_test(sleep_is_a_share_of_all_times),
        cmocka_unit_test(errors_are_weighed_relative_to_times),
        cmocka_unit_test(two_runs_leave_other_functions),
        cmocka_unit_test(small_places_grow_only_if_it_is_sure), cmocka_unit_test(parts_of_a_grid_have_places),
        cmocka_unit_test(executions_split_by_rank_and_time), cmocka_unit_test(alike_ranks_share_executions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
