/* Efficiency by interval on a run worked out by hand. */
#include "model_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/efficiency/efficiency.h"
#include "model/efficiency/intervals.h"
#include "model/result/result.h"

/* Two ranks, microseconds. Rank 0: computes 0-60, barrier 60-100, computes 100-180. Rank 1: computes 0-90, barrier
 * 90-100, computes 100-150. "step" is 0-100 on both, run is 180 and 150. step: execution 100, total 200; MPI 40 and 10:
 * rank 1's 10 are useful. CPU 60 + 90. Productive 150 + 10 = 160, lost 40 = rank 0's MPI time, idle 0. Wait at Barrier:
 * rank 0 60-90, 30; potential synchronization the same; ends equal: variation 0. Imbalance: CPU + MPI without waiting:
 * 70 and 100: 30 and 0. run: execution 180, total 360; CPU 140 + 140; productive 280 + 10 = 290, lost 70 = 40 MPI + 30
 * idle of rank 1. */
static const char *const two_steps =
    "ranks 2\n0 0.0 enter step\n0 0.000060 0.000100 MPI_Barrier comm=0\n0 0.000100 leave step\n0 0.000180 enter end\n"
    "0 0.000180 leave end\n1 0.0 enter step\n1 0.000090 0.000100 MPI_Barrier comm=0\n1 0.000100 leave step\n"
    "1 0.000150 0.000150 MPI_Comm_group comm=0\n";

static struct result *analyzed_with(const char *text, struct analyze_options options)
{
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    options.intervals = true;
    if (model_analyze(trace, &options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    if (!result->efficiency->holds) fail_msg("%s", result->efficiency->broken);
    return result;
}

static struct result *analyzed(const char *text)
{
    return analyzed_with(text, (struct analyze_options)ANALYZE_DEFAULTS);
}

static const struct efficiency_interval *interval_of(const struct result *result, const char *path)
{
    for (size_t i = 0; i < result->efficiency->count; i++)
        if (strcmp(result->efficiency->intervals[i].path, path) == 0) return &result->efficiency->intervals[i];
    fail_msg("no interval %s", path);
    return NULL;
}

static void expect_ranks(const struct efficiency_interval *interval, enum characteristic characteristic, int64_t us0,
                         int64_t us1)
{
    const int64_t *value_ps = interval->value_ps[characteristic];
    if (value_ps[0] != us0 * US || value_ps[1] != us1 * US)
        fail_msg("%s of %s: %lld and %lld ps, expected %lld and %lld us", characteristic_row(characteristic)->title,
                 interval->path, (long long)value_ps[0], (long long)value_ps[1], (long long)us0, (long long)us1);
}

/* Potential synchronization and time variation by kind. All-to-all: entered at 10 and 30, left at 50 and 60: 20 of rank
 * 0, and 10 of it. Fence: 70 and 75, left at 90 and 85: 5 of rank 0, 5 of rank 1. Barrier: 100 and 104, left at 110 and
 * 112: 4 of rank 0, 2 of it. Rank 0 receives from 120 on what is sent at 140: 20. */
static void losses_by_kind(void **state)
{
    static const struct {
        enum characteristic characteristic;
        int64_t us0, us1;
    } expected[] = {
        {EFFICIENCY_POTENTIAL_SYNCHRONIZATION, 49, 0},
        {EFFICIENCY_POTENTIAL_ALL_TO_ALL, 20, 0},
        {EFFICIENCY_POTENTIAL_RMA, 5, 0},
        {EFFICIENCY_POTENTIAL_COLLECTIVE, 4, 0},
        {EFFICIENCY_POTENTIAL_SEND_RECEIVE, 20, 0},
        {EFFICIENCY_TIME_VARIATION, 12, 5},
        {EFFICIENCY_VARIATION_ALL_TO_ALL, 10, 0},
        {EFFICIENCY_VARIATION_RMA, 0, 5},
        {EFFICIENCY_VARIATION_COLLECTIVE, 2, 0},
    };
    (void)state;
    struct result *result = analyzed("ranks 2\nwindow 0 comm=0\n"
                                     "0 0.000010 0.000050 MPI_Alltoall comm=0 bytes=8\n"
                                     "0 0.000070 0.000090 MPI_Win_fence win=0 assert=0\n"
                                     "0 0.000100 0.000110 MPI_Barrier comm=0\n"
                                     "0 0.000120 0.000150 MPI_Recv comm=0 peer=1 tag=0 bytes=8\n"
                                     "1 0.000030 0.000060 MPI_Alltoall comm=0 bytes=8\n"
                                     "1 0.000075 0.000085 MPI_Win_fence win=0 assert=0\n"
                                     "1 0.000104 0.000112 MPI_Barrier comm=0\n"
                                     "1 0.000140 0.000141 MPI_Send comm=0 peer=0 tag=0 bytes=8\n");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_ranks(interval_of(result, "run"), expected[i].characteristic, expected[i].us0, expected[i].us1);
    result_free(result);
}

/* Potential synchronization of a receive by kind of call: from its enter to that of the send, if that is later. MPI_Sendrecv of
 * rank 0 at 0, of rank 1 at 8: 8. A receive of rank 0 at 20 of what rank 1 begins to send at 25: 5; at 30 of what it begins to
 * send at 30, or began before: none. Neither has MPI_Irecv, which does not wait. */
static void potential_of_receives(void **state)
{
    (void)state;
    struct result *result =
        analyzed("ranks 2\n"
                 "0 0.000000 0.000010 MPI_Sendrecv comm=0 peer=1 tag=1 source=1 recvtag=2 bytes=8 received=8\n"
                 "0 0.000020 0.000026 MPI_Recv comm=0 peer=1 tag=0 bytes=8\n"
                 "0 0.000030 0.000031 MPI_Recv comm=0 peer=1 tag=0 bytes=8\n"
                 "0 0.000040 0.000041 MPI_Recv comm=0 peer=1 tag=0 bytes=8\n"
                 "0 0.000050 0.000051 MPI_Irecv comm=0 peer=1 tag=0 bytes=8 req=1\n0 0.000059 0.000060 MPI_Wait req=1\n"
                 "1 0.000008 0.000010 MPI_Sendrecv comm=0 peer=0 tag=2 source=0 recvtag=1 bytes=8 received=8\n"
                 "1 0.000025 0.000026 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"
                 "1 0.000030 0.000031 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"
                 "1 0.000035 0.000045 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"
                 "1 0.000055 0.000056 MPI_Send comm=0 peer=0 tag=0 bytes=8\n");
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_ranks(run, EFFICIENCY_POTENTIAL_SEND_RECEIVE, 8 + 5, 0);
    expect_ranks(run, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, 8 + 5, 0);
    result_free(result);
}

/* Ranks 0, 1 and 2 spend 10 of 50 us in the same barrier each: the MPI time of the first counts as useful, docs/efficiency.md.
 * Of equal values the first processor is named as the least and as the largest one. */
static void the_first_of_equals_is_useful(void **state)
{
    (void)state;
#define SAME(RANK) #RANK " 0.000000 0.000010 MPI_Barrier comm=0\n" #RANK " 0.000050 0.000050 MPI_Comm_group comm=0\n"
    struct result *result = analyzed("ranks 3\n" SAME(0) SAME(1) SAME(2));
    const struct efficiency_interval *run = interval_of(result, "run");
    assert_int_equal(run->useful_rank, 0);
    assert_int_equal(run->useful_mpi_ps, 10 * US);
    expect_ranks(run, EFFICIENCY_COMMUNICATION, 0, 10);
    expect_ranks(run, EFFICIENCY_LOST, 0, 10);
    assert_int_equal(run->range[EFFICIENCY_MPI].min_processor, 0);
    assert_int_equal(run->range[EFFICIENCY_MPI].max_processor, 0);
    assert_int_equal(run->range[EFFICIENCY_COMMUNICATION].min_processor, 0);
    assert_int_equal(run->range[EFFICIENCY_COMMUNICATION].max_processor, 1);
    result_free(result);
}

/* Waits by interval and cause. Rank 0 receives in ask from 20 on what rank 2 sends in answer/late at 60: 40. Barrier:
 * rank 1 enters last, in slow, at 100; rank 0 at 80 in no interval: 20, rank 2 at 70 in answer: 30. Rank 0 leaves it at
 * 103, the others at 102: 1 that no single call causes. A second barrier: rank 2 last at 150 in answer/late; rank 0 at
 * 145 in ask: 5, with the first 40 together 45; rank 1 at 140 in slow: 10. */
static void waits_by_cause(void **state)
{
    static const struct {
        const char *waits, *cause;
        int64_t us;
    } expected[] = {{"ask", "answer/late", 45}, {"answer", "slow", 30}, {"run", "slow", 20}, {"slow", "answer/late", 10},
                    {"run", NULL, 1}};
    (void)state;
    struct result *result = analyzed("ranks 3\n0 0.000010 enter ask\n"
                                     "0 0.000020 0.000061 MPI_Recv comm=0 peer=2 tag=1 bytes=8\n"
                                     "0 0.000062 leave ask\n0 0.000080 0.000103 MPI_Barrier comm=0\n"
                                     "0 0.000110 enter ask\n0 0.000145 0.000150 MPI_Barrier comm=0\n"
                                     "0 0.000160 leave ask\n"
                                     "1 0.000010 enter slow\n1 0.000100 0.000102 MPI_Barrier comm=0\n"
                                     "1 0.000140 0.000150 MPI_Barrier comm=0\n1 0.000160 leave slow\n"
                                     "2 0.000010 enter answer\n2 0.000050 enter late\n"
                                     "2 0.000060 0.000061 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"
                                     "2 0.000065 leave late\n2 0.000070 0.000102 MPI_Barrier comm=0\n"
                                     "2 0.000145 enter late\n2 0.000150 0.000150 MPI_Barrier comm=0\n"
                                     "2 0.000160 leave late\n2 0.000170 leave answer\n");
    const struct efficiency *efficiency = result->efficiency;
    assert_int_equal(efficiency->caused.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < efficiency->caused.count; i++) {
        const struct caused_row *row = &efficiency->caused.rows[i];
        assert_string_equal(efficiency->intervals[row->interval].path, expected[i].waits);
        if (expected[i].cause)
            assert_string_equal(efficiency->intervals[row->cause].path, expected[i].cause);
        else
            assert_int_equal(row->cause, CAUSED_NOWHERE);
        assert_int_equal(row->time_ps, expected[i].us * US);
    }
    result_free(result);
}

/* Equal waits come in the order of the intervals that wait, then of those that cause: ask waits 10 for late and 10 for early,
 * say 10 for late. The intervals of the trace are, in the order of rank 0, then 1: ask, say, early, late. */
static void equal_waits_are_in_order(void **state)
{
    static const char *const expected[][2] = {{"ask", "early"}, {"ask", "late"}, {"say", "late"}};
    (void)state;
#define ASKS(ENTER, EXIT) "0 " ENTER " " EXIT " MPI_Recv comm=0 peer=1 tag=0 bytes=8\n"
#define SENDS(AT)         "1 " AT " " AT " MPI_Send comm=0 peer=0 tag=0 bytes=8\n"
    struct result *result = analyzed(
        "ranks 2\n0 0.0 enter ask\n" ASKS("0.000010", "0.000020") "0 0.000021 leave ask\n"
        "0 0.000022 enter say\n" ASKS("0.000030", "0.000040") "0 0.000041 leave say\n"
        "0 0.000042 enter ask\n" ASKS("0.000050", "0.000060") "0 0.000061 leave ask\n"
        "1 0.0 enter early\n1 0.000001 leave early\n"
        "1 0.000002 enter late\n" SENDS("0.000020") SENDS("0.000040") "1 0.000041 leave late\n"
        "1 0.000042 enter early\n" SENDS("0.000060") "1 0.000061 leave early\n");
    const struct efficiency *efficiency = result->efficiency;
    assert_int_equal(efficiency->caused.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct caused_row *row = &efficiency->caused.rows[i];
        assert_int_equal(row->time_ps, 10 * US);
        assert_string_equal(efficiency->intervals[row->interval].path, expected[i][0]);
        assert_string_equal(efficiency->intervals[row->cause].path, expected[i][1]);
    }
    result_free(result);
}

/* What the text says to look at first. */
static void expect_advice(const char *text, const char *advice)
{
    char *printed;
    size_t bytes;
    struct result *result = analyzed(text);
    FILE *out = open_memstream(&printed, &bytes);
    efficiency_print(result->efficiency, false, out);
    fclose(out);
    const char *line = strstr(printed, "Look first at: ");
    if (!line && advice) fail_msg("no advice, expected '%s'", advice);
    if (line && !advice) fail_msg("%.80s", line);
    if (line && (strncmp(line + 15, advice, strlen(advice)) != 0 || line[15 + strlen(advice)] != '\n'))
        fail_msg("%.120s, expected '%s'", line, advice);
    free(printed);
    result_free(result);
}

/* Of the loss of rank 1, in MPI or idle, the larger part is to be looked at, of equal parts the first: rank 1 is in MPI for 20 us
 * where rank 0 is for 10, which count as useful, and ends 20 or 21 us before it. Communication is not synchronization where less
 * than half of it waits: 9 of 20 us, but not 10. Ranks that lose nothing need no advice. */
static void the_largest_loss_comes_first(void **state)
{
    (void)state;
#define BARRIERS(LATE, END)                                                                                            \
    "ranks 2\n0 0.0 0.0 MPI_Comm_group comm=0\n0 " LATE " 0.000040 MPI_Barrier comm=0\n"                             \
    "0 " END " " END " MPI_Comm_group comm=0\n"                                                                        \
    "1 0.0 0.0 MPI_Comm_group comm=0\n1 0.000020 0.000040 MPI_Barrier comm=0\n1 0.000070 0.000070 MPI_Comm_group comm=0\n"
    const char *const transfers = "Communication, mostly not synchronization: the transfers themselves",
                     *const work = "Communication, mostly synchronization, as large as the load imbalance: balance the work";
    expect_advice(BARRIERS("0.000030", "0.000090"), work);
    expect_advice(BARRIERS("0.000030", "0.000091"), "Idle time");
    expect_advice(BARRIERS("0.000029", "0.000070"), transfers);
    expect_advice(BARRIERS("0.000030", "0.000070"), work);
    expect_advice("ranks 2\n0 0.0 0.0 MPI_Comm_group comm=0\n0 0.000010 0.000010 MPI_Comm_group comm=0\n"
                  "1 0.0 0.0 MPI_Comm_group comm=0\n1 0.000010 0.000010 MPI_Comm_group comm=0\n",
                  NULL);
}

/* --lost all on two_steps: the MPI time of rank 1, 10, is lost, too. step: productive 60 + 90, lost 40 + 10. run:
 * productive 140 + 140, lost 40 + 10 + 30 idle. */
static void all_mpi_time_is_lost(void **state)
{
    (void)state;
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.lost_all = true;
    struct result *result = analyzed_with(two_steps, options);
    const struct efficiency_interval *step = interval_of(result, "step"), *run = interval_of(result, "run");
    assert_int_equal(step->productive_ps, 150 * US);
    assert_int_equal(step->lost_ps, 50 * US);
    expect_ranks(step, EFFICIENCY_COMMUNICATION, 40, 10);
    assert_int_equal(run->productive_ps, 280 * US);
    assert_int_equal(run->lost_ps, 80 * US);
    result_free(result);
}

/* Rank 0 computes 10, is in a barrier for 10 and computes 10, all in a sequential region; rank 1 computes 5, is in the barrier
 * for 15 and computes 10. Rank 0 has less MPI time: it loses nothing of the 60, rank 1 the 15. With --lost all rank 0 loses
 * its 10, too, as time of the system in the sequential part; its computing there stays useful. */
static void sequential_mpi_time_is_lost_with_all(void **state)
{
    (void)state;
    const char *text = "ranks 2\n0 0.0 enter sequential\n0 0.000010 0.000020 MPI_Barrier comm=0\n0 0.000030 leave sequential\n"
                       "1 0.0 0.0 MPI_Comm_group comm=0\n1 0.000005 0.000020 MPI_Barrier comm=0\n"
                       "1 0.000030 0.000030 MPI_Comm_group comm=0\n";
    struct analyze_options options = ANALYZE_DEFAULTS;
    for (int all = 0; all < 2; all++) {
        options.lost_all = all;
        struct result *result = analyzed_with(text, options);
        const struct efficiency_interval *run = interval_of(result, "run");
        expect_ranks(run, EFFICIENCY_INSUFFICIENT_SYSTEM, all ? 10 : 0, 0);
        expect_ranks(run, EFFICIENCY_INSUFFICIENT_USER, 0, 0);
        expect_ranks(run, EFFICIENCY_COMMUNICATION, 0, 15);
        expect_ranks(run, EFFICIENCY_LOST, all ? 10 : 0, 15);
        assert_int_equal(run->productive_ps, (all ? 35 : 45) * US);
        result_free(result);
    }
}

/* The thesis's example (ch. 5, exch.c): 4 processors, execution 2.079975 s; MPI time 0.173490, of processor 0 0.059159,
 * of 3 0.032259; idle 0.002616, of 0 0.000898, of 1 none, of 3 0.033087 - 0.032259. What it does not give is shared out
 * over processors 1 and 2. All MPI time lost: 8.143794 of 8.319900 is productive; with the 0.032259 of processor
 * 3 8.176053. */
static void example_of_the_thesis(void **state)
{
    (void)state;
    const char *text = "ranks 4\n"
                       "0 0.0 0.0 MPI_Comm_group comm=0\n0 1.0 1.059159 MPI_Barrier comm=0\n0 2.079077 2.079077 "
                       "MPI_Comm_group comm=0\n"
                       "1 0.0 0.0 MPI_Comm_group comm=0\n1 1.0 1.040000 MPI_Barrier comm=0\n1 2.079975 2.079975 "
                       "MPI_Comm_group comm=0\n"
                       "2 0.0 0.0 MPI_Comm_group comm=0\n2 1.0 1.042072 MPI_Barrier comm=0\n2 2.079085 2.079085 "
                       "MPI_Comm_group comm=0\n"
                       "3 0.0 0.0 MPI_Comm_group comm=0\n3 1.0 1.032259 MPI_Barrier comm=0\n3 2.079147 2.079147 "
                       "MPI_Comm_group comm=0\n";
    struct analyze_options options = ANALYZE_DEFAULTS;
    for (int all = 0; all < 2; all++) {
        options.lost_all = all;
        struct result *result = analyzed_with(text, options);
        const struct efficiency_interval *run = interval_of(result, "run");
        assert_int_equal(run->total_ps, INT64_C(8319900) * US);
        assert_int_equal(run->productive_ps, (all ? INT64_C(8143794) : INT64_C(8176053)) * US);
        assert_int_equal(run->lost_ps, (all ? INT64_C(176106) : INT64_C(143847)) * US);
        assert_int_equal(run->sum_ps[EFFICIENCY_MPI], INT64_C(173490) * US);
        assert_int_equal(run->sum_ps[EFFICIENCY_IDLE], INT64_C(2616) * US);
        result_free(result);
    }
}

/* MPI-IO, 10-30 and 40-45 on rank 0, 50-57 on rank 1: a row of trace/calls/mpi_plain_calls.def. */
static void files_are_io(void **state)
{
    (void)state;
    struct result *result =
        analyzed("ranks 2\n0 0.000010 0.000030 MPI_File_open\n0 0.000040 0.000045 MPI_File_write_at_all\n"
                 "1 0.000050 0.000057 MPI_File_close\n1 0.000060 0.000063 MPI_Comm_join\n");
    expect_ranks(interval_of(result, "run"), EFFICIENCY_IO, 25, 7);
    expect_ranks(interval_of(result, "run"), EFFICIENCY_OTHER, 0, 3);
    result_free(result);
}

/* Waiting for a non-blocking collective is the collective's time: MPI_Wait 20-30 of the all-to-all, 40-47 of the
 * barrier; 50-53 ends a send and the all-to-all together, 60-64 a send. Starting: 0-1, 32-33, 48-49 (all-to-all). */
static void waits_for_collectives(void **state)
{
    (void)state;
    const char *text =
        "ranks 2\n"
        "0 0.000000 0.000001 MPI_Ialltoall comm=0 bytes=8 req=1\n0 0.000020 0.000030 MPI_Wait req=1\n"
        "0 0.000032 0.000033 MPI_Ibarrier comm=0 req=2\n0 0.000040 0.000047 MPI_Waitall reqs=2\n"
        "0 0.000048 0.000049 MPI_Ialltoall comm=0 bytes=8 req=3\n"
        "0 0.000049 0.000050 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=4\n0 0.000050 0.000053 MPI_Waitall reqs=3,4\n"
        "0 0.000055 0.000056 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=1\n0 0.000060 0.000064 MPI_Wait req=1\n"
        "1 0.000000 0.000001 MPI_Ialltoall comm=0 bytes=8 req=1\n1 0.000001 0.000001 MPI_Wait req=1\n"
        "1 0.000002 0.000002 MPI_Ibarrier comm=0 req=2\n1 0.000003 0.000003 MPI_Wait req=2\n"
        "1 0.000004 0.000004 MPI_Ialltoall comm=0 bytes=8 req=3\n1 0.000005 0.000005 MPI_Wait req=3\n"
        "1 0.000060 0.000060 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n1 0.000070 0.000070 MPI_Recv comm=0 peer=0 tag=0 "
        "bytes=8\n";
    struct result *result = analyzed(text);
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_ranks(run, EFFICIENCY_ALL_TO_ALL, 1 + 10 + 1, 1);
    expect_ranks(run, EFFICIENCY_COLLECTIVE, 1 + 7, 0);
    expect_ranks(run, EFFICIENCY_SEND_RECEIVE, 1 + 3 + 1 + 4, 0);
    expect_ranks(run, EFFICIENCY_START, 5, 1);
    result_free(result);
}

/* Waiting for a request-based operation is the time of a transfer: MPI_Wait 20-30 of the put, 33-40 of the get, 43-45
 * of both. 50-53 ends a send and a get together. Starting: 2-3, 30-31, 41-42, 42-43, 46-47, 47-48. */
static void waits_for_operations(void **state)
{
    (void)state;
    const char *text =
        "ranks 2\nwindow 0 comm=0\n"
        "0 0.000000 0.000002 MPI_Win_lock_all win=0\n"
        "0 0.000002 0.000003 MPI_Rput win=0 target=1 bytes=8 req=1\n0 0.000020 0.000030 MPI_Wait req=1\n"
        "0 0.000030 0.000031 MPI_Rget win=0 target=1 bytes=8 req=2\n0 0.000033 0.000040 MPI_Wait req=2\n"
        "0 0.000041 0.000042 MPI_Rput win=0 target=1 bytes=8 req=3\n"
        "0 0.000042 0.000043 MPI_Rget win=0 target=1 bytes=8 req=4\n0 0.000043 0.000045 MPI_Waitall reqs=3,4\n"
        "0 0.000046 0.000047 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=5\n"
        "0 0.000047 0.000048 MPI_Rget win=0 target=1 bytes=8 req=6\n0 0.000050 0.000053 MPI_Waitall reqs=5,6\n"
        "0 0.000053 0.000054 MPI_Win_unlock_all win=0\n"
        "1 0.000060 0.000060 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n";
    struct result *result = analyzed(text);
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_ranks(run, EFFICIENCY_RMA_TRANSFER, 1 + 10 + 1 + 7 + 2 + 2 + 1, 0);
    expect_ranks(run, EFFICIENCY_SEND_RECEIVE, 1 + 3, 0);
    expect_ranks(run, EFFICIENCY_RMA_SYNCHRONIZATION, 3, 0);
    expect_ranks(run, EFFICIENCY_START, 6, 0);
    result_free(result);
}

/* Waits by the kind of the call that waits. All-to-all entered at 10 and 30 (20 of rank 0), fence at 70 and 75 (5),
 * barrier at 100 and 104 (4), a receive at 120 of what is sent at 140 (20). */
static void real_losses_by_kind(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 2\nwindow 0 comm=0\n"
                                     "0 0.000010 0.000050 MPI_Alltoall comm=0 bytes=8\n"
                                     "0 0.000070 0.000090 MPI_Win_fence win=0 assert=0\n"
                                     "0 0.000100 0.000110 MPI_Barrier comm=0\n"
                                     "0 0.000120 0.000150 MPI_Recv comm=0 peer=1 tag=0 bytes=8\n"
                                     "1 0.000030 0.000050 MPI_Alltoall comm=0 bytes=8\n"
                                     "1 0.000075 0.000090 MPI_Win_fence win=0 assert=0\n"
                                     "1 0.000104 0.000110 MPI_Barrier comm=0\n"
                                     "1 0.000140 0.000145 MPI_Send comm=0 peer=0 tag=0 bytes=8\n");
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_ranks(run, EFFICIENCY_REAL_ALL_TO_ALL, 20, 0);
    expect_ranks(run, EFFICIENCY_REAL_RMA_SYNCHRONIZATION, 5, 0);
    expect_ranks(run, EFFICIENCY_REAL_COLLECTIVE, 4, 0);
    expect_ranks(run, EFFICIENCY_REAL_SEND_RECEIVE, 20, 0);
    expect_ranks(run, EFFICIENCY_REAL_OTHER, 0, 0);
    expect_ranks(run, EFFICIENCY_REAL_SYNCHRONIZATION, 49, 0);
    result_free(result);
}

/* A synchronous send from 10 on waits for the receive at 30: 20 (Late Receiver). The call that completes another one takes 7,
 * all of which count (Wait in Sender Completion). Both are waits of messages, not of operations. */
static void waits_of_senders_are_of_messages(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 2\nwindow 0 comm=0\n"
                                     "0 0.000010 0.000040 MPI_Ssend comm=0 peer=1 tag=0 bytes=8\n"
                                     "0 0.000050 0.000051 MPI_Issend comm=0 peer=1 tag=0 bytes=8 req=1\n"
                                     "0 0.000055 0.000062 MPI_Wait req=1\n"
                                     "1 0.000030 0.000040 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n"
                                     "1 0.000060 0.000062 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n");
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_ranks(run, EFFICIENCY_REAL_SEND_RECEIVE, 20 + 7, 0);
    expect_ranks(run, EFFICIENCY_REAL_RMA_TRANSFER, 0, 0);
    expect_ranks(run, EFFICIENCY_REAL_SYNCHRONIZATION, 20 + 7, 0);
    result_free(result);
}

static void interval_of_a_step(void **state)
{
    (void)state;
    struct result *result = analyzed(two_steps);
    const struct efficiency_interval *step = interval_of(result, "step");
    assert_int_equal(step->execution_ps, 100 * US);
    assert_int_equal(step->total_ps, 200 * US);
    assert_int_equal(step->productive_ps, 160 * US);
    assert_int_equal(step->lost_ps, 40 * US);
    assert_int_equal(step->level, 1);
    assert_int_equal(step->executions, 1);
    expect_ranks(step, EFFICIENCY_COLLECTIVE, 40, 10);
    expect_ranks(step, EFFICIENCY_COMMUNICATION, 40, 0);
    expect_ranks(step, EFFICIENCY_CPU, 60, 90);
    expect_ranks(step, EFFICIENCY_REAL_SYNCHRONIZATION, 30, 0);
    expect_ranks(step, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, 30, 0);
    expect_ranks(step, EFFICIENCY_TIME_VARIATION, 0, 0);
    expect_ranks(step, EFFICIENCY_LOAD_IMBALANCE, 30, 0);
    result_free(result);
}

static void interval_of_the_run(void **state)
{
    (void)state;
    struct result *result = analyzed(two_steps);
    const struct efficiency_interval *run = interval_of(result, "run");
    assert_int_equal(run->execution_ps, 180 * US);
    assert_int_equal(run->total_ps, 360 * US);
    assert_int_equal(run->productive_ps, 290 * US);
    assert_int_equal(run->lost_ps, 70 * US);
    expect_ranks(run, EFFICIENCY_IDLE, 0, 30);
    expect_ranks(run, EFFICIENCY_LOST, 40, 30);
    assert_int_equal(run->range[EFFICIENCY_LOST].min_processor, 1);
    assert_int_equal(run->range[EFFICIENCY_LOST].max_ps, 40 * US);
    result_free(result);
}

#define NEAR(found, expected) assert_float_equal((float)(found), (float)(expected), 1e-6f)

static void metrics_of_pop(void **state)
{
    (void)state;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct result *result = analyzed(two_steps);
    /* Computing 140 and 140 of 180. */
    struct efficiency_pop pop = efficiency_pop(result->efficiency, 0);
    NEAR(pop.load_balance, 1);
    NEAR(pop.communication, 140.0 / 180);
    NEAR(pop.parallel, 140.0 / 180);
    NEAR(pop.transfer, -1);
    NEAR(pop.global, -1);
    result_free(result);
    /* The ideal network gives 160: transfer 160/180, serialization 140/160. The reference computes 210 in all: 210/280.
     */
    options.ideal_run_time_s = 160e-6;
    options.reference_user_s = 210e-6;
    result = analyzed_with(two_steps, options);
    pop = efficiency_pop(result->efficiency, 0);
    NEAR(pop.transfer, 160.0 / 180);
    NEAR(pop.serialization, 140.0 / 160);
    NEAR(pop.computation_scaling, 0.75);
    NEAR(pop.global, 0.75 * 140 / 180);
    /* Of step: 60 and 90 of 100; the ideal time of step is not known. */
    pop = efficiency_pop(result->efficiency, 1);
    NEAR(pop.load_balance, 75.0 / 90);
    NEAR(pop.communication, 0.9);
    NEAR(pop.transfer, -1);
    result_free(result);
}

static void repeated_nested_intervals(void **state)
{
    (void)state;
    /* Rank 0 runs inner twice inside outer, 10 + 20 us of 50, once outside, 5 us: another interval. Rank 1 takes no
     * part. */
    struct result *result = analyzed("ranks 2\n0 0.0 enter outer\n0 0.000010 enter inner\n0 0.000020 leave inner\n"
                                     "0 0.000020 enter inner\n0 0.000040 leave inner\n0 0.000050 leave outer\n"
                                     "0 0.000060 enter inner\n0 0.000065 leave inner\n"
                                     "1 0.0 0.000065 MPI_Comm_group comm=0\n");
    const struct efficiency_interval *inner = interval_of(result, "outer/inner");
    assert_int_equal(inner->execution_ps, 30 * US);
    assert_int_equal(inner->executions, 2);
    assert_int_equal(inner->level, 2);
    assert_int_equal(inner->processors, 1);
    assert_int_equal(interval_of(result, "outer")->execution_ps, 50 * US);
    assert_int_equal(interval_of(result, "inner")->execution_ps, 5 * US);
    assert_int_equal(interval_of(result, "run")->processors, 2);
    result_free(result);
}

static void sequential_regions(void **state)
{
    (void)state;
    /* Both repeat 40 us of sequential code, 30 computing and 10 in MPI; rank 0 then has 20 us more of MPI, rank 1
     * computes. Least MPI time: rank 1, so rank 0's part is lost: 30 user, 10 system, 20 communication. */
    struct result *result = analyzed(
        "ranks 2\n0 0.0 enter sequential_setup\n0 0.000030 0.000040 MPI_Comm_group comm=0\n"
        "0 0.000040 leave sequential_setup\n0 0.000040 0.000060 MPI_Comm_group comm=0\n"
        "1 0.0 enter sequential_setup\n1 0.000030 0.000040 MPI_Comm_group comm=0\n1 0.000040 leave sequential_setup\n"
        "1 0.000060 0.000060 MPI_Comm_group comm=0\n");
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_ranks(run, EFFICIENCY_INSUFFICIENT_USER, 30, 0);
    expect_ranks(run, EFFICIENCY_INSUFFICIENT_SYSTEM, 10, 0);
    expect_ranks(run, EFFICIENCY_COMMUNICATION, 20, 0);
    assert_int_equal(run->lost_ps, 60 * US);
    assert_int_equal(run->productive_ps, 60 * US); /* 30 + 30 + 20 CPU, less 30; 10 MPI */
    /* Inside the region both have 10 us of MPI: rank 1 is useful there, too, since it is in the run. */
    const struct efficiency_interval *setup = interval_of(result, "sequential_setup");
    assert_int_equal(setup->useful_rank, 1);
    expect_ranks(setup, EFFICIENCY_INSUFFICIENT_USER, 30, 0);
    expect_ranks(setup, EFFICIENCY_INSUFFICIENT_SYSTEM, 10, 0);
    result_free(result);
}

/* Requests of files have no numbers. Rank 0 waits for nothing from 0 to 3, for files from 20 to 29, 30 to 34 and in a
 * test from 40 to 42, and for a message from 50 to 57. */
static void waits_for_files_are_io(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 2\n0 0.0 0.000003 MPI_Wait req=-\n0 0.000010 0.000011 MPI_File_iwrite_at\n"
                                     "0 0.000020 0.000029 MPI_Wait req=-\n0 0.000030 0.000034 MPI_Waitall reqs=\n"
                                     "0 0.000040 0.000042 MPI_Test req=- flag=0\n"
                                     "0 0.000045 0.000045 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=0\n"
                                     "0 0.000050 0.000057 MPI_Wait req=0\n"
                                     "1 0.000050 0.000050 MPI_Send comm=0 peer=0 tag=1 bytes=8\n");
    expect_ranks(interval_of(result, "run"), EFFICIENCY_IO, 1 + 9 + 4 + 2, 0);
    expect_ranks(interval_of(result, "run"), EFFICIENCY_SEND_RECEIVE, 3 + 7, 0);
    result_free(result);
}

/* The same of a program whose MPI library refused the messages: #7 from 10 on, with 2 us of MPI, ends at 50; an end
 * without begin says nothing. Inside is 3 only, which leaving 7 leaves, too. */
static void marks_that_were_refused(void **state)
{
    (void)state;
    struct result *result =
        analyzed("ranks 1\n0 0.000010 enter %237(begin)\n0 0.000011 leave %237(begin)\n"
                 "0 0.000020 0.000022 MPI_Comm_group comm=0\n0 0.000030 enter %233(begin)\n"
                 "0 0.000030 leave %233(begin)\n0 0.000050 enter %237(end)\n0 0.000051 leave %237(end)\n"
                 "0 0.000060 enter %233(end)\n0 0.000060 leave %233(end)\n"
                 "0 0.000080 0.000080 MPI_Comm_group comm=0\n");
    assert_int_equal(result->efficiency->count, 3);
    assert_int_equal(interval_of(result, "#7")->execution_ps, 40 * US);
    assert_int_equal(interval_of(result, "#7")->value_ps[EFFICIENCY_MPI][0], 2 * US);
    assert_int_equal(interval_of(result, "#7/#3")->execution_ps, 20 * US);
    result_free(result);
}

static void marked_intervals(void **state)
{
    (void)state;
    /* 0xAA0007AA begins interval 7, 0xAA0007BB ends it; as 32-bit integers: 0xAA0007AA - 2^32 = -1442838614, and the
     * end is 17 more. The begin message belongs to the interval, the end message not: 10 to 50. */
    struct interval_mark mark;
    struct trace_call call = {.call = ID_Send, .peer = 3, .message.tag = (int32_t)0xAA0007AAu};
    assert_true(interval_mark(NULL, 3, &call, &mark));
    assert_int_equal(mark.number, 7);
    assert_true(mark.begins);
    assert_false(interval_mark(NULL, 2, &call, &mark));
    struct err err;
    struct intervals intervals = {.count = 0};
    struct locations locations;
    struct trace *trace = trace_of("ranks 1\n0 0.000010 0.000011 MPI_Send comm=0 peer=0 tag=1 bytes=0\n"
                                   "0 0.000020 0.000021 MPI_Recv comm=0 peer=0 tag=1 bytes=0\n"
                                   "0 0.000050 0.000051 MPI_Send comm=0 peer=0 tag=2 bytes=0\n"
                                   "0 0.000052 0.000053 MPI_Recv comm=0 peer=0 tag=2 bytes=0\n");
    trace->ranks[0].calls[0].message.tag = trace->ranks[0].calls[1].message.tag = (int32_t)0xAA0007AAu;
    trace->ranks[0].calls[2].message.tag = trace->ranks[0].calls[3].message.tag = (int32_t)0xAA0007BBu;
    assert_int_equal(locations_build(trace, &locations, &err), STATUS_OK);
    assert_int_equal(intervals_open(trace, &locations, INTERVALS_OF_REGIONS, &intervals, &err), STATUS_OK);
    assert_int_equal(intervals_go_on(&intervals, &err), STATUS_OK);
    assert_int_equal(intervals.count, 2);
    assert_int_equal(interval_at(&intervals, 0, 0), 1);
    assert_int_equal(interval_at(&intervals, 0, 1), 1);
    assert_int_equal(interval_at(&intervals, 0, 2), INTERVAL_ROOT);
    intervals_clear(&intervals);
    locations_clear(&locations);
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct result *result;
    options.intervals = true;
    assert_int_equal(model_analyze(trace, &options, &result, &err), STATUS_OK);
    assert_int_equal(interval_of(result, "#7")->execution_ps, 40 * US);
    assert_int_equal(interval_of(result, "#7")->value_ps[EFFICIENCY_SEND_RECEIVE][0], 2 * US);
    result_free(result);
    trace_free(trace);
}

static void overlap_and_start(void **state)
{
    (void)state;
    /* Rank 0's send is under way 10-60: it computes 12-40 of it, the receive of rank 1 20-80 with computing 23-30 and
     * 31-50. Starting took 2 and 3 us. Rank 1's second message, 30-80, adds nothing to the union. */
    struct result *result = analyzed("ranks 2\n0 0.0 0.0 MPI_Comm_group comm=0\n"
                                     "0 0.000010 0.000012 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=1\n"
                                     "0 0.000040 0.000060 MPI_Wait req=1\n"
                                     "0 0.000070 0.000075 MPI_Send comm=0 peer=1 tag=2 bytes=8\n"
                                     "1 0.0 0.0 MPI_Comm_group comm=0\n"
                                     "1 0.000020 0.000023 MPI_Irecv comm=0 peer=0 tag=1 bytes=8 req=1\n"
                                     "1 0.000030 0.000031 MPI_Irecv comm=0 peer=0 tag=2 bytes=8 req=2\n"
                                     "1 0.000050 0.000080 MPI_Waitall reqs=1,2\n");
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_ranks(run, EFFICIENCY_OVERLAP, 28, 7 + 19);
    expect_ranks(run, EFFICIENCY_START, 2, 3 + 1);
    result_free(result);
}

/* Two ranks, microseconds from 10, where the trace begins; e, n, s: barriers called in exchange, norm, solve, "-" one
 * call at no known place.
 *   rank 0: e 10-20, e 30-40, n 60-70, region step 80-110 with e 90-100, - 110-120, region solve 120-130 with s 125-130
 *   rank 1: e 12-20, e 25-40, n 65-70, region step 70-105 with e 95-100, - 105-106, region solve 110-130 with s 120-130
 * exchange is 10-40 and 12-40, with what is computed between its two barriers: 10 and 5. What is computed between
 * exchange and norm, 40-60 and 40-65, belongs to the run alone, and so do 70-80 and the call at no known place. solve
 * is the region, its call is not once more inside it. */
static const char *const functions =
    "ranks 2\n0 0.000010 0.000020 MPI_Barrier comm=0 site=exchange@a.c:10\n"
    "0 0.000030 0.000040 MPI_Barrier comm=0 site=exchange@a.c:12\n"
    "0 0.000060 0.000070 MPI_Barrier comm=0 site=norm@a.c:20\n"
    "0 0.000080 enter step\n0 0.000090 0.000100 MPI_Barrier comm=0 site=exchange@a.c:10\n0 0.000110 leave step\n"
    "0 0.000110 0.000120 MPI_Comm_group comm=0\n"
    "0 0.000120 enter solve\n0 0.000125 0.000130 MPI_Barrier comm=0 site=solve@a.c:30\n0 0.000130 leave solve\n"
    "1 0.000012 0.000020 MPI_Barrier comm=0 site=exchange@a.c:10\n"
    "1 0.000025 0.000040 MPI_Barrier comm=0 site=exchange@a.c:12\n"
    "1 0.000065 0.000070 MPI_Barrier comm=0 site=norm@a.c:20\n"
    "1 0.000070 enter step\n1 0.000095 0.000100 MPI_Barrier comm=0 site=exchange@a.c:10\n1 0.000105 leave step\n"
    "1 0.000105 0.000106 MPI_Comm_group comm=0\n"
    "1 0.000110 enter solve\n1 0.000120 0.000130 MPI_Barrier comm=0 site=solve@a.c:30\n1 0.000130 leave solve\n";

static void expect_interval(const struct result *result, const char *path, const int64_t time_us[2],
                            const int64_t cpu_us[2])
{
    const struct efficiency_interval *interval = interval_of(result, path);
    expect_ranks(interval, EFFICIENCY_TIME, time_us[0], time_us[1]);
    expect_ranks(interval, EFFICIENCY_CPU, cpu_us[0], cpu_us[1]);
}

static void callpaths(void **state)
{
    (void)state;
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.interval_source = INTERVALS_OF_CALLPATHS;
    struct result *result = analyzed_with(functions, options);
    assert_int_equal(result->efficiency->count, 6);
    expect_interval(result, "run", (int64_t[]){120, 120}, (int64_t[]){65, 76});
    expect_interval(result, "exchange", (int64_t[]){30, 28}, (int64_t[]){10, 5});
    expect_interval(result, "norm", (int64_t[]){10, 5}, (int64_t[]){0, 0});
    expect_interval(result, "step", (int64_t[]){30, 35}, (int64_t[]){20, 30});
    expect_interval(result, "step/exchange", (int64_t[]){10, 5}, (int64_t[]){0, 0});
    expect_interval(result, "solve", (int64_t[]){10, 20}, (int64_t[]){5, 10});
    /* MPI 20 and 23 us, with 15 of computing. Rank 1 has the least MPI time of the run, 44 of 55: its 23 are useful. Lost
     * 60 - 38 = rank 0's 20 and rank 1's 2 idle. */
    const struct efficiency_interval *exchange = interval_of(result, "exchange");
    assert_int_equal(exchange->total_ps, 60 * US);
    assert_int_equal(exchange->productive_ps, 38 * US);
    expect_ranks(exchange, EFFICIENCY_COMMUNICATION, 20, 0);
    expect_ranks(exchange, EFFICIENCY_IDLE, 0, 2);
    assert_int_equal(exchange->executions, 1);
    assert_int_equal(exchange->line, 10);
    assert_string_equal(exchange->file, "a.c");
    assert_int_equal(interval_of(result, "run")->line, 10);
    assert_int_equal(interval_of(result, "solve")->line, 30); /* entered at no known place: its first call */
    assert_int_equal(interval_of(result, "step/exchange")->level, 2);
    result_free(result);
    /* Unasked, calls stay in the regions. */
    result = analyzed(functions);
    assert_int_equal(result->efficiency->count, 3);
    expect_interval(result, "step", (int64_t[]){30, 35}, (int64_t[]){20, 30});
    result_free(result);
}

/* Intervals come in the order of their first entries; that a is entered again behind b changes nothing. The function of a
 * call site is an interval of its own in any region: sites and regions have numbers of their own. */
static void order_and_numbers(void **state)
{
    (void)state;
    static const char *const expected[] = {"run", "a", "a/f", "b", "b/f", "b/g", "g"};
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.interval_source = INTERVALS_OF_CALLPATHS;
    struct result *result = analyzed_with(
        "ranks 1\n0 0.0 enter a\n0 0.0 0.000001 MPI_Comm_group comm=0 site=f@x.c:1\n0 0.000001 leave a\n"
        "0 0.000001 enter b\n0 0.000001 0.000002 MPI_Comm_group comm=0 site=f@x.c:1\n"
        "0 0.000002 0.000003 MPI_Comm_group comm=0 site=g@x.c:2\n0 0.000003 leave b\n"
        "0 0.000003 enter a\n0 0.000003 0.000004 MPI_Comm_group comm=0 site=f@x.c:1\n0 0.000004 leave a\n"
        "0 0.000004 0.000005 MPI_Comm_group comm=0 site=g@x.c:2\n",
        options);
    assert_int_equal(result->efficiency->count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < result->efficiency->count; i++)
        assert_string_equal(result->efficiency->intervals[i].path, expected[i]);
    assert_int_equal(interval_of(result, "a")->executions, 2);
    result_free(result);
}

/* Microseconds. Rank 0 has two processors: threads 1 (5-80) and 2 (92-97) do not overlap. run: processor 0:0 lives 100
 * with MPI 20, primitives 2 + 30 + 2 + 8 = 42, CPU 38; 0:1 lives 75 + 5 = 80, all CPU; 1:0 100 with MPI 40, CPU 60.
 * Rank 0 has less MPI time, 20. Execution 100, total 300, productive 38 + 80 + 60 + 20 = 198; lost 102 = MPI 40 +
 * primitives 42 + idle 20. work: 0:0 58 with MPI 20, 0:1 40 + 5 in two executions; execution 58, total 116, productive
 * 38 + 45 + 20 = 103; lost 13, idle. */
static const char *const with_threads =
    "ranks 2\n0 0.0 0.000002 pthread_create child=1\n0 0.000002 enter work\n"
    "0 0.000040 0.000060 MPI_Barrier comm=0\n0 0.000060 leave work\n0 0.000060 0.000090 pthread_join child=1\n"
    "0 0.000090 0.000092 pthread_create child=2\n0 0.000092 0.000100 pthread_join child=2\n"
    "0 0.000005 0.000005 thread_begin thread=1\n0 0.000010 enter work thread=1\n0 0.000050 leave work thread=1\n"
    "0 0.000080 0.000080 thread_end thread=1\n0 0.000092 0.000092 thread_begin thread=2\n"
    "0 0.000092 enter work thread=2\n0 0.000097 leave work thread=2\n0 0.000097 0.000097 thread_end thread=2\n"
    "1 0.000020 0.000060 MPI_Barrier comm=0\n1 0.000100 0.000100 MPI_Comm_group comm=0\n";

static void expect_processors(const struct efficiency_interval *interval, enum characteristic characteristic,
                              const int64_t us[3])
{
    for (int p = 0; p < 3; p++)
        if (interval->value_ps[characteristic][p] != us[p] * US)
            fail_msg("%s of %s, processor %d: %lld ps, expected %lld us", characteristic_row(characteristic)->title,
                     interval->path, p, (long long)interval->value_ps[characteristic][p], (long long)us[p]);
}

static void threads_are_processors(void **state)
{
    (void)state;
    struct result *result = analyzed(with_threads);
    const struct efficiency *efficiency = result->efficiency;
    assert_int_equal(efficiency->processor_count, 3);
    assert_true(efficiency->several);
    assert_int_equal(efficiency->processors[1].rank, 0);
    assert_int_equal(efficiency->processors[1].index, 1);
    const struct efficiency_interval *run = interval_of(result, "run"), *work = interval_of(result, "work");
    expect_processors(run, EFFICIENCY_TIME, (int64_t[]){100, 80, 100});
    expect_processors(run, EFFICIENCY_MPI, (int64_t[]){20, 0, 40});
    expect_processors(run, EFFICIENCY_THREADS, (int64_t[]){42, 0, 0});
    expect_processors(run, EFFICIENCY_CPU, (int64_t[]){38, 80, 60});
    expect_processors(run, EFFICIENCY_COMMUNICATION, (int64_t[]){0, 0, 40});
    /* joins wait from 60 to 80 and from 92 to 97, rank 1's barrier from 20 to 40 */
    expect_processors(run, EFFICIENCY_REAL_SYNCHRONIZATION, (int64_t[]){25, 0, 20});
    expect_processors(run, EFFICIENCY_POTENTIAL_SYNCHRONIZATION, (int64_t[]){0, 0, 20});
    expect_processors(run, EFFICIENCY_IDLE, (int64_t[]){0, 20, 0});
    assert_int_equal(run->processors, 3);
    assert_int_equal(run->useful_rank, 0);
    assert_int_equal(run->productive_ps, 198 * US);
    assert_int_equal(run->lost_ps, 102 * US);
    expect_processors(work, EFFICIENCY_TIME, (int64_t[]){58, 45, 0});
    expect_processors(work, EFFICIENCY_MPI, (int64_t[]){20, 0, 0});
    assert_int_equal(work->processors, 2);
    assert_int_equal(work->executions, 2);
    assert_int_equal(work->productive_ps, 103 * US);
    assert_int_equal(work->lost_ps, 13 * US);
    result_free(result);
}

/* Thread 1 starts a send at 10 and computes from 12 on; thread 0, computing as well, waits for it from 30 to 36: 24 of
 * thread 1's computing have the message under way, none of thread 0's. */
static void overlap_is_of_the_thread_that_started(void **state)
{
    (void)state;
    struct result *result = analyzed(
        "ranks 2\n0 0.0 0.0 pthread_create child=1\n0 0.0 0.0 thread_begin thread=1\n"
        "0 0.000010 0.000012 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=1 thread=1\n"
        "0 0.000030 0.000036 MPI_Wait req=1\n0 0.000040 0.000040 thread_end thread=1\n"
        "0 0.000036 0.000040 pthread_join child=1\n1 0.000005 0.000035 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n");
    expect_processors(interval_of(result, "run"), EFFICIENCY_OVERLAP, (int64_t[]){0, 24, 0});
    result_free(result);
}

/* Rank 0's thread 0 joins from 60 to 96, thread 1 ends at 95: it waits 35. Rank 1 is in MPI for 40 us, of which it
 * waits 15 for the barrier's other call at 35; rank 0, in MPI for 25, counts as useful. So 40 of communication are the
 * largest loss, before 36 in primitives, and 15 is less than half of it, though with the threads' 35 it were more. */
static void waits_of_threads_are_no_communication(void **state)
{
    (void)state;
    struct result *result =
        analyzed("ranks 2\n0 0.0 0.0 pthread_create child=1\n0 0.000005 0.000005 thread_begin thread=1\n"
                 "0 0.000095 0.000095 thread_end thread=1\n0 0.000035 0.000060 MPI_Barrier comm=0\n"
                 "0 0.000060 0.000096 pthread_join child=1\n1 0.000020 0.000060 MPI_Barrier comm=0\n"
                 "1 0.000096 0.000096 MPI_Comm_group comm=0\n");
    const struct efficiency_interval *run = interval_of(result, "run");
    expect_processors(run, EFFICIENCY_COMMUNICATION, (int64_t[]){0, 0, 40});
    expect_processors(run, EFFICIENCY_THREADS, (int64_t[]){36, 0, 0});
    expect_processors(run, EFFICIENCY_REAL_SYNCHRONIZATION, (int64_t[]){35, 0, 15});
    expect_processors(run, EFFICIENCY_THREAD_SYNCHRONIZATION, (int64_t[]){35, 0, 0});
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    efficiency_print(result->efficiency, false, out);
    fclose(out);
    assert_non_null(strstr(text, "Look first at: Communication, mostly not synchronization"));
    free(text);
    result_free(result);
}

/* A site without a file, as of a function without debug information, is no place: the region has that of its next call. */
static void a_function_is_no_place(void **state)
{
    (void)state;
    struct trace *trace = trace_of("ranks 1\n0 0.0 enter a\n0 0.0 0.000001 MPI_Comm_group comm=0 site=f@x.c:1\n"
                                   "0 0.000001 0.000002 MPI_Comm_group comm=0 site=g@y.c:2\n0 0.000002 leave a\n");
    struct trace_site *site = &trace->definitions.sites[trace->ranks[0].calls[1].site];
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct result *result;
    struct err err;
    assert_string_equal(site->function, "f");
    free(site->file);
    site->file = NULL;
    options.intervals = true;
    assert_int_equal(model_analyze(trace, &options, &result, &err), STATUS_OK);
    assert_string_equal(interval_of(result, "a")->file, "y.c");
    assert_int_equal(interval_of(result, "a")->line, 2);
    result_free(result);
    trace_free(trace);
}

/* A thread has the first processor that is free when it begins, and one is free at the moment when its last thread ends. Thread 0
 * has the first one for itself; of two threads that begin at once the lower one chooses first. Thread 9 makes no call. */
static void threads_take_free_processors(void **state)
{
    static const uint32_t expected[] = {0, 1, 1, 2, 1, 1, 2, 1, 3, 0}, threads = sizeof expected / sizeof *expected;
    static const struct thread_life lives[] = {{2, 3, true},   {5, 80, true},  {80, 92, true}, {79, 95, true},
                                               {92, 96, true}, {96, 97, true}, {96, 99, true}, {97, 99, true},
                                               {98, 99, true}, {0, 0, false},  {0, 0, true}};
    uint32_t first[] = {0, threads, threads + 1};
    const struct locations locations = {first, threads + 1};
    struct processors processors;
    struct err err;
    (void)state;
    assert_int_equal(processors_build(2, &locations, lives, &processors, &err), STATUS_OK);
    assert_int_equal(processors.count, 5); /* four of rank 0 */
    assert_true(processors.several);
    for (uint32_t t = 0; t < threads; t++) {
        const struct processor *processor = &processors.items[processors.of[t]];
        if (processor->rank != 0 || processor->index != expected[t]) fail_msg("thread %u: %u", t, processor->index);
    }
    assert_int_equal(processors.items[processors.of[threads]].rank, 1);
    processors_clear(&processors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_of_a_step),
        cmocka_unit_test(losses_by_kind),
        cmocka_unit_test(potential_of_receives),
        cmocka_unit_test(the_first_of_equals_is_useful),
        cmocka_unit_test(waits_by_cause),
        cmocka_unit_test(equal_waits_are_in_order),
        cmocka_unit_test(the_largest_loss_comes_first),
        cmocka_unit_test(all_mpi_time_is_lost),
        cmocka_unit_test(sequential_mpi_time_is_lost_with_all),
        cmocka_unit_test(waits_of_senders_are_of_messages),
        cmocka_unit_test(example_of_the_thesis),
        cmocka_unit_test(files_are_io),
        cmocka_unit_test(real_losses_by_kind),
        cmocka_unit_test(waits_for_collectives),
        cmocka_unit_test(waits_for_operations),
        cmocka_unit_test(interval_of_the_run),
        cmocka_unit_test(metrics_of_pop),
        cmocka_unit_test(repeated_nested_intervals),
        cmocka_unit_test(sequential_regions),
        cmocka_unit_test(marked_intervals),
        cmocka_unit_test(marks_that_were_refused),
        cmocka_unit_test(waits_for_files_are_io),
        cmocka_unit_test(overlap_and_start),
        cmocka_unit_test(callpaths), cmocka_unit_test(order_and_numbers),
        cmocka_unit_test(threads_are_processors),
        cmocka_unit_test(a_function_is_no_place),
        cmocka_unit_test(threads_take_free_processors),
        cmocka_unit_test(overlap_is_of_the_thread_that_started),
        cmocka_unit_test(waits_of_threads_are_no_communication),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
