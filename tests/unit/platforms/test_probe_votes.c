/* One try's vote, and what votes decide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "platforms/probe/votes.h"

/* Delay 8 ms: clocks may differ by 1 ms, and the origin must have begun 2 ms before the event. */
static int vote(double begin_ms, double first_ms, double second_ms, double third_ms)
{
    struct probe_sample sample = {.delay_s = 8e-3, .begin_s = begin_ms * 1e-3};
    const double ends_ms[] = {first_ms, second_ms, third_ms};
    for (int i = 0; i < 3; i++) sample.end_s[i] = ends_ms[i] * 1e-3;
    return probe_sample_vote(&sample, 3);
}

static void the_call_that_returns_with_the_event_waited(void **state)
{
    (void)state;
    assert_int_equal(vote(-7.9, 0.01, 0.02, 0.03), 0);
    assert_int_equal(vote(-7.9, -7.8, 0.02, 0.03), 1);
    assert_int_equal(vote(-7.9, -7.8, -7.7, 0.03), 2);
    assert_int_equal(vote(-7.9, -7.8, -7.7, -7.6), 3); /* none */
}

/* Much later is a wait, too: others had the core. A clock that is 0.9 ms off is no reason to miss one. */
static void late_returns_and_clocks(void **state)
{
    (void)state;
    assert_int_equal(vote(-7.9, -7.8, 50, 51), 1);
    assert_int_equal(vote(-7.9, -7.8, -0.9, -0.8), 1);
    assert_int_equal(vote(-7.9, -7.8, -1.1, -1.05), 3);
}

/* An origin that begins shortly before the event has no time to wait; nor has a call that begins there. */
static void an_origin_that_comes_late_does_not_vote(void **state)
{
    (void)state;
    assert_int_equal(vote(-1.9, 0.01, 0.02, 0.03), PROBE_LATE);
    assert_int_equal(vote(-2.1, 0.01, 0.02, 0.03), 0);
    assert_int_equal(vote(5, 5.1, 5.2, 5.3), PROBE_LATE);
    assert_int_equal(vote(-7.9, -1.5, 0.02, 0.03), PROBE_LATE);
    assert_int_equal(vote(-7.9, -2.1, 0.02, 0.03), 1);
}

static void the_second_event(void **state)
{
    (void)state;
    struct probe_sample sample = {.delay_s = 8e-3, .begin_s = -7.9e-3, .end_s = {-7.8e-3, 0.1e-3}};
    assert_false(probe_sample_is_second(&sample, 2));
    sample.end_s[1] = 8.1e-3;
    assert_true(probe_sample_is_second(&sample, 2));
}

static void most_votes_win(void **state)
{
    (void)state;
    struct probe_votes votes = {0};
    assert_int_equal(probe_votes_winner(&votes), PROBE_LATE);
    const int given[] = {2, 0, PROBE_LATE, 2, 3, 2};
    for (int i = 0; i < 6; i++) probe_votes_add(&votes, given[i]);
    assert_int_equal(probe_votes_winner(&votes), 2);
    assert_int_equal(probe_votes_lead(&votes), 2); /* 3 votes against 1 */
    assert_int_equal(votes.of, 5);
    assert_int_equal(votes.late, 1);
    assert_false(probe_votes_are_clear(&votes)); /* 3 of 5 */
    for (int i = 0; i < 3; i++) probe_votes_add(&votes, 2);
    assert_true(probe_votes_are_clear(&votes)); /* 6 of 8 */
}

/* Of equal votes the first call wins, by no lead. Three quarters are clear. */
static void equal_votes(void **state)
{
    (void)state;
    struct probe_votes votes = {0};
    const int given[] = {3, 1, 1, 3};
    for (int i = 0; i < 4; i++) probe_votes_add(&votes, given[i]);
    assert_int_equal(probe_votes_winner(&votes), 1);
    assert_int_equal(probe_votes_lead(&votes), 0);
    assert_true(probe_are_clear(3, 4) && probe_are_clear(6, 8));
    assert_false(probe_are_clear(2, 3) || probe_are_clear(5, 7) || probe_are_clear(0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_call_that_returns_with_the_event_waited),
        cmocka_unit_test(late_returns_and_clocks),
        cmocka_unit_test(an_origin_that_comes_late_does_not_vote),
        cmocka_unit_test(the_second_event),
        cmocka_unit_test(most_votes_win),
        cmocka_unit_test(equal_votes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
