/* Wait states of point-to-point messages on hand-made times: order, non-blocking completion, close send and receive. */
#include "model_test.h"

#include <string.h>

#include "model/result/result.h"

static struct result *analyzed(const char *text, const struct analyze_options *options)
{
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    if (model_analyze(trace, options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return result;
}

static void expect(const char *text, enum pattern pattern, uint32_t rank, int64_t us, uint64_t count)
{
    struct totals totals = account_of(text, NULL);
    assert_int_equal(totals.severity_ps[pattern][rank], us * US);
    assert_int_equal(totals.count[pattern][rank], count);
    assert_int_equal(totals_severity_ps(&totals, pattern), us * US);
    totals_clear(&totals);
}

#define SEND_TWO(mode, bytes)                                                                                          \
    "ranks 2\n0 0.000010 0.000011 " mode " comm=0 peer=1 tag=1 bytes=" bytes "\n"                                      \
    "0 0.000020 0.000021 " mode " comm=0 peer=1 tag=2 bytes=" bytes "\n"
#define RECEIVE(time, exit, tag) "1 " time " " exit " MPI_Recv comm=0 peer=0 tag=" tag " bytes=8\n"

static void wrong_order(void **state)
{
    (void)state;
    /* Tag 2 is sent second, at 20, and received first, from 5 on: 15 us of waiting. */
    const char *waits =
        SEND_TWO("MPI_Send", "8") RECEIVE("0.000005", "0.000022", "2") RECEIVE("0.000023", "0.000024", "1");
    expect(waits, PATTERN_WRONG_ORDER, 1, 15, 1);
    expect(waits, PATTERN_LATE_SENDER, 1, 15, 1);
    /* Both have been sent before: nobody waits, but the message of tag 1 lies in a buffer. */
    expect(SEND_TWO("MPI_Bsend", "100000") RECEIVE("0.000030", "0.000031", "2") RECEIVE("0.000032", "0.000033", "1"),
           PATTERN_WRONG_ORDER, 1, 0, 1);
    expect(SEND_TWO("MPI_Send", "8") RECEIVE("0.000030", "0.000031", "1") RECEIVE("0.000032", "0.000033", "2"),
           PATTERN_WRONG_ORDER, 1, 0, 0);
}

static void wrong_order_needs_eager_modes(void **state)
{
    (void)state;
    /* Above the eager limit, synchronous and ready sends cannot be received out of order. */
    const char *receives = RECEIVE("0.000030", "0.000031", "2") RECEIVE("0.000032", "0.000033", "1");
    const char *const sends[] = {SEND_TWO("MPI_Send", "65537"), SEND_TWO("MPI_Ssend", "8"), SEND_TWO("MPI_Rsend", "8")};
    for (size_t i = 0; i < sizeof sends / sizeof *sends; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", sends[i], receives);
        expect(text, PATTERN_WRONG_ORDER, 1, 0, 0);
    }
}

static void wrong_order_of_each_pair(void **state)
{
    (void)state;
    /* Rank 2 receives from 1 before from 0: two pairs, each in order. */
    expect("ranks 3\n0 0.000010 0.000011 MPI_Send comm=0 peer=2 tag=1 bytes=8\n"
           "1 0.000020 0.000021 MPI_Send comm=0 peer=2 tag=1 bytes=8\n"
           "2 0.000030 0.000031 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n"
           "2 0.000032 0.000033 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n",
           PATTERN_WRONG_ORDER, 2, 0, 0);
}

#define ISEND "0 0.000010 0.000012 MPI_Isend comm=0 peer=1 tag=1 bytes=1000000 req=1\n"
#define IRECV "1 0.000030 0.000033 MPI_Irecv comm=0 peer=0 tag=1 bytes=1000000 req=1\n"

static void completions(void **state)
{
    (void)state;
    /* The sender waits 20-140, the receiver 40-145. */
    const char *text =
        "ranks 2\n" ISEND "0 0.000020 0.000140 MPI_Wait req=1\n" IRECV "1 0.000040 0.000145 MPI_Wait req=1\n";
    expect(text, PATTERN_WAIT_IN_SENDER_COMPLETION, 0, 120, 1);
    expect(text, PATTERN_WAIT_IN_RECEIVER_COMPLETION, 1, 105, 1);
    /* The library holds the data of a buffered send. */
    expect("ranks 2\n0 0.000010 0.000012 MPI_Ibsend comm=0 peer=1 tag=1 bytes=1000000 req=1\n"
           "0 0.000020 0.000140 MPI_Wait req=1\n" IRECV "1 0.000040 0.000145 MPI_Wait req=1\n",
           PATTERN_WAIT_IN_SENDER_COMPLETION, 0, 0, 0);
}

static void completion_of_several(void **state)
{
    (void)state;
    /* Rank 0's waitall 30-100 ends a send, whose receive begins at 50, and a receive, whose send begins at 80: it waits
     * once, for the receive. */
    const char *text = "ranks 2\n0 0.000010 0.000011 MPI_Isend comm=0 peer=1 tag=1 bytes=8 req=1\n"
                       "0 0.000020 0.000021 MPI_Irecv comm=0 peer=1 tag=2 bytes=8 req=2\n"
                       "0 0.000030 0.000100 MPI_Waitall reqs=1,2\n"
                       "1 0.000050 0.000060 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
                       "1 0.000080 0.000081 MPI_Send comm=0 peer=0 tag=2 bytes=8\n";
    expect(text, PATTERN_WAIT_IN_RECEIVER_COMPLETION, 0, 70, 1);
    expect(text, PATTERN_WAIT_IN_SENDER_COMPLETION, 0, 0, 0);
}

/* The trace lists what a call completed. Waitany 30-70 ended the receive, whose send begins at 60; the send is still
 * under way and ends in Waitsome 75-90 together with nothing else. */
static void waitany_and_waitsome(void **state)
{
    (void)state;
    const char *text = "ranks 2\n0 0.000010 0.000011 MPI_Isend comm=0 peer=1 tag=1 bytes=1000000 req=1\n"
                       "0 0.000020 0.000021 MPI_Irecv comm=0 peer=1 tag=2 bytes=8 req=2\n"
                       "0 0.000030 0.000070 MPI_Waitany reqs=2\n"
                       "0 0.000075 0.000090 MPI_Waitsome reqs=1\n"
                       "1 0.000060 0.000061 MPI_Send comm=0 peer=0 tag=2 bytes=8\n"
                       "1 0.000065 0.000095 MPI_Recv comm=0 peer=0 tag=1 bytes=1000000\n";
    expect(text, PATTERN_WAIT_IN_RECEIVER_COMPLETION, 0, 40, 1);
    expect(text, PATTERN_WAIT_IN_SENDER_COMPLETION, 0, 15, 1);
}

static void expect_advice(const struct result *result, enum pattern pattern, const char *words)
{
    assert_true(result->patterns[pattern].place_count > 0);
    const char *advice = result->patterns[pattern].places[0].advice;
    assert_non_null(advice);
    if (!strstr(advice, words)) fail_msg("\"%s\" does not hold \"%s\"", advice, words);
}

static void advised_distance(void **state)
{
    (void)state;
    const char *text =
        "ranks 2\n" ISEND "0 0.000020 0.000140 MPI_Wait req=1\n" IRECV "1 0.000040 0.000145 MPI_Wait req=1\n";
    /* As the trace shows it: sender's wait ends 130 us after its send, receiver's 115 us after its receive. */
    struct result *result = analyzed(text, NULL);
    expect_advice(result, PATTERN_WAIT_IN_SENDER_COMPLETION, "130 us behind");
    expect_advice(result, PATTERN_WAIT_IN_SENDER_COMPLETION, "(now 10 us)");
    expect_advice(result, PATTERN_WAIT_IN_SENDER_COMPLETION, "MPI_Irecv of rank 1");
    expect_advice(result, PATTERN_WAIT_IN_RECEIVER_COMPLETION, "115 us behind");
    result_free(result);
    /* A network of 10 us and 10 GB/s: T = 110 us. Sender: the receive begins 20 us later, dT = 2: 132. Receiver: the
     * send was first, dT = 3: 113. */
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.network_known = true;
    options.latency_s = 10e-6;
    options.bandwidth_Bps = 1e10;
    result = analyzed(text, &options);
    expect_advice(result, PATTERN_WAIT_IN_SENDER_COMPLETION, "132 us behind");
    expect_advice(result, PATTERN_WAIT_IN_RECEIVER_COMPLETION, "113 us behind");
    result_free(result);
}

/* The same messages. The receive begins 20 us behind the send: it is of use up to 20 us earlier, not the 120 of the
 * wait. The send began before the receive, and a rendezvous begins with the later of both: an earlier send helps
 * nobody. */
static void advice_that_cannot_help_is_left_out(void **state)
{
    (void)state;
    const char *text =
        "ranks 2\n" ISEND "0 0.000020 0.000140 MPI_Wait req=1\n" IRECV "1 0.000040 0.000145 MPI_Wait req=1\n";
    struct result *result = analyzed(text, NULL);
    expect_advice(result, PATTERN_WAIT_IN_SENDER_COMPLETION,
                  ", or MPI_Irecv of rank 1 up to 20 us earlier");
    assert_string_equal(
        result->patterns[PATTERN_WAIT_IN_RECEIVER_COMPLETION].places[0].advice,
        "move MPI_Wait up to 105 us later: to 115 us behind the call that starts the receive (now 10 us)");
    result_free(result);
    /* 1 us and 1 TB/s: T = 2 us, the receiver's D = 3 + 2: its wait, 10 behind the receive, is far enough away. The
     * sender's D = 20 + 2 + 2 is more than its 10. */
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.network_known = true;
    options.latency_s = 1e-6;
    options.bandwidth_Bps = 1e12;
    result = analyzed(text, &options);
    assert_null(result->patterns[PATTERN_WAIT_IN_RECEIVER_COMPLETION].places[0].advice);
    expect_advice(result, PATTERN_WAIT_IN_SENDER_COMPLETION, "to 24 us behind");
    result_free(result);
    /* Eager: the send's data leave whatever the receive does; sent earlier they are there earlier. */
    options = (struct analyze_options)ANALYZE_DEFAULTS;
    options.eager_bytes = 1000000;
    result = analyzed(text, &options);
    assert_null(strstr(result->patterns[PATTERN_WAIT_IN_SENDER_COMPLETION].places[0].advice, "MPI_Irecv"));
    expect_advice(result, PATTERN_WAIT_IN_RECEIVER_COMPLETION, "MPI_Isend of rank 0 up to 105 us earlier");
    result_free(result);
}

#define PING "ranks 2\n0 0.000010 0.000020 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
#define PONG                                                                                                           \
    "1 0.000010 0.000020 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n1 0.000021 0.000022 MPI_Send comm=0 peer=0 tag=2 "      \
    "bytes=8\n"

static void close_send_receive(void **state)
{
    (void)state;
    /* The limit is 10 us: 9 us are close, 10 are not; another MPI call or another partner between is not close. */
    expect(PING "0 0.000029 0.000030 MPI_Recv comm=0 peer=1 tag=2 bytes=8\n" PONG, PATTERN_CLOSE_SEND_RECEIVE, 0, 0, 1);
    expect(PING "0 0.000030 0.000031 MPI_Recv comm=0 peer=1 tag=2 bytes=8\n" PONG, PATTERN_CLOSE_SEND_RECEIVE, 0, 0, 0);
    expect(PING "0 0.000020 0.000021 MPI_Comm_group comm=0\n"
                "0 0.000021 0.000031 MPI_Recv comm=0 peer=1 tag=2 bytes=8\n" PONG,
           PATTERN_CLOSE_SEND_RECEIVE, 0, 0, 0);
    expect(
        PING
        "0 0.000020 enter main\n0 0.000021 0.000031 MPI_Recv comm=0 peer=1 tag=2 bytes=8\n0 0.000040 leave main\n" PONG,
        PATTERN_CLOSE_SEND_RECEIVE, 0, 0, 1);
    struct result *result = analyzed(PING "0 0.000029 0.000030 MPI_Recv comm=0 peer=1 tag=2 bytes=8\n" PONG, NULL);
    expect_advice(result, PATTERN_CLOSE_SEND_RECEIVE, "replace MPI_Send and MPI_Recv by one MPI_Sendrecv");
    result_free(result);
}

#define RING(rank, to, from)                                                                                           \
#rank " 0.000010 0.000020 MPI_Send comm=0 peer=" #to " tag=1 bytes=8\n" #rank                                      \
          " 0.000021 0.000030 MPI_Recv comm=0 peer=" #from " tag=1 bytes=8\n"

/* Each sends to the next and receives from the one before: MPI_Sendrecv does both at once. Two places on and two back
 * is a ring, too. Where rank 0 sends to 1 and receives from 2 of 4, the others likewise, it is none. Nor is it one between two
 * groups, 0 and the others: their ranks go round in none. */
static void close_send_receive_in_a_ring(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t count;
    } rows[] = {{"ranks 4\n" RING(0, 1, 3) RING(1, 2, 0) RING(2, 3, 1) RING(3, 0, 2), 4},
                {"ranks 5\n" RING(0, 2, 3) RING(1, 3, 4) RING(2, 4, 0) RING(3, 0, 1) RING(4, 1, 2), 5},
                {"ranks 4\n" RING(0, 1, 2) RING(1, 3, 0) RING(3, 2, 1) RING(2, 0, 3), 0},
                {"ranks 4\ncomm 1 ranks=0,1,2,3 between=1\n"
                 "0 0.000010 0.000020 MPI_Send comm=1 peer=1 tag=1 bytes=8\n"
                 "0 0.000021 0.000030 MPI_Recv comm=1 peer=3 tag=1 bytes=8\n"
                 "1 0.000010 0.000020 MPI_Recv comm=1 peer=0 tag=1 bytes=8\n"
                 "3 0.000010 0.000020 MPI_Send comm=1 peer=0 tag=1 bytes=8\n",
                 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct totals totals = account_of(rows[i].text, NULL);
        assert_int_equal(totals_count(&totals, PATTERN_CLOSE_SEND_RECEIVE), rows[i].count);
        totals_clear(&totals);
    }
}

static bool has_note(const struct result *result, const char *words)
{
    for (size_t i = 0; i < result->note_count; i++)
        if (strstr(result->notes[i], words)) return true;
    return false;
}

static void ready_send_before_its_receive(void **state)
{
    (void)state;
    const char *send = "ranks 2\n0 0.000010 0.000011 MPI_Rsend comm=0 peer=1 tag=1 bytes=8\n";
    char text[256];
    snprintf(text, sizeof text, "%s%s", send, "1 0.000011 0.000012 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n");
    struct result *result = analyzed(text, NULL);
    assert_true(has_note(result, "rank 0, event 1 (MPI_Rsend): error in the program"));
    assert_true(has_note(result, "rank 1, event 1 (MPI_Recv)"));
    result_free(result);
    snprintf(text, sizeof text, "%s%s", send, "1 0.000010 0.000012 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n");
    result = analyzed(text, NULL);
    assert_false(has_note(result, "error in the program"));
    result_free(result);
}

#define SENT_AT_50 "ranks 2\n0 0.000050 0.000051 MPI_Send comm=0 peer=1 tag=7 bytes=8\n"
#define RECEIVED   "1 0.000060 0.000061 MPI_Recv comm=0 peer=0 tag=7 bytes=8\n"
#define MATCHED    "1 0.000060 0.000061 MPI_Mrecv comm=0 peer=0 tag=7 bytes=8\n"

/* The wait for a late sender sits in the probe. */
static void probe(void **state)
{
    (void)state;
    expect(SENT_AT_50 "1 0.000010 0.000052 MPI_Probe comm=0 peer=0 tag=7\n" RECEIVED, PATTERN_LATE_SENDER, 1, 40, 1);
    expect(SENT_AT_50 "1 0.000010 0.000052 MPI_Mprobe comm=0 peer=0 tag=7\n" MATCHED, PATTERN_LATE_SENDER, 1, 40, 1);
    /* Probes of a message that is there do not wait: at 50, the moment of the send, and a second time. */
    expect(SENT_AT_50 "1 0.000050 0.000052 MPI_Probe comm=0 peer=0 tag=7\n"
                      "1 0.000053 0.000054 MPI_Probe comm=0 peer=0 tag=7\n" RECEIVED,
           PATTERN_LATE_SENDER, 1, 0, 0);
    /* A non-blocking receive after it; the second message, sent at 90, is another one's. */
    expect(SENT_AT_50 "0 0.000090 0.000091 MPI_Send comm=0 peer=1 tag=7 bytes=8\n"
                      "1 0.000010 0.000052 MPI_Probe comm=0 peer=0 tag=7\n"
                      "1 0.000060 0.000061 MPI_Irecv comm=0 peer=0 tag=7 bytes=8 req=1\n"
                      "1 0.000062 0.000062 MPI_Wait req=1\n"
                      "1 0.000070 0.000092 MPI_Probe comm=0 peer=0 tag=7\n"
                      "1 0.000093 0.000094 MPI_Recv comm=0 peer=0 tag=7 bytes=8\n",
           PATTERN_LATE_SENDER, 1, 60, 2);
    /* Of two matched probes in a row the second one takes the second message: 40 and 60 - 53. */
    expect(SENT_AT_50 "0 0.000060 0.000061 MPI_Send comm=0 peer=1 tag=7 bytes=8\n"
                      "1 0.000010 0.000052 MPI_Mprobe comm=0 peer=0 tag=7\n"
                      "1 0.000053 0.000062 MPI_Mprobe comm=0 peer=0 tag=7\n"
                      "1 0.000063 0.000064 MPI_Mrecv comm=0 peer=0 tag=7 bytes=8\n"
                      "1 0.000065 0.000066 MPI_Mrecv comm=0 peer=0 tag=7 bytes=8\n",
           PATTERN_LATE_SENDER, 1, 47, 2);
    /* A receive behind a matched probe gets the second message, sent at 80 (25 later), not the first: 40 + 25. */
    expect(SENT_AT_50 "0 0.000080 0.000081 MPI_Send comm=0 peer=1 tag=7 bytes=8\n"
                      "1 0.000010 0.000052 MPI_Mprobe comm=0 peer=0 tag=7\n"
                      "1 0.000055 0.000082 MPI_Recv comm=0 peer=0 tag=7 bytes=8\n"
                      "1 0.000085 0.000086 MPI_Mrecv comm=0 peer=0 tag=7 bytes=8\n",
           PATTERN_LATE_SENDER, 1, 65, 2);
    expect(SENT_AT_50 "0 0.000080 0.000081 MPI_Send comm=0 peer=1 tag=7 bytes=8\n"
                      "1 0.000051 0.000052 MPI_Improbe comm=0 peer=0 tag=7 flag=1\n"
                      "1 0.000055 0.000082 MPI_Recv comm=0 peer=0 tag=7 bytes=8\n"
                      "1 0.000085 0.000086 MPI_Mrecv comm=0 peer=0 tag=7 bytes=8\n",
           PATTERN_LATE_SENDER, 1, 25, 1);
    /* Another tag, a message that is never received, a probe that found nothing. */
    expect(SENT_AT_50 "1 0.000010 0.000052 MPI_Probe comm=0 peer=0 tag=8\n" RECEIVED, PATTERN_LATE_SENDER, 1, 0, 0);
    expect(SENT_AT_50 "1 0.000010 0.000052 MPI_Probe comm=0 peer=0 tag=7\n", PATTERN_LATE_SENDER, 1, 0, 0);
    expect(SENT_AT_50 "1 0.000010 0.000012 MPI_Iprobe comm=0 peer=0 tag=7 flag=0\n" RECEIVED, PATTERN_LATE_SENDER, 1, 0,
           0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_order),
        cmocka_unit_test(wrong_order_needs_eager_modes),
        cmocka_unit_test(wrong_order_of_each_pair),
        cmocka_unit_test(completions),
        cmocka_unit_test(completion_of_several),
        cmocka_unit_test(waitany_and_waitsome),
        cmocka_unit_test(advised_distance),
        cmocka_unit_test(advice_that_cannot_help_is_left_out),
        cmocka_unit_test(close_send_receive),
        cmocka_unit_test(close_send_receive_in_a_ring),
        cmocka_unit_test(ready_send_before_its_receive),
        cmocka_unit_test(probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
