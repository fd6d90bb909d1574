#include "simulate/event_queue.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { SEQUENCE_BITS = 64 - EVENT_KEY_BITS };

void event_queue_clear(struct event_queue *queue)
{
    free(queue->items);
    memset(queue, 0, sizeof *queue);
}

/* One wide number, since which of two events is the earlier one is a branch that no processor predicts. Times are not
 * negative. */
static unsigned __int128 place_of(const struct event *event)
{
    return (unsigned __int128)(uint64_t)event->time_ps << 64 | event->order;
}

/* Moves the hole up to where the event belongs, and puts it there. */
static void rise(struct event *items, size_t hole, const struct event *event)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (place_of(event) >= place_of(&items[parent])) break;
        items[hole] = items[parent];
        hole = parent;
    }
    items[hole] = *event;
}

enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err)
{
    if (queue->count == queue->capacity)
        TRY(array_reserve((void **)&queue->items, &queue->capacity, queue->count + 1, sizeof *queue->items, err));
    struct event event = {time_ps, (uint64_t)key << SEQUENCE_BITS | queue->sequence++, type, id};
    rise(queue->items, queue->count++, &event);
    return STATUS_OK;
}

struct event event_queue_pop(struct event_queue *queue)
{
    struct event *items = queue->items;
    struct event top = items[0], last = items[--queue->count];
    size_t hole = 0, count = queue->count, child;
    /* The hole sinks to a leaf first and `last` rises from there: it came from a leaf and mostly belongs near one. */
    for (; (child = 2 * hole + 2) < count; hole = child) {
        child -= place_of(&items[child - 1]) < place_of(&items[child]);
        items[hole] = items[child];
    }
    if (child == count) {
        items[hole] = items[child - 1];
        hole = child - 1;
    }
    rise(items, hole, &last);
    return top;
}
