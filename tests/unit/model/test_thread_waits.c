/* Waits of threads for threads of their rank in recorded traces, in seconds, worked out in the comments. */
#include "model_test.h"

#define SECOND INT64_C(1000000000000)

static void expect(const char *calls, enum pattern pattern, int64_t seconds, uint64_t count)
{
    char text[1024];
    snprintf(text, sizeof text, "ranks 1\n%s", calls);
    struct totals totals = account_of(text, NULL);
    if (totals.severity_ps[pattern][0] != seconds * SECOND || totals.count[pattern][0] != count)
        fail_msg("%s: %lld ps in %llu waits, expected %lld s in %llu", pattern_row(pattern)->name,
                 (long long)totals.severity_ps[pattern][0], (unsigned long long)totals.count[pattern][0],
                 (long long)seconds, (unsigned long long)count);
    totals_clear(&totals);
}

/* The writer lets go in 18-20; the readers, who asked at 5 and 10, return at 19, before the unlock does: 14 and 9. Both
 * unlocks, until 31 and 39, keep the second writer from 12 on: 27. */
static void readers_share(void **state)
{
    (void)state;
    expect("0 0 0 pthread_rwlock_wrlock object=0\n0 18 20 pthread_rwlock_unlock object=0\n"
           "0 5 19 pthread_rwlock_rdlock object=0 thread=1\n0 30 31 pthread_rwlock_unlock object=0 thread=1\n"
           "0 10 19 pthread_rwlock_rdlock object=0 thread=2\n0 38 39 pthread_rwlock_unlock object=0 thread=2\n"
           "0 12 40 pthread_rwlock_wrlock object=0 thread=3\n",
           PATTERN_THREAD_LOCK_CONTENTION, 14 + 9 + 27, 3);
}

/* The outer unlock at 10 lets thread 1 in, who asked at 3; the inner one lets nobody in. */
static void a_mutex_is_taken_twice(void **state)
{
    (void)state;
    expect("0 0 1 pthread_mutex_lock object=0\n0 2 2 pthread_mutex_lock object=0\n0 4 4 pthread_mutex_unlock object=0\n"
           "0 10 10 pthread_mutex_unlock object=0\n0 3 10 pthread_mutex_lock object=0 thread=1\n",
           PATTERN_THREAD_LOCK_CONTENTION, 7, 1);
}

/* Thread 1 asks at 2 and gets the mutex when thread 0 begins to wait for the condition at 5; that thread has it again at
 * 30 and keeps thread 2 from 31 to 33. */
static void a_condition_lets_the_mutex_go(void **state)
{
    (void)state;
    expect("0 0 0 pthread_mutex_lock object=0\n0 5 30 pthread_cond_wait object=1 mutex=0\n"
           "0 33 33 pthread_mutex_unlock object=0\n0 2 6 pthread_mutex_lock object=0 thread=1\n"
           "0 7 7 pthread_mutex_unlock object=0 thread=1\n0 31 34 pthread_mutex_lock object=0 thread=2\n",
           PATTERN_THREAD_LOCK_CONTENTION, 3 + 2, 2);
}

/* A spin lock is waited for from 2 to 6; one that is tried at 9 is not, though the unlock before it returns at 10. One
 * that was held before, by the same thread, costs nothing. */
static void tries_do_not_wait(void **state)
{
    (void)state;
    expect("0 0 1 pthread_spin_lock object=0\n0 5 6 pthread_spin_unlock object=0\n"
           "0 2 7 pthread_spin_lock object=0 thread=1\n0 8 10 pthread_spin_unlock object=0 thread=1\n"
           "0 9 11 pthread_spin_trylock object=0 flag=1\n0 12 12 pthread_spin_unlock object=0\n"
           "0 13 14 pthread_spin_lock object=0\n",
           PATTERN_THREAD_LOCK_CONTENTION, 4, 1);
}

/* Two meet at 10; who comes at 12 finds nobody before the trace ends. */
static void barriers_meet_in_groups(void **state)
{
    (void)state;
    expect("0 1 11 pthread_barrier_wait object=0 parties=2\n0 10 11 pthread_barrier_wait object=0 parties=2 thread=1\n"
           "0 12 20 pthread_barrier_wait object=0 parties=2\n",
           PATTERN_THREAD_BARRIER_WAIT, 9, 1);
}

/* Thread 1 ends at 7; who is joined at 8 has ended, and of thread 3 nothing is known. */
static void joins_wait_for_the_end(void **state)
{
    (void)state;
    expect("0 0 0 pthread_create child=1\n0 0 0 pthread_create child=2\n0 0 0 pthread_create child=3\n"
           "0 2 8 pthread_join child=1\n0 8 9 pthread_join child=2\n0 9 12 pthread_join child=3\n"
           "0 7 7 thread_end thread=1\n0 5 5 thread_end thread=2\n",
           PATTERN_JOIN_WAIT, 5, 1);
}

/* Value 1: the first wait takes it, the second, from 2 on, the unit posted until 8; a failed one takes none, a third, from
 * 3 on, the one posted until 9. Of a semaphore whose value is not known nothing is said. */
static void units_come_in_order(void **state)
{
    (void)state;
    expect("0 1 1 sem_wait object=0 value=1\n0 2 8 sem_wait object=0 thread=1\n0 3 9 sem_wait object=0 thread=2\n"
           "0 4 4 sem_trywait object=0 flag=0\n0 7 8 sem_post object=0\n0 8 9 sem_post object=0\n",
           PATTERN_SEMAPHORE_WAIT, 6 + 6, 2);
    expect("0 2 8 sem_wait object=0 thread=1\n0 7 8 sem_post object=0\n", PATTERN_SEMAPHORE_WAIT, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_share),           cmocka_unit_test(a_mutex_is_taken_twice),
        cmocka_unit_test(tries_do_not_wait),       cmocka_unit_test(a_condition_lets_the_mutex_go),
        cmocka_unit_test(barriers_meet_in_groups), cmocka_unit_test(joins_wait_for_the_end),
        cmocka_unit_test(units_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
