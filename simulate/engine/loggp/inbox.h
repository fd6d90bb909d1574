/* Messages on their way to one node that are not delivered yet: those whose arrival only changes state that ranks of
 * the node read (enum message_effect). They need no event in the queue unless a rank waits.
 *
 * Flights are ordered by event time. Most are in a list, since messages mostly come in the order of their sending.
 * Those that would move far up the list are in a pairing heap (M. Fredman et al., The pairing heap, Algorithmica 1,
 * 1986). */
#ifndef SIMULATE_ENGINE_LOGGP_INBOX_H
#define SIMULATE_ENGINE_LOGGP_INBOX_H

#include "simulate/engine/loggp/flight.h"

struct inbox {
    /* Senders touch only these members: one cache line. */
    uint32_t first, last;     /* or FLIGHT_NONE */
    uint32_t count;           /* watched ones: EFFECT_CHANGES */
    uint32_t waiting;         /* ranks of the node that wait for messages */
    uint32_t need;            /* no rank goes on before so many more watched messages have arrived */
    uint32_t queued;          /* requests queued at the node that any message may let go on */
    int64_t last_ps;          /* of the last flight; valid while there is one */
    struct event_time latest; /* inbox_flight_due() of the watched ones; valid while count > 0 */
    struct event_time alarm;  /* when the engine drains the inbox; INBOX_NO_ALARM: at the node's next event */

    uint32_t heap;    /* or FLIGHT_NONE */
    uint32_t waiter;  /* one of the waiting ranks, for prefetch */
    uint32_t awaits;  /* the counter that the only waiting rank awaits, ENGINE_NO_COUNTER or ENGINE_ANY_COUNTER */
    uint32_t counted; /* messages of EFFECT_COUNTS */
    /* When the last tail arrives whose head the NIC has received; INT64_MAX: each head is an event. */
    int64_t tails_until_ps;
};

#define INBOX_NO_ALARM ((struct event_time){INT64_MAX, UINT64_MAX})

/* A time before which the message cannot arrive. The tail of a message may arrive between head and tail of a later
 * one. */
static inline struct event_time inbox_flight_due(const struct inbox *inbox, const struct flight *flight)
{
    struct event_time time = flight->time;
    if (flight->transmit_ps == 0 || !flight->to_nic || time.time_ps <= inbox->tails_until_ps) return time;
    return (struct event_time){time.time_ps + flight->transmit_ps, event_first_of_key(time.order)};
}

/* Counts a watched message that cannot arrive before the time. */
static inline void inbox_count_put(struct inbox *inbox, struct event_time due)
{
    if (inbox->count++ == 0 || event_before(inbox->latest, due)) inbox->latest = due;
}

/* heads_count: each head of a message is an event. */
void inbox_init(struct inbox *inbox, bool heads_count);
/* Puts the flight between earlier and later ones. */
void inbox_put_between(struct inbox *inbox, struct flight *flights, uint32_t index);

static inline void inbox_put(struct inbox *inbox, struct flight *flights, uint32_t index)
{
    struct flight *flight = &flights[index];
    uint32_t last = inbox->last;
    if (last != FLIGHT_NONE && flight->time.time_ps <= inbox->last_ps &&
        event_before(flight->time, flights[last].time)) {
        inbox_put_between(inbox, flights, index);
    } else {
        *(last == FLIGHT_NONE ? &inbox->first : &flights[last].next) = index;
        flight->before = last;
        flight->next = FLIGHT_NONE;
        flight->in_heap = false;
        inbox->last = index;
        inbox->last_ps = flight->time.time_ps;
    }
    if (flight->effect != EFFECT_CHANGES) {
        inbox->counted += flight->effect == EFFECT_COUNTS;
        return;
    }
    inbox_count_put(inbox, inbox_flight_due(inbox, flight));
}

/* Takes the root out of the heap. */
void inbox_take_root(struct inbox *inbox, struct flight *flights);

/* The earliest flight, or FLIGHT_NONE. */
static inline uint32_t inbox_first(const struct inbox *inbox, const struct flight *flights)
{
    uint32_t a = inbox->first, b = inbox->heap;
    if (b == FLIGHT_NONE) return a;
    return a != FLIGHT_NONE && event_before(flights[a].time, flights[b].time) ? a : b;
}

/* Removes the flight that inbox_first returned. */
static inline void inbox_take(struct inbox *inbox, struct flight *flights, uint32_t first)
{
    const struct flight *flight = &flights[first];
    if (flight->effect == EFFECT_CHANGES) inbox->count--;
    if (flight->effect == EFFECT_COUNTS) inbox->counted--;
    if (flight->in_heap) {
        inbox_take_root(inbox, flights);
        return;
    }
    inbox->first = flight->next;
    *(flight->next == FLIGHT_NONE ? &inbox->last : &flights[flight->next].before) = FLIGHT_NONE;
}

#endif
