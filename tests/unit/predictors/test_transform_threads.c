/* Transforms of ranks with threads, worked out by hand: calls keep their times, which say in which order the threads
 * called; the computing that a replay takes is moved, scaled and kept beside them. */
#include <math.h>
#include <stdio.h>

#include "transform_test.h"

#define HEAD            "ranks 2\nwindow 0 comm=0\n"
#define assert_us(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* Rank 1 joins its thread 1 at 250-260 and posts at 400, after 140 of computing, then waits after 50. */
#define JOINS_THEN_POSTS                                                                                               \
    HEAD "0 0.000000 0.000300 MPI_Win_start win=0 group=1\n0 0.000350 0.000360 MPI_Put win=0 target=1 bytes=1000000\n" \
         "0 0.000410 0.000500 MPI_Win_complete win=0\n1 0.000000 0.000000 pthread_create child=1\n"                    \
         "1 0.000000 0.000000 thread_begin thread=1\n1 0.000200 0.000200 thread_end thread=1\n"                        \
         "1 0.000250 0.000260 pthread_join child=1\n1 0.000400 0.000405 MPI_Win_post win=0 group=0\n"                  \
         "1 0.000455 0.000600 MPI_Win_wait win=0\n"

/* The post does not pass the join: what the thread computed may be what is posted. Replayed with 10 us of latency and
 * 100 us for the data: the join returns at 250, the post comes at 390, start returns at 400, the put comes at 450, its data
 * are away at 550, the notification is there at 560. Moved up: post 250, start 260, put 310, notification 420; the wait,
 * behind all 190 of computing, comes at 440. */
static void posts_stay_behind_thread_primitives(void **state)
{
    (void)state;
    test_gives("post-early", JOINS_THEN_POSTS,
               "0 0.000000 0.000300 MPI_Win_start win=0 group=1\n"
               "0 0.000350 0.000360 MPI_Put win=0 target=1 bytes=1000000\n"
               "0 0.000410 0.000500 MPI_Win_complete win=0\n"
               "1 0.000000 0.000000 pthread_create child=1\n"
               "1 0.000000 0.000000 thread_begin thread=1\n"
               "1 0.000200 0.000200 thread_end thread=1\n"
               "1 0.000250 0.000260 pthread_join child=1\n"
               "1 0.000260 0.000260 MPI_Win_post win=0 group=0\n"
               "1 0.000455 0.000600 MPI_Win_wait win=0\n");
    static const char *const none[] = {NULL}, *const early[] = {"post-early", NULL};
    assert_us(test_run_rewritten_us(JOINS_THEN_POSTS, "a", none), 560);
    assert_us(test_run_rewritten_us(JOINS_THEN_POSTS, "a", early), 440);
}

static void calls_of_shared_windows_stay(void **state)
{
    (void)state;
    static const char *const text = HEAD "0 0 0 MPI_Win_start win=0 group=\n0 0 0 MPI_Win_complete win=0\n"
                                         "1 0.000100 0.000110 MPI_Win_post win=0 group=\n"
                                         "1 0.000160 0.000170 MPI_Win_wait win=0 thread=1\n"
                                         "1 0.000300 0.000300 MPI_Barrier comm=0 thread=1\n";
    test_refuses("post-early", text, "several threads of the rank work on window 0");
    test_refuses("wait-late", text, "several threads of the rank work on window 0");
}

/* The put is thread 1's, the fences are thread 0's. */
static void fences_of_one_thread_are_replaced(void **state)
{
    (void)state;
    test_gives("fence=pscw",
               HEAD "0 0.000000 0.000001 MPI_Win_fence win=0\n0 0.000010 0.000011 MPI_Win_fence win=0\n"
                    "0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8 thread=1\n"
                    "1 0.000000 0.000001 MPI_Win_fence win=0\n1 0.000010 0.000011 MPI_Win_fence win=0\n",
               "0 0.000000 0.000001 MPI_Win_start win=0 group=1\n"
               "0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8 thread=1\n"
               "0 0.000010 0.000011 MPI_Win_complete win=0\n"
               "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n"
               "1 0.000010 0.000011 MPI_Win_wait win=0\n");
}

static void fences_that_meet_other_threads_stay(void **state)
{
    (void)state;
#define FENCES "1 0 0.000001 MPI_Win_fence win=0\n1 0.000010 0.000011 MPI_Win_fence win=0\n"
    test_refuses("fence=pscw",
                 HEAD FENCES "0 0.000000 0.000002 MPI_Win_fence win=0\n0 0.000010 0.000011 MPI_Win_fence win=0\n"
                             "0 0.000001 0.000001 MPI_Put win=0 target=1 bytes=8 thread=1\n",
                 "another thread is in a fence of its window");
    test_refuses("fence=pscw",
                 HEAD FENCES "0 0.000000 0.000002 MPI_Win_fence win=0\n0 0.000010 0.000011 MPI_Win_fence win=0\n"
                             "0 0.000003 0.000012 MPI_Put win=0 target=1 bytes=8 thread=1\n",
                 "another thread is in an operation of its window");
    test_refuses("fence=pscw",
                 HEAD FENCES "0 0.000000 0.000002 MPI_Win_fence win=0\n"
                             "0 0.000010 0.000011 MPI_Win_fence win=0 thread=1\n",
                 "several threads of the rank call fences of window 0");
    /* Of several operations the one that ends last counts: thread 1's, until 20. It begins and ends around thread 0's, or they
     * overlap, or it begins last. */
    static const char *const meet[] = {
        "0 0.000002 0.000020 MPI_Put win=0 target=1 bytes=8 thread=1\n0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8\n",
        "0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8\n0 0.000003 0.000020 MPI_Put win=0 target=1 bytes=8 thread=1\n",
        "0 0.000003 0.000004 MPI_Put win=0 target=1 bytes=8\n0 0.000005 0.000020 MPI_Put win=0 target=1 bytes=8 thread=1\n",
    };
    for (size_t i = 0; i < sizeof meet / sizeof *meet; i++) {
        char text[800];
        snprintf(text, sizeof text, HEAD FENCES "0 0 0.000001 MPI_Win_fence win=0\n%s0 0.000010 0.000030 MPI_Win_fence win=0\n",
                 meet[i]);
        test_refuses("fence=pscw", text, "another thread is in an operation of its window");
    }
}

/* Thread 1 ends its put at 10, when thread 0 enters the fence: they do not meet. */
static void fences_right_behind_other_threads_are_replaced(void **state)
{
    (void)state;
    test_gives("fence=pscw",
               HEAD FENCES "0 0.000000 0.000001 MPI_Win_fence win=0\n0 0.000010 0.000011 MPI_Win_fence win=0\n"
                           "0 0.000001 0.000010 MPI_Put win=0 target=1 bytes=8 thread=1\n",
               "0 0.000000 0.000001 MPI_Win_start win=0 group=1\n"
               "0 0.000001 0.000010 MPI_Put win=0 target=1 bytes=8 thread=1\n"
               "0 0.000010 0.000011 MPI_Win_complete win=0\n"
               "1 0.000000 0.000001 MPI_Win_post win=0 group=0\n"
               "1 0.000010 0.000011 MPI_Win_wait win=0\n");
}

/* The created thread comes to itself at 30, when create has returned at 10: that is no computing. It computes 10 before the
 * lock, 10 until unlock and 10 until its end, and the join returns then: 30. A thread without thread_begin, whose first call
 * comes at 40, has computed since create returned: 30 + 10 + 10. */
static void starting_a_thread_is_no_computing(void **state)
{
    (void)state;
#define CREATES                                                                                                        \
    "ranks 1\nwindow 0 comm=0\n0 0.000000 0.000010 pthread_create child=1\n0 0.000020 0.000070 pthread_join child=1\n"
#define LOCKS                                                                                                          \
    "0 0.000040 0.000040 MPI_Win_lock win=0 target=0 lock=shared assert=NOCHECK thread=1\n"                           \
    "0 0.000050 0.000050 MPI_Win_unlock win=0 target=0 thread=1\n0 0.000060 0.000060 thread_end thread=1\n"
    static const char *const none[] = {NULL}, *const same[] = {"scale:/=1", NULL};
    assert_us(test_run_rewritten_us(CREATES "0 0.000030 0.000030 thread_begin thread=1\n" LOCKS, "a", none), 30);
    assert_us(test_run_rewritten_us(CREATES "0 0.000030 0.000030 thread_begin thread=1\n" LOCKS, "a", same), 30);
    assert_us(test_run_rewritten_us(CREATES LOCKS, "a", none), 50);
    assert_us(test_run_rewritten_us(CREATES LOCKS, "a", same), 50);
}

/* Thread 1 computes 10, in work 50, 10: 70; half of work is 25: 45. */
static void scales_a_thread(void **state)
{
    (void)state;
    static const char *const text = "ranks 1\n0 0 0 pthread_create child=1\n0 0 0.000070 pthread_join child=1\n"
                                    "0 0 0 thread_begin thread=1\n0 0.000010 enter work thread=1\n"
                                    "0 0.000060 leave work thread=1\n0 0.000070 0.000070 thread_end thread=1\n";
    static const char *const none[] = {NULL}, *const half[] = {"scale:work=0.5", NULL};
    assert_us(test_run_rewritten_us(text, "a", none), 70);
    assert_us(test_run_rewritten_us(text, "a", half), 45);
}

/* The new request of thread 1 is none of thread 0's. The wait stands behind the put; the 6 of computing before unlock are
 * before it in the replay. */
static void requests_are_new_to_the_rank(void **state)
{
    (void)state;
#define MESSAGE "0 0.000000 0.000001 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=0\n"
#define RECEIVE "0 0.000030 0.000031 MPI_Wait req=0\n1 0.000000 0.000001 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n"
    test_gives("put=rput",
               HEAD MESSAGE "0 0.000002 0.000002 MPI_Win_lock win=0 target=1 lock=shared thread=1\n"
                            "0 0.000004 0.000004 MPI_Put win=0 target=1 bytes=8 thread=1\n"
                            "0 0.000010 0.000010 MPI_Win_unlock win=0 target=1 thread=1\n" RECEIVE,
               MESSAGE "0 0.000002 0.000002 MPI_Win_lock win=0 target=1 lock=shared thread=1\n"
                       "0 0.000004 0.000004 MPI_Rput win=0 target=1 bytes=8 req=1 thread=1\n"
                       "0 0.000004 0.000004 MPI_Waitall reqs=1 thread=1\n"
                       "0 0.000010 0.000010 MPI_Win_unlock win=0 target=1 thread=1\n" RECEIVE);
    test_refuses("put=rput",
                 HEAD "0 0.000002 0.000002 MPI_Win_lock win=0 target=1 lock=shared\n"
                      "0 0.000004 0.000004 MPI_Put win=0 target=1 bytes=8 thread=1\n"
                      "0 0.000010 0.000010 MPI_Win_unlock win=0 target=1\n",
                 "several threads of the rank work on window 0");
}

/* A thread primitive keeps puts apart, another thread's call of the window all of them. */
static void puts_are_merged_between_primitives(void **state)
{
    (void)state;
#define PUT(TIME) "0 0.00000" #TIME " 0.00000" #TIME " MPI_Put win=0 target=1 bytes=8 thread=1\n"
#define LOCKED(PUTS)                                                                                                   \
    "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared thread=1\n" PUTS                                      \
    "0 0.000009 0.000009 MPI_Win_unlock win=0 target=1 thread=1\n"
#define POST "0 0.000004 0.000004 sem_post object=0 thread=1\n"
    test_gives("merge-puts", HEAD "0 0.000000 0.000000 MPI_Init\n" LOCKED(PUT(1) PUT(2) POST PUT(5) PUT(7)),
               "0 0.000000 0.000000 MPI_Init\n"
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared thread=1\n"
               "0 0.000002 0.000002 MPI_Put win=0 target=1 bytes=16 thread=1\n" POST
               "0 0.000007 0.000007 MPI_Put win=0 target=1 bytes=16 thread=1\n"
               "0 0.000009 0.000009 MPI_Win_unlock win=0 target=1 thread=1\n");
    /* who makes and frees the window does not work on it */
#define OF_BOTH(CALL, TIME)                                                                                            \
    "0 0.00000" #TIME " 0.00000" #TIME " " CALL " win=0\n1 0.00000" #TIME " 0.00000" #TIME " " CALL " win=0\n"
    test_gives("merge-puts", HEAD OF_BOTH("MPI_Win_create", 0) LOCKED(PUT(1) PUT(2)) OF_BOTH("MPI_Win_free", 9),
               "0 0.000000 0.000000 MPI_Win_create win=0\n"
               "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared thread=1\n"
               "0 0.000002 0.000002 MPI_Put win=0 target=1 bytes=16 thread=1\n"
               "0 0.000009 0.000009 MPI_Win_unlock win=0 target=1 thread=1\n0 0.000009 0.000009 MPI_Win_free win=0\n"
               "1 0.000000 0.000000 MPI_Win_create win=0\n1 0.000009 0.000009 MPI_Win_free win=0\n");
    test_refuses("merge-puts", HEAD "0 0.000003 0.000003 MPI_Win_flush win=0 target=1\n" LOCKED(PUT(1) PUT(2)),
                 "several threads of the rank work on window 0");
}

/* Thread 1 alone locks: its locks become one; thread 0's operation in between is no matter. Two threads that lock are. */
static void locks_of_one_thread_become_lock_all(void **state)
{
    (void)state;
#define LOCK(THREAD, TIME)   "0 0.00000" #TIME " 0.00000" #TIME " MPI_Win_lock win=0 target=1 lock=shared" THREAD "\n"
#define UNLOCK(THREAD, TIME) "0 0.00000" #TIME " 0.00000" #TIME " MPI_Win_unlock win=0 target=1" THREAD "\n"
    test_gives("lock=lock_all",
               HEAD LOCK(" thread=1", 1) "0 0.000002 0.000002 MPI_Put win=0 target=1 bytes=8\n" UNLOCK(" thread=1", 3)
                   LOCK(" thread=1", 4) UNLOCK(" thread=1", 5),
               "0 0.000001 0.000001 MPI_Win_lock_all win=0 thread=1\n"
               "0 0.000002 0.000002 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000003 0.000003 MPI_Win_flush win=0 target=1 thread=1\n"
               "0 0.000005 0.000005 MPI_Win_unlock_all win=0 thread=1\n");
    test_refuses("lock=lock_all", HEAD LOCK("", 1) UNLOCK("", 2) LOCK(" thread=1", 3) UNLOCK(" thread=1", 4),
                 "several threads of the rank synchronise its window");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posts_stay_behind_thread_primitives),
        cmocka_unit_test(calls_of_shared_windows_stay),
        cmocka_unit_test(fences_of_one_thread_are_replaced),
        cmocka_unit_test(fences_that_meet_other_threads_stay),
        cmocka_unit_test(fences_right_behind_other_threads_are_replaced),
        cmocka_unit_test(starting_a_thread_is_no_computing),
        cmocka_unit_test(scales_a_thread),
        cmocka_unit_test(requests_are_new_to_the_rank),
        cmocka_unit_test(puts_are_merged_between_primitives),
        cmocka_unit_test(locks_of_one_thread_become_lock_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
