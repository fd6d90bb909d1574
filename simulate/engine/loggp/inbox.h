/* Messages on their way to one node that are not delivered yet: those whose arrival only changes state that ranks of
 * the node read (enum message_effect). They need no event in the queue unless a rank waits.
 *
 * Flights are ordered by event time. Most are in a list, since messages mostly come in the order of their sending.
 * Those that would move far up the list are in a pairing heap (M. Fredman et al., The pairing heap, Algorithmica 1,
 * 1986). */
#ifndef SIMULATE_ENGINE_LOGGP_INBOX_H
#define SIMULATE_ENGINE_LOGGP_INBOX_H

#include "simulate/engine/engine.h"
#include "simulate/engine/event_queue.h"

enum { FLIGHT_NONE = 0 }; /* flight 0 is never used */

struct flight {             /* a message that has not arrived yet: one cache line */
    struct event_time time; /* of the head's arrival, later of the message's */
    int64_t transmit_ps;
    struct engine_note note;
    int32_t dst_node;
    uint32_t next, before; /* in the list; next: in the free list */
    int32_t src_node;
    uint8_t effect;     /* enum message_effect */
    bool early : 1;     /* as in engine_message */
    bool received : 1;  /* the head has arrived */
    bool network : 1;   /* passes the receiving NIC */
    bool in_heap : 1;   /* before: the first child */
    bool delivered : 1; /* in the free list */
};

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
    uint32_t counter_messages; /* first message of count(), or COUNTER_NONE (counter.c) */
    /* When the last tail arrives whose head the NIC has received; INT64_MAX: each head is an event. */
    int64_t tails_until_ps;
};

#define INBOX_NO_ALARM ((struct event_time){INT64_MAX, UINT64_MAX})

/* A time before which the message cannot arrive. The tail of a message may arrive between head and tail of a later
 * one. */
static inline struct event_time inbox_flight_due(const struct inbox *inbox, const struct flight *flight)
{
    struct event_time time = flight->time;
    if (flight->transmit_ps == 0 || flight->received || flight->early || time.time_ps <= inbox->tails_until_ps) return time;
    return (struct event_time){time.time_ps + flight->transmit_ps, event_first_of_key(time.order)};
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
    if (flight->effect == EFFECT_COUNTS) inbox->counted++;
    if (flight->effect != EFFECT_CHANGES) return;
    struct event_time due = inbox_flight_due(inbox, flight);
    if (inbox->count++ == 0 || event_before(inbox->latest, due)) inbox->latest = due;
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

/* A rank waits. It does not go on before `need` (0 means 1) messages have arrived at the node, or before a message of
 * the counter. */
void inbox_await(struct inbox *inbox, uint32_t rank, uint32_t need, uint32_t counter);
void inbox_resume(struct inbox *inbox);
/* Does resume and await for a rank that waited for a counter. */
static inline void inbox_await_next(struct inbox *inbox, uint32_t counter)
{
    if (inbox->waiting > 1) return;
    inbox->awaits = counter;
    inbox->need = 1;
    if (inbox->queued == 0) inbox->alarm = INBOX_NO_ALARM;
}
/* on: something queues at the node from now on; off: nothing does. */
void inbox_watch_all(struct inbox *inbox, bool on);
/* A message has arrived at the node, through the inbox or past it. No rank waits for one of the other effects. */
static inline void inbox_count_arrival(struct inbox *inbox, enum message_effect effect)
{
    if (inbox->need > 1 && (effect == EFFECT_CHANGES || effect == EFFECT_ACTS)) inbox->need--;
}

/* A rank that awaits a counter goes on by nothing else. */
static inline bool inbox_awaits_one(const struct inbox *inbox)
{
    return inbox->awaits < ENGINE_ANY_COUNTER;
}

/* Whether a message of EFFECT_COUNTS may let a waiting rank go on. */
static inline bool inbox_awaits(const struct inbox *inbox, uint32_t counter)
{
    return inbox->awaits == counter || inbox->awaits == ENGINE_ANY_COUNTER;
}

/* The time of the first message of the awaited counter, or an earlier time. */
struct event_time inbox_counted_due(const struct inbox *inbox, const struct flight *flights);

/* The earliest time at which a message in the inbox may let a waiting rank go on, or an earlier time; INBOX_NO_ALARM:
 * no message can. The time of the first flight, watched or not, is a bound. */
static inline struct event_time inbox_due(const struct inbox *inbox, const struct flight *flights)
{
    bool any = inbox->awaits == ENGINE_ANY_COUNTER && inbox->counted > 0;
    if (inbox->queued > 0 || any) {
        uint32_t first = inbox_first(inbox, flights);
        return first == FLIGHT_NONE ? INBOX_NO_ALARM : inbox_flight_due(inbox, &flights[first]);
    }
    if (inbox_awaits_one(inbox)) return inbox->counted > 0 ? inbox_counted_due(inbox, flights) : INBOX_NO_ALARM;
    if (inbox->waiting == 0 || inbox->count < inbox->need || inbox->count == 0) return INBOX_NO_ALARM;
    return inbox->count == inbox->need ? inbox->latest : inbox_flight_due(inbox, &flights[inbox_first(inbox, flights)]);
}

#endif
