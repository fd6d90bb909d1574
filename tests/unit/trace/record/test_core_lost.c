/* What a thread lost between two readings: times in microseconds, worked out by hand in each row's comment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "trace/record/core_lost.h"

struct row {
    const char *what;
    uint64_t all_us, passed_us;
    uint64_t cpu_us, counted_us, asked_us, runs; /* between the readings */
    int64_t waited_us, slept_us;
};

static const struct row rows[] = {
    /* 2060 - 20 on a core is sleep: no wait, nothing asked for (a sleep that nobody wraps) */
    {"sleep", 2060, 2060, 20, 0, 0, 1, 0, 2040},
    /* 4000 - 20 - 1930: it woke and waited */
    {"sleep, then wait", 4000, 4000, 20, 1930, 2000, 1, 1930, 2050},
    /* 2076 - 4 = 2072 off the core, of which it slept 2000 as asked: at most 72 are wait */
    {"sleep counted as wait", 2076, 2076, 4, 2071, 2000, 1, 72, 2000},
    /* the kernel counts more than all the time: 3877 - 50 - 2000 are left */
    {"more wait than time", 3877, 3877, 50, 33815, 2000, 2, 1827, 2000},
    /* the same, and nothing is known of a sleep: all that it did not run */
    {"more wait than time, unasked", 3877, 3877, 50, 33815, 0, 2, 3827, 0},
    /* 3000 are asked for, and 2990 passed off the core: clocks differ, and no wait is negative */
    {"asked for more", 3000, 3000, 10, 5, 3000, 1, 0, 2990},
    /* it got no core anew: 900 may be another virtual machine */
    {"not a new core", 1000, 1000, 100, 0, 0, 0, 0, 0},
    /* 9 of 1000 are less than a hundredth */
    {"too little sleep", 1000, 1000, 991, 0, 0, 1, 0, 0},
    {"just enough sleep", 1000, 1000, 990, 0, 0, 1, 0, 10},
    /* 300 of wait and 600 of sleep since the last reading, but the interval has 500: wait first */
    {"short intervals before", 1000, 500, 100, 300, 0, 1, 300, 200},
    {"a wait longer than the interval", 1000, 200, 100, 300, 0, 1, 200, 0},
};

static void by_hand(void **state)
{
    (void)state;
    const struct rec_core_times from = {.stamp = 7, .cpu_ns = 5000, .waited_ns = 70000, .asked_ns = 900000, .runs = 11};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const struct rec_core_times to = {.cpu_ns = from.cpu_ns + 1000 * row->cpu_us,
                                          .waited_ns = from.waited_ns + 1000 * row->counted_us,
                                          .asked_ns = from.asked_ns + 1000 * row->asked_us,
                                          .runs = from.runs + row->runs};
        struct rec_core_lost lost =
            rec_core_lost_between(&from, &to, 1000.0 * (double)row->all_us, 1000.0 * (double)row->passed_us);
        if (lost.waited_ns != 1000 * row->waited_us || lost.slept_ns != 1000 * row->slept_us)
            fail_msg("%s: waited %lld ns, slept %lld ns", row->what, (long long)lost.waited_ns, (long long)lost.slept_ns);
    }
}

/* The thread has the file of another one by now: nothing is known. */
static void runs_back(void **state)
{
    (void)state;
    const struct rec_core_times from = {.waited_ns = 10}, to = {.waited_ns = 9, .runs = 1};
    struct rec_core_lost lost = rec_core_lost_between(&from, &to, 1e6, 1e6);
    assert_int_equal(lost.waited_ns, 0);
    assert_int_equal(lost.slept_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(runs_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
