/* What is advised for a wait, on hand-made times: by how much the other side's call is of use earlier, the call that
 * waits later, and what is left out because following it cannot help. */
#include "model_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/result/result.h"
#include "model/result/result_csv.h"

static struct result *analyzed(const char *text, const struct analyze_options *options)
{
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    if (model_analyze(trace, options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return result;
}

/* NULL: none. */
static void expect(const char *text, const struct analyze_options *options, enum pattern pattern, const char *advice,
                   const char *rows)
{
    struct result *result = analyzed(text, options);
    assert_true(result->patterns[pattern].place_count > 0);
    const struct result_place *place = &result->patterns[pattern].places[0];
    if (advice ? !place->advice || strcmp(place->advice, advice) != 0 : place->advice != NULL)
        fail_msg("\"%s\", expected \"%s\"", place->advice ? place->advice : "nothing", advice ? advice : "nothing");
    if (rows)
        assert_string_equal(place->rows, rows);
    else
        assert_null(place->rows);
    result_free(result);
}

#define BARRIER(rank, enter) #rank " 0.0000" enter " 0.000068 MPI_Barrier comm=0\n"

/* Rank 0 waits from 20 to 60 for rank 2. Without rank 2 it would wait for rank 1. */
static void the_last_but_one(void **state)
{
    (void)state;
    const char *const balance = "let MPI_Barrier of rank 2 come up to %s us earlier: balance the work before it, "
                                "or leave the barrier out if no data depend on it";
    char advice[200];
    snprintf(advice, sizeof advice, balance, "10");
    expect("ranks 3\n" BARRIER(0, "20") BARRIER(1, "50") BARRIER(2, "60"), NULL, PATTERN_WAIT_AT_BARRIER, advice, NULL);
    snprintf(advice, sizeof advice, balance, "40");
    expect("ranks 3\n" BARRIER(0, "20") BARRIER(1, "15") BARRIER(2, "60"), NULL, PATTERN_WAIT_AT_BARRIER,
           "let MPI_Barrier of rank 2 come up to 40 us earlier: balance the work before it, "
           "or leave the barrier out if no data depend on it",
           NULL);
    /* Two come last: neither alone is waited for. */
    expect("ranks 3\n" BARRIER(0, "20") BARRIER(1, "60") BARRIER(2, "60"), NULL, PATTERN_WAIT_AT_BARRIER,
           "leave the barrier out if no data depend on it", NULL);
}

#define SCAN(rank, enter) #rank " 0.0000" enter " 0.000068 MPI_Scan comm=0 bytes=8 op=SUM\n"

/* Rank 2 waits from 10 to 50 for rank 1, and would until 30 for rank 0; rank 3 is none of those before it. */
static void a_scan_needs_those_before(void **state)
{
    (void)state;
    expect("ranks 4\n" SCAN(0, "30") SCAN(1, "50") SCAN(2, "10") SCAN(3, "65"), NULL, PATTERN_EARLY_SCAN,
           "move MPI_Scan of rank 1 up to 20 us earlier", NULL);
}

#define EXPOSED "window 0 comm=0\n1 0.000000 0.000005 MPI_Win_post win=0 group="
#define ORIGIN(rank, complete)                                                                                         \
#rank " 0.000006 0.000007 MPI_Win_start win=0 group=1\n" #rank                                                     \
          " 0.000008 0.000009 MPI_Put win=0 target=1 bytes=1000\n" #rank " 0.0000" complete                            \
          " 0.000062 MPI_Win_complete win=0\n"
#define WAIT "1 0.000020 0.000070 MPI_Win_wait win=0\n"

/* A line of places.csv ends with that. */
static void expect_csv(const struct result *result, const char *end)
{
    char *table = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&table, &bytes);
    csv_write_places(result, out);
    fclose(out);
    if (!strstr(table, end)) fail_msg("\"%s\" has no line that ends with \"%s\"", table, end);
    free(table);
}

/* Rank 1 waits from 20 until 70 for the complete of rank 0 at 60. As the trace shows it, the wait ends 70 behind the
 * post. */
static void early_wait(void **state)
{
    (void)state;
    struct analyze_options options = ANALYZE_DEFAULTS;
    const char *one = "ranks 2\n" EXPOSED "0\n" WAIT ORIGIN(0, "60");
    expect(
        one, NULL, PATTERN_EARLY_WAIT,
        "move MPI_Win_wait up to 50 us later: to 70 us behind MPI_Win_post (now 20 us), with computing between them, "
        "or MPI_Win_complete of rank 0 up to 40 us earlier",
        "platform,platform+wait-late,platform+complete-early");
    /* Complete begins 60 behind the post, dT = 5, T = 2 us + 1000 B / 1 GB/s = 3: D = 68. */
    options.network_known = true;
    options.latency_s = 2e-6;
    options.bandwidth_Bps = 1e9;
    struct result *result = analyzed(one, &options);
    const struct result_moves *moves = &result->patterns[PATTERN_EARLY_WAIT].places[0].moves;
    assert_float_equal((float)(moves->advised_s * 1e6), 68.0f, 1e-3f);
    assert_float_equal((float)(moves->distance_s * 1e6), 20.0f, 1e-3f);
    assert_float_equal((float)(moves->own_later_s * 1e6), 48.0f, 1e-3f);
    assert_float_equal((float)(moves->other_earlier_s * 1e6), 40.0f, 1e-3f);
    expect_csv(result, ",4e-05,4.8e-05,2e-05,6.8e-05\n");
    result_free(result);
    /* Without a network: nobody knows a distance for a receive that waits for a send, which is of use 20 earlier. */
    options = (struct analyze_options)ANALYZE_DEFAULTS;
    result = analyzed("ranks 2\n0 0.000030 0.000031 MPI_Send comm=0 peer=1 tag=0 bytes=8\n"
                      "1 0.000010 0.000040 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n",
                      &options);
    expect_csv(result, ",2e-05,2e-05,,\n");
    result_free(result);
    /* Rank 2 completes at 50: rank 0's is of use 10 earlier. Both at 60: neither alone. */
    expect(
        "ranks 3\n" EXPOSED "0,2\n" WAIT ORIGIN(0, "60") ORIGIN(2, "50"), NULL, PATTERN_EARLY_WAIT,
        "move MPI_Win_wait up to 50 us later: to 70 us behind MPI_Win_post (now 20 us), with computing between them, "
        "or MPI_Win_complete of rank 0 up to 10 us earlier",
        "platform,platform+wait-late,platform+complete-early");
    const char *both = "ranks 3\n" EXPOSED "0,2\n" WAIT ORIGIN(0, "60") ORIGIN(2, "60");
    expect(both, NULL, PATTERN_EARLY_WAIT,
           "move MPI_Win_wait up to 50 us later: to 70 us behind MPI_Win_post (now 20 us), with computing between them",
           "platform,platform+wait-late");
    expect(both, NULL, PATTERN_LATE_COMPLETE, NULL, NULL);
    /* A row of tests is the program's. */
    expect("ranks 2\n" EXPOSED "0\n1 0.000020 0.000070 MPI_Win_test win=0 flag=1\n" ORIGIN(0, "60"), NULL,
           PATTERN_EARLY_WAIT, "move MPI_Win_complete of rank 0 up to 40 us earlier",
           "platform,platform+complete-early");
}

/* In complete the post is of use earlier; complete itself sends to others and is not to come later. */
static void complete_does_not_come_later(void **state)
{
    (void)state;
    expect("ranks 2\nwindow 0 comm=0\n0 0.000006 0.000007 MPI_Win_start win=0 group=1\n"
           "0 0.000010 0.000045 MPI_Win_complete win=0\n1 0.000040 0.000041 MPI_Win_post win=0 group=0\n"
           "1 0.000050 0.000051 MPI_Win_wait win=0\n",
           NULL, PATTERN_LATE_POST, "move MPI_Win_post of rank 1 up to 30 us earlier", "platform,platform+post-early");
}

#define LOCKED(rank, kind, enter, exit, unlock, release)                                                               \
#rank " 0.0000" enter " 0.0000" exit " MPI_Win_lock win=0 target=3 lock=" kind "\n" #rank " 0.0000" unlock         \
          " 0.0000" release " MPI_Win_unlock win=0 target=3\n"
#define LESS  "move MPI_Win_unlock of rank 0 up to %s us earlier (hold the lock for less), or "
#define SHARE "take a shared lock where accesses allow it"

/* Rank 1 asks at 20 and waits until rank 0 has released the lock at 60. Rank 0 has it from 12 on and lets go at 50: it
 * can hold it for 38 less. Rank 2 shares the lock until 55: then rank 0's release is of use 5 earlier. */
static void hold_the_lock_for_less(void **state)
{
    (void)state;
    const char *const want = LOCKED(1, "exclusive", "20", "66", "70", "72");
    char text[1024], advice[200];
    snprintf(text, sizeof text, "ranks 4\nwindow 0 comm=0\n%s%s", LOCKED(0, "exclusive", "05", "12", "50", "60"), want);
    snprintf(advice, sizeof advice, LESS SHARE, "38");
    expect(text, NULL, PATTERN_LOCK_CONTENTION, advice, NULL);
    snprintf(text, sizeof text, "ranks 4\nwindow 0 comm=0\n%s%s%s", LOCKED(0, "shared", "05", "12", "50", "60"),
             LOCKED(2, "shared", "05", "12", "50", "55"), want);
    snprintf(advice, sizeof advice, LESS SHARE, "5");
    expect(text, NULL, PATTERN_LOCK_CONTENTION, advice, NULL);
    /* Held for no time: its unlock takes 40. */
    snprintf(text, sizeof text, "ranks 4\nwindow 0 comm=0\n%s%s", LOCKED(0, "exclusive", "05", "20", "20", "60"), want);
    expect(text, NULL, PATTERN_LOCK_CONTENTION, SHARE, NULL);
}

#define FENCE(rank, enter, exit) #rank " 0.0000" enter " 0.0000" exit " MPI_Win_fence win=0\n"
#define PUT                      "1 0.000010 0.000012 MPI_Put win=0 target=0 bytes=8\n"

/* Rank 0 waits for rank 1, from which it gets data: post and start would not help. Rank 2 exchanges nothing. */
static void fences_that_are_needed(void **state)
{
    (void)state;
    const char *two = "ranks 2\nwindow 0 comm=0\n" FENCE(0, "00", "01") FENCE(0, "20", "60") FENCE(1, "00", "01")
        PUT FENCE(1, "50", "60");
    expect(two, NULL, PATTERN_WAIT_AT_FENCE,
           "let MPI_Win_fence of rank 1 come up to 30 us earlier: balance the work before it", NULL);
    const char *three = "ranks 3\nwindow 0 comm=0\n" FENCE(0, "00", "01") FENCE(0, "20", "60") FENCE(1, "00", "01")
        PUT FENCE(1, "50", "60") FENCE(2, "00", "01") FENCE(2, "40", "60");
    expect(three, NULL, PATTERN_WAIT_AT_FENCE,
           "let MPI_Win_fence of rank 1 come up to 10 us earlier: balance the work before it, "
           "or synchronise only the ranks that exchange data (MPI_Win_post and MPI_Win_start)",
           "platform,platform+fence=pscw");
}

/* The message is there long before the wait, which takes 3 us. Of a simulated trace it is known that the call itself took 3, or
 * that the rank waited for 1 of them: 1 is the gain of either move, and 28 + 1 the distance. A recorded trace does not tell. */
static void moves_remove_no_cost_of_the_call(void **state)
{
    (void)state;
#define RECEIVED(property, blocked)                                                                                             \
    "ranks 2\n" property "0 0.000005 0.000006 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"                                           \
    "1 0.000012 0.000013 MPI_Irecv comm=0 peer=0 tag=1 bytes=8 req=1\n1 0.000040 0.000043 MPI_Wait req=1" blocked "\n"
#define SIMULATED "property simulated=1 platform=p engine=loggp semantics=a lock=blocking\n"
    expect(RECEIVED(SIMULATED, ""), NULL, PATTERN_WAIT_IN_RECEIVER_COMPLETION, NULL, NULL);
    expect(RECEIVED(SIMULATED, " blocked=0.000001"), NULL, PATTERN_WAIT_IN_RECEIVER_COMPLETION,
           "move MPI_Wait up to 1 us later: to 29 us behind the call that starts the receive (now 28 us), or MPI_Send of rank 0 "
           "up to 1 us earlier",
           NULL);
    expect(RECEIVED("", ""), NULL, PATTERN_WAIT_IN_RECEIVER_COMPLETION,
           "move MPI_Wait up to 3 us later: to 31 us behind the call that starts the receive (now 28 us), or MPI_Send of rank 0 "
           "up to 3 us earlier",
           NULL);
}

/* Nothing is eager in a synchronous send: the receive, 30 us behind it, is of use earlier. */
static void synchronous_sends_wait_for_the_receive(void **state)
{
    (void)state;
    expect("ranks 2\n0 0.000010 0.000012 MPI_Issend comm=0 peer=1 tag=1 bytes=8 req=1\n"
           "0 0.000020 0.000045 MPI_Wait req=1\n1 0.000040 0.000044 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n",
           NULL, PATTERN_WAIT_IN_SENDER_COMPLETION,
           "move MPI_Wait up to 25 us later: to 35 us behind the call that starts the send (now 10 us), "
           "or MPI_Recv of rank 1 up to 25 us earlier",
           NULL);
}

/* Waitall 20-100 waits for rank 1's eager message, sent at 80, and for rank 2's, sent at 50. */
static void expect_of_two_messages(const char *bytes, const char *other)
{
    char text[600], advice[300];
    snprintf(text, sizeof text,
             "ranks 3\n0 0.000010 0.000011 MPI_Irecv comm=0 peer=1 tag=1 bytes=100 req=1\n"
             "0 0.000012 0.000013 MPI_Irecv comm=0 peer=2 tag=1 bytes=%s req=2\n"
             "0 0.000014 0.000014 MPI_Isend comm=0 peer=- tag=1 bytes=100 req=3\n"
             "0 0.000020 0.000100 MPI_Waitall reqs=1,2,3\n"
             "1 0.000080 0.000081 MPI_Send comm=0 peer=0 tag=1 bytes=100\n"
             "2 0.000050 0.000051 MPI_Send comm=0 peer=0 tag=1 bytes=%s\n",
             bytes, bytes);
    snprintf(advice, sizeof advice,
             "move MPI_Waitall up to 80 us later: to 90 us behind the call that starts the receive (now 10 us)%s",
             other);
    expect(text, NULL, PATTERN_WAIT_IN_RECEIVER_COMPLETION, advice, NULL);
}

static void other_messages_of_a_wait(void **state)
{
    (void)state;
    /* As large, it is there as long before as it is sent before; a larger one may be there later. */
    expect_of_two_messages("100", ", or MPI_Send of rank 1 up to 30 us earlier");
    expect_of_two_messages("101", "");
}

/* What a sendrecv sends would come later, too. */
static void sendrecv_does_not_come_later(void **state)
{
    (void)state;
    expect("ranks 2\n0 0.000050 0.000055 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
           "0 0.000056 0.000057 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n"
           "1 0.000010 0.000058 MPI_Sendrecv comm=0 peer=0 tag=1 source=0 recvtag=1 bytes=8 received=8\n",
           NULL, PATTERN_LATE_SENDER, "move MPI_Send of rank 0 up to 40 us earlier", NULL);
}

/* Thread 1 waits from 10 until the post at 50. Thread 2, which comes at 30, would have that unit if thread 1 came behind it. */
static void a_queue_for_units(void **state)
{
    (void)state;
#define UNIT "0 0.000010 0.000050 sem_wait object=0 value=0 thread=1\n0 0.000050 0.000050 sem_post object=0\n"
    expect("ranks 1\n" UNIT, NULL, PATTERN_SEMAPHORE_WAIT, "move sem_post up to 40 us earlier, or sem_wait up to 40 us later",
           NULL);
    expect("ranks 1\n" UNIT "0 0.000030 0.000060 sem_wait object=0 thread=2\n0 0.000060 0.000060 sem_post object=0\n", NULL,
           PATTERN_SEMAPHORE_WAIT, "move sem_post up to 40 us earlier", NULL);
    /* Who comes to another one, or behind the unit, is in nobody's way. */
    expect("ranks 1\n" UNIT "0 0.000030 0.000040 sem_wait object=1 value=0 thread=2\n0 0.000040 0.000040 sem_post object=1 "
           "thread=3\n0 0.000060 0.000070 sem_wait object=0 thread=2\n0 0.000070 0.000070 sem_post object=0\n",
           NULL, PATTERN_SEMAPHORE_WAIT, "move sem_post up to 40 us earlier, or sem_wait up to 40 us later", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_but_one),
        cmocka_unit_test(a_scan_needs_those_before),
        cmocka_unit_test(early_wait),
        cmocka_unit_test(complete_does_not_come_later),
        cmocka_unit_test(hold_the_lock_for_less),
        cmocka_unit_test(fences_that_are_needed),
        cmocka_unit_test(synchronous_sends_wait_for_the_receive),
        cmocka_unit_test(moves_remove_no_cost_of_the_call),
        cmocka_unit_test(other_messages_of_a_wait),
        cmocka_unit_test(sendrecv_does_not_come_later),
        cmocka_unit_test(a_queue_for_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
