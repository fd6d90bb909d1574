/* The time of an event in the total order of events. */
#ifndef SIMULATE_ENGINE_EVENT_TIME_H
#define SIMULATE_ENGINE_EVENT_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct event_time {  /* in the order of events */
    int64_t time_ps; /* >= 0 */
    uint64_t order;  /* key, then sequence */
};

enum { EVENT_KEY_BITS = 24 }; /* keys are ranks: at most 16 M */

/* Compares both members as one wide number: a processor cannot predict which of two events is the earlier one. */
static inline bool event_before(struct event_time a, struct event_time b)
{
    unsigned __int128 one = (unsigned __int128)(uint64_t)a.time_ps << 64 | a.order;
    unsigned __int128 two = (unsigned __int128)(uint64_t)b.time_ps << 64 | b.order;
    return one < two;
}

/* The order before all events of the same key. */
static inline uint64_t event_first_of_key(uint64_t order)
{
    return order & ~(UINT64_MAX >> EVENT_KEY_BITS);
}

/* The first order of a key. */
static inline uint64_t event_order_of_key(uint32_t key)
{
    return (uint64_t)key << (64 - EVENT_KEY_BITS);
}

/* The last order of a key. */
static inline uint64_t event_last_of_key(uint32_t key)
{
    return event_order_of_key(key) | UINT64_MAX >> EVENT_KEY_BITS;
}

/* The key in an order. */
static inline uint32_t event_key(uint64_t order)
{
    return (uint32_t)(order >> (64 - EVENT_KEY_BITS));
}

#endif
