/* The computing of several recordings. Every expected time is worked out beside its rows. */
#include "trace_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/recordings.h"
#include "trace/steps.h"

enum { MS = 1000000000, ROWS_MAX = 4 }; /* ps */

static void read_all(const char *const *texts, size_t count, struct trace **traces)
{
    struct err err;
    for (size_t i = 0; i < count; i++) {
        traces[i] = trace_of(texts[i]);
        assert_int_equal(trace_use_computing(traces[i], COMPUTING_DEFAULT, &err), STATUS_OK);
    }
}

static void free_all(struct trace **traces, size_t count)
{
    for (size_t i = 0; i < count; i++) trace_free(traces[i]);
}

static void use_all(struct trace **traces, size_t count)
{
    struct err err;
    if (trace_use_recordings(traces, count, &err) != STATUS_OK) fail_msg("%s", err.text);
}

/* What a replay takes before a call, with the gap as it is in the text. */
static int64_t before_ps(const struct trace *trace, uint32_t rank, size_t call, int64_t gap_ps)
{
    return trace_compute_ps(&trace->ranks[rank], call, gap_ps);
}

#define BARRIERS(START, ENTER, AGAIN)                                                                                       \
    "rmacast-trace 1\nranks 2\n0 0.010 0.011 MPI_Barrier comm=0\n0 " ENTER " 0.050 MPI_Barrier comm=0\n"                   \
    "1 " START " 0.011 MPI_Barrier comm=0\n1 " AGAIN " 0.050 MPI_Barrier comm=0\n"

/* Rank 0 computes 20, 22 and 30 ms, rank 1 computes 4, 4 and 5 ms. */
static const char *const three[] = {BARRIERS("0.004", "0.031", "0.015"), BARRIERS("0.004", "0.033", "0.015"),
                                    BARRIERS("0.004", "0.041", "0.016")};

static void medians_of_gaps(void **state)
{
    (void)state;
    struct trace *traces[3];
    read_all(three, 3, traces);
    use_all(traces, 3);
    assert_int_equal(before_ps(traces[0], 0, 1, 20 * (int64_t)MS), 22 * (int64_t)MS);
    assert_int_equal(before_ps(traces[0], 1, 1, 4 * (int64_t)MS), 4 * (int64_t)MS);
    assert_int_equal(traces[0]->provenance.recordings, 3);
    free_all(traces, 3);
    read_all(three, 2, traces); /* of two: the mean, 21 */
    use_all(traces, 2);
    assert_int_equal(before_ps(traces[0], 0, 1, 20 * (int64_t)MS), 21 * (int64_t)MS);
    free_all(traces, 2);
    read_all(three, 1, traces); /* one alone stays as it is */
    use_all(traces, 1);
    assert_int_equal(before_ps(traces[0], 0, 1, 20 * (int64_t)MS), 20 * (int64_t)MS);
    assert_int_equal(traces[0]->provenance.recordings, 0);
    free_all(traces, 1);
}

/* Rank 0: mean 24, squares 16 + 4 + 36 = 56, variance 28. Rank 1: mean 13/3, squares 2/3, variance 1/3. Pooled 85/6. Two ranks of
 * three recordings have four degrees of freedom: t = 2.132. The median of three has pi/2 / 3 of the variance. */
static void error_of_recordings(void **state)
{
    (void)state;
    struct trace *traces[3];
    struct err err;
    double error_s;
    struct trace_spread spread = TRACE_SPREAD_NONE;
    read_all(three, 3, traces);
    use_all(traces, 3);
    for (uint32_t rank = 0; rank < traces[0]->rank_count; rank++) {
        assert_int_equal(trace_spread_add(&spread, traces[0], rank, 0, &err), STATUS_OK);
        trace_spread_end(&spread);
    }
    error_s = trace_spread_error(traces[0], &spread, false);
    assert_true(fabs(error_s - 2.132e-3 * sqrt(85.0 / 6) * sqrt(1 + 3.14159265358979 / 6)) < 1e-9);
    error_s = trace_spread_error(traces[0], &spread, true);
    assert_true(fabs(error_s - 3e-3 - 2.132e-3 * sqrt(85.0 / 6) * sqrt(1 + 3.14159265358979 / 6)) < 1e-9); /* starts: 6 ms */
    free_all(traces, 3);
}

static bool has_note(const struct trace *trace, const char *text)
{
    bool has = false;
    for (size_t i = 0; i < trace->provenance.note_count; i++) has = has || strstr(trace->provenance.notes[i], text);
    return has;
}

/* All computing: 24, 26, 35 ms. The third is 40 % above 25, the median of the others, which are 1 ms away from it. The first is
 * 21 % below 30.5, but the others are 4.5 ms away from that. */
static void odd_recordings(void **state)
{
    (void)state;
    struct trace *traces[3];
    read_all(three, 3, traces);
    free(traces[2]->name);
    traces[2]->name = strdup("third");
    use_all(traces, 3);
    assert_true(has_note(traces[0], "third computes 40.0 % longer than the median of the other recordings"));
    assert_false(has_note(traces[0], "t.txt computes"));
    assert_true(has_note(traces[0], "the median of 3 recordings"));
    free_all(traces, 3);
    read_all(three, 2, traces);
    use_all(traces, 2);
    assert_false(has_note(traces[0], "computes"));
    free_all(traces, 2);
}

#define LONG_RUN(END)                                                                                                       \
    "rmacast-trace 1\nranks 3\n0 0 1 MPI_Comm_group comm=0\n0 " END " " END " MPI_Comm_group comm=0\n"                     \
    "1 0 1 MPI_Comm_group comm=0\n1 " END " " END " MPI_Comm_group comm=0\n"                                               \
    "2 0 1 MPI_Comm_group comm=0\n2 " END " " END " MPI_Comm_group comm=0\n"

/* Three ranks compute for 40 days each, in the third recording for 48: the sums, 120 and 144 days, are more picoseconds than fit
 * into 63 bits. 144 is 20 % above 120. */
static void odd_long_recordings(void **state)
{
    (void)state;
    static const char *const texts[] = {LONG_RUN("3456001"), LONG_RUN("3456001"), LONG_RUN("4147201")};
    struct trace *traces[3];
    read_all(texts, 3, traces);
    use_all(traces, 3);
    assert_true(has_note(traces[0], "computes 20.0 % longer than the median of the other recordings"));
    free_all(traces, 3);
}

#define TESTED(ENTER, TESTS)                                                                                                \
    "rmacast-trace 1\nranks 2\n0 0 0 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=1\n" TESTS "0 " ENTER                        \
    " 0.050 MPI_Wait req=1\n1 0.002 0.003 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"

/* The gap of the first recording has a failed test: how often a program tests is no property of it. The second has none. */
static void failed_tests(void **state)
{
    (void)state;
    static const char *const texts[] = {TESTED("0.010", "0 0.001 0.002 MPI_Test req=1 flag=0\n"), TESTED("0.030", "")};
    struct trace *traces[2];
    read_all(texts, 2, traces);
    use_all(traces, 2);
    assert_int_equal(before_ps(traces[0], 0, 2, 8 * (int64_t)MS), 8 * (int64_t)MS);
    free_all(traces, 2);
    const char *const turned[] = {texts[1], texts[0], TESTED("0.034", "")};
    struct trace *further[3];
    read_all(turned, 3, further); /* of the two without tests: 30 and 34 */
    use_all(further, 3);
    assert_int_equal(before_ps(further[0], 0, 1, 30 * (int64_t)MS), 32 * (int64_t)MS);
    free_all(further, 3);
}

/* 20 ms of which 15 are sleep; the other run has 40: the median of 30 has three quarters of sleep, too. */
static void sleep_keeps_its_share(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "rmacast-trace 1\nranks 1\n0 0 0.001 MPI_Barrier comm=0\n0 0.021 0.022 MPI_Barrier comm=0 slept=0.015\n",
        "rmacast-trace 1\nranks 1\n0 0 0.001 MPI_Barrier comm=0\n0 0.041 0.042 MPI_Barrier comm=0 slept=0.015\n"};
    struct trace *traces[2];
    read_all(texts, 2, traces);
    use_all(traces, 2);
    assert_int_equal(before_ps(traces[0], 0, 1, 0), 30 * (int64_t)MS);
    assert_true(llabs(trace_slept_ps(&traces[0]->ranks[0], 1, 30 * (int64_t)MS) - 22 * (int64_t)MS - MS / 2) <= 1);
    free_all(traces, 2);
}

/* Threads are compared one by one: in the second run the other thread's call is between. */
static void threads_apart(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "rmacast-trace 1\nranks 1\n0 0 0.001 MPI_Comm_group comm=0\n0 0.002 0.002 thread_begin thread=1\n"
        "0 0.005 0.006 MPI_Comm_group comm=0\n0 0.012 0.012 thread_end thread=1\n",
        "rmacast-trace 1\nranks 1\n0 0 0.001 MPI_Comm_group comm=0\n0 0.002 0.002 thread_begin thread=1\n"
        "0 0.008 0.008 thread_end thread=1\n0 0.009 0.010 MPI_Comm_group comm=0\n"};
    struct trace *traces[2];
    read_all(texts, 2, traces);
    use_all(traces, 2);
    assert_int_equal(before_ps(traces[0], 0, 2, 4 * (int64_t)MS), 6 * (int64_t)MS);   /* thread 0: 4 and 8 */
    assert_int_equal(before_ps(traces[0], 0, 3, 10 * (int64_t)MS), 8 * (int64_t)MS); /* thread 1: 10 and 6 */
    free_all(traces, 2);
}

#define SENDS(CALLS) "rmacast-trace 1\nranks 2\n" CALLS "1 0 0.001 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n"

static void other_programs(void **state)
{
    (void)state;
    static const char own[] = SENDS("0 0 0.001 MPI_Send comm=0 peer=1 tag=0 bytes=8\n");
    static const struct {
        const char *text, *error;
    } rows[ROWS_MAX] = {
        {"rmacast-trace 1\nranks 1\n0 0 0.001 MPI_Barrier comm=0\n",
         "t.txt: 1 rank, t.txt has 2: they are not recordings of one program with one input"},
        {"rmacast-trace 1\nranks 2\n0 0 0.001 MPI_Ssend comm=0 peer=1 tag=0 bytes=8\n1 0 0.001 MPI_Recv comm=0 peer=0 tag=0 "
         "bytes=8\n",
         "t.txt:rank 0, event 1 (MPI_Ssend): MPI_Ssend, where t.txt has MPI_Send: expected recordings of one program with one "
         "input, or one alone"},
        {"rmacast-trace 1\nranks 2\n0 0 0.001 MPI_Send comm=0 peer=1 tag=0 bytes=16\n1 0 0.001 MPI_Recv comm=0 peer=0 tag=0 "
         "bytes=16\n",
         "t.txt:rank 0, event 1 (MPI_Send): MPI_Send, where t.txt has MPI_Send of other size or partner: expected recordings of "
         "one program with one input, or one alone"},
        {"rmacast-trace 1\nranks 2\n",
         "t.txt:rank 0: no further call, where t.txt has MPI_Send: expected recordings of one program with one input, or one "
         "alone"},
    };
    for (size_t i = 0; i < ROWS_MAX; i++) {
        const char *const texts[] = {own, rows[i].text};
        struct trace *traces[2];
        struct err err;
        read_all(texts, 2, traces);
        assert_int_equal(trace_use_recordings(traces, 2, &err), STATUS_DATA);
        assert_string_equal(err.text, rows[i].error);
        free_all(traces, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_of_gaps), cmocka_unit_test(error_of_recordings),   cmocka_unit_test(odd_recordings),
        cmocka_unit_test(failed_tests),    cmocka_unit_test(sleep_keeps_its_share), cmocka_unit_test(threads_apart),
        cmocka_unit_test(other_programs),  cmocka_unit_test(odd_long_recordings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
