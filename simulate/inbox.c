#include "simulate/inbox.h"

enum { STEPS_UP = 4 }; /* the list of a node that many send to in any order must not become slow */

void inbox_init(struct inbox *inbox)
{
    *inbox = (struct inbox){.first = FLIGHT_NONE, .last = FLIGHT_NONE, .heap = FLIGHT_NONE, .alarm = INBOX_NO_ALARM};
}

/* --- the heap: before is the first child, next the next child of the same parent */

/* The later of two heaps becomes the first child of the earlier one. */
static uint32_t join(struct flight *flights, uint32_t a, uint32_t b)
{
    if (a == FLIGHT_NONE) return b;
    if (b == FLIGHT_NONE) return a;
    uint32_t first = a, second = b;
    if (event_before(flights[b].place, flights[a].place)) first = b, second = a;
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

/* --- the list --------------------------------------------------------------------------------------------------------
 */

static void put_behind(struct inbox *inbox, struct flight *flights, uint32_t index, uint32_t before)
{
    uint32_t next = before == FLIGHT_NONE ? inbox->first : flights[before].next;
    flights[index].before = before;
    flights[index].next = next;
    *(before == FLIGHT_NONE ? &inbox->first : &flights[before].next) = index;
    if (next != FLIGHT_NONE) {
        flights[next].before = index;
        return;
    }
    inbox->last = index;
    inbox->last_place = flights[index].place;
}

void inbox_put(struct inbox *inbox, struct flight *flights, uint32_t index)
{
    struct event_place place = flights[index].place;
    uint32_t before = inbox->last;
    int steps = 0;
    if (before != FLIGHT_NONE && event_before(place, inbox->last_place)) /* else without a look at the last one */
        do {
            before = flights[before].before;
            steps++;
        } while (before != FLIGHT_NONE && steps < STEPS_UP && event_before(place, flights[before].place));
    flights[index].in_heap = steps == STEPS_UP;
    if (steps < STEPS_UP) {
        put_behind(inbox, flights, index, before);
    } else {
        flights[index].before = FLIGHT_NONE;
        inbox->heap = join(flights, inbox->heap, index);
    }
    if (flights[index].notice != ENGINE_WHEN_LOOKING) return;
    if (inbox->count++ == 0 || event_before(inbox->latest, place)) inbox->latest = place;
}

uint32_t inbox_first(const struct inbox *inbox, const struct flight *flights)
{
    uint32_t a = inbox->first, b = inbox->heap;
    if (b == FLIGHT_NONE) return a;
    return a != FLIGHT_NONE && event_before(flights[a].place, flights[b].place) ? a : b;
}

void inbox_take(struct inbox *inbox, struct flight *flights, uint32_t first)
{
    const struct flight *flight = &flights[first];
    if (flight->in_heap) {
        inbox->heap = join_children(flights, flight->before);
    } else {
        inbox->first = flight->next;
        *(flight->next == FLIGHT_NONE ? &inbox->last : &flights[flight->next].before) = FLIGHT_NONE;
    }
    if (flight->notice == ENGINE_WHEN_LOOKING) inbox->count--;
}

/* --- waiting ---------------------------------------------------------------------------------------------------------
 */

/* Several ranks may wait: the least of their needs holds for all. */
void inbox_await(struct inbox *inbox, uint32_t rank, uint32_t need)
{
    inbox->waiter = rank;
    if (need == 0) need = 1;
    if (inbox->waiting++ == 0 || need < inbox->need) inbox->need = need;
}

void inbox_resume(struct inbox *inbox)
{
    if (--inbox->waiting == 0 && inbox->queued == 0) inbox->alarm = INBOX_NO_ALARM;
}

void inbox_watch_all(struct inbox *inbox, bool on)
{
    inbox->queued += on ? 1 : UINT32_MAX;
    if (inbox->waiting == 0 && inbox->queued == 0) inbox->alarm = INBOX_NO_ALARM;
}

void inbox_count_arrival(struct inbox *inbox)
{
    if (inbox->need > 1) inbox->need--;
}

/* The first one, watched or not, is a bound. */
struct event_place inbox_due(const struct inbox *inbox, const struct flight *flights)
{
    if (inbox->queued > 0) {
        uint32_t first = inbox_first(inbox, flights);
        return first == FLIGHT_NONE ? INBOX_NO_ALARM : flights[first].place;
    }
    if (inbox->waiting == 0 || inbox->count < inbox->need || inbox->count == 0) return INBOX_NO_ALARM;
    return inbox->count == inbox->need ? inbox->latest : flights[inbox_first(inbox, flights)].place;
}
