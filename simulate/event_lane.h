/* Events that are made in nearly the order of their places, as those of messages that take about as long: a ring in the
 * order of places. A push or a pop costs a few steps, however many there are. Part of the event queue. */
#ifndef SIMULATE_EVENT_LANE_H
#define SIMULATE_EVENT_LANE_H

#include "simulate/event_place.h"

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
    uint32_t hole = lane->count, least = hole > EVENT_LANE_STEPS ? hole - EVENT_LANE_STEPS : 0;
    if (hole == EVENT_LANE_ROOM) return false;
    if (least > 0 && event_before(event->place, event_lane_item(lane, least - 1)->place)) return false;
    for (; hole > 0 && event_before(event->place, event_lane_item(lane, hole - 1)->place); hole--)
        *event_lane_item(lane, hole) = *event_lane_item(lane, hole - 1);
    *event_lane_item(lane, hole) = *event;
    lane->count++;
    return true;
}

/* The lane is not empty. */
static inline struct event event_lane_pop(struct event_lane *lane)
{
    const struct event event = *event_lane_item(lane, 0);
    lane->first = (lane->first + 1) % EVENT_LANE_ROOM;
    lane->count--;
    return event;
}

#endif
