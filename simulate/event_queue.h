/* Pending events of an engine, in the order (time, key, sequence of their making): a binary heap. */
#ifndef SIMULATE_EVENT_QUEUE_H
#define SIMULATE_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct event {
    int64_t time_ps;
    uint64_t order; /* key, then sequence: kept by event_queue_push */
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

#endif
