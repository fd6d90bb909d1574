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

static bool before(const struct event *a, const struct event *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->order < b->order);
}

enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err)
{
    if (queue->count == queue->capacity)
        TRY(array_reserve((void **)&queue->items, &queue->capacity, queue->count + 1, sizeof *queue->items, err));
    struct event event = {time_ps, (uint64_t)key << SEQUENCE_BITS | queue->sequence++, type, id};
    size_t hole = queue->count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (!before(&event, &queue->items[parent])) break;
        queue->items[hole] = queue->items[parent];
        hole = parent;
    }
    queue->items[hole] = event;
    return STATUS_OK;
}

struct event event_queue_pop(struct event_queue *queue)
{
    struct event *items = queue->items;
    struct event top = items[0], last = items[--queue->count];
    size_t hole = 0, count = queue->count;
    /* The hole sinks to a leaf first and `last` rises from there: it came from a leaf and mostly belongs near one. */
    for (size_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && before(&items[child + 1], &items[child])) child++;
        items[hole] = items[child];
    }
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (!before(&last, &items[parent])) break;
        items[hole] = items[parent];
        hole = parent;
    }
    items[hole] = last;
    return top;
}
