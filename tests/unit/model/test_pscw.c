/* Late Post, Early Transfer, Early Wait and Late Complete on traces whose times are chosen by hand. Expected values
 * follow from the formulas of docs/patterns.md by subtraction; they stand beside each trace. */
#include "model_test.h"

#include <stdio.h>
#include <string.h>

#define TWO       "ranks 2\nwindow 0 comm=0\n"
#define THREE     "ranks 3\nwindow 0 comm=0\n"
#define SIMULATED "property simulated=1 engine=loggp\n"

struct expected {
    enum pattern pattern;
    uint32_t rank;
    int64_t us;
};

static void check(const char *name, const char *text, const struct analyze_options *options, const struct expected *expected,
                  size_t count)
{
    struct totals totals = account_of(text, options);
    for (const struct expected *e = expected; e < expected + count; e++) {
        int64_t found_ps = totals.severity_ps[e->pattern][e->rank];
        if (found_ps != e->us * US)
            fail_msg("%s: %s of rank %u: %lld ps, expected %lld us", name, pattern_row(e->pattern)->name, e->rank,
                     (long long)found_ps, (long long)e->us);
    }
    totals_clear(&totals);
}

/* The table of docs/simulation.md: the target posts at 400 us and waits from 450 us; only the blocking differs. */
#define TARGET_UNTIL(exit) "1 0.000400 0.000400 MPI_Win_post win=0 group=0\n1 0.000450 " exit " MPI_Win_wait win=0\n"

/* One epoch without operations: start blocks 10-25 until the post at 20. */
#define EMPTY_EPOCH(wait_exit)                                                                                         \
    TWO "0 0.000010 0.000025 MPI_Win_start win=0 group=1\n"                                                            \
        "0 0.000100 0.000110 MPI_Win_complete win=0\n"                                                                 \
        "1 0.000020 0.000021 MPI_Win_post win=0 group=0\n"                                                             \
        "1 0.000030 " wait_exit " MPI_Win_wait win=0\n"

/* Posts at 30 and 500. Start 10-40 waits for that at 30; complete sends 5 ms of data, 50-5050, and of the post at 500 it may
 * have waited: 450; one that ends at 499 did not. */
#define COMPLETE_UNTIL(exit)                                                                                           \
    THREE "0 0.000010 0.000040 MPI_Win_start win=0 group=1,2\n"                                                        \
          "0 0.000050 " exit " MPI_Win_complete win=0\n"                                                               \
          "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.006000 0.006000 MPI_Win_wait win=0\n"                   \
          "2 0.000500 0.000501 MPI_Win_post win=0 group=0\n2 0.006000 0.006000 MPI_Win_wait win=0\n"

/* A put of 60-500 waits until its target's post at 500, one of 60-499 does not. */
#define PUT_UNTIL(exit)                                                                                                \
    TWO "0 0.000050 0.000050 MPI_Win_start win=0 group=1\n"                                                            \
        "0 0.000060 " exit " MPI_Put win=0 target=1 bytes=8\n0 0.000600 0.000600 MPI_Win_complete win=0\n"             \
        "1 0.000500 0.000501 MPI_Win_post win=0 group=0\n1 0.000700 0.000700 MPI_Win_wait win=0\n"

/* Rank 1 posts at `own`, rank 2 at 150; rank 0 puts to 1, 20-155, where both are in the group. */
#define GROUP(own, says, known)                                                                                        \
    "ranks 3\n" says "window 0 comm=0\n"                                                                               \
    "0 0.000010 0.000010 MPI_Win_start win=0 group=1,2\n0 0.000020 0.000155 MPI_Put win=0 target=1 bytes=8" known "\n" \
    "0 0.000160 0.000161 MPI_Put win=0 target=2 bytes=8\n0 0.000170 0.000171 MPI_Win_complete win=0\n"                 \
    "1 " own " " own " MPI_Win_post win=0 group=0\n1 0.000200 0.000201 MPI_Win_wait win=0\n"                           \
    "2 0.000150 0.000150 MPI_Win_post win=0 group=0\n2 0.000200 0.000201 MPI_Win_wait win=0\n"

/* Posts at 30 and 50; start 10-60; put to 1 at 61-62, to 2 at 62-64: no waiting in them. */
#define TWO_TARGETS                                                                                                    \
    THREE "0 0.000010 0.000060 MPI_Win_start win=0 group=1,2\n"                                                        \
          "0 0.000061 0.000062 MPI_Put win=0 target=1 bytes=8\n"                                                       \
          "0 0.000062 0.000064 MPI_Get win=0 target=2 bytes=8\n"                                                       \
          "0 0.000070 0.000080 MPI_Win_complete win=0\n"                                                               \
          "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.000040 0.000081 MPI_Win_wait win=0\n"                   \
          "2 0.000050 0.000051 MPI_Win_post win=0 group=0\n2 0.000066 0.000082 MPI_Win_wait win=0\n"

/* Both complete at 90; of the two the later last operation (70) counts, whatever their ranks. */
#define EQUAL_COMPLETES(one, other)                                                                                    \
    THREE one " 0.000010 0.000011 MPI_Win_start win=0 group=2\n"                                                       \
          one " 0.000040 0.000050 MPI_Put win=0 target=2 bytes=8\n"                                                    \
          one " 0.000090 0.000091 MPI_Win_complete win=0\n"                                                            \
          other " 0.000010 0.000011 MPI_Win_start win=0 group=2\n"                                                     \
          other " 0.000060 0.000070 MPI_Put win=0 target=2 bytes=8\n"                                                  \
          other " 0.000090 0.000091 MPI_Win_complete win=0\n"                                                          \
          "2 0.000000 0.000001 MPI_Win_post win=0 group=0,1\n2 0.000020 0.000100 MPI_Win_wait win=0\n"

/* Late Post of exactly 10 us. */
#define TEN_LATE                                                                                                       \
    TWO "0 0.000010 0.000025 MPI_Win_start win=0 group=1\n0 0.000030 0.000031 MPI_Win_complete win=0\n"                \
        "1 0.000020 0.000021 MPI_Win_post win=0 group=0\n1 0.000032 0.000033 MPI_Win_wait win=0\n"

/* Complete begins at 50. Inside tests until then: 20-24, 30-36, 48-50 of 48-53; computing between them is not lost. After the
 * put's end at 33: 33-36 and 48-50. */
#define ROW_OF_TESTS                                                                                                   \
    TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000012 0.000033 MPI_Put win=0 target=1 bytes=8\n"        \
        "0 0.000050 0.000051 MPI_Win_complete win=0\n1 0.000001 0.000002 MPI_Win_post win=0 group=0\n"                 \
        "1 0.000020 0.000024 MPI_Win_test win=0 flag=0\n1 0.000030 0.000036 MPI_Win_test win=0 flag=0\n"               \
        "1 0.000048 0.000053 MPI_Win_test win=0 flag=1\n"

static const struct analyze_options earliest = {.late_post = LATE_POST_EARLIEST};
static const struct analyze_options ten = {.epsilon_ps = 10 * US}, above_ten = {.epsilon_ps = 10 * US + 1};

#define EXPECTED(...) (const struct expected[]){__VA_ARGS__}
#define ROW(name, text, options, ...)                                                                                  \
    {                                                                                                                  \
        name, text, options, EXPECTED(__VA_ARGS__), sizeof EXPECTED(__VA_ARGS__) / sizeof(struct expected)             \
    }

static const struct row {
    const char *name, *text;
    const struct analyze_options *options;
    const struct expected *expected;
    size_t count;
} rows[] = {
    /* Late Post: start 0-410 until the post at 400. Early Wait: 450 until complete begins at 510. Late
     * Complete: 510 - 460. */
    ROW("worked_example_a",
        TWO "0 0.000000 0.000410 MPI_Win_start win=0 group=1\n"
            "0 0.000460 0.000460 MPI_Put win=0 target=1 bytes=1000000\n"
            "0 0.000510 0.000560 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000570"),
        NULL, {PATTERN_LATE_POST, 0, 400}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 60},
        {PATTERN_LATE_COMPLETE, 1, 50}, {PATTERN_LATE_POST, 1, 0}, {PATTERN_EARLY_WAIT, 0, 0}),
    /* Early Transfer: put 50-410 until 400. Early Wait: 450 to 460, all of it after the put's end at 410. */
    ROW("worked_example_b",
        TWO "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
            "0 0.000050 0.000410 MPI_Put win=0 target=1 bytes=1000000\n"
            "0 0.000460 0.000510 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000520"),
        NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 350}, {PATTERN_EARLY_WAIT, 1, 10},
        {PATTERN_LATE_COMPLETE, 1, 10}),
    /* Late Post: complete 100-510 until 400. Complete began before the wait: no Early Wait. */
    ROW("worked_example_c",
        TWO "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
            "0 0.000050 0.000050 MPI_Put win=0 target=1 bytes=1000000\n"
            "0 0.000100 0.000510 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000520"),
        NULL, {PATTERN_LATE_POST, 0, 300}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0},
        {PATTERN_LATE_COMPLETE, 1, 0}),
    /* The copy 50-100 returned before the post at 400: it did not wait for it. The epochs have no common time. */
    ROW("worked_example_d",
        TWO "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
            "0 0.000050 0.000100 MPI_Put win=0 target=1 bytes=1000000\n"
            "0 0.000150 0.000150 MPI_Win_complete win=0\n" TARGET_UNTIL("0.000520"),
        NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0},
        {PATTERN_LATE_COMPLETE, 1, 0}),
    /* The post is there before anything: only the target waits, from 20 until complete at 70; the put ended at 50. */
    ROW("post_early",
        TWO "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n1 0.000020 0.000090 MPI_Win_wait win=0\n"
            "0 0.000030 0.000032 MPI_Win_start win=0 group=1\n0 0.000040 0.000050 MPI_Put win=0 target=1 bytes=8\n"
            "0 0.000070 0.000080 MPI_Win_complete win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 1, 50},
        {PATTERN_LATE_COMPLETE, 1, 20}),
    /* Whichever side is done first. No operation: Late Complete counts from the exit of start at 25, that is from the wait's
     * enter at 30. */
    ROW("ends_in_either_order", EMPTY_EPOCH("0.000105"), NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_EARLY_WAIT, 1, 70},
        {PATTERN_LATE_COMPLETE, 1, 70}),
    ROW("ends_in_either_order", EMPTY_EPOCH("0.000300"), NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_EARLY_WAIT, 1, 70},
        {PATTERN_LATE_COMPLETE, 1, 70}),
    /* The earliest post of each call: start 30, complete none behind its enter. */
    ROW("calls_that_return_before_a_post", COMPLETE_UNTIL("0.005050"), NULL, {PATTERN_LATE_POST, 0, 20 + 450}),
    ROW("calls_that_return_before_a_post", COMPLETE_UNTIL("0.000499"), NULL, {PATTERN_LATE_POST, 0, 20}),
    ROW("calls_that_return_before_a_post", COMPLETE_UNTIL("0.005050"), &earliest, {PATTERN_LATE_POST, 0, 20}),
    ROW("calls_that_return_before_a_post", PUT_UNTIL("0.000500"), NULL, {PATTERN_EARLY_TRANSFER, 0, 440}),
    ROW("calls_that_return_before_a_post", PUT_UNTIL("0.000499"), NULL, {PATTERN_EARLY_TRANSFER, 0, 0}),
    /* The own post at 5 lies before the put: it waited for that at 150, 150 - 20. The own post at 30 lies in the put: 30 - 20;
     * a simulation knows whether it waited until 30 or until 150, or for neither. */
    ROW("put_that_waits_for_the_group", GROUP("0.000005", "", ""), NULL, {PATTERN_EARLY_TRANSFER, 0, 130},
        {PATTERN_LATE_POST, 0, 0}),
    ROW("put_that_waits_for_the_group", GROUP("0.000030", "", ""), NULL, {PATTERN_EARLY_TRANSFER, 0, 10},
        {PATTERN_LATE_POST, 0, 0}),
    ROW("put_that_waits_for_the_group", GROUP("0.000030", SIMULATED, " awaited_post=0.000030"), NULL,
        {PATTERN_EARLY_TRANSFER, 0, 10}, {PATTERN_LATE_POST, 0, 0}),
    ROW("put_that_waits_for_the_group", GROUP("0.000030", SIMULATED, " awaited_post=0.000150"), NULL,
        {PATTERN_EARLY_TRANSFER, 0, 130}, {PATTERN_LATE_POST, 0, 0}),
    ROW("put_that_waits_for_the_group", GROUP("0.000005", SIMULATED, ""), NULL, {PATTERN_EARLY_TRANSFER, 0, 0},
        {PATTERN_LATE_POST, 0, 0}),
    /* Posts at 100 and 120 lie in complete, 50-300. The simulated one waited until that at 100 (its gets came from there): 50. A
     * put of 10-40 held the post at 30 and waited for none: a copy. */
    ROW("simulation_says_what_was_awaited",
        "ranks 4\n" SIMULATED "window 0 comm=0\n0 0.000000 0.000000 MPI_Win_start win=0 group=1,2,3\n"
        "0 0.000010 0.000040 MPI_Put win=0 target=3 bytes=8 xfer_start=0.000041 xfer_end=0.000042\n"
        "0 0.000050 0.000300 MPI_Win_complete win=0 awaited_post=0.000100 blocked=0.000250\n"
        "1 0.000100 0.000100 MPI_Win_post win=0 group=0\n1 0.000400 0.000400 MPI_Win_wait win=0\n"
        "2 0.000120 0.000120 MPI_Win_post win=0 group=0\n2 0.000400 0.000400 MPI_Win_wait win=0\n"
        "3 0.000030 0.000030 MPI_Win_post win=0 group=0\n3 0.000400 0.000400 MPI_Win_wait win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 50}, {PATTERN_EARLY_TRANSFER, 0, 0}),
    ROW("two_targets", TWO_TARGETS, NULL, {PATTERN_LATE_POST, 0, 40}, {PATTERN_EARLY_WAIT, 1, 30}, {PATTERN_EARLY_WAIT, 2, 4},
        {PATTERN_LATE_COMPLETE, 1, 8}, {PATTERN_LATE_COMPLETE, 2, 4}),
    ROW("two_targets", TWO_TARGETS, &earliest, {PATTERN_LATE_POST, 0, 20}, {PATTERN_EARLY_WAIT, 1, 30}),
    /* Put to 1 waits 20-30 of 20-35, until its own target's post. Get from 2, 40-50, returned before its target's
     * at 55. */
    ROW("early_transfer_per_target",
        THREE "0 0.000010 0.000010 MPI_Win_start win=0 group=1,2\n"
            "0 0.000020 0.000035 MPI_Put win=0 target=1 bytes=8\n"
            "0 0.000040 0.000050 MPI_Get win=0 target=2 bytes=8\n"
            "0 0.000070 0.000080 MPI_Win_complete win=0\n"
            "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.000090 0.000091 MPI_Win_wait win=0\n"
            "2 0.000055 0.000056 MPI_Win_post win=0 group=0\n2 0.000090 0.000092 MPI_Win_wait win=0\n",
        NULL, {PATTERN_EARLY_TRANSFER, 0, 10}, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0},
        {PATTERN_EARLY_WAIT, 2, 0}),
    /* Completes at 40 and 90: rank 2 waits 20-90. The last origin is 1, whose put to 2 ended at 60: 30 us late. */
    ROW("two_origins",
        THREE "2 0.000000 0.000001 MPI_Win_post win=0 group=0,1\n2 0.000020 0.000100 MPI_Win_wait win=0\n"
            "0 0.000010 0.000011 MPI_Win_start win=0 group=2\n0 0.000012 0.000013 MPI_Put win=0 target=2 bytes=8\n"
            "0 0.000040 0.000041 MPI_Win_complete win=0\n"
            "1 0.000010 0.000011 MPI_Win_start win=0 group=2\n1 0.000050 0.000060 MPI_Put win=0 target=2 bytes=8\n"
            "1 0.000090 0.000091 MPI_Win_complete win=0\n",
        NULL, {PATTERN_EARLY_WAIT, 2, 70}, {PATTERN_LATE_COMPLETE, 2, 30}),
    ROW("equal_completes", EQUAL_COMPLETES("0", "1"), NULL, {PATTERN_EARLY_WAIT, 2, 70}, {PATTERN_LATE_COMPLETE, 2, 20}),
    ROW("equal_completes", EQUAL_COMPLETES("1", "0"), NULL, {PATTERN_EARLY_WAIT, 2, 70}, {PATTERN_LATE_COMPLETE, 2, 20}),
    ROW("empty_groups",
        TWO "0 0.000010 0.000060 MPI_Win_start win=0 group=\n0 0.000070 0.000080 MPI_Win_complete win=0\n"
            "1 0.000020 0.000021 MPI_Win_post win=0 group=\n1 0.000030 0.000040 MPI_Win_wait win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_WAIT, 1, 0}, {PATTERN_LATE_COMPLETE, 1, 0}),
    /* A rank that is its own target, post before start: nothing waits for the post, and the wait 60-70 begins after
     * complete. */
    ROW("itself",
        "ranks 1\nwindow 0 comm=0\n"
        "0 0.000010 0.000011 MPI_Win_post win=0 group=0\n0 0.000012 0.000013 MPI_Win_start win=0 group=0\n"
        "0 0.000020 0.000040 MPI_Put win=0 target=0 bytes=8\n0 0.000050 0.000051 MPI_Win_complete win=0\n"
        "0 0.000060 0.000070 MPI_Win_wait win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 0}, {PATTERN_EARLY_TRANSFER, 0, 0}, {PATTERN_EARLY_WAIT, 0, 0}),
    /* Rank 0 starts (5-20) towards 1, which posts at 15; rank 1 starts (16-17) towards 0, which posted at 0. */
    ROW("origin_and_target_at_once",
        TWO "0 0.000000 0.000001 MPI_Win_post win=0 group=1\n0 0.000005 0.000020 MPI_Win_start win=0 group=1\n"
            "0 0.000030 0.000031 MPI_Win_complete win=0\n0 0.000032 0.000060 MPI_Win_wait win=0\n"
            "1 0.000015 0.000016 MPI_Win_post win=0 group=0\n1 0.000016 0.000017 MPI_Win_start win=0 group=0\n"
            "1 0.000050 0.000051 MPI_Win_complete win=0\n1 0.000052 0.000053 MPI_Win_wait win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_LATE_POST, 1, 0}, {PATTERN_EARLY_WAIT, 0, 18},
        {PATTERN_LATE_COMPLETE, 0, 18}, {PATTERN_EARLY_WAIT, 1, 0}),
    /* Epochs of two windows overlap; window 1's post at 40 is not window 0's at 20. Starts: 10-30 and 30-45. */
    ROW("several_windows",
        "ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\n"
        "0 0.000010 0.000030 MPI_Win_start win=0 group=1\n0 0.000030 0.000045 MPI_Win_start win=1 group=1\n"
        "0 0.000050 0.000051 MPI_Win_complete win=1\n0 0.000060 0.000061 MPI_Win_complete win=0\n"
        "1 0.000020 0.000021 MPI_Win_post win=0 group=0\n1 0.000040 0.000041 MPI_Win_post win=1 group=0\n"
        "1 0.000042 0.000070 MPI_Win_wait win=1\n1 0.000070 0.000080 MPI_Win_wait win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 20}, {PATTERN_EARLY_WAIT, 1, 8}, {PATTERN_LATE_COMPLETE, 1, 5}),
    /* Rank 1's first epoch names only 2, its second 0 and 2: rank 0's first start pairs with the second post (50): 50
     * - 10. Rank 2's second start, 40-42, returned before that post; its complete, 43-55, waited for it: 50 - 43. */
    ROW("later_epochs_pair_in_order",
        THREE "0 0.000010 0.000060 MPI_Win_start win=0 group=1\n0 0.000070 0.000071 MPI_Win_complete win=0\n"
            "1 0.000000 0.000001 MPI_Win_post win=0 group=2\n1 0.000020 0.000030 MPI_Win_wait win=0\n"
            "1 0.000050 0.000051 MPI_Win_post win=0 group=0,2\n1 0.000052 0.000080 MPI_Win_wait win=0\n"
            "2 0.000005 0.000006 MPI_Win_start win=0 group=1\n2 0.000025 0.000026 MPI_Win_complete win=0\n"
            "2 0.000040 0.000042 MPI_Win_start win=0 group=1\n2 0.000043 0.000055 MPI_Win_complete win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 40}, {PATTERN_LATE_POST, 2, 7}, {PATTERN_EARLY_WAIT, 1, 5 + 18}),
    /* Semantics d: the first complete, 12-13, returned before the first post at 30; the second, 16-40, waited for it: 30 -
     * 16. The second post, at 50, lies behind all. */
    ROW("complete_waits_for_the_post_before",
        TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000012 0.000013 MPI_Win_complete win=0\n"
            "0 0.000014 0.000015 MPI_Win_start win=0 group=1\n0 0.000016 0.000040 MPI_Win_complete win=0\n"
            "1 0.000030 0.000031 MPI_Win_post win=0 group=0\n1 0.000032 0.000045 MPI_Win_wait win=0\n"
            "1 0.000050 0.000051 MPI_Win_post win=0 group=0\n1 0.000052 0.000060 MPI_Win_wait win=0\n",
        NULL, {PATTERN_LATE_POST, 0, 14}),
    ROW("row_of_tests", ROW_OF_TESTS, NULL, {PATTERN_EARLY_WAIT, 1, 12}, {PATTERN_LATE_COMPLETE, 1, 5}),
    /* Failed tests replay as computing: only the successful one, 40-60, waits until complete at 50. */
    ROW("failed_tests_of_a_simulation",
        "ranks 2\n" SIMULATED "window 0 comm=0\n"
        "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000050 0.000051 MPI_Win_complete win=0\n"
        "1 0.000001 0.000002 MPI_Win_post win=0 group=0\n1 0.000020 0.000024 MPI_Win_test win=0 flag=0\n"
        "1 0.000040 0.000060 MPI_Win_test win=0 flag=1\n",
        NULL, {PATTERN_EARLY_WAIT, 1, 10}),
    ROW("threshold", TEN_LATE, &ten, {PATTERN_LATE_POST, 0, 10}),
    ROW("threshold", TEN_LATE, &above_ten, {PATTERN_LATE_POST, 0, 0}),
    /* The trace ends inside the second epoch: its start still waited 80-90, nothing is known of a complete. */
    ROW("open_at_the_end",
        TWO "0 0.000010 0.000011 MPI_Win_start win=0 group=1\n0 0.000020 0.000021 MPI_Win_complete win=0\n"
            "0 0.000080 0.000095 MPI_Win_start win=0 group=1\n"
            "1 0.000001 0.000002 MPI_Win_post win=0 group=0\n1 0.000030 0.000031 MPI_Win_wait win=0\n"
            "1 0.000090 0.000091 MPI_Win_post win=0 group=0\n1 0.000092 0.000200 MPI_Win_test win=0 flag=0\n",
        NULL, {PATTERN_LATE_POST, 0, 10}, {PATTERN_EARLY_WAIT, 1, 0}),
};

static void waits_of_rows(void **state)
{
    (void)state;
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++)
        check(row->name, row->text, row->options, row->expected, row->count);
}

static void a_row_of_tests_is_one_wait(void **state)
{
    (void)state;
    struct totals totals = account_of(ROW_OF_TESTS, NULL);
    assert_int_equal(totals.count[PATTERN_EARLY_WAIT][1], 1);
    totals_clear(&totals);
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
    check("votes", text, NULL, &(const struct expected){PATTERN_EARLY_TRANSFER, 0, us}, 1);
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

static void unclear_calls_follow_the_clear_ones(void **state)
{
    (void)state;
    static const struct {
        struct voter voters[VOTERS_MOST];
        int64_t us;
    } votes[] = {
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
    for (size_t i = 0; i < sizeof votes / sizeof *votes; i++) check_votes(votes[i].voters, votes[i].us);
}

#define FAULT(text, ...) expect_fault(text, (const char *const[]){__VA_ARGS__, NULL})

static void faults(void **state)
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
        cmocka_unit_test(waits_of_rows),
        cmocka_unit_test(a_row_of_tests_is_one_wait),
        cmocka_unit_test(unclear_calls_follow_the_clear_ones),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
