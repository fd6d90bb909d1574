/* Wait for Progress in recorded traces. */
#include "model_test.h"

#include <stdio.h>

/* Rank 0 locks rank 1, puts, and is in unlock 12-55; rank 1 is outside MPI until its barrier 50-90. */
#define LOCK_PUT(lock_exit, unlock_exit)                                                                               \
    "ranks 2\nwindow 0 comm=0\n0 0.000010 0.0000" lock_exit " MPI_Win_lock win=0 target=1 lock=shared\n"               \
    "0 0.000011 0.000012 MPI_Put win=0 target=1 bytes=8\n"                                                             \
    "0 0.000012 0.0000" unlock_exit " MPI_Win_unlock win=0 target=1\n"                                                 \
    "0 0.000080 0.000091 MPI_Barrier comm=0\n"
#define TARGET "1 0.000050 0.000091 MPI_Barrier comm=0\n"

static void wait_for_progress(void **state)
{
    (void)state;
    const enum pattern progress = PATTERN_WAIT_FOR_PROGRESS;
    /* The answer of the unlock takes from 50 to 55. So did its request from 12 on: it waits at the target from 17. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") TARGET, NULL, progress, 0), (50 - 17) * US);
    /* Unlock ended while the target was outside MPI: it does not wait for the target. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "49") TARGET, NULL, progress, 0), 0);
    /* The target is inside MPI all the time. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000010 0.000091 MPI_Barrier comm=0\n", NULL, progress, 0),
                     0);
    /* The target is still inside when the unlock begins, leaves at 13, and comes back: the request was under
     * way then. It was not if the target leaves at 20. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000010 0.000020 MPI_Comm_group comm=0\n" TARGET, NULL,
                                 progress, 0),
                     (50 - 20) * US);
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000010 0.000013 MPI_Comm_group comm=0\n" TARGET, NULL,
                                 progress, 0),
                     (50 - 17) * US);
    /* It was inside twice: that did not serve the unlock. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000020 0.000030 MPI_Comm_group comm=0\n"
                                                      "1 0.000030 0.000031 MPI_Comm_group comm=0\n" TARGET,
                                 NULL, progress, 0),
                     (50 - 31) * US);
    /* Calls between which there is no time are one stay. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000050 0.000054 MPI_Comm_group comm=0\n"
                                                      "1 0.000054 0.000091 MPI_Barrier comm=0\n",
                                 NULL, progress, 0),
                     33 * US);
    /* The target has left MPI again when unlock ends: it was served in the only visit. Which of two, is not known. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000050 0.000054 MPI_Comm_group comm=0\n"
                                                      "1 0.000080 0.000091 MPI_Barrier comm=0\n",
                                 NULL, progress, 0),
                     33 * US);
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000050 0.000051 MPI_Comm_group comm=0\n"
                                                      "1 0.0000535 0.000054 MPI_Comm_group comm=0\n"
                                                      "1 0.000080 0.000091 MPI_Barrier comm=0\n",
                                 NULL, progress, 0),
                     0);
    /* From 12 to 55 a twentieth is 2.15 us: two gaps of 1 us are no time outside MPI, the third one is. The
     * answer takes 9 us, so the request arrives at 21. */
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000046 0.000047 MPI_Comm_group comm=0\n"
                                                      "1 0.000048 0.000049 MPI_Comm_group comm=0\n"
                                                      "1 0.000050 0.000091 MPI_Barrier comm=0\n",
                                 NULL, progress, 0),
                     (46 - 21) * US);
    assert_int_equal(severity_ps(LOCK_PUT("10", "55") "1 0.000044 0.000045 MPI_Comm_group comm=0\n"
                                                      "1 0.000046 0.000047 MPI_Comm_group comm=0\n"
                                                      "1 0.000048 0.000049 MPI_Comm_group comm=0\n"
                                                      "1 0.000050 0.000091 MPI_Barrier comm=0\n",
                                 NULL, progress, 0),
                     (46 - 45) * US);
}

static void progress_is_refuted_by_another_call(void **state)
{
    (void)state;
    /* The second unlock, 60-65, ends while rank 1 computes from 58 to 80: the library needs no call of the target, so
     * the first one's 33 us were something else. */
    const char *text = LOCK_PUT("10", "55") "1 0.000050 0.000058 MPI_Comm_group comm=0\n"
                                            "1 0.000090 0.000091 MPI_Barrier comm=0\n";
    assert_int_equal(severity_ps(text, NULL, PATTERN_WAIT_FOR_PROGRESS, 0), 33 * US);
    const char *refuted = "ranks 2\nwindow 0 comm=0\n0 0.000010 0.000010 MPI_Win_lock win=0 target=1 lock=shared\n"
                          "0 0.000011 0.000012 MPI_Put win=0 target=1 bytes=8\n"
                          "0 0.000012 0.000055 MPI_Win_unlock win=0 target=1\n"
                          "0 0.000060 0.000060 MPI_Win_lock win=0 target=1 lock=shared\n"
                          "0 0.000060 0.000060 MPI_Put win=0 target=1 bytes=8\n"
                          "0 0.000060 0.000065 MPI_Win_unlock win=0 target=1\n"
                          "0 0.000080 0.000091 MPI_Barrier comm=0\n"
                          "1 0.000050 0.000058 MPI_Comm_group comm=0\n1 0.000080 0.000091 MPI_Barrier comm=0\n";
    assert_int_equal(severity_ps(refuted, NULL, PATTERN_WAIT_FOR_PROGRESS, 0), 0);
}

static void progress_counts_behind_contention(void **state)
{
    (void)state;
    /* Rank 2 holds the lock until 35; rank 0 asks at 10 and is in lock until 45: 25 us of contention, then 5 us until
     * rank 1 enters MPI at 40. Rank 2's unlock began while rank 1 was inside its first call: it says nothing. */
    const char *text = "ranks 3\nwindow 0 comm=0\n1 0.000000 0.000031 MPI_Comm_group comm=0\n"
                       "1 0.000040 0.000090 MPI_Barrier comm=0\n"
                       "2 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=exclusive\n"
                       "2 0.000002 0.000003 MPI_Put win=0 target=1 bytes=8\n"
                       "2 0.000029 0.000035 MPI_Win_unlock win=0 target=1\n2 0.000080 0.000090 MPI_Barrier comm=0\n"
                       "0 0.000010 0.000045 MPI_Win_lock win=0 target=1 lock=exclusive\n"
                       "0 0.000046 0.000047 MPI_Put win=0 target=1 bytes=8\n"
                       "0 0.000047 0.000048 MPI_Win_unlock win=0 target=1\n0 0.000080 0.000090 MPI_Barrier comm=0\n";
    assert_int_equal(severity_ps(text, NULL, PATTERN_LOCK_CONTENTION, 0), 25 * US);
    assert_int_equal(severity_ps(text, NULL, PATTERN_WAIT_FOR_PROGRESS, 0), 5 * US);
}

#define PUT(target, enter, exit) "0 0.0000" enter " 0.0000" exit " MPI_Put win=0 target=" target " bytes=8\n"
#define FLUSH(enter, exit) "0 0.0000" enter " 0.0000" exit " MPI_Win_flush win=0 target=1\n"
#define FLUSH_ALL(enter, exit) "0 0.0000" enter " 0.0000" exit " MPI_Win_flush_all win=0\n"
#define VISIT(rank, enter, exit) rank " 0.0000" enter " 0.0000" exit " MPI_Comm_group comm=0\n"

static int64_t progress_ps(const char *text)
{
    return severity_ps(text, NULL, PATTERN_WAIT_FOR_PROGRESS, 0);
}

/* Rank 0 holds the locks of all. Rank 1 is inside MPI from 50 on, rank 2 from 70 on, and where it is said before. */
static int64_t locked_all_ps(const char *origin, const char *visits)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ranks 3\nwindow 0 comm=0\n0 0.000000 0.000000 MPI_Win_lock_all win=0\n%s%s"
             "0 0.000080 0.000091 MPI_Barrier comm=0\n1 0.000050 0.000091 MPI_Barrier comm=0\n"
             "2 0.000070 0.000091 MPI_Barrier comm=0\n",
             origin, visits);
    return progress_ps(text);
}

static void flush(void **state)
{
    (void)state;
    /* The put's request is on its way 30-35, as long as the answer takes, 50-55. */
    assert_int_equal(locked_all_ps(PUT("1", "30", "31") FLUSH_ALL("32", "55"), ""), (50 - 35) * US);
    assert_int_equal(locked_all_ps(PUT("1", "30", "31") FLUSH("32", "55"), ""), (50 - 35) * US);
    /* A flush of the origin's side completes a get, not a put. */
#define FLUSH_LOCAL "0 0.000032 0.000055 MPI_Win_flush_local win=0 target=1\n"
    assert_int_equal(locked_all_ps("0 0.000030 0.000031 MPI_Get win=0 target=1 bytes=8\n" FLUSH_LOCAL, ""), 15 * US);
    assert_int_equal(locked_all_ps(PUT("1", "30", "31") FLUSH_LOCAL, ""), 0);
    /* Without bytes there may be no message; with a request the operation may be complete before. */
    assert_int_equal(locked_all_ps("0 0.000030 0.000031 MPI_Put win=0 target=1 bytes=0\n" FLUSH("32", "55"), ""), 0);
    assert_int_equal(
        locked_all_ps("0 0.000030 0.000031 MPI_Rput win=0 target=1 bytes=8 req=1\n" FLUSH("32", "55"), ""), 0);
}

static void flush_of_a_lock(void **state)
{
    (void)state;
    /* Flush 12-55, get at 11, answer 5 us: 34 us from 16 until rank 1's barrier. Unlock 60-62 finds it inside MPI. */
    assert_int_equal(progress_ps("ranks 2\nwindow 0 comm=0\n"
                                 "0 0.000010 0.000010 MPI_Win_lock win=0 target=1 lock=shared\n"
                                 "0 0.000011 0.000012 MPI_Get win=0 target=1 bytes=8\n"
                                 "0 0.000012 0.000055 MPI_Win_flush win=0 target=1\n"
                                 "0 0.000060 0.000062 MPI_Win_unlock win=0 target=1\n"
                                 "0 0.000080 0.000091 MPI_Barrier comm=0\n" TARGET),
                     34 * US);
}

static void flush_that_finds_all_served(void **state)
{
    (void)state;
    /* The first flush, 20-21, returns while rank 1 is outside MPI. Rank 1 was inside behind the put: it may have been
     * served then. If it was inside before the put only, the library does not need it. */
#define TWICE PUT("1", "10", "11") FLUSH_ALL("20", "21") PUT("1", "30", "31") FLUSH_ALL("32", "55")
    assert_int_equal(locked_all_ps(TWICE, VISIT("1", "12", "13")), 15 * US);
    assert_int_equal(locked_all_ps(TWICE, VISIT("1", "08", "09")), 0);
    assert_int_equal(locked_all_ps(TWICE, ""), 0);
}

static void flush_of_two_targets(void **state)
{
    (void)state;
    /* The flush returns at 55. Rank 2 enters MPI at 40 and leaves at 45, rank 1 enters at 50: that is later. */
    const char *origin = PUT("2", "20", "21") PUT("1", "30", "31") FLUSH_ALL("32", "55");
    assert_int_equal(locked_all_ps(origin, VISIT("2", "40", "45")), 15 * US);
    /* It returns while rank 2 is outside MPI all the time: it does not need its targets. */
    assert_int_equal(locked_all_ps(origin, ""), 0);
}

/* Rank 1 has posted before; it computes until its wait at 50. Rank 0 is in complete from 12 to 55. */
#define EPOCH                                                                                                          \
    "ranks 2\nwindow 0 comm=0\n1 0.000000 0.000001 MPI_Win_post win=0 group=0\n"                                      \
    "0 0.000005 0.000006 MPI_Win_start win=0 group=1\n0 0.000010 0.000011 MPI_Put win=0 target=1 bytes=8\n"            \
    "0 0.000012 0.000055 MPI_Win_complete win=0\n1 0.000050 0.000056 MPI_Win_wait win=0\n"

static void complete(void **state)
{
    (void)state;
    /* The put's request is on its way 10-15, as long as the answer takes, 50-55. */
    assert_int_equal(progress_ps(EPOCH), 35 * US);
    /* Rank 1's wait returns at 53, having heard of the complete; what it calls then has served nobody. */
    assert_int_equal(progress_ps("ranks 2\nwindow 0 comm=0\n1 0.000000 0.000001 MPI_Win_post win=0 group=0\n"
                                 "0 0.000005 0.000006 MPI_Win_start win=0 group=1\n" PUT("1", "10", "11")
                                     "0 0.000012 0.000055 MPI_Win_complete win=0\n"
                                     "1 0.000050 0.000053 MPI_Win_wait win=0\n" VISIT("1", "54", "56")),
                     35 * US);
    /* Another complete, 62-90, has a post in it: this library waits for posts in complete. */
    assert_int_equal(progress_ps(EPOCH "0 0.000060 0.000061 MPI_Win_start win=0 group=1\n"
                                       "0 0.000062 0.000090 MPI_Win_complete win=0\n"
                                       "1 0.000080 0.000081 MPI_Win_post win=0 group=0\n"
                                       "1 0.000082 0.000091 MPI_Win_wait win=0\n"),
                     0);
    /* Another complete with a put, 62-63, returns while rank 1 computes: the library does not need it. */
    assert_int_equal(progress_ps(EPOCH "1 0.000057 0.000058 MPI_Win_post win=0 group=0\n"
                                       "0 0.000060 0.000060 MPI_Win_start win=0 group=1\n"
                                       "0 0.000061 0.000061 MPI_Put win=0 target=1 bytes=8\n"
                                       "0 0.000062 0.000063 MPI_Win_complete win=0\n"
                                       "1 0.000082 0.000091 MPI_Win_wait win=0\n"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_for_progress),
        cmocka_unit_test(progress_is_refuted_by_another_call),
        cmocka_unit_test(progress_counts_behind_contention),
        cmocka_unit_test(flush),
        cmocka_unit_test(flush_of_a_lock),
        cmocka_unit_test(flush_that_finds_all_served),
        cmocka_unit_test(flush_of_two_targets),
        cmocka_unit_test(complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
