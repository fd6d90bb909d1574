/* The inbox's heap, and who waits for a counter. Flights are put by hand: the later ones of a list go to the heap where they
 * would have to pass more than a few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "simulate/engine/loggp/inbox.h"

enum { ROOM = 16, IN_LIST = 8 };

struct box {
    struct inbox inbox;
    struct flight flights[ROOM];
    uint32_t count;
};

static void put(struct box *box, int64_t time_ps, enum message_effect notice, uint32_t counter)
{
    uint32_t index = ++box->count; /* flight 0 is never used */
    box->flights[index] = (struct flight){.time = {time_ps, index}, .note.ref = counter, .effect = (uint8_t)notice};
    inbox_put(&box->inbox, box->flights, index);
}

/* A list at 100, 101, ... of counter 1, and in the heap one of counter 2 at 50. */
static void fill(struct box *box)
{
    *box = (struct box){0};
    inbox_init(&box->inbox);
    for (int i = 0; i < IN_LIST; i++) put(box, 100 + i, EFFECT_COUNTS, 1);
    put(box, 50, EFFECT_COUNTS, 2);
    assert_int_not_equal(box->inbox.heap, FLIGHT_NONE);
}

static int64_t due_ps(const struct box *box)
{
    return inbox_due(&box->inbox, box->flights).time_ps;
}

static void test_heap(void **state)
{
    (void)state;
    struct box box;
    fill(&box);
    assert_int_equal(due_ps(&box), INT64_MAX); /* nobody waits */
    inbox_await(&box.inbox, 0, 1, 2);
    assert_true(due_ps(&box) <= 50); /* what is awaited lies in the heap: no later than that */
    inbox_take(&box.inbox, box.flights, inbox_first(&box.inbox, box.flights));
    assert_int_equal(due_ps(&box), INT64_MAX); /* no other message of counter 2 is on its way */
    inbox_resume(&box.inbox);
    inbox_await(&box.inbox, 0, 1, 1);
    assert_int_equal(due_ps(&box), 100);
}

/* Who waits for a counter goes on by no message of another kind; who waits for messages by no counter; two wait for all. */
static void test_who_waits(void **state)
{
    (void)state;
    struct box box = {0};
    inbox_init(&box.inbox);
    put(&box, 10, EFFECT_COUNTS, 1);
    put(&box, 20, EFFECT_CHANGES, 0);
    put(&box, 30, EFFECT_COUNTS, 2);
    inbox_await(&box.inbox, 0, 1, 2);
    assert_int_equal(due_ps(&box), 30);
    inbox_resume(&box.inbox);
    inbox_await(&box.inbox, 0, 1, ENGINE_NO_COUNTER);
    assert_int_equal(due_ps(&box), 20);
    inbox_await(&box.inbox, 1, 1, 2);
    assert_int_equal(due_ps(&box), 10);
    inbox_resume(&box.inbox);
    inbox_resume(&box.inbox);
    inbox_await(&box.inbox, 0, 1, ENGINE_ANY_COUNTER);
    assert_int_equal(due_ps(&box), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_who_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
