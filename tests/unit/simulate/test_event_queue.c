/* The queue against a list that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "simulate/engine/event_queue.h"
#include "tests/property/random.h"

enum { MOST = 4000, ROUNDS = 20000 };

struct list {
    struct event items[MOST];
    size_t count;
};

static size_t earliest(const struct list *list)
{
    size_t first = 0;
    for (size_t i = 1; i < list->count; i++) {
        const struct event_time *a = &list->items[i].time, *b = &list->items[first].time;
        if (a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->order < b->order)) first = i;
    }
    return first;
}

static const struct event *note(struct event_queue *queue, struct list *list, int64_t time_ps, uint32_t key)
{
    struct event *made = &list->items[list->count++];
    *made = (struct event){{time_ps, event_queue_order(queue, key)}, 1, (uint32_t)queue->sequence};
    return made;
}

static void push(struct event_queue *queue, struct list *list, int64_t time_ps, uint32_t key)
{
    struct err err;
    const struct event *made = note(queue, list, time_ps, key);
    assert_int_equal(event_queue_push_at(queue, made->time, made->type, made->id, &err), STATUS_OK);
}

/* Returns the time of what was taken. */
static int64_t pop(struct event_queue *queue, struct list *list)
{
    size_t first = earliest(list);
    const struct event expected = list->items[first];
    assert_true(event_queue_is_after(queue, expected.time.time_ps - 1));
    assert_false(event_queue_is_after(queue, expected.time.time_ps));
    assert_int_equal(event_queue_first_ps(queue), expected.time.time_ps);
    struct event event = event_queue_pop(queue);
    assert_int_equal(event.time.time_ps, expected.time.time_ps);
    assert_true(event.time.order == expected.time.order);
    assert_int_equal(event.id, expected.id);
    list->items[first] = list->items[--list->count];
    assert_int_equal(queue->count, list->count);
    return event.time.time_ps;
}

/* How far ahead of the last event the next one is made. */
typedef int64_t delay_function(struct random *random);

static int64_t even(struct random *random)
{
    return random_below(random, 1000000);
}

static int64_t few_moments(struct random *random)
{
    return 1000 * (int64_t)random_below(random, 3);
}

static int64_t outliers(struct random *random)
{
    return random_chance(random, 1) ? INT64_C(1) << 60 : random_below(random, 100);
}

/* The next events as the owner sees them: the earliest, then the earliest of the others. */
static void look(const struct event_queue *queue, const struct list *list, size_t place)
{
    static struct list rest;
    rest = *list;
    for (size_t i = 0; i < place && rest.count > 0; i++) {
        size_t first = earliest(&rest);
        rest.items[first] = rest.items[--rest.count];
    }
    const struct event *event = event_queue_ahead(queue, place);
    assert_int_equal(event != NULL, rest.count > 0);
    if (event) assert_true(event->time.order == rest.items[earliest(&rest)].time.order);
}

static void run(delay_function *delay, size_t pending, uint32_t ahead)
{
    static struct list list;
    struct event_queue queue = {.ahead = ahead};
    struct random random = {1};
    int64_t now_ps = 0;
    list.count = 0;
    for (int i = 0; i < ROUNDS; i++) {
        bool fills = list.count < pending && random_chance(&random, i < ROUNDS / 2 ? 80 : 50);
        int64_t ahead_ps = delay(&random);
        if (now_ps > INT64_C(1) << 61) ahead_ps = 0;
        if (fills || list.count == 0)
            push(&queue, &list, now_ps + ahead_ps, random_below(&random, 5));
        else
            now_ps = pop(&queue, &list);
        if (ahead > 0 && i % 20 == 0) look(&queue, &list, random_below(&random, ahead));
    }
    while (list.count > 0) now_ps = pop(&queue, &list);
    event_queue_clear(&queue);
}

static void order_of_events(void **state)
{
    (void)state;
    delay_function *const delays[] = {even, few_moments, outliers};
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++)
        for (size_t pending = 1; pending <= MOST; pending *= 10)
            for (uint32_t ahead = 0; ahead <= 12; ahead += 6) run(delays[i], pending, ahead);
}

/* What is made for a moment that has been reached already comes next, behind what was made for it before. */
static void now(void **state)
{
    (void)state;
    static struct list list;
    struct event_queue queue = {0};
    list.count = 0;
    for (int i = 0; i < 100; i++) push(&queue, &list, 5 + i / 10, 3);
    assert_int_equal(pop(&queue, &list), 5);
    push(&queue, &list, 5, 3);
    push(&queue, &list, 5, 2);
    while (list.count > 0) pop(&queue, &list);
    event_queue_clear(&queue);
}

/* What is sorted is known beforehand: here all that waited behind the first. */
static void events_ahead(void **state)
{
    (void)state;
    struct err err;
    struct event_queue queue = {0};
    assert_null(event_queue_ahead(&queue, 0));
    assert_int_equal(event_queue_push(&queue, 1, 0, 0, 10, &err), STATUS_OK);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(event_queue_push(&queue, 20 - (int64_t)i, 0, 0, i, &err), STATUS_OK);
    assert_int_equal(event_queue_pop(&queue).id, 10);
    for (size_t i = 0; i < 10; i++) assert_int_equal(event_queue_ahead(&queue, i)->id, 9 - i);
    assert_null(event_queue_ahead(&queue, 10));
    event_queue_clear(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_events),
        cmocka_unit_test(now),
        cmocka_unit_test(events_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
