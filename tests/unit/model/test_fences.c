/* Early Fence, pairs that fences synchronise without need, and the advice of one-sided waits. */
#include "model_test.h"

#include <stdio.h>
#include <string.h>

#include "model/result/result.h"

static struct result *analyzed(const char *text)
{
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    if (model_analyze(trace, NULL, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return result;
}

#define NEAR(found, expected) assert_float_equal((float)((found)*1e6), (float)(expected), 1e-3f)

/* All enter the first fence at 0, leave at 1. Rank 0 puts to 1 from 10 to 40 and enters the second fence at 50; rank 1
 * enters it at 20, rank 2 at 30. All leave at 60. Rank 1 waits 30 us, 20 of them for the put; rank 2 waits 20. */
#define FENCE(rank, enter, exit) #rank " 0.0000" enter " 0.0000" exit " MPI_Win_fence win=0\n"
static const char *const one_put =
    "ranks 3\nwindow 0 comm=0\n" FENCE(0, "00", "01") "0 0.000010 0.000040 MPI_Put win=0 target=1 bytes=8\n" FENCE(
        0, "50", "60") FENCE(1, "00", "01") FENCE(1, "20", "60") FENCE(2, "00", "01") FENCE(2, "30", "60");

static void early_fence(void **state)
{
    (void)state;
    struct totals totals = account_of(one_put, NULL);
    assert_int_equal(totals.severity_ps[PATTERN_EARLY_FENCE][1], 20 * US);
    assert_int_equal(totals_severity_ps(&totals, PATTERN_EARLY_FENCE), 20 * US);
    assert_int_equal(totals_severity_ps(&totals, PATTERN_WAIT_AT_FENCE), 30 * US + 20 * US);
    totals_clear(&totals);
}

static void early_fence_needs_an_operation_towards_the_rank(void **state)
{
    (void)state;
    /* The put ends at 15, before rank 1 enters its fence at 20; rank 0 puts to itself until 40. */
    const char *text = "ranks 2\nwindow 0 comm=0\n" FENCE(
        0, "00", "01") "0 0.000010 0.000015 MPI_Put win=0 target=1 bytes=8\n0 0.000016 0.000040 MPI_Put win=0 target=0 "
                       "bytes=8\n" FENCE(0, "50", "60") FENCE(1, "00", "01") FENCE(1, "20", "60");
    struct totals totals = account_of(text, NULL);
    assert_int_equal(totals_severity_ps(&totals, PATTERN_EARLY_FENCE), 0);
    totals_clear(&totals);
}

static void pairs_of_fences(void **state)
{
    (void)state;
    /* Two fences of three pairs; only (0, 1) exchanges data, before the second and after the first: 4 of 6 are not
     * needed. Waits at the second: rank 1 needs rank 0 (30 us), rank 2 needs nobody and would save its 20. */
    struct result *result = analyzed(one_put);
    assert_true(result->fences_known);
    assert_int_equal(result->fence_pairs, 6);
    assert_int_equal(result->unneeded_fence_pairs, 4);
    NEAR(result->fence_saved_s, 20);
    result_free(result);
}

static void fence_that_waits_for_the_wrong_rank(void **state)
{
    (void)state;
    /* As above, but rank 2 comes last, at 55: rank 1 waits 35 and needs only rank 0, 30: saves 5; rank 0 waits 5 and
     * needs rank 1, which is there: saves 5. */
    struct result *result = analyzed("ranks 3\nwindow 0 comm=0\n" FENCE(
        0, "00", "01") "0 0.000010 0.000040 MPI_Put win=0 target=1 bytes=8\n" FENCE(0, "50", "60") FENCE(1, "00", "01")
                                         FENCE(1, "20", "60") FENCE(2, "00", "01") FENCE(2, "55", "60"));
    NEAR(result->fence_saved_s, 10);
    assert_int_equal(result->unneeded_fence_pairs, 4);
    result_free(result);
}

/* Three ranks, five fences. The first, at 0, has nothing before it. The second closes rank 0's put: 50 - 20 and 50 - 30
 * waited there do not count. The third, at 70, 75 and 80, has nothing before it on any rank, and something behind it:
 * 10 and 5. Before the fourth rank 2 puts to itself: not empty. The fifth asserts NOPRECEDE: it closes nothing. */
static void fences_behind_nothing(void **state)
{
    (void)state;
    struct result *result = analyzed(
        "ranks 3\nwindow 0 comm=0\n" FENCE(0, "00", "01") "0 0.000010 0.000040 MPI_Put win=0 target=1 bytes=8\n" FENCE(
            0, "50", "60") FENCE(0, "70", "80")
            FENCE(0, "90", "94") "0 0.000095 0.000099 MPI_Win_fence win=0 assert=NOPRECEDE\n" FENCE(1, "00", "01")
                FENCE(1, "20", "60") FENCE(1, "75", "80") FENCE(
                    1, "90", "94") "1 0.000096 0.000099 MPI_Win_fence win=0 assert=NOPRECEDE\n" FENCE(2, "00", "01")
                    FENCE(2, "30", "60")
                        FENCE(2, "80", "80") "2 0.000082 0.000083 MPI_Put win=0 target=2 bytes=8\n" FENCE(
                            2, "92", "94") "2 0.000098 0.000099 MPI_Win_fence win=0 assert=NOPRECEDE\n");
    assert_int_equal(result->empty_fences, 2);
    NEAR(result->empty_fence_s, 15);
    result_free(result);
}

static void fence_pairs_without_fences(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 2\n0 0.0 0.1 MPI_Barrier comm=0\n1 0.0 0.1 MPI_Barrier comm=0\n");
    assert_int_equal(result->fence_pairs, 0);
    NEAR(result->fence_saved_s, 0);
    result_free(result);
}

static void advice_names_the_other_call(void **state)
{
    (void)state;
    /* Rank 0 waits in start 10-90 for the post of rank 1, in its region, at 90. The start returns 5 us behind the post:
     * then it is known. */
    struct result *result = analyzed("ranks 2\nwindow 0 comm=0\n0 0.000010 0.000095 MPI_Win_start win=0 group=1\n"
                                     "0 0.000096 0.000097 MPI_Win_complete win=0\n1 0.000010 enter halo\n"
                                     "1 0.000090 0.000091 MPI_Win_post win=0 group=0\n"
                                     "1 0.000098 0.000099 MPI_Win_wait win=0\n1 0.000099 leave halo\n");
    assert_string_equal(result->patterns[PATTERN_LATE_POST].places[0].rows, "platform,platform+post-early");
    assert_string_equal(result->patterns[PATTERN_LATE_POST].places[0].advice,
                        "move MPI_Win_post of rank 1 (halo/MPI_Win_post) up to 80 us earlier, "
                        "or MPI_Win_start up to 85 us later: 5 us behind the post it does not wait");
    result_free(result);
}

/* Rank 0 waits in start from 10 for the posts of ranks 1 and 2. Rank 1 posts at 90, rank 2 at post_us: before 90 moving
 * rank 1's post helps until rank 2's is the latest; where rank 2 posts at 90, too, moving one of the two does not help.
 * The start is of use later until it would return at once, at 95. */
#define START_LATER "MPI_Win_start up to 85 us later: 5 us behind the post it does not wait"

static void expect_advice_of_two_posts(const char *post_us, const char *expected)
{
    char text[512];
    snprintf(text, sizeof text,
             "ranks 3\nwindow 0 comm=0\n0 0.000010 0.000095 MPI_Win_start win=0 group=1,2\n"
             "0 0.000096 0.000097 MPI_Win_complete win=0\n1 0.000090 0.000091 MPI_Win_post win=0 group=0\n"
             "1 0.000098 0.000099 MPI_Win_wait win=0\n2 0.0000%s 0.000092 MPI_Win_post win=0 group=0\n"
             "2 0.000098 0.000099 MPI_Win_wait win=0\n",
             post_us);
    struct result *result = analyzed(text);
    const char *advice = result->patterns[PATTERN_LATE_POST].places[0].advice;
    NEAR(result->patterns[PATTERN_LATE_POST].severity_s, 80);
    assert_string_equal(advice, expected);
    result_free(result);
}

static void advice_ends_at_the_next_post(void **state)
{
    (void)state;
    expect_advice_of_two_posts("60", "move MPI_Win_post of rank 1 up to 30 us earlier, or " START_LATER);
    expect_advice_of_two_posts("05", "move MPI_Win_post of rank 1 up to 80 us earlier, or " START_LATER);
    expect_advice_of_two_posts("90", "move " START_LATER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(early_fence),
        cmocka_unit_test(early_fence_needs_an_operation_towards_the_rank),
        cmocka_unit_test(pairs_of_fences),
        cmocka_unit_test(fence_that_waits_for_the_wrong_rank),
        cmocka_unit_test(fences_behind_nothing),
        cmocka_unit_test(fence_pairs_without_fences),
        cmocka_unit_test(advice_names_the_other_call),
        cmocka_unit_test(advice_ends_at_the_next_post),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
