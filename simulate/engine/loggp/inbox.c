#include "simulate/engine/loggp/inbox.h"

enum { STEPS_UP = 4 }; /* a node that receives in any order must not become slow */

void inbox_init(struct inbox *inbox, bool heads_count)
{
    *inbox = (struct inbox){.first = FLIGHT_NONE, .last = FLIGHT_NONE, .heap = FLIGHT_NONE, .alarm = INBOX_NO_ALARM};
    inbox->awaits = ENGINE_NO_COUNTER;
    inbox->tails_until_ps = heads_count ? INT64_MAX : INT64_MIN;
}

/* --- the heap: before is the first child, next the next child of the same parent --- */

/* The later of two heaps becomes the first child of the earlier one. */
static uint32_t join_heaps(struct flight *flights, uint32_t a, uint32_t b)
{
    if (a == FLIGHT_NONE) return b;
    if (b == FLIGHT_NONE) return a;
    uint32_t first = a, second = b;
    if (event_before(flights[b].time, flights[a].time)) first = b, second = a;
    flights[second].next = flights[first].before;
    flights[first].before = second;
    return first;
}

/* Joins the children in pairs from the left, then the pairs from the right. */
static uint32_t join_children(struct flight *flights, uint32_t child)
{
    uint32_t pairs = FLIGHT_NONE, heap = FLIGHT_NONE;
    while (child != FLIGHT_NONE) {
        uint32_t other = flights[child].next, rest = other != FLIGHT_NONE ? flights[other].next : FLIGHT_NONE;
        uint32_t pair = join_heaps(flights, child, other);
        flights[pair].next = pairs;
        pairs = pair;
        child = rest;
    }
    while (pairs != FLIGHT_NONE) {
        uint32_t rest = flights[pairs].next;
        heap = join_heaps(flights, heap, pairs);
        pairs = rest;
    }
    return heap;
}

void inbox_take_root(struct inbox *inbox, struct flight *flights)
{
    inbox->heap = join_children(flights, flights[inbox->heap].before);
}

/* --- the list --- */

/* The flight does not belong after the last one, but at most STEPS_UP before it. */
void inbox_put_between(struct inbox *inbox, struct flight *flights, uint32_t index)
{
    struct event_time time = flights[index].time;
    uint32_t before = inbox->last;
    int steps = 0;
    do {
        before = flights[before].before;
        steps++;
    } while (before != FLIGHT_NONE && steps < STEPS_UP && event_before(time, flights[before].time));
    flights[index].in_heap = steps == STEPS_UP;
    flights[index].before = steps == STEPS_UP ? FLIGHT_NONE : before;
    if (steps == STEPS_UP) {
        inbox->heap = join_heaps(flights, inbox->heap, index);
        return;
    }
    uint32_t *link = before == FLIGHT_NONE ? &inbox->first : &flights[before].next;
    flights[index].next = *link;
    flights[*link].before = index;
    *link = index;
}
