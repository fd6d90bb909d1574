/* Waits selected by window, rank, time and place; checks that find what is broken. */
#include "model_test.h"

#include <string.h>

#include "model/result/checks.h"

/* Rank 0 waits 10-40 in a fence on window 0 inside "left", rank 1 waits 50-60 in one on window 1 inside "right". */
static const char *const two_fences = "ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\n0 0.0 enter left\n"
                                      "0 0.000010 0.000045 MPI_Win_fence win=0\n0 0.000046 leave left\n"
                                      "0 0.000060 0.000065 MPI_Win_fence win=1\n"
                                      "1 0.000040 0.000045 MPI_Win_fence win=0\n1 0.000046 enter right\n"
                                      "1 0.000050 0.000065 MPI_Win_fence win=1\n1 0.000066 leave right\n";

static void expect(const struct filter *filter, int64_t us0, int64_t us1)
{
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct trace *trace = trace_of(two_fences);
    options.filter = *filter;
    options.intervals = options.verify = true;
    if (model_analyze(trace, &options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    const double *found_s = result->patterns[PATTERN_WAIT_AT_FENCE].rank_severity_s;
    assert_float_equal((float)(found_s[0] * 1e6), (float)us0, 1e-3f);
    assert_float_equal((float)(found_s[1] * 1e6), (float)us1, 1e-3f);
    /* Root causes are those of the waits counted; the critical path is that of the run. */
    assert_float_equal((float)(result->causes.total_s * 1e6), (float)(us0 + us1), 1e-3f);
    assert_float_equal((float)(result->critical_path.total_s * 1e6), 66.0f, 1e-3f);
    assert_int_equal(checks_expect(result, &err), STATUS_OK);
    result_free(result);
    trace_free(trace);
}

static void selections(void **state)
{
    (void)state;
    expect(&(struct filter){0}, 30, 10);
    expect(&(struct filter){.by_window = true, .window = 0}, 30, 0);
    expect(&(struct filter){.by_window = true, .window = 1}, 0, 10);
    expect(&(struct filter){.by_rank = true, .first_rank = 1, .last_rank = 1}, 0, 10);
    expect(&(struct filter){.by_rank = true, .first_rank = 0, .last_rank = 1}, 30, 10);
    expect(&(struct filter){.by_time = true, .from_ps = 0, .to_ps = 49 * US}, 30, 0);
    expect(&(struct filter){.by_time = true, .from_ps = 46 * US, .to_ps = 100 * US}, 0, 10);
    expect(&(struct filter){.by_time = true, .from_ps = 45 * US, .to_ps = 50 * US}, 30, 10);
    expect(&(struct filter){.callpath = "left/*"}, 30, 0);
    expect(&(struct filter){.callpath = "*MPI_Win_fence"}, 30, 10);
    expect(&(struct filter){.callpath = "left"}, 0, 0);
    expect(&(struct filter){.by_window = true, .window = 0, .callpath = "right*"}, 0, 0);
}

static void checks_find_what_is_broken(void **state)
{
    (void)state;
    struct err err;
    struct relations relations;
    struct totals totals;
    struct waits waits = {0};
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct trace *trace = trace_of(two_fences);
    options.intervals = true;
    assert_int_equal(model_analyze(trace, &options, &result, &err), STATUS_OK);
    assert_int_equal(relations_build(trace, &relations, &err), STATUS_OK);
    assert_int_equal(totals_init(&totals, 2, &err), STATUS_OK);
    /* 36 us of waiting in a fence of 35 us: event 2 of rank 0. */
    struct finding finding = {
        .pattern = PATTERN_WAIT_AT_FENCE, .rank = 0, .call = 1, .severity_ps = 36 * US, .cause_call = FINDING_NO_CALL};
    assert_int_equal(waits_add(&waits, trace, &finding, true, &err), STATUS_OK);
    /* That fence returns at 45, and the other rank's next one, its cause here, is entered at 50: it released no lock for it. */
    struct finding before = {.pattern = PATTERN_LOCK_CONTENTION, .rank = 0, .call = 1, .cause_rank = 1, .cause_call = 2};
    assert_int_equal(waits_add(&waits, trace, &before, true, &err), STATUS_OK);
    waits_sort(&waits);
    totals_add(&totals, PATTERN_EARLY_FENCE, 1, 5 * US);
    result->patterns[PATTERN_WAIT_AT_FENCE].severity_s += 1e-6;
    result->run_time_s *= 2;
    struct checks checks = {0};
    assert_int_equal(checks_add(&checks, &relations, &waits, &err), STATUS_OK);
    checks_report(&checks, &totals, NULL, 0, result);
    checks_clear(&checks);
    assert_int_equal(checks_expect(result, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "6 of 7 checks of the figures do not hold, first 'waits fit their calls': rank 0, event 2"));
    /* Waits, causes before the end, parts, properties (the sum is 1 us too long), places, not the intervals, causes (no
     * waits, no such run). */
    const bool holds[] = {false, false, false, false, false, true, false};
    assert_int_equal(result->check_count, sizeof holds / sizeof *holds);
    for (size_t i = 0; i < result->check_count; i++) assert_int_equal(result->checks[i].holds, holds[i]);
    assert_non_null(strstr(result->checks[0].detail, "rank 0, event 2 (MPI_Win_fence): 36000000 ps"));
    assert_non_null(strstr(result->checks[1].detail,
                           "rank 0, event 2 (MPI_Win_fence): Lock Contention, whose cause begins 5000000 ps after the call "
                           "returned, rank 1, event 3 (MPI_Win_fence)"));
    assert_non_null(strstr(result->checks[2].detail, "early_fence of rank 1"));
    result_free(result);
    waits_clear(&waits);
    totals_clear(&totals);
    relations_clear(&relations);
    trace_free(trace);
}

/* Region "left" lasts from 0 to 40 us. It computes from 0 to 10 and from 30 to 40 us, and is in MPI_Pcontrol between. */
static const char *const one_pcontrol =
    "ranks 1\n0 0.0 enter left\n0 0.000010 0.000030 MPI_Pcontrol\n0 0.000040 leave left\n";

static void expect_section(const char *callpath, int64_t us)
{
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct trace *trace = trace_of(one_pcontrol);
    options.section.callpath = callpath;
    if (model_analyze(trace, &options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_float_equal((float)(result->rank_time_s[0] * 1e6), (float)us, 1e-3f);
    result_free(result);
    trace_free(trace);
}

static void a_call_is_not_its_region(void **state)
{
    (void)state;
    expect_section("left", 20);
    expect_section("left/MPI_Pcontrol", 20);
    expect_section("left*", 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections),
        cmocka_unit_test(checks_find_what_is_broken),
        cmocka_unit_test(a_call_is_not_its_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
