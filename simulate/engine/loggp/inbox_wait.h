/* What the ranks of a node wait for, and when the messages in its inbox may let them go on. */
#ifndef SIMULATE_ENGINE_LOGGP_INBOX_WAIT_H
#define SIMULATE_ENGINE_LOGGP_INBOX_WAIT_H

#include "simulate/engine/loggp/inbox.h"

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
/* So many watched messages have arrived at the node. */
static inline void inbox_count_arrivals(struct inbox *inbox, uint32_t watched)
{
    if (inbox->need > 1) inbox->need = inbox->need > watched ? inbox->need - watched : 1;
}

/* A message has arrived at the node, through the inbox or past it. No rank waits for one of the other effects. */
static inline void inbox_count_arrival(struct inbox *inbox, enum message_effect effect)
{
    if (effect == EFFECT_CHANGES || effect == EFFECT_ACTS) inbox_count_arrivals(inbox, 1);
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

/* Whether any message, watched or not, may be the one that lets a waiting rank go on: the time of the first one is a bound. */
static inline bool inbox_awaits_first(const struct inbox *inbox)
{
    bool any = inbox->awaits == ENGINE_ANY_COUNTER && inbox->counted > 0;
    return inbox->queued > 0 || any || (inbox->waiting > 0 && inbox->count > inbox->need && !inbox_awaits_one(inbox));
}

/* The earliest time at which a flight in the inbox may let a waiting rank go on, or an earlier time; INBOX_NO_ALARM: none
 * can. It is that of all counted messages if the rank needs all of them. */
static inline struct event_time inbox_due(const struct inbox *inbox, const struct flight *flights)
{
    if (inbox_awaits_first(inbox)) {
        uint32_t first = inbox_first(inbox, flights);
        return first == FLIGHT_NONE ? INBOX_NO_ALARM : inbox_flight_due(inbox, &flights[first]);
    }
    if (inbox_awaits_one(inbox)) return inbox->counted > 0 ? inbox_counted_due(inbox, flights) : INBOX_NO_ALARM;
    return inbox->waiting > 0 && inbox->count == inbox->need ? inbox->latest : INBOX_NO_ALARM;
}

#endif
