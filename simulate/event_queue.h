/* Pending events of an engine, in the order (time, key, sequence of their making): a binary heap. */
#ifndef SIMULATE_EVENT_QUEUE_H
#define SIMULATE_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct event_place { /* in the order of events */
    int64_t time_ps; /* >= 0 */
    uint64_t order;  /* key, then sequence */
};

struct event {
    struct event_place place;
    uint32_t type, id; /* the owner's */
};

enum { EVENT_KEY_BITS = 24 }; /* keys are ranks: at most 16 M */

struct event_queue {
    struct event *items;
    size_t count, capacity;
    uint64_t sequence;
};

/* All-zero is the empty queue. */
void event_queue_clear(struct event_queue *queue);
enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err);
/* The queue is not empty. */
struct event event_queue_pop(struct event_queue *queue);

/* For events that the owner keeps elsewhere: the order of one made now, and an event at such a place. */
uint64_t event_queue_order(struct event_queue *queue, uint32_t key);
enum status event_queue_push_at(struct event_queue *queue, struct event_place place, uint32_t type, uint32_t id,
                                struct err *err);

/* Compared as one wide number, since which of two events is the earlier one is a branch that no processor predicts. */
static inline bool event_before(struct event_place a, struct event_place b)
{
    unsigned __int128 one = (unsigned __int128)(uint64_t)a.time_ps << 64 | a.order;
    unsigned __int128 two = (unsigned __int128)(uint64_t)b.time_ps << 64 | b.order;
    return one < two;
}

/* The key in an order. */
static inline uint32_t event_key(uint64_t order)
{
    return (uint32_t)(order >> (64 - EVENT_KEY_BITS));
}

#endif
