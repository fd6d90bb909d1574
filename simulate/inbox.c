#include "simulate/inbox.h"

void inbox_init(struct inbox *inbox)
{
    *inbox = (struct inbox){.watched = FLIGHT_NONE, .unwatched = FLIGHT_NONE, .alarm = INBOX_NO_ALARM};
}

/* The later of two heaps becomes the first child of the earlier one. */
static uint32_t join(struct flight *flights, uint32_t a, uint32_t b)
{
    if (a == FLIGHT_NONE) return b;
    if (b == FLIGHT_NONE) return a;
    uint32_t first = a, second = b;
    if (event_before(flights[b].place, flights[a].place)) first = b, second = a;
    flights[second].next = flights[first].child;
    flights[first].child = second;
    return first;
}

/* Joins the children in pairs from the left, then the pairs from the right. */
static uint32_t join_children(struct flight *flights, uint32_t child)
{
    uint32_t pairs = FLIGHT_NONE, heap = FLIGHT_NONE;
    while (child != FLIGHT_NONE) {
        uint32_t other = flights[child].next, rest = other != FLIGHT_NONE ? flights[other].next : FLIGHT_NONE;
        uint32_t pair = join(flights, child, other);
        flights[pair].next = pairs;
        pairs = pair;
        child = rest;
    }
    while (pairs != FLIGHT_NONE) {
        uint32_t rest = flights[pairs].next;
        heap = join(flights, heap, pairs);
        pairs = rest;
    }
    return heap;
}

void inbox_put(struct inbox *inbox, struct flight *flights, uint32_t index, bool watched)
{
    uint32_t *heap = watched ? &inbox->watched : &inbox->unwatched;
    flights[index].child = flights[index].next = FLIGHT_NONE;
    *heap = join(flights, *heap, index);
    if (!watched) return;
    if (inbox->count++ == 0 || event_before(inbox->last, flights[index].place)) inbox->last = flights[index].place;
}

uint32_t inbox_first(const struct inbox *inbox, const struct flight *flights)
{
    uint32_t a = inbox->watched, b = inbox->unwatched;
    if (a == FLIGHT_NONE || b == FLIGHT_NONE) return a == FLIGHT_NONE ? b : a;
    return event_before(flights[a].place, flights[b].place) ? a : b;
}

void inbox_take_first(struct inbox *inbox, struct flight *flights, uint32_t first)
{
    bool watched = first == inbox->watched;
    uint32_t rest = join_children(flights, flights[first].child);
    *(watched ? &inbox->watched : &inbox->unwatched) = rest;
    if (watched) inbox->count--;
}

/* Several ranks may wait: the least of their needs holds for all. */
void inbox_await(struct inbox *inbox, uint32_t need)
{
    if (need == 0) need = 1;
    if (inbox->waiting++ == 0 || need < inbox->need) inbox->need = need;
}

void inbox_resume(struct inbox *inbox)
{
    if (--inbox->waiting == 0) inbox->alarm = INBOX_NO_ALARM;
}

void inbox_count_arrival(struct inbox *inbox)
{
    if (inbox->need > 1) inbox->need--;
}

struct event_place inbox_due(const struct inbox *inbox, const struct flight *flights)
{
    if (inbox->waiting == 0 || inbox->count < inbox->need || inbox->count == 0) return INBOX_NO_ALARM;
    return inbox->count == inbox->need ? inbox->last : flights[inbox->watched].place;
}
