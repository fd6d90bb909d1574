/* Late Post, Early Transfer, Early Wait and Late Complete on traces whose times are chosen by hand. Expected values
 * follow from the formulas of docs/patterns.md by subtraction; they stand beside each trace. */
#include "model_test.h"

#include <stdio.h>
#include <string.h>

#define TWO   "ranks 2\nwindow 0 comm=0\n"
#define THREE "ranks 3\nwindow 0 comm=0\n"

struct expected {
    enum pattern pattern;
    uint32_t rank;
    int64_t us;
};

static void check(const char *text, const struct analyze_options *options, const struct expected *rows, size_t count)
{
    struct totals totals = account_of(text, options);
    for (size_t i = 0; i < count; i++) {
        int64_t found_ps = totals.severity_ps[rows[i].pattern][rows[i].rank];
        if (found_ps != rows[i].us * US)
            fail_msg("%s of rank %u: %lld ps, expected %lld us", pattern_row(rows[i].pattern)->name, rows[i].rank,
                     (long long)found_ps, (long long)rows[i].us);
    }
    totals_clear(&totals);
}

#define CHECK(text, options, ...)                                                                                      \
    do {                                                                                                               \
        const struct expected rows_[] = {__VA_ARGS__};                                                                 \
        check(text, options, rows_, sizeof rows_ / sizeof *rows_);                                                     \
    } while (0)

/* The table of docs/simulation.md: the target posts at 400 us and waits from 450 us; only the blocking differs. */
#define TARGET_UNTIL(exit) "1 0.000400 0.000400 MPI_Win_post win=0 group=0\n1 0.000450 " exit " MPI_Win_wait win=0\n"

static void test_worked_example_a(void **state)
{
    (void)state;
    /* Late Post: start 0-410 until the post at 400. Early Wait: 450 until complete begins at 510. Late
     * Complete: 510 - 460. */
    CHECK(TWO "0 0.000000 0.000410 MPI_Win_start win=0 group=1\n"
              "0 0.000460 0.000460 MPI_Put win=0 target=1 bytes=1000000\n"
              "0 0.000510 0.000560 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000570"),
          NULL, {PATTERN_LATE_POST, 0, 400}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 60},
          {PATTERN_LATE_COMPLETE, 1, 50}, {PATTERN_LATE_POST, 1, 0}, {PATTERN_EARLY_WAIT, 0, 0});
}

static void test_worked_example_b(void **state)
{
    (void)state;
    /* Early Transfer: put 50-410 until 400. Early Wait: 450 to 460, all of it after the put's end at 410. */
    CHECK(TWO "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
              "0 0.000050 0.000410 MPI_Put win=0 target=1 bytes=1000000\n"
              "0 0.000460 0.000510 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000520"),
          NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 350}, {PATTERN_EARLY_WAIT, 1, 10},
          {PATTERN_LATE_COMPLETE, 1, 10});
}

static void test_worked_example_c(void **state)
{
    (void)state;
    /* Late Post: complete 100-510 until 400. Complete began before the wait: no Early Wait. */
    CHECK(TWO "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
              "0 0.000050 0.000050 MPI_Put win=0 target=1 bytes=1000000\n"
              "0 0.000100 0.000510 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000520"),
          NULL, {PATTERN_LATE_POST, 0, 300}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0},
          {PATTERN_LATE_COMPLETE, 1, 0});
}

static void test_worked_example_d(void **state)
{
    (void)state;
    /* The copy 50-100 returned before the post at 400: it did not wait for it. The epochs have no common time. */
    CHECK(TWO "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
              "0 0.000050 0.000100 MPI_Put win=0 target=1 bytes=1000000\n"
              "0 0.000150 0.000150 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000520"),
          NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0},
          {PATTERN_LATE_COMPLETE, 1, 0});
}

static void test_post_early(void **state)
{
    (void)state;
    /* The post is there before anything: only the target waits, from 20 until complete at 70; the put ended at 50. */
    CHECK(TWO "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n1 0.000020 0.000090 MPI_Win_wait win=0\n"
              "0 0.000030 0.000032 MPI_Win_start win=0 group=1\n0 0.000040 0.000050 MPI_Put win=0 target=1 bytes=8\n"
              "0 0.000070 0.000080 MPI_Win_complete win=0\n",
          NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 50},
          {PATTERN_LATE_COMPLETE, 1, 20});
}

static void test_ends_in_either_order(void **state)
{
    (void)state;
    /* Start blocks 10-25 until the post at 20, whichever side is done first. */
    const char *origin_last = TWO "0 0.000010 0.000025 MPI_Win_start win=0 group=1\n"
                                  "0 0.000100 0.000110 MPI_Win_complete win=0\n"
                                  "1 0.000020 0.000021 MPI_Win_post win=0 group=0\n"
                                  "1 0.000030 0.000105 MPI_Win_wait win=0\n";
    const char *target_last = TWO "0 0.000010 0.000025 MPI_Win_start win=0 group=1\n"
                                  "0 0.000100 0.000110 MPI_Win_complete win=0\n"
                                  "1 0.000020 0.000021 MPI_Win_post win=0 group=0\n"
                                  "1 0.000030 0.000300 MPI_Win_wait win=0\n";
    /* No operation: Late Complete counts from the exit of start at 25, that is from the wait's enter at 30. */
    CHECK(origin_last, NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_EARLY_WAIT, 1, 70}, {PATTERN_LATE_COMPLETE, 1, 70});
    CHECK(target_last, NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_EARLY_WAIT, 1, 70}, {PATTERN_LATE_COMPLETE, 1, 70});
}

static void test_calls_that_return_before_a_post(void **state)
{
    (void)state;
    /* Posts at 30 and 500. Start 10-40 waits for that at 30; complete sends 5 ms of data, 50-5050, and of the post at
     * 500 it may have waited: 450; one that ends at 499 did not. A put of 60-500 waits until its target's post at 500,
     * one of 60-499 does not. The earliest post of each call: start 30, complete none behind its enter. */
    const char *text = THREE "0 0.000010 0.000040 MPI_Win_start win=0 group=1,2\n"
                             "0 0.000050 %s MPI_Win_complete win=0\n"
                             "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.006000 0.006000 MPI_Win_wait win=0\n"
                             "2 0.000500 0.000501 MPI_Win_post win=0 group=0\n2 0.006000 0.006000 MPI_Win_wait win=0\n";
    const struct analyze_options earliest = {.late_post = LATE_POST_EARLIEST};
    char within[1024], before[1024];
    snprintf(within, sizeof within, text, "0.005050");
    snprintf(before, sizeof before, text, "0.000499");
    CHECK(within, NULL, {PATTERN_LATE_POST, 0, 20 + 450});
    CHECK(before, NULL, {PATTERN_LATE_POST, 0, 20});
    CHECK(within, &earliest, {PATTERN_LATE_POST, 0, 20});
    const char *put = TWO "0 0.000050 0.000050 MPI_Win_start win=0 group=1\n"
                          "0 0.000060 %s MPI_Put win=0 target=1 bytes=8\n0 0.000600 0.000600 MPI_Win_complete win=0\n"
                          "1 0.000500 0.000501 MPI_Win_post win=0 group=0\n1 0.000700 0.000700 MPI_Win_wait win=0\n";
    snprintf(within, sizeof within, put, "0.000500");
    snprintf(before, sizeof before, put, "0.000499");
    CHECK(within, NULL, {PATTERN_EARLY_TRANSFER, 0, 440});
    CHECK(before, NULL, {PATTERN_EARLY_TRANSFER, 0, 0});
}

/* Rank 1 posts at own us, rank 2 at 150; rank 0 puts to 1, 20-155, where both are in the group. */
static void check_group(int own, const char *says, const char *known, int64_t us)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ranks 3\n%swindow 0 comm=0\n"
             "0 0.000010 0.000010 MPI_Win_start win=0 group=1,2\n0 0.000020 0.000155 MPI_Put win=0 target=1 bytes=8%s\n"
             "0 0.000160 0.000161 MPI_Put win=0 target=2 bytes=8\n0 0.000170 0.000171 MPI_Win_complete win=0\n"
             "1 0.0000%02d 0.0000%02d MPI_Win_post win=0 group=0\n1 0.000200 0.000201 MPI_Win_wait win=0\n"
             "2 0.000150 0.000150 MPI_Win_post win=0 group=0\n2 0.000200 0.000201 MPI_Win_wait win=0\n",
             says, known, own, own);
    CHECK(text, NULL, {PATTERN_EARLY_TRANSFER, 0, us}, {PATTERN_LATE_POST, 0, 0});
}

static void test_put_that_waits_for_the_group(void **state)
{
    (void)state;
    /* The own post at 5 lies before the put: it waited for that at 150, 150 - 20. The own post at 30 lies in the put: 30 - 20;
     * a simulation knows whether it waited until 30 or until 150, or for neither. */
    check_group(5, "", "", 130);
    check_group(30, "", "", 10);
    check_group(30, "property simulated=1 engine=loggp\n", " awaited_post=0.000030", 10);
    check_group(30, "property simulated=1 engine=loggp\n", " awaited_post=0.000150", 130);
    check_group(5, "property simulated=1 engine=loggp\n", "", 0);
}

#define VOTERS_MOST 3

/* An epoch of rank 0 with one call, which ends at exit us: rank 1 posts at own us, rank 2 at other us. */
struct voter {
    const char *operation; /* to rank 1 */
    int enter, exit, own, other;
};

/* The unclear one: the posts at 630 and 650 lie in a put of 8 bytes, 620-655. Alone it waits for its target, 630 - 620
 * = 10, for the group 650 - 620 = 30. */
static void check_votes(const struct voter voters[VOTERS_MOST], int64_t us)
{
    static const struct voter unclear = {"MPI_Put win=0 target=1 bytes=8", 620, 655, 630, 650};
    char text[4096];
    int at = snprintf(text, sizeof text, "ranks 3\nwindow 0 comm=0\n");
    for (int v = 0; v <= VOTERS_MOST; v++) {
        const struct voter *voter = v < VOTERS_MOST ? &voters[v] : &unclear;
        const char *space = voter->operation ? strchr(voter->operation, ' ') : NULL;
        if (!space) continue;
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "0 0.000%03d 0.000%03d MPI_Win_start win=0 group=1,2\n0 0.000%03d 0.000%03d %s\n"
                       "0 0.000%03d 0.000%03d MPI_Win_complete win=0\n",
                       voter->enter, voter->enter, voter->enter, voter->exit, voter->operation, voter->enter + 170,
                       voter->enter + 170);
        for (int target = 1; target <= 2; target++) {
            int post = target == 1 ? voter->own : voter->other;
            at += snprintf(
                text + at, sizeof text - (size_t)at,
                "%d 0.000%03d 0.000%03d MPI_Win_post win=0 group=0\n%d 0.000%03d 0.000%03d MPI_Win_wait win=0\n",
                target, post, post, target, voter->enter + 170, voter->enter + 175);
        }
    }
    CHECK(text, NULL, {PATTERN_EARLY_TRANSFER, 0, us});
}

/* Voters for the group are behind their target's post and have the other one in the call, 20-155: they wait 150 - 20 =
 * 130 themselves. Those against it return before the other post and wait for nothing. */
#define PUT_FOR(at, bytes)                                                                                             \
    {                                                                                                                  \
        "MPI_Put win=0 target=1 bytes=" #bytes, (at) + 20, (at) + 155, (at) + 5, (at) + 150                            \
    }
#define GET_FOR(at, bytes)                                                                                             \
    {                                                                                                                  \
        "MPI_Get win=0 target=1 bytes=" #bytes, (at) + 20, (at) + 155, (at) + 5, (at) + 150                            \
    }
#define PUT_AGAINST(at, bytes)                                                                                         \
    {                                                                                                                  \
        "MPI_Put win=0 target=1 bytes=" #bytes, (at) + 20, (at) + 25, (at) + 5, (at) + 150                             \
    }

static void test_unclear_calls_follow_the_clear_ones(void **state)
{
    (void)state;
    static const struct {
        struct voter voters[VOTERS_MOST];
        int64_t us;
    } rows[] = {
        {{{NULL, 0, 0, 0, 0}}, 10},
        {{PUT_FOR(0, 9)}, 130 + 30}, /* 8 and 9 are one class */
        {{PUT_AGAINST(0, 8)}, 10},
        {{PUT_FOR(0, 8), PUT_AGAINST(200, 8)}, 130 + 10}, /* as many on each side */
        {{PUT_FOR(0, 8), PUT_AGAINST(200, 8), PUT_FOR(400, 8)}, 2 * 130 + 30},
        {{PUT_FOR(0, 4096)}, 130 + 30}, /* no vote of the class: the function */
        {{PUT_FOR(0, 4096), PUT_FOR(200, 4096), PUT_AGAINST(400, 8)}, 2 * 130 + 10}, /* the class has one */
        {{GET_FOR(0, 8)}, 130 + 30},                                                 /* no put has one: all */
        {{GET_FOR(0, 8), GET_FOR(200, 8), PUT_AGAINST(400, 4096)}, 2 * 130 + 10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_votes(rows[i].voters, rows[i].us);
}

static void test_simulation_says_what_was_awaited(void **state)
{
    (void)state;
    /* Posts at 100 and 120 lie in complete, 50-300. The simulated one waited until that at 100 (its gets came from
     * there):
     * 50. A put of 10-40 held the post at 30 and waited for none: a copy. */
    struct err err;
    struct totals totals;
    struct trace *trace =
        trace_of("ranks 4\nproperty simulated=1 engine=loggp\nwindow 0 comm=0\n"
                 "0 0.000000 0.000000 MPI_Win_start win=0 group=1,2,3\n"
                 "0 0.000010 0.000040 MPI_Put win=0 target=3 bytes=8 xfer_start=0.000041 xfer_end=0.000042\n"
                 "0 0.000050 0.000300 MPI_Win_complete win=0 awaited_post=0.000100 blocked=0.000250\n"
                 "1 0.000100 0.000100 MPI_Win_post win=0 group=0\n1 0.000400 0.000400 MPI_Win_wait win=0\n"
                 "2 0.000120 0.000120 MPI_Win_post win=0 group=0\n2 0.000400 0.000400 MPI_Win_wait win=0\n"
                 "3 0.000030 0.000030 MPI_Win_post win=0 group=0\n3 0.000400 0.000400 MPI_Win_wait win=0\n");
    assert_int_equal(model_totals(trace, NULL, &totals, &err), STATUS_OK);
    assert_int_equal(totals.severity_ps[PATTERN_LATE_POST][0], 50 * US);
    assert_int_equal(totals.severity_ps[PATTERN_EARLY_TRANSFER][0], 0);
    totals_clear(&totals);
    trace_free(trace);
}

static void test_two_targets(void **state)
{
    (void)state;
    /* Posts at 30 and 50; start 10-60; put to 1 at 61-62, to 2 at 62-64: no waiting in them. */
    const char *text = THREE "0 0.000010 0.000060 MPI_Win_start win=0 group=1,2\n"
                             "0 0.000061 0.000062 MPI_Put win=0 target=1 bytes=8\n"
                             "0 0.000062 0.000064 MPI_Get win=0 target=2 bytes=8\n"
                             "0 0.000070 0.000080 MPI_Win_complete win=0\n"
                             "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.000040 0.000081 MPI_Win_wait win=0\n"
                             "2 0.000050 0.000051 MPI_Win_post win=0 group=0\n2 0.000066 0.000082 MPI_Win_wait win=0\n";
    const struct analyze_options earliest = {.late_post = LATE_POST_EARLIEST};
    CHECK(text, NULL, {PATTERN_LATE_POST, 0, 40}, {PATTERN_EARLY_WAIT, 1, 30}, {PATTERN_EARLY_WAIT, 2, 4},
          {PATTERN_LATE_COMPLETE, 1, 8}, {PATTERN_LATE_COMPLETE, 2, 4});
    CHECK(text, &earliest, {PATTERN_LATE_POST, 0, 20}, {PATTERN_EARLY_WAIT, 1, 30});
}

static void test_early_transfer_per_target(void **state)
{
    (void)state;
    /* Put to 1 waits 20-30 of 20-35, until its own target's post. Get from 2, 40-50, returned before its target's
     * at 55. */
    CHECK(THREE "0 0.000010 0.000010 MPI_Win_start win=0 group=1,2\n"
                "0 0.000020 0.000035 MPI_Put win=0 target=1 bytes=8\n"
                "0 0.000040 0.000050 MPI_Get win=0 target=2 bytes=8\n"
                "0 0.000070 0.000080 MPI_Win_complete win=0\n"
                "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.000090 0.000091 MPI_Win_wait win=0\n"
                "2 0.000055 0.000056 MPI_Win_post win=0 group=0\n2 0.000090 0.000092 MPI_Win_wait win=0\n",
          NULL, {PATTERN_EARLY_TRANSFER, 0, 10}, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0},
          {PATTERN_EARLY_WAIT, 2, 0});
}

static void test_two_origins(void **state)
{
    (void)state;
    /* Completes at 40 and 90: rank 2 waits 20-90. The last origin is 1, whose put to 2 ended at 60: 30 us late. */
    CHECK(THREE "2 0.000000 0.000001 MPI_Win_post win=0 group=0,1\n2 0.000020 0.000100 MPI_Win_wait win=0\n"
                "0 0.000010 0.000011 MPI_Win_start win=0 group=2\n0 0.000012 0.000013 MPI_Put win=0 target=2 bytes=8\n"
                "0 0.000040 0.000041 MPI_Win_complete win=0\n"
                "1 0.000010 0.000011 MPI_Win_start win=0 group=2\n1 0.000050 0.000060 MPI_Put win=0 target=2 bytes=8\n"
                "1 0.000090 0.000091 MPI_Win_complete win=0\n",
          NULL, {PATTERN_EARLY_WAIT, 2, 70}, {PATTERN_LATE_COMPLETE, 2, 30});
}

static void test_equal_completes(void **state)
{
    (void)state;
    /* Both complete at 90; of the two the later last operation (70) counts, whatever their ranks. */
    const char *text = THREE "%d 0.000010 0.000011 MPI_Win_start win=0 group=2\n"
                             "%d 0.000040 0.000050 MPI_Put win=0 target=2 bytes=8\n"
                             "%d 0.000090 0.000091 MPI_Win_complete win=0\n"
                             "%d 0.000010 0.000011 MPI_Win_start win=0 group=2\n"
                             "%d 0.000060 0.000070 MPI_Put win=0 target=2 bytes=8\n"
                             "%d 0.000090 0.000091 MPI_Win_complete win=0\n"
                             "2 0.000000 0.000001 MPI_Win_post win=0 group=0,1\n"
                             "2 0.000020 0.000100 MPI_Win_wait win=0\n";
    char one[1024], other[1024];
    snprintf(one, sizeof one, text, 0, 0, 0, 1, 1, 1);
    snprintf(other, sizeof other, text, 1, 1, 1, 0, 0, 0);
    CHECK(one, NULL, {PATTERN_EARLY_WAIT, 2, 70}, {PATTERN_LATE_COMPLETE, 2, 20});
    CHECK(other, NULL, {PATTERN_EARLY_WAIT, 2, 70}, {PATTERN_LATE_COMPLETE, 2, 20});
}

static void test_empty_groups(void **state)
{
    (void)state;
    CHECK(TWO "0 0.000010 0.000060 MPI_Win_start win=0 group=\n0 0.000070 0.000080 MPI_Win_complete win=0\n"
              "1 0.000020 0.000021 MPI_Win_post win=0 group=\n1 0.000030 0.000040 MPI_Win_wait win=0\n",
          NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0}, {PATTERN_LATE_COMPLETE, 1, 0});
}

static void test_itself(void **state)
{
    (void)state;
    /* A rank that is its own target, post before start: nothing waits for the post, and the wait 60-70 begins after
     * complete. */
    CHECK("ranks 1\nwindow 0 comm=0\n"
          "0 0.000010 0.000011 MPI_Win_post win=0 group=0\n0 0.000012 0.000013 MPI_Win_start win=0 group=0\n"
          "0 0.000020 0.000040 MPI_Put win=0 target=0 bytes=8\n0 0.000050 0.000051 MPI_Win_complete win=0\n"
          "0 0.000060 0.000070 MPI_Win_wait win=0\n",
          NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 0, 0});
}

static void test_origin_and_target_at_once(void **state)
{
    (void)state;
    /* Rank 0 starts (5-20) towards 1, which posts at 15; rank 1 starts (16-17) towards 0, which posted at 0. */
    CHECK(TWO "0 0.000000 0.000001 MPI_Win_post win=0 group=1\n0 0.000005 0.000020 MPI_Win_start win=0 group=1\n"
              "0 0.000030 0.000031 MPI_Win_complete win=0\n0 0.000032 0.000060 MPI_Win_wait win=0\n"
              "1 0.000015 0.000016 MPI_Win_post win=0 group=0\n1 0.000016 0.000017 MPI_Win_start win=0 group=0\n"
              "1 0.000050 0.000051 MPI_Win_complete win=0\n1 0.000052 0.000053 MPI_Win_wait win=0\n",
          NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_LATE_POST, 1, 0}, {PATTERN_EARLY_WAIT, 0, 18},
          {PATTERN_LATE_COMPLETE, 0, 18}, {PATTERN_EARLY_WAIT, 1, 0});
}

static void test_several_windows(void **state)
{
    (void)state;
    /* Epochs of two windows overlap; window 1's post at 40 is not window 0's at 20. Starts: 10-30 and 30-45. */
    CHECK("ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\n"
          "0 0.000010 0.000030 MPI_Win_start win=0 group=1\n0 0.000030 0.000045 MPI_Win_start win=1 group=1\n"
          "0 0.000050 0.000051 MPI_Win_complete win=1\n0 0.000060 0.000061 MPI_Win_complete win=0\n"
          "1 0.000020 0.000021 MPI_Win_post win=0 group=0\n1 0.000040 0.000041 MPI_Win_post win=1 group=0\n"
          "1 0.000042 0.000070 MPI_Win_wait win=1\n1 0.000070 0.000080 MPI_Win_wait win=0\n",
          NULL, {PATTERN_LATE_POST, 0, 20}, {PATTERN_EARLY_WAIT, 1, 8}, {PATTERN_LATE_COMPLETE, 1, 5});
}

static void test_later_epochs_pair_in_order(void **state)
{
    (void)state;
    /* Rank 1's first epoch names only 2, its second 0 and 2: rank 0's first start pairs with the second post (50): 50
     * - 10. Rank 2's second start, 40-42, returned before that post; its complete, 43-55, waited for it: 50 - 43. */
    CHECK(THREE "0 0.000010 0.000060 MPI_Win_start win=0 group=1\n0 0.000070 0.000071 MPI_Win_complete win=0\n"
                "1 0.000000 0.000001 MPI_Win_post win=0 group=2\n1 0.000020 0.000030 MPI_Win_wait win=0\n"
                "1 0.000050 0.000051 MPI_Win_post win=0 group=0,2\n1 0.000052 0.000080 MPI_Win_wait win=0\n"
                "2 0.000005 0.000006 MPI_Win_start win=0 group=1\n2 0.000025 0.000026 MPI_Win_complete win=0\n"
                "2 0.000040 0.000042 MPI_Win_start win=0 group=1\n2 0.000043 0.000055 MPI_Win_complete win=0\n",
          NULL, {PATTERN_LATE_POST, 0, 40}, {PATTERN_LATE_POST, 2, 7}, {PATTERN_EARLY_WAIT, 1, 5 + 18});
}

static void test_complete_waits_for_the_post_before(void **state)
{
    (void)state;
    /* Semantics d: the first complete, 12-13, returned before the first post at 30; the second, 16-40, waited for it: 30 -
     * 16. The second post, at 50, lies behind all. */
    CHECK(TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000012 0.000013 MPI_Win_complete win=0\n"
              "0 0.000014 0.000015 MPI_Win_start win=0 group=1\n0 0.000016 0.000040 MPI_Win_complete win=0\n"
              "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.000032 0.000045 MPI_Win_wait win=0\n"
              "1 0.000050 0.000051 MPI_Win_post win=0 group=0\n1 0.000052 0.000060 MPI_Win_wait win=0\n",
          NULL, {PATTERN_LATE_POST, 0, 14});
}

static void test_row_of_tests(void **state)
{
    (void)state;
    /* Complete begins at 50. Inside tests until then: 20-24, 30-36, 48-50 of 48-53; computing between them is not lost.
     * After the put's end at 33: 33-36 and 48-50. */
    const char *text = TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n"
                           "0 0.000012 0.000033 MPI_Put win=0 target=1 bytes=8\n"
                           "0 0.000050 0.000051 MPI_Win_complete win=0\n"
                           "1 0.000001 0.000002 MPI_Win_post win=0 group=0\n"
                           "1 0.000020 0.000024 MPI_Win_test win=0 flag=0\n"
                           "1 0.000030 0.000036 MPI_Win_test win=0 flag=0\n"
                           "1 0.000048 0.000053 MPI_Win_test win=0 flag=1\n";
    CHECK(text, NULL, {PATTERN_EARLY_WAIT, 1, 12}, {PATTERN_LATE_COMPLETE, 1, 5});
    struct totals totals = account_of(text, NULL);
    assert_int_equal(totals.count[PATTERN_EARLY_WAIT][1], 1);
    totals_clear(&totals);
}

static void test_failed_tests_of_a_simulation(void **state)
{
    (void)state;
    /* Failed tests replay as computing: only the successful one, 40-60, waits until complete at 50. */
    struct err err;
    struct totals totals;
    struct trace *trace = trace_of(TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n"
                                       "0 0.000050 0.000051 MPI_Win_complete win=0\n"
                                       "1 0.000001 0.000002 MPI_Win_post win=0 group=0\n"
                                       "1 0.000020 0.000024 MPI_Win_test win=0 flag=0\n"
                                       "1 0.000040 0.000060 MPI_Win_test win=0 flag=1\n");
    trace->provenance.simulated = true;
    assert_int_equal(model_totals(trace, NULL, &totals, &err), STATUS_OK);
    assert_int_equal(totals.severity_ps[PATTERN_EARLY_WAIT][1], 10 * US);
    totals_clear(&totals);
    trace_free(trace);
}

static void test_threshold(void **state)
{
    (void)state;
    /* Late Post of exactly 10 us. */
    const char *text = TWO "0 0.000010 0.000025 MPI_Win_start win=0 group=1\n"
                           "0 0.000030 0.000031 MPI_Win_complete win=0\n"
                           "1 0.000020 0.000021 MPI_Win_post win=0 group=0\n1 0.000032 0.000033 MPI_Win_wait win=0\n";
    const struct analyze_options at = {.epsilon_ps = 10 * US}, above = {.epsilon_ps = 10 * US + 1};
    CHECK(text, &at, {PATTERN_LATE_POST, 0, 10});
    CHECK(text, &above, {PATTERN_LATE_POST, 0, 0});
}

static void test_open_at_the_end(void **state)
{
    (void)state;
    /* The trace ends inside the second epoch: its start still waited 80-90, nothing is known of a complete. */
    CHECK(TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000020 0.000021 MPI_Win_complete win=0\n"
              "0 0.000080 0.000095 MPI_Win_start win=0 group=1\n"
              "1 0.000001 0.000002 MPI_Win_post win=0 group=0\n1 0.000030 0.000031 MPI_Win_wait win=0\n"
              "1 0.000090 0.000091 MPI_Win_post win=0 group=0\n1 0.000092 0.000200 MPI_Win_test win=0 flag=0\n",
          NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_EARLY_WAIT, 1, 0});
}

#define FAULT(text, ...) expect_fault(text, (const char *const[]){__VA_ARGS__, NULL})

static void test_faults(void **state)
{
    (void)state;
    FAULT(TWO "0 0.0 0.1 MPI_Put win=0 target=1 bytes=8\n", "rank 0, event 1 (MPI_Put)", "outside any access epoch");
    FAULT(TWO "0 0.0 0.1 MPI_Win_start win=0 group=1\n"
              "0 0.2 0.3 MPI_Win_complete win=0\n0 0.4 0.5 MPI_Get win=0 target=1 bytes=8\n",
          "rank 0, event 3 (MPI_Get)", "outside any access epoch");
    FAULT(THREE "0 0.0 0.1 MPI_Win_start win=0 group=1\n"
                "0 0.2 0.3 MPI_Put win=0 target=2 bytes=8\n",
          "event 2 (MPI_Put)", "not in the group");
    FAULT(TWO "0 0.0 0.1 MPI_Win_start win=0 group=1\n"
              "0 0.2 0.3 MPI_Win_start win=0 group=1\n",
          "event 2 (MPI_Win_start)", "event 1 (MPI_Win_start)", "still open");
    FAULT(TWO "1 0.0 0.1 MPI_Win_post win=0 group=0\n"
              "1 0.2 0.3 MPI_Win_post win=0 group=0\n",
          "rank 1, event 2 (MPI_Win_post)", "still open");
    FAULT(TWO "0 0.0 0.1 MPI_Win_complete win=0\n", "event 1 (MPI_Win_complete)", "no MPI_Win_start");
    FAULT(TWO "0 0.0 0.1 MPI_Win_wait win=0\n", "event 1 (MPI_Win_wait)", "no MPI_Win_post");
    FAULT(TWO "0 0.0 0.1 MPI_Win_test win=0 flag=0\n", "event 1 (MPI_Win_test)", "no MPI_Win_post");
    FAULT(TWO "0 0.0 0.1 MPI_Win_unlock win=0 target=1\n", "event 1 (MPI_Win_unlock)", "no lock of target 1");
    FAULT(TWO "0 0.0 0.1 MPI_Win_lock win=0 target=1 lock=shared\n0 0.2 0.3 MPI_Win_lock win=0 target=1 lock=shared\n",
          "event 2 (MPI_Win_lock)", "still held");
    FAULT(TWO "0 0.0 0.1 MPI_Win_lock win=0 target=1 lock=shared\n0 0.2 0.3 MPI_Win_start win=0 group=1\n",
          "event 2 (MPI_Win_start)", "still held");
    FAULT(TWO "0 0.0 0.1 MPI_Win_start win=0 group=1\n0 0.2 0.3 MPI_Win_lock win=0 target=1 lock=shared\n",
          "event 2 (MPI_Win_lock)", "still open");
    FAULT(TWO "0 0.0 0.1 MPI_Win_start win=0 group=1\n"
              "0 0.2 0.3 MPI_Win_fence win=0\n",
          "event 2 (MPI_Win_fence)", "still open");
    FAULT(TWO "0 0.0 0.1 MPI_Win_lock win=0 target=1 lock=shared\n0 0.2 0.3 MPI_Put win=0 target=0 bytes=8\n",
          "event 2 (MPI_Put)", "outside any access epoch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example_a),
        cmocka_unit_test(test_worked_example_b),
        cmocka_unit_test(test_worked_example_c),
        cmocka_unit_test(test_worked_example_d),
        cmocka_unit_test(test_post_early),
        cmocka_unit_test(test_ends_in_either_order),
        cmocka_unit_test(test_calls_that_return_before_a_post),
        cmocka_unit_test(test_simulation_says_what_was_awaited),
        cmocka_unit_test(test_put_that_waits_for_the_group),
        cmocka_unit_test(test_unclear_calls_follow_the_clear_ones),
        cmocka_unit_test(test_two_targets),
        cmocka_unit_test(test_early_transfer_per_target),
        cmocka_unit_test(test_two_origins),
        cmocka_unit_test(test_equal_completes),
        cmocka_unit_test(test_empty_groups),
        cmocka_unit_test(test_itself),
        cmocka_unit_test(test_origin_and_target_at_once),
        cmocka_unit_test(test_several_windows),
        cmocka_unit_test(test_later_epochs_pair_in_order),
        cmocka_unit_test(test_complete_waits_for_the_post_before),
        cmocka_unit_test(test_row_of_tests),
        cmocka_unit_test(test_failed_tests_of_a_simulation),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_open_at_the_end),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
