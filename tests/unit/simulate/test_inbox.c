/* The inbox's heap, who waits for a counter, and bounds for tails. Flights are put by hand: the later ones of a list go to
 * the heap where they would have to pass more than a few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "simulate/engine/loggp/inbox_wait.h"

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
    inbox_init(&box->inbox, true);
    for (int i = 0; i < IN_LIST; i++) put(box, 100 + i, EFFECT_COUNTS, 1);
    put(box, 50, EFFECT_COUNTS, 2);
    assert_int_not_equal(box->inbox.heap, FLIGHT_NONE);
}

static int64_t due_ps(const struct box *box)
{
    return inbox_due(&box->inbox, box->flights).time_ps;
}

static void heap_of_messages(void **state)
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
static void who_waits(void **state)
{
    (void)state;
    struct box box = {0};
    inbox_init(&box.inbox, true);
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

static void put_head(struct box *box, int64_t head_ps, int64_t transmit_ps)
{
    uint32_t index = ++box->count;
    box->flights[index] =
        (struct flight){.time = {head_ps, index}, .transmit_ps = transmit_ps, .effect = EFFECT_CHANGES, .to_nic = true};
    inbox_put(&box->inbox, box->flights, index);
}

/* Heads at 10 and 12, 5 for the bytes of each: the NIC receives the first until 15, the second until 20. */
static void tails(void **state)
{
    (void)state;
    struct box box = {0};
    inbox_init(&box.inbox, false);
    put_head(&box, 10, 5);
    inbox_await(&box.inbox, 0, 1, ENGINE_NO_COUNTER);
    assert_int_equal(due_ps(&box), 15);
    put_head(&box, 12, 5);
    assert_int_equal(due_ps(&box), 15);
    inbox_take(&box.inbox, box.flights, inbox_first(&box.inbox, box.flights)); /* its head comes */
    box.inbox.tails_until_ps = 15;
    box.flights[1].time.time_ps = 15;
    box.flights[1].to_nic = false;
    inbox_put(&box.inbox, box.flights, 1);
    assert_true(due_ps(&box) <= 15); /* not at 17, though the second head is the first in the inbox */
    struct box exact = {0};
    inbox_init(&exact.inbox, true);
    put_head(&exact, 10, 5);
    inbox_await(&exact.inbox, 0, 1, ENGINE_NO_COUNTER);
    assert_int_equal(due_ps(&exact), 10); /* the head is an event */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_of_messages),
        cmocka_unit_test(who_waits),
        cmocka_unit_test(tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
