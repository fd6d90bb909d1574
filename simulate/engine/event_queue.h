/* Pending events of an engine, in the order (time, key, sequence of their making).
 *
 * A ladder queue of one rung (W. T. Tang et al., Ladder queue, ACM TOMACS 15(3), 2005). The next few events are sorted.
 * The following ones are unsorted, in buckets of equal length. All later ones are in a list that becomes the next
 * buckets. A new event whose time is in the sorted range goes into a binary heap, unless it is among the very next.
 * So a push or a pop costs the same with a thousand or a million events, and the next events are known. */
#ifndef SIMULATE_ENGINE_EVENT_QUEUE_H
#define SIMULATE_ENGINE_EVENT_QUEUE_H

#include <stddef.h>

#include "common/status.h"
#include "simulate/engine/event_time.h"

struct event {
    struct event_time time;
    uint32_t type, id; /* the owner's */
};

struct event_list {
    struct event *items;
    size_t count, capacity;
};

enum { EVENT_CHUNK_EVENTS = 10, EVENT_NO_CHUNK = 0 }; /* chunk 0 is never used */

struct event_chunk { /* four cache lines of a list */
    struct event items[EVENT_CHUNK_EVENTS];
    uint32_t count, next;
};

struct event_queue {
    size_t count, reserved; /* there is memory for so many */
    size_t bucketed;        /* of these, in buckets or in the list after them */
    uint64_t sequence;
    struct event_list run; /* sorted, the next one last; with the heap all events before near_ps */
    struct event_list heap;
    struct event_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint32_t free_chunk;
    uint32_t *buckets;                            /* the last chunk of each */
    size_t bucket, bucket_count, bucket_capacity; /* buckets[bucket, bucket_count): from near_ps to before far_ps */
    int64_t first_ps, near_ps, far_ps;            /* first_ps: where buckets[0] begins */
    uint32_t ahead; /* set by the owner: so many of the next events are always known, or all */
    int shift;      /* a bucket is 2^shift ps long */
    uint32_t far;   /* the last chunk of the events from far_ps on */
    size_t far_count;
    int64_t far_first_ps, far_last_ps;
};

/* All-zero is the empty queue. */
void event_queue_clear(struct event_queue *queue);
enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err);
/* The queue is not empty. */
struct event event_queue_pop(struct event_queue *queue);
int64_t event_queue_first_ps(struct event_queue *queue);
/* Whether all events are after the time. The queue may be empty. */
bool event_queue_is_after(struct event_queue *queue, int64_t time_ps);

/* For events that the owner keeps elsewhere: the order of an event made now, and a push with a given time. */
static inline uint64_t event_queue_order(struct event_queue *queue, uint32_t key)
{
    return (uint64_t)key << (64 - EVENT_KEY_BITS) | queue->sequence++;
}
enum status event_queue_push_at(struct event_queue *queue, struct event_time time, uint32_t type, uint32_t id,
                                struct err *err);

/* The event after `count` others; NULL: not known. It is known for count < queue.ahead if there are so many; after
 * those, recent events may be missing. */
static inline const struct event *event_queue_ahead(const struct event_queue *queue, size_t count)
{
    return count < queue->run.count ? &queue->run.items[queue->run.count - 1 - count] : NULL;
}

#endif
