/* Waits as the picture shows them: where they are, and the longest ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/placed_waits.h"

static struct placed_wait wait_of(uint32_t rank, int64_t from_ps, int64_t severity_ps)
{
    return (struct placed_wait){
        .rank = rank, .from_ps = from_ps, .until_ps = from_ps + severity_ps, .severity_ps = severity_ps};
}

/* The longest first; of equal ones the lower rank's, then the earlier one. All that were found are counted. */
static void the_longest_are_kept(void **state)
{
    (void)state;
    static const struct {
        uint32_t rank;
        int64_t from_ps, severity_ps;
    } added[] = {{1, 5, 10}, {0, 9, 10}, {2, 0, 30}, {0, 3, 10}, {3, 0, 1}, {0, 3, 20}},
      kept[] = {{2, 0, 30}, {0, 3, 20}, {0, 3, 10}, {0, 9, 10}, {1, 5, 10}};
    struct placed_waits waits = {0};
    struct err err;
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(placed_waits_add(&waits, wait_of(added[i].rank, added[i].from_ps, added[i].severity_ps), &err),
                         STATUS_OK);
    placed_waits_keep_longest(&waits, 6);
    assert_int_equal(waits.count, 6);
    placed_waits_keep_longest(&waits, 5);
    assert_int_equal(waits.count, 5);
    assert_int_equal(waits.found, 6);
    for (size_t i = 0; i < 5; i++)
        if (waits.items[i].rank != kept[i].rank || waits.items[i].from_ps != kept[i].from_ps ||
            waits.items[i].severity_ps != kept[i].severity_ps)
            fail_msg("wait %zu", i);
    placed_waits_clear(&waits);
}

/* A wait without a place of its own is drawn from its call's enter on, as long as it is, and has no cause. */
static void waits_without_a_place(void **state)
{
    (void)state;
    struct trace_call call = {.enter_ps = 100, .exit_ps = 200};
    struct trace_rank rank = {.calls = &call, .count = 1};
    const struct trace trace = {.ranks = &rank, .rank_count = 1};
    struct wait wait = {.from_ps = 120, .until_ps = 150, .severity_ps = 25, .cause_rank = 3};
    struct placed_wait placed = placed_wait_of(&trace, &wait);
    assert_true(placed.from_ps == 120 && placed.until_ps == 150 && placed.severity_ps == 25 && placed.call == -1);
    assert_int_equal(placed.cause_rank, 3);
    wait.until_ps = 120;
    placed = placed_wait_of(&trace, &wait);
    assert_true(placed.from_ps == 100 && placed.until_ps == 125 && placed.severity_ps == 25);
    assert_int_equal(placed.cause_rank, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_longest_are_kept), cmocka_unit_test(waits_without_a_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
