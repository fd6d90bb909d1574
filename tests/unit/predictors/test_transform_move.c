/* Moves of calls, worked out by hand: a moved call has no computing before it (early) or all of it (late), what stood
 * before it goes to the next call, recorded durations go with their calls. */
#include <math.h>

#include "transform_test.h"

#define HEAD            "ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\n"
#define assert_us(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* Gaps of rank 1: 100 before post, 50 before wait, 200 before the second post, 30 before its wait. The first post has
 * nothing of its window before it and comes at time zero; the second comes right behind the first wait. */
static void posts_move_up_to_the_wait_before(void **state)
{
    (void)state;
    test_gives("post-early",
               HEAD "0 0.000000 0.000000 MPI_Win_start win=0 group=\n"
                    "0 0.000000 0.000000 MPI_Win_complete win=0\n"
                    "1 0.000100 0.000110 MPI_Win_post win=0 group=\n"
                    "1 0.000160 0.000170 MPI_Win_wait win=0\n"
                    "1 0.000270 0.000271 MPI_Barrier comm=0\n"
                    "1 0.000371 0.000372 MPI_Win_post win=0 group=\n"
                    "1 0.000402 0.000403 MPI_Win_wait win=0\n",
               "0 0.000000 0.000000 MPI_Win_start win=0 group=\n"
               "0 0.000000 0.000000 MPI_Win_complete win=0\n"
               "1 0.000000 0.000010 MPI_Win_post win=0 group=\n"
               "1 0.000160 0.000170 MPI_Win_wait win=0\n"
               "1 0.000170 0.000171 MPI_Win_post win=0 group=\n"
               "1 0.000271 0.000272 MPI_Barrier comm=0\n"
               "1 0.000402 0.000403 MPI_Win_wait win=0\n");
}

/* The rank's own access epoch does not hold a post back, a lock and the other window's calls do and do not. */
static void posts_pass_what_does_not_order_them(void **state)
{
    (void)state;
    test_gives("post-early",
               HEAD "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
                    "0 0.000010 0.000010 MPI_Win_unlock win=0 target=1\n"
                    "0 0.000020 0.000020 MPI_Win_start win=0 group=\n"
                    "0 0.000030 0.000030 MPI_Win_complete win=0\n"
                    "0 0.000040 0.000040 MPI_Win_lock win=1 target=1 lock=shared\n"
                    "0 0.000050 0.000050 MPI_Win_unlock win=1 target=1\n"
                    "0 0.000060 0.000060 MPI_Win_post win=0 group=\n"
                    "0 0.000070 0.000070 MPI_Win_wait win=0\n",
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n"
               "0 0.000010 0.000010 MPI_Win_unlock win=0 target=1\n"
               "0 0.000010 0.000010 MPI_Win_post win=0 group=\n"
               "0 0.000020 0.000020 MPI_Win_start win=0 group=\n"
               "0 0.000030 0.000030 MPI_Win_complete win=0\n"
               "0 0.000040 0.000040 MPI_Win_lock win=1 target=1 lock=shared\n"
               "0 0.000050 0.000050 MPI_Win_unlock win=1 target=1\n"
               "0 0.000070 0.000070 MPI_Win_wait win=0\n");
}

/* The computing behind the last operation comes behind complete; at the end of a rank a mark keeps it. A complete does
 * not pass the rank's own post. */
static void completes_move_up_to_the_last_operation(void **state)
{
    (void)state;
    test_gives("complete-early",
               HEAD "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
                    "0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8\n"
                    "0 0.000030 0.000030 MPI_Barrier comm=0\n"
                    "0 0.000060 0.000060 MPI_Win_complete win=0\n"
                    "1 0.000000 0.000000 MPI_Win_start win=0 group=\n"
                    "1 0.000010 0.000010 MPI_Win_post win=0 group=0\n"
                    "1 0.000050 0.000050 MPI_Win_wait win=0\n"
                    "1 0.000060 0.000060 MPI_Win_complete win=0\n"
                    "1 0.000070 0.000070 MPI_Barrier comm=0\n",
               "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
               "0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000010 0.000010 MPI_Win_complete win=0\n"
               "0 0.000030 0.000030 MPI_Barrier comm=0\n"
               "0 0.000060 enter rewritten\n"
               "0 0.000060 leave rewritten\n"
               "1 0.000000 0.000000 MPI_Win_start win=0 group=\n"
               "1 0.000010 0.000010 MPI_Win_post win=0 group=0\n"
               "1 0.000010 0.000010 MPI_Win_complete win=0\n"
               "1 0.000050 0.000050 MPI_Win_wait win=0\n"
               "1 0.000070 0.000070 MPI_Barrier comm=0\n");
}

/* Up to the next post (behind the computing before it), past the own complete, not past the end or MPI_Finalize. */
static void waits_move_down_to_the_next_use(void **state)
{
    (void)state;
    test_gives("wait-late",
               HEAD "0 0.000000 0.000000 MPI_Win_start win=0 group=\n"
                    "0 0.000000 0.000000 MPI_Win_post win=0 group=\n"
                    "0 0.000010 0.000011 MPI_Win_wait win=0\n"
                    "0 0.000021 0.000021 MPI_Win_complete win=0\n"
                    "0 0.000041 0.000041 MPI_Win_post win=0 group=\n"
                    "0 0.000051 0.000051 MPI_Win_wait win=0\n"
                    "0 0.000061 0.000061 MPI_Barrier comm=0\n"
                    "0 0.000071 0.000071 MPI_Finalize\n"
                    "1 0.000000 0.000000 MPI_Win_post win=0 group=\n"
                    "1 0.000010 0.000010 MPI_Win_wait win=0\n"
                    "1 0.000020 0.000020 MPI_Barrier comm=0\n",
               "0 0.000000 0.000000 MPI_Win_start win=0 group=\n"
               "0 0.000000 0.000000 MPI_Win_post win=0 group=\n"
               "0 0.000020 0.000020 MPI_Win_complete win=0\n"
               "0 0.000040 0.000041 MPI_Win_wait win=0\n"
               "0 0.000041 0.000041 MPI_Win_post win=0 group=\n"
               "0 0.000061 0.000061 MPI_Barrier comm=0\n"
               "0 0.000071 0.000071 MPI_Win_wait win=0\n"
               "0 0.000071 0.000071 MPI_Finalize\n"
               "1 0.000000 0.000000 MPI_Win_post win=0 group=\n"
               "1 0.000020 0.000020 MPI_Barrier comm=0\n"
               "1 0.000020 0.000020 MPI_Win_wait win=0\n");
}

/* Memory is attached while others may access it (MPI-3.1 11.2.4): 20 of computing behind it are all that a post passes, and the
 * wait stays in front of the detach, behind 40. What this rank exposes, its own accesses do not ask about. */
static void exposure_stays_between_attach_and_detach(void **state)
{
    (void)state;
    static const char calls[] = "ranks 1\nwindow 0 comm=0 flavor=dynamic\n"
                                "0 0.000000 0.000000 MPI_Win_create_dynamic win=0\n"
                                "0 0.000010 0.000010 MPI_Win_attach win=0\n"
                                "0 0.000030 0.000030 MPI_Win_post win=0 group=\n"
                                "0 0.000030 0.000030 MPI_Win_wait win=0\n"
                                "0 0.000070 0.000070 MPI_Win_detach win=0\n"
                                "0 0.000070 0.000070 MPI_Win_start win=0 group=\n"
                                "0 0.000070 0.000070 MPI_Win_detach win=0\n"
                                "0 0.000090 0.000090 MPI_Win_complete win=0\n";
#define BEGIN "0 0.000000 0.000000 MPI_Win_create_dynamic win=0\n0 0.000010 0.000010 MPI_Win_attach win=0\n"
    test_gives("post-early", calls,
               BEGIN "0 0.000010 0.000010 MPI_Win_post win=0 group=\n0 0.000030 0.000030 MPI_Win_wait win=0\n"
                     "0 0.000070 0.000070 MPI_Win_detach win=0\n0 0.000070 0.000070 MPI_Win_start win=0 group=\n"
                     "0 0.000070 0.000070 MPI_Win_detach win=0\n0 0.000090 0.000090 MPI_Win_complete win=0\n");
    test_gives("wait-late", calls,
               BEGIN "0 0.000030 0.000030 MPI_Win_post win=0 group=\n0 0.000070 0.000070 MPI_Win_wait win=0\n"
                     "0 0.000070 0.000070 MPI_Win_detach win=0\n0 0.000070 0.000070 MPI_Win_start win=0 group=\n"
                     "0 0.000070 0.000070 MPI_Win_detach win=0\n0 0.000090 0.000090 MPI_Win_complete win=0\n");
    test_gives("complete-early", calls,
               BEGIN "0 0.000030 0.000030 MPI_Win_post win=0 group=\n0 0.000030 0.000030 MPI_Win_wait win=0\n"
                     "0 0.000070 0.000070 MPI_Win_detach win=0\n0 0.000070 0.000070 MPI_Win_start win=0 group=\n"
                     "0 0.000070 0.000070 MPI_Win_complete win=0\n0 0.000070 0.000070 MPI_Win_detach win=0\n"
                     "0 0.000090 enter rewritten\n0 0.000090 leave rewritten\n");
#undef BEGIN
}

/* Rank 0 locks rank 1's window: rank 1's post comes up to the barrier and its wait down to the send, past regions, no
 * further. Rank 0's own window 1 nobody else locks: its post goes to the front, its wait to the end. */
static void exposure_stays_apart_from_locks_of_others(void **state)
{
    (void)state;
#define LOCKS                                                                                                          \
    "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared\n0 0.000000 0.000000 MPI_Win_unlock win=0 target=1\n"
#define TEXT(ONE, TWO)                                                                                                 \
    LOCKS "0 0.000000 0.000000 MPI_Barrier comm=0\n" ONE "1 0.000000 0.000000 MPI_Barrier comm=0\n" TWO
    static const char calls[] =
        HEAD TEXT("0 0.000030 0.000030 MPI_Win_post win=1 group=\n0 0.000030 0.000030 MPI_Win_wait win=1\n"
                  "0 0.000030 0.000030 MPI_Recv comm=0 peer=1 tag=0 bytes=0\n",
                  "1 0.000030 0.000030 MPI_Win_post win=0 group=\n1 0.000030 0.000030 MPI_Win_wait win=0\n"
                  "1 0.000040 enter work\n1 0.000050 leave work\n"
                  "1 0.000060 0.000060 MPI_Send comm=0 peer=0 tag=0 bytes=0\n"
                  "1 0.000060 0.000060 MPI_Win_lock win=1 target=1 lock=shared\n"
                  "1 0.000060 0.000060 MPI_Win_unlock win=1 target=1\n");
    test_gives("post-early", calls,
               "0 0.000000 0.000000 MPI_Win_post win=1 group=\n" TEXT(
                   "0 0.000030 0.000030 MPI_Win_wait win=1\n0 0.000030 0.000030 MPI_Recv comm=0 peer=1 tag=0 bytes=0\n",
                   "1 0.000000 0.000000 MPI_Win_post win=0 group=\n1 0.000030 0.000030 MPI_Win_wait win=0\n"
                   "1 0.000040 enter work\n1 0.000050 leave work\n"
                   "1 0.000060 0.000060 MPI_Send comm=0 peer=0 tag=0 bytes=0\n"
                   "1 0.000060 0.000060 MPI_Win_lock win=1 target=1 lock=shared\n"
                   "1 0.000060 0.000060 MPI_Win_unlock win=1 target=1\n"));
    test_gives(
        "wait-late", calls,
        TEXT("0 0.000030 0.000030 MPI_Win_post win=1 group=\n"
             "0 0.000030 0.000030 MPI_Recv comm=0 peer=1 tag=0 bytes=0\n0 0.000030 0.000030 MPI_Win_wait win=1\n",
             "1 0.000030 0.000030 MPI_Win_post win=0 group=\n1 0.000040 enter work\n1 0.000050 leave work\n"
             "1 0.000060 0.000060 MPI_Win_wait win=0\n1 0.000060 0.000060 MPI_Send comm=0 peer=0 tag=0 bytes=0\n"
             "1 0.000060 0.000060 MPI_Win_lock win=1 target=1 lock=shared\n"
             "1 0.000060 0.000060 MPI_Win_unlock win=1 target=1\n"));
#undef TEXT
#undef LOCKS
    test_refuses("post-early",
                 HEAD "0 0 0 MPI_Win_lock_all win=0\n0 0 0 MPI_Win_unlock_all win=0\n0 0 0 MPI_Barrier comm=0\n"
                      "1 0 0 MPI_Barrier comm=0\n1 0 0 MPI_Win_post win=0 group=\n1 0 0 MPI_Win_wait win=0\n",
                 "rank 1, event 2 (MPI_Win_post): post-early changes nothing: rank 0 locks window 0 of this rank");
}

/* A rank that locks its own window is no other one: its post passes the barrier, 80 of computing and all. If another rank calls
 * lock_all too, or locks it, the barrier may keep them apart, whichever calls first. */
static void own_locks_do_not_hold_a_post(void **state)
{
    (void)state;
#define OWN      "1 0.000000 0.000000 MPI_Win_lock_all win=0\n1 0.000010 0.000010 MPI_Win_unlock_all win=0\n"
#define OTHER    "0 0.000000 0.000000 MPI_Win_lock_all win=0\n0 0.000010 0.000010 MPI_Win_unlock_all win=0\n"
#define LOCKS(TARGET)                                                                                                  \
    "0 0.000000 0.000000 MPI_Win_lock win=0 target=" TARGET " lock=shared\n"                                           \
    "0 0.000010 0.000010 MPI_Win_unlock win=0 target=" TARGET "\n"
#define ONE      LOCKS("1")
#define OF_OWN   LOCKS("0")
#define BARRIER0 "0 0.000020 0.000020 MPI_Barrier comm=0\n"
#define BARRIER1 "1 0.000020 0.000020 MPI_Barrier comm=0\n"
#define EXPOSES  "1 0.000100 0.000100 MPI_Win_post win=0 group=\n1 0.000110 0.000110 MPI_Win_wait win=0\n"
#define WAITS    "1 0.000110 0.000110 MPI_Win_wait win=0\n"
#define EARLY    "1 0.000010 0.000010 MPI_Win_post win=0 group=\n"
#define BEHIND   "1 0.000020 0.000020 MPI_Win_post win=0 group=\n"
    test_gives("post-early", HEAD BARRIER0 OWN BARRIER1 EXPOSES, BARRIER0 OWN EARLY BARRIER1 WAITS);
    test_gives("post-early", HEAD OF_OWN BARRIER0 OWN BARRIER1 EXPOSES, OF_OWN BARRIER0 OWN EARLY BARRIER1 WAITS);
    test_gives("post-early", HEAD OTHER BARRIER0 OWN BARRIER1 EXPOSES, OTHER BARRIER0 OWN BARRIER1 BEHIND WAITS);
    test_gives("post-early", HEAD ONE BARRIER0 OWN BARRIER1 EXPOSES, ONE BARRIER0 OWN BARRIER1 BEHIND WAITS);
    test_gives("post-early", "ranks 3\nwindow 0 comm=0\n" BARRIER0 OWN BARRIER1 EXPOSES
               "2 0.000000 0.000000 MPI_Win_lock_all win=0\n2 0.000010 0.000010 MPI_Win_unlock_all win=0\n"
               "2 0.000020 0.000020 MPI_Barrier comm=0\n",
               BARRIER0 OWN BARRIER1 BEHIND WAITS
               "2 0.000000 0.000000 MPI_Win_lock_all win=0\n2 0.000010 0.000010 MPI_Win_unlock_all win=0\n"
               "2 0.000020 0.000020 MPI_Barrier comm=0\n");
}

/* The recorder's own 1 us per call is no computing: it goes from the gaps and is not said again. */
static void the_recorders_cost_is_taken_off_once(void **state)
{
    (void)state;
    test_gives("post-early",
               "ranks 1\nproperty record_cost=0.000001\nwindow 0 comm=0\n"
               "0 0.000000 0.000000 MPI_Win_create win=0\n"
               "0 0.000011 0.000011 MPI_Win_post win=0 group=\n"
               "0 0.000022 0.000022 MPI_Win_wait win=0\n",
               "0 0.000000 0.000000 MPI_Win_create win=0\n"
               "0 0.000000 0.000000 MPI_Win_post win=0 group=\n"
               "0 0.000020 0.000020 MPI_Win_wait win=0\n");
}

/* Calls that move to one place keep their order. A gap that is shorter than the recorder's cost was no computing. */
static void order_and_gaps(void **state)
{
    (void)state;
    test_gives("post-early",
               HEAD "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
                    "1 0.000100 0.000101 MPI_Win_post win=0 group=\n1 0.000111 0.000112 MPI_Win_post win=1 group=\n"
                    "1 0.000112 0.000113 MPI_Win_wait win=0\n1 0.000113 0.000114 MPI_Win_wait win=1\n",
               "0 0.000000 0.000000 MPI_Comm_group comm=0\n"
               "1 0.000000 0.000001 MPI_Win_post win=0 group=\n1 0.000001 0.000002 MPI_Win_post win=1 group=\n"
               "1 0.000112 0.000113 MPI_Win_wait win=0\n1 0.000113 0.000114 MPI_Win_wait win=1\n");
    test_gives("post-early",
               "ranks 1\nproperty record_cost=0.000001\nwindow 0 comm=0\n"
               "0 0.000000 0.000000 MPI_Win_create win=0\n0 0.000003 0.000003 MPI_Win_post win=0 group=\n"
               "0 0.0000035 0.0000035 MPI_Comm_group comm=0\n0 0.000010 0.000010 MPI_Win_wait win=0\n",
               "0 0.000000 0.000000 MPI_Win_create win=0\n0 0.000000 0.000000 MPI_Win_post win=0 group=\n"
               "0 0.000002 0.000002 MPI_Comm_group comm=0\n0 0.0000075 0.0000075 MPI_Win_wait win=0\n");
}

/* A post in which the recording breaks off stays where it is: nobody knows whether it ended. */
static void a_broken_post_stays(void **state)
{
    (void)state;
#define BROKEN \
    "0 0.000000 0.000000 MPI_Comm_group comm=0\n1 0.000000 0.000000 MPI_Comm_group comm=0\n" \
    "1 0.000100 0.000110 MPI_Win_post win=0 group= break=1\n"
    test_gives("post-early", HEAD BROKEN "incomplete 1 killed\n", BROKEN);
}

/* The worked example of docs/simulation.md and a second use of the window.
 * As recorded, a: 570 (there). post-early: the target posts at 0, so start returns at 10 (the post's latency); put at
 * 60, complete at 110, when 50 us of the put's 100 have left: it returns at 160, its notification arrives behind the
 * data at 170. The target enters wait at 450 and returns there.
 * complete-early: start 410, put 460, complete 460-560, computing to 610; the target's wait 450-570. Run time 610. */
static const char worked[] = "ranks 2\nwindow 0 comm=0\n"
                             "0 0.000000 0.000000 MPI_Win_start win=0 group=1\n"
                             "0 0.000050 0.000050 MPI_Put win=0 target=1 bytes=1000000\n"
                             "0 0.000100 0.000100 MPI_Win_complete win=0\n"
                             "1 0.000400 0.000400 MPI_Win_post win=0 group=0\n"
                             "1 0.000450 0.000450 MPI_Win_wait win=0\n"
                             "1 0.000480 0.000480 MPI_Put win=0 target=- bytes=8\n";

static void moves_change_the_prediction_as_worked_out(void **state)
{
    (void)state;
    static const char *const none[] = {NULL}, *const post[] = {"post-early", NULL};
    static const char *const complete[] = {"complete-early", NULL}, *const wait[] = {"wait-late", NULL};
    assert_us(test_run_rewritten_us(worked, "a", none), 600);
    assert_us(test_run_rewritten_us(worked, "a", post), 480);
    assert_us(test_run_rewritten_us(worked, "a", complete), 610);
    /* wait enters at 480 (30 of computing first) and returns at 570 all the same, where the rank ends */
    assert_us(test_run_rewritten_us(worked, "a", wait), 570);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posts_move_up_to_the_wait_before),
        cmocka_unit_test(posts_pass_what_does_not_order_them),
        cmocka_unit_test(completes_move_up_to_the_last_operation),
        cmocka_unit_test(waits_move_down_to_the_next_use),
        cmocka_unit_test(exposure_stays_between_attach_and_detach),
        cmocka_unit_test(exposure_stays_apart_from_locks_of_others),
        cmocka_unit_test(own_locks_do_not_hold_a_post),
        cmocka_unit_test(the_recorders_cost_is_taken_off_once),
        cmocka_unit_test(order_and_gaps),
        cmocka_unit_test(a_broken_post_stays),
        cmocka_unit_test(moves_change_the_prediction_as_worked_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
