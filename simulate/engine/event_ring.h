/* Events that are made in nearly the order of their times, such as messages that take about equally long: a sorted
 * ring. A push or a pop costs a few steps, whatever their number. Part of the event queue. */
#ifndef SIMULATE_ENGINE_EVENT_RING_H
#define SIMULATE_ENGINE_EVENT_RING_H

#include "simulate/engine/event_time.h"

struct event {
    struct event_time time;
    uint32_t type, id; /* the owner's */
};

enum { EVENT_RING_LEAST = 4096, EVENT_RING_MOST = 1 << 20, EVENT_RING_STEPS = 10 };

struct event_ring { /* all-zero is the empty ring without memory; owned: items */
    struct event *items;
    uint32_t first, count, room; /* a power of two */
};

static inline struct event *event_ring_item(const struct event_ring *ring, uint32_t number)
{
    return &ring->items[(ring->first + number) & (ring->room - 1)];
}

/* False: the event belongs too far before the last one, or the ring is full. */
static inline bool event_ring_push(struct event_ring *ring, const struct event *event)
{
    struct event *items = ring->items;
    uint32_t end = ring->first + ring->count, steps = 0, most = ring->count, last = ring->room - 1;
    if (most == ring->room) return false;
    const struct event_time time = event->time;
    while (steps < most && event_before(time, items[(end - steps - 1) & last].time))
        if (++steps > EVENT_RING_STEPS) return false;
    for (; steps > 0; steps--, end--) items[end & last] = items[(end - 1) & last];
    items[end & last] = *event;
    ring->count++;
    return true;
}

/* The ring is not empty. */
static inline struct event event_ring_pop(struct event_ring *ring)
{
    const struct event event = ring->items[ring->first];
    ring->first = (ring->first + 1) & (ring->room - 1);
    ring->count--;
    return event;
}

#endif
