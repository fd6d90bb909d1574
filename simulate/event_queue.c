#include "simulate/event_queue.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void event_queue_clear(struct event_queue *queue)
{
    free(queue->items);
    memset(queue, 0, sizeof *queue);
}

uint64_t event_queue_order(struct event_queue *queue, uint32_t key)
{
    return (uint64_t)key << (64 - EVENT_KEY_BITS) | queue->sequence++;
}

/* Moves the hole up to where the event belongs, and puts it there. */
static void rise(struct event *items, size_t hole, const struct event *event)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (!event_before(event->place, items[parent].place)) break;
        items[hole] = items[parent];
        hole = parent;
    }
    items[hole] = *event;
}

enum status event_queue_push_at(struct event_queue *queue, struct event_place place, uint32_t type, uint32_t id,
                                struct err *err)
{
    if (queue->count == queue->capacity)
        TRY(array_reserve((void **)&queue->items, &queue->capacity, queue->count + 1, sizeof *queue->items, err));
    const struct event event = {place, type, id};
    rise(queue->items, queue->count++, &event);
    return STATUS_OK;
}

enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err)
{
    struct event_place place = {time_ps, event_queue_order(queue, key)};
    return event_queue_push_at(queue, place, type, id, err);
}

struct event event_queue_pop(struct event_queue *queue)
{
    struct event *items = queue->items;
    struct event top = items[0], last = items[--queue->count];
    size_t hole = 0, count = queue->count, child;
    /* The hole sinks to a leaf first and `last` rises from there: it came from a leaf and mostly belongs near one. */
    for (; (child = 2 * hole + 2) < count; hole = child) {
        child -= event_before(items[child - 1].place, items[child].place);
        items[hole] = items[child];
    }
    if (child == count) {
        items[hole] = items[child - 1];
        hole = child - 1;
    }
    rise(items, hole, &last);
    return top;
}
