/* Events that are made in nearly the order of their places, as those of messages that take about as long: a ring in the
 * order of places. A push or a pop costs a few steps, however many there are. Part of the event queue. */
#ifndef SIMULATE_ENGINE_EVENT_LANE_H
#define SIMULATE_ENGINE_EVENT_LANE_H

#include "simulate/engine/event_time.h"

enum { EVENT_LANE_ROOM = 4096, EVENT_LANE_STEPS = 24 };

struct event_lane { /* all-zero is the empty lane; owned: items */
    struct event *items;
    uint32_t first, count;
};

static inline struct event *event_lane_item(const struct event_lane *lane, uint32_t number)
{
    return &lane->items[(lane->first + number) % EVENT_LANE_ROOM];
}

/* False: it belongs too far before the last one, or there is no room; the lane has items. */
static inline bool event_lane_push(struct event_lane *lane, const struct event *event)
{
    struct event *items = lane->items;
    uint32_t end = lane->first + lane->count, steps = 0, most = lane->count;
    if (most == EVENT_LANE_ROOM) return false;
    const struct event_time place = event->place;
    while (steps < most && event_before(place, items[(end - steps - 1) % EVENT_LANE_ROOM].place))
        if (++steps > EVENT_LANE_STEPS) return false;
    for (; steps > 0; steps--, end--) items[end % EVENT_LANE_ROOM] = items[(end - 1) % EVENT_LANE_ROOM];
    items[end % EVENT_LANE_ROOM] = *event;
    lane->count++;
    return true;
}

/* The lane is not empty. */
static inline struct event event_lane_pop(struct event_lane *lane)
{
    const struct event event = lane->items[lane->first];
    lane->first = (lane->first + 1) % EVENT_LANE_ROOM;
    lane->count--;
    return event;
}

#endif
