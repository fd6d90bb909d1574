/* Pending events of an engine, in the order (time, key, sequence of their making).
 *
 * A ladder queue of one rung (W. T. Tang et al., Ladder queue, ACM TOMACS 15(3), 2005): the next few events are sorted,
 * those of the following moments lie unsorted in buckets of equal length, all later ones in a list that becomes the
 * next buckets. What is made for the moments that are sorted already goes into a binary heap, unless it is among the
 * very next. So a push or a pop costs the same with a thousand or a million events, and it is known which events are
 * next. */
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
    size_t count, reserved; /* there is room for so many, wherever they lie */
    uint64_t sequence;
    struct event_list run;  /* sorted, the next one last; with the heap all events before near_ps */
    struct event_list heap; /* if anything is pending, there is something in the run or the heap */
    struct event_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint32_t free_chunk;
    uint32_t *buckets;                            /* the last chunk of each */
    size_t bucket, bucket_count, bucket_capacity; /* buckets[bucket, bucket_count): from near_ps to before far_ps */
    int64_t first_ps, near_ps, far_ps;            /* first_ps: where buckets[0] begins */
    uint32_t ahead; /* set by the owner: so many of the next events are always known, or all there are */
    int shift;                                    /* a bucket is 2^shift ps long */
    uint32_t far;                                 /* the last chunk of the events from far_ps on */
    size_t far_count;
    int64_t far_first_ps, far_last_ps;
};

/* All-zero is the empty queue. */
void event_queue_clear(struct event_queue *queue);
enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err);
/* The queue is not empty. */
struct event event_queue_pop(struct event_queue *queue);
int64_t event_queue_first_ps(const struct event_queue *queue);

/* For events that the owner keeps elsewhere: the order of one made now, and an event at such a place. */
uint64_t event_queue_order(struct event_queue *queue, uint32_t key);
enum status event_queue_push_at(struct event_queue *queue, struct event_place place, uint32_t type, uint32_t id,
                                struct err *err);

/* The event that comes behind `count` others; NULL: not known. Known for count < queue.ahead, if there are so many;
 * behind those some made lately may be left out. */
static inline const struct event *event_queue_ahead(const struct event_queue *queue, size_t count)
{
    return count < queue->run.count ? &queue->run.items[queue->run.count - 1 - count] : NULL;
}

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
