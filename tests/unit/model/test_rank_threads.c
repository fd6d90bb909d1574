/* Ranks with several threads: matching goes by rank, times and call paths by thread. Worked out in the comments. */
#include "model_test.h"

#include <stdlib.h>
#include <string.h>

#include "model/transfers/bounds.h"
#include "model/result/result.h"

static struct result *analyzed(const char *text)
{
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    struct analyze_options options = {.eager_bytes = 65536, .intervals = true, .verify = true};
    if (model_analyze(trace, &options, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    for (size_t i = 0; i < result->check_count; i++)
        if (!result->checks[i].holds) fail_msg("%s: %s", result->checks[i].name, result->checks[i].detail);
    return result;
}

/* Thread 0 ends inside a region; thread 1, which was in none, is outside all the same. */
static void call_paths_are_the_threads_own(void **state)
{
    (void)state;
    struct err err;
    struct callpaths paths;
    struct trace *trace = trace_of("ranks 1\n0 0.000000 0.000001 pthread_create child=1\n0 0.000001 enter a\n"
                                   "0 0.000002 0.000010 MPI_Comm_group comm=0\nincomplete 0 killed\n"
                                   "0 0.000003 0.000003 thread_begin thread=1\n"
                                   "0 0.000005 0.000025 MPI_Comm_group comm=0 thread=1\n");
    assert_int_equal(callpaths_build(trace, &paths, &err), STATUS_OK);
    for (size_t i = 0; i < trace->ranks[0].count; i++) {
        bool inside = trace_call_thread(trace, 0, i) == 0 && trace->ranks[0].calls[i].call == ID_Comm_group;
        if (trace->ranks[0].calls[i].call == ID_region_enter) continue;
        assert_int_equal(callpath_at(&paths, 0, i) != CALLPATH_ROOT, inside);
    }
    callpaths_clear(&paths);
    trace_free(trace);
}

static double property_s(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->property_count; i++)
        if (strcmp(result->properties[i].name, name) == 0) return result->properties[i].inclusive_s;
    fail_msg("no property %s", name);
    return 0;
}

#define NEAR(found, expected) assert_float_equal((float)(found), (float)(expected), 1e-6f)

/* Thread 0 of rank 0 receives from 3 to 10 what rank 1 sends at 8, thread 1 from 4 to 20 what it sends at 18. */
static const char *const receives = "ranks 2\n"
                                    "0 0 1 MPI_Init_thread\n"
                                    "0 1 enter main\n"
                                    "0 1 2 pthread_create child=1\n"
                                    "0 2 2 thread_begin thread=1\n"
                                    "0 2 enter worker thread=1\n"
                                    "0 3 10 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n"
                                    "0 4 20 MPI_Recv comm=0 peer=1 tag=2 bytes=8 thread=1\n"
                                    "0 10 21 pthread_join child=1\n"
                                    "0 21 leave worker thread=1\n"
                                    "0 21 21 thread_end thread=1\n"
                                    "0 22 leave main\n"
                                    "1 0 1 MPI_Init_thread\n"
                                    "1 8 9 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"
                                    "1 18 20 MPI_Send comm=0 peer=0 tag=2 bytes=8\n";

/* Late Sender: 8 - 3 and 18 - 4, though the calls overlap; each in the call path of its thread. */
static void waits_of_threads_overlap(void **state)
{
    (void)state;
    struct result *result = analyzed(receives);
    const struct result_pattern *late = &result->patterns[PATTERN_LATE_SENDER];
    NEAR(late->severity_s, 19);
    assert_int_equal(late->count, 2);
    assert_int_equal(late->place_count, 2);
    assert_string_equal(late->places[0].callpath, "worker/MPI_Recv");
    NEAR(late->places[0].severity_s, 14);
    assert_string_equal(late->places[1].callpath, "main/MPI_Recv");
    NEAR(late->places[1].severity_s, 5);
    assert_int_equal(late->places[0].who.rank, 0);
    assert_int_equal(late->places[0].who.thread, 1);
    assert_int_equal(late->places[1].who.thread, 0);
    assert_null(late->places[0].who.node);
    result_free(result);
}

/* Lives: 22 of thread 0, 2-21 = 19 of thread 1, 20 of rank 1: 61. Messages 7 + 16 + 1 + 2, the rest of MPI is two
 * times MPI_Init. pthread_create takes 1, pthread_join 11. The run takes 22. */
static void times_are_sums_over_threads(void **state)
{
    (void)state;
    struct result *result = analyzed(receives);
    NEAR(result->run_time_s, 22);
    NEAR(property_s(result, "time_s"), 61);
    NEAR(property_s(result, "point_to_point_s"), 26);
    NEAR(property_s(result, "mpi_s"), 28);
    NEAR(property_s(result, "threads_s"), 12);
    NEAR(property_s(result, "user_s"), 61 - 28 - 12);
    NEAR((double)result->efficiency->intervals[0].sum_ps[EFFICIENCY_TIME] / 1e12, 61);
    result_free(result);
}

static double share_s(const struct result_shares *shares, const char *activity)
{
    double sum_s = 0;
    for (size_t i = 0; i < shares->count; i++)
        if (strcmp(shares->items[i].activity, activity) == 0) sum_s += shares->items[i].time_s;
    return sum_s;
}

/* While the receives wait (3-8, 4-18) rank 1 computes 3-8, 4-8 and 9-18 and sends 8-9. While the join waits (10-21)
 * thread 1 waits for rank 1, which computes 10-18, receives until 20 and computes until 21.
 * The critical path: thread 0 computes from 21 on, thread 1 from the sending at 18 on (receive 2, computing 1), before it
 * rank 1 (init 1, computing 7, sending 1, computing 9). */
static void causes_and_the_critical_path_follow_the_thread(void **state)
{
    (void)state;
    struct result *result = analyzed(receives);
    NEAR(share_s(&result->causes, "computing"), 5 + 4 + 9 + 8 + 1);
    NEAR(share_s(&result->causes, "MPI_Send"), 1);
    NEAR(share_s(&result->causes, "MPI_Recv"), 2);
    NEAR(share_s(&result->critical_path, "MPI_Recv"), 2);
    NEAR(share_s(&result->critical_path, "pthread_join"), 0);
    NEAR(share_s(&result->critical_path, "MPI_Send"), 1);
    NEAR(share_s(&result->critical_path, "computing"), 1 + 1 + 7 + 9);
    NEAR(share_s(&result->critical_path, "MPI_Init_thread"), 1);
    result_free(result);
}

/* Thread 1 ends last, at 9; it came into being at 3, so the path goes back to its creator: init 1, computing 1, create
 * until 3, then 2 of computing, probe 1, 3 of computing. */
static void the_critical_path_goes_back_to_the_creator(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 1\n0 0 1 MPI_Init\n0 2 4 pthread_create child=1\n"
                                     "0 3 3 thread_begin thread=1\n0 5 6 MPI_Abort thread=1\n"
                                     "0 5 7 MPI_Finalize\n0 9 9 thread_end thread=1\n");
    NEAR(result->critical_path.total_s, 9);
    NEAR(share_s(&result->critical_path, "MPI_Init"), 1);
    NEAR(share_s(&result->critical_path, "pthread_create"), 1);
    NEAR(share_s(&result->critical_path, "MPI_Abort"), 1);
    NEAR(share_s(&result->critical_path, "MPI_Finalize"), 0);
    NEAR(share_s(&result->critical_path, "computing"), 1 + 2 + 3);
    result_free(result);
}

/* One thread begins to receive, another waits for it from 5 to 12; the other side sends at 11. */
static void another_thread_completes_the_request(void **state)
{
    (void)state;
    struct totals totals = account_of("ranks 2\n0 3 3 MPI_Irecv comm=0 peer=1 tag=1 bytes=8 req=1 thread=1\n"
                                      "0 5 12 MPI_Wait req=1\n"
                                      "1 11 12 MPI_Send comm=0 peer=0 tag=1 bytes=8\n",
                                      NULL);
    assert_int_equal(totals.severity_ps[PATTERN_WAIT_IN_RECEIVER_COMPLETION][0], 7 * INT64_C(1000000000000));
    totals_clear(&totals);
}

/* Two messages received in the other order: late because of the order only if one thread receives both. */
static void order_is_wrong_within_a_thread_only(void **state)
{
    (void)state;
    static const char sends[] = "1 1 2 MPI_Send comm=0 peer=0 tag=1 bytes=8\n"
                                "1 3 4 MPI_Send comm=0 peer=0 tag=2 bytes=8\n";
    char text[512];
    for (int thread = 0; thread < 2; thread++) {
        snprintf(text, sizeof text,
                 "ranks 2\n0 0 5 MPI_Recv comm=0 peer=1 tag=2 bytes=8\n"
                 "0 5 6 MPI_Recv comm=0 peer=1 tag=1 bytes=8 thread=%d\n%s",
                 thread, sends);
        struct result *result = analyzed(text);
        assert_int_equal(result->patterns[PATTERN_WRONG_ORDER].count, thread == 0);
        NEAR(result->patterns[PATTERN_LATE_SENDER].severity_s, 3);
        result_free(result);
    }
}

/* A send and a receive of one partner are close in one thread; that another thread's calls lie between means nothing. */
static void close_calls_are_those_of_one_thread(void **state)
{
    (void)state;
    static const char *const texts[] = {"ranks 2\n0 1 2 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
                                        "0 1.5 1.6 MPI_Win_free win=0 thread=1\n"
                                        "0 2 3 MPI_Recv comm=0 peer=1 tag=1 bytes=8\n",
                                        "ranks 2\n0 1 2 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
                                        "0 2 3 MPI_Recv comm=0 peer=1 tag=1 bytes=8 thread=1\n"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s", texts[i]);
        if (i == 0) snprintf(text, sizeof text, "ranks 2\nwindow 0 comm=0\n%s", texts[i] + strlen("ranks 2\n"));
        struct analyze_options options = {.close_ps = 1, .eager_bytes = 65536};
        struct totals totals = account_of(text, &options);
        assert_int_equal(totals.count[PATTERN_CLOSE_SEND_RECEIVE][0], i == 0);
        totals_clear(&totals);
    }
}

/* Thread 1's put of 2-3 is complete with its flush of 4-6; thread 2's put of 3-5 was not done when that flush began:
 * its own flush of 7-8 completes it. */
static void a_flush_completes_what_had_returned(void **state)
{
    (void)state;
    struct trace *trace = trace_of("ranks 2\nwindow 0 comm=0\n"
                                   "0 0 1 MPI_Win_lock_all win=0\n"
                                   "0 2 3 MPI_Put win=0 target=1 bytes=8 thread=1\n"
                                   "0 3 5 MPI_Put win=0 target=1 bytes=8 thread=2\n"
                                   "0 4 6 MPI_Win_flush win=0 target=1 thread=1\n"
                                   "0 7 8 MPI_Win_flush win=0 target=1 thread=2\n"
                                   "0 9 10 MPI_Win_unlock_all win=0\n");
    struct transfers transfers;
    struct err err;
    assert_int_equal(bounds_find(trace, &transfers, &err), STATUS_OK);
    assert_int_equal(transfers.count, 2);
    assert_int_equal(transfers.items[0].upper_end_ps, 6 * INT64_C(1000000000000));
    assert_int_equal(transfers.items[1].lower_end_ps, 5 * INT64_C(1000000000000));
    assert_int_equal(transfers.items[1].upper_end_ps, 8 * INT64_C(1000000000000));
    transfers_clear(&transfers);
    trace_free(trace);
}

/* Rank 0 asks for rank 1's lock from 10 to 31. Thread 0 of rank 1 computes from 2 to 40, thread 1 waits for a mutex,
 * which is outside MPI, thread 2 is in MPI from 30 to 33: from 30 on there is progress. Without that call, rank 0 would
 * have returned while nobody of rank 1 was inside MPI. The answer takes from 30 to 31, so the request is there at 11. */
static void any_thread_makes_progress(void **state)
{
    (void)state;
    struct totals totals = account_of("ranks 2\nwindow 0 comm=0\n"
                                      "0 10 31 MPI_Win_lock win=0 target=1 lock=shared\n"
                                      "0 31 31 MPI_Put win=0 target=1 bytes=8\n"
                                      "0 31 33 MPI_Win_unlock win=0 target=1\n"
                                      "1 0 2 MPI_Init\n1 5 35 pthread_mutex_lock object=0 thread=1\n"
                                      "1 30 33 MPI_Finalize thread=2\n1 40 41 MPI_Finalize\n",
                                      NULL);
    assert_int_equal(totals.severity_ps[PATTERN_WAIT_FOR_PROGRESS][0], (30 - 11) * INT64_C(1000000000000));
    totals_clear(&totals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_paths_are_the_threads_own),
        cmocka_unit_test(waits_of_threads_overlap),
        cmocka_unit_test(times_are_sums_over_threads),
        cmocka_unit_test(causes_and_the_critical_path_follow_the_thread),
        cmocka_unit_test(the_critical_path_goes_back_to_the_creator),
        cmocka_unit_test(another_thread_completes_the_request),
        cmocka_unit_test(order_is_wrong_within_a_thread_only),
        cmocka_unit_test(close_calls_are_those_of_one_thread),
        cmocka_unit_test(a_flush_completes_what_had_returned),
        cmocka_unit_test(any_thread_makes_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
