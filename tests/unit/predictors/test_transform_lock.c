/* lock=lock_all and put=rput, worked out by hand. */
#include <math.h>

#include "transform_test.h"

#define assert_us(a, b) assert_true(fabs((a) - (b)) < 1e-6)
#define HEAD            "ranks 3\nwindow 0 comm=0\nwindow 1 comm=0\n"

/* The first lock becomes lock_all, the last unlock unlock_all, the unlocks between flushes; the lock in between goes
 * and leaves its computing. A fence between locks ends the stretch. NOCHECK stays where all locks had it. */
static void stretches_of_locks_become_one(void **state)
{
    (void)state;
    test_gives("lock=lock_all",
               HEAD "0 0.000000 0.000001 MPI_Win_lock win=0 target=1 lock=shared\n"
                    "0 0.000011 0.000011 MPI_Put win=0 target=1 bytes=8\n"
                    "0 0.000021 0.000022 MPI_Win_unlock win=0 target=1\n"
                    "0 0.000032 0.000033 MPI_Win_lock win=0 target=2 lock=shared assert=NOCHECK\n"
                    "0 0.000043 0.000043 MPI_Put win=0 target=2 bytes=8\n"
                    "0 0.000053 0.000054 MPI_Win_unlock win=0 target=2\n"
                    "0 0.000064 0.000064 MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED\n"
                    "0 0.000074 0.000074 MPI_Win_lock win=0 target=0 lock=shared assert=NOCHECK\n"
                    "0 0.000074 0.000074 MPI_Win_unlock win=0 target=0\n"
                    "1 0.000064 0.000064 MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED\n"
                    "2 0.000064 0.000064 MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED\n",
               "0 0.000000 0.000001 MPI_Win_lock_all win=0\n"
               "0 0.000011 0.000011 MPI_Put win=0 target=1 bytes=8\n"
               "0 0.000021 0.000022 MPI_Win_flush win=0 target=1\n"
               "0 0.000042 0.000042 MPI_Put win=0 target=2 bytes=8\n"
               "0 0.000052 0.000053 MPI_Win_unlock_all win=0\n"
               "0 0.000063 0.000063 MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED\n"
               "0 0.000073 0.000073 MPI_Win_lock_all win=0 assert=NOCHECK\n"
               "0 0.000073 0.000073 MPI_Win_unlock_all win=0\n"
               "1 0.000064 0.000064 MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED\n"
               "2 0.000064 0.000064 MPI_Win_fence win=0 assert=NOPRECEDE|NOSUCCEED\n");
}

/* The first stretch of a window keeps NOCHECK, too, if both of its locks have it. */
static void a_promise_of_all_locks_stays(void **state)
{
    (void)state;
#define LOCKED(ASSERT)                                                                                                           \
    "0 0.000000 0.000000 MPI_Win_lock win=0 target=1 lock=shared" ASSERT "\n0 0.000000 0.000000 MPI_Win_unlock win=0 target=1\n"
#define ALL(ASSERT)                                                                                                              \
    "0 0.000000 0.000000 MPI_Win_lock_all win=0" ASSERT "\n0 0.000000 0.000000 MPI_Win_flush win=0 target=1\n"                 \
    "0 0.000000 0.000000 MPI_Win_unlock_all win=0\n"
    test_gives("lock=lock_all", HEAD LOCKED(" assert=NOCHECK") LOCKED(" assert=NOCHECK"), ALL(" assert=NOCHECK"));
    test_gives("lock=lock_all", HEAD LOCKED(" assert=NOCHECK") LOCKED(""), ALL(""));
#undef LOCKED
#undef ALL
}

static void locks_that_keep_others_out_stay(void **state)
{
    (void)state;
    test_refuses("lock=lock_all",
                 HEAD "0 0 0 MPI_Win_lock win=0 target=1 lock=shared\n0 0 0 MPI_Win_unlock win=0 target=1\n"
                      "2 0 0 MPI_Win_lock win=0 target=1 lock=exclusive\n2 0 0 MPI_Win_unlock win=0 target=1\n",
                 "rank 2, event 1 (MPI_Win_lock): lock=lock_all changes nothing: an exclusive lock");
    test_refuses("lock=lock_all", HEAD "0 0 0 MPI_Win_lock win=0 target=1 lock=shared\n",
                 "rank 0, event 1 (MPI_Win_lock): lock=lock_all changes nothing: no unlock follows");
}

/* Requests are numbered behind those that are there. Each completing call gets a waitall of the requests that it
 * completes, behind the computing before it; window 1's put waits for its own. */
static void puts_become_request_based(void **state)
{
    (void)state;
    test_gives("put=rput",
               HEAD "0 0.000000 0.000000 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=4\n"
                    "0 0.000010 0.000010 MPI_Win_lock win=0 target=1 lock=shared\n"
                    "0 0.000010 0.000010 MPI_Win_lock win=0 target=2 lock=shared\n"
                    "0 0.000010 0.000010 MPI_Win_lock_all win=1\n"
                    "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=8\n"
                    "0 0.000020 0.000020 MPI_Put win=1 target=1 bytes=8\n"
                    "0 0.000020 0.000020 MPI_Put win=0 target=2 bytes=8\n"
                    "0 0.000020 0.000020 MPI_Put win=0 target=1 bytes=16\n"
                    "0 0.000030 0.000031 MPI_Win_unlock win=0 target=1\n"
                    "0 0.000041 0.000041 MPI_Win_unlock win=0 target=2\n"
                    "0 0.000051 0.000051 MPI_Win_flush win=1 target=2\n"
                    "0 0.000061 0.000061 MPI_Win_unlock_all win=1\n"
                    "0 0.000071 0.000071 MPI_Wait req=4\n"
                    "1 0.000000 0.000000 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n",
               "0 0.000000 0.000000 MPI_Isend comm=0 peer=1 tag=0 bytes=8 req=4\n"
               "0 0.000010 0.000010 MPI_Win_lock win=0 target=1 lock=shared\n"
               "0 0.000010 0.000010 MPI_Win_lock win=0 target=2 lock=shared\n"
               "0 0.000010 0.000010 MPI_Win_lock_all win=1\n"
               "0 0.000020 0.000020 MPI_Rput win=0 target=1 bytes=8 req=5\n"
               "0 0.000020 0.000020 MPI_Rput win=1 target=1 bytes=8 req=6\n"
               "0 0.000020 0.000020 MPI_Rput win=0 target=2 bytes=8 req=7\n"
               "0 0.000020 0.000020 MPI_Rput win=0 target=1 bytes=16 req=8\n"
               "0 0.000030 0.000030 MPI_Waitall reqs=5,8\n"
               "0 0.000030 0.000031 MPI_Win_unlock win=0 target=1\n"
               "0 0.000041 0.000041 MPI_Waitall reqs=7\n"
               "0 0.000041 0.000041 MPI_Win_unlock win=0 target=2\n"
               "0 0.000051 0.000051 MPI_Win_flush win=1 target=2\n"
               "0 0.000061 0.000061 MPI_Waitall reqs=6\n"
               "0 0.000061 0.000061 MPI_Win_unlock_all win=1\n"
               "0 0.000071 0.000071 MPI_Wait req=4\n"
               "1 0.000000 0.000000 MPI_Recv comm=0 peer=0 tag=0 bytes=8\n");
}

/* The lock of rank 2 is held until its own unlock, and that of all until it is unlocked: only the last put has none. */
static void puts_under_the_last_lock_are_request_based(void **state)
{
    (void)state;
#define LOCK(TARGET)   "0 0.000000 0.000000 MPI_Win_lock win=0 target=" #TARGET " lock=shared\n"
#define UNLOCK(TARGET) "0 0.000000 0.000000 MPI_Win_unlock win=0 target=" #TARGET "\n"
#define FENCE          "0 0.000000 0.000000 MPI_Win_fence win=0\n"
    test_gives("put=rput",
               HEAD LOCK(1) LOCK(2) UNLOCK(1) "0 0.000000 0.000000 MPI_Put win=0 target=2 bytes=8\n" UNLOCK(2)
                   FENCE "0 0.000000 0.000000 MPI_Put win=0 target=2 bytes=8\n" FENCE,
               LOCK(1) LOCK(2) UNLOCK(1) "0 0.000000 0.000000 MPI_Rput win=0 target=2 bytes=8 req=0\n"
                   "0 0.000000 0.000000 MPI_Waitall reqs=0\n"
                   UNLOCK(2) FENCE "0 0.000000 0.000000 MPI_Put win=0 target=2 bytes=8\n" FENCE);
}

/* The waitall stands behind the computing, so it has the sleep in it, too, and the unlock has none. A put that does not
 * return and one to MPI_PROC_NULL stay. */
static void the_waitall_stands_behind_the_sleep(void **state)
{
    (void)state;
    test_gives("put=rput",
               HEAD "0 0.000000 0.000000 MPI_Win_lock_all win=0\n0 0.000010 0.000010 MPI_Put win=0 target=1 bytes=8 "
                    "slept=0.000004\n"
                    "0 0.000020 0.000020 MPI_Put win=0 target=- bytes=0\n"
                    "0 0.000030 0.000031 MPI_Win_unlock_all win=0 slept=0.000007\n",
               "0 0.000000 0.000000 MPI_Win_lock_all win=0\n0 0.000010 0.000010 MPI_Rput win=0 target=1 bytes=8 req=0 "
               "slept=0.000004\n"
               "0 0.000020 0.000020 MPI_Put win=0 target=- bytes=0\n"
               "0 0.000030 0.000030 MPI_Waitall reqs=0 slept=0.000007\n0 0.000030 0.000031 MPI_Win_unlock_all win=0\n");
}

static void puts_of_other_epochs_stay(void **state)
{
    (void)state;
    test_refuses("put=rput", HEAD "0 0 0 MPI_Win_fence win=0\n0 0 0 MPI_Put win=0 target=1 bytes=8\n",
                 "rank 0, event 2 (MPI_Put): put=rput changes nothing: no lock is held");
}

/* Twice 1 MB. Locks: granted after 20 (there and back), the data leave for 100, arrive after 10 more, their ack is back
 * after another 10: 140 an epoch, 280 in all. lock_all asks once: the second put enters at 140 and is known at 260. A
 * waitall ends when the data have left, at 120; the unlock behind it ends at 140 as before. */
static void one_lock_less_is_worth_a_round_trip(void **state)
{
    (void)state;
    static const char text[] = "ranks 2\nwindow 0 comm=0\n"
                               "0 0 0 MPI_Win_lock win=0 target=1 lock=shared\n"
                               "0 0 0 MPI_Put win=0 target=1 bytes=1000000\n"
                               "0 0 0 MPI_Win_unlock win=0 target=1\n"
                               "0 0 0 MPI_Win_lock win=0 target=1 lock=shared\n"
                               "0 0 0 MPI_Put win=0 target=1 bytes=1000000\n"
                               "0 0 0 MPI_Win_unlock win=0 target=1\n";
    static const char *const none[] = {NULL}, *const all[] = {"lock=lock_all", NULL};
    static const char *const rput[] = {"put=rput", NULL}, *const both[] = {"lock=lock_all", "put=rput", NULL};
    assert_us(test_run_rewritten_us(text, "a", none), 280);
    assert_us(test_run_rewritten_us(text, "a", all), 260);
    assert_us(test_run_rewritten_us(text, "a", rput), 280);
    assert_us(test_run_rewritten_us(text, "a", both), 260);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretches_of_locks_become_one),
        cmocka_unit_test(a_promise_of_all_locks_stays),
        cmocka_unit_test(locks_that_keep_others_out_stay),
        cmocka_unit_test(puts_become_request_based),           cmocka_unit_test(puts_of_other_epochs_stay),
        cmocka_unit_test(puts_under_the_last_lock_are_request_based),
        cmocka_unit_test(the_waitall_stands_behind_the_sleep), cmocka_unit_test(one_lock_less_is_worth_a_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
