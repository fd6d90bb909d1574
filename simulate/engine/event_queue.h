/* Pending events of an engine, in the order (time, key, sequence of their making).
 *
 * A ladder queue of one rung (W. T. Tang et al., Ladder queue, ACM TOMACS 15(3), 2005): the next few events are sorted,
 * those of the following moments lie unsorted in buckets of equal length, all later ones in a list that becomes the
 * next buckets. What is made for the moments that are sorted already goes into a binary heap, unless it is among the
 * very next; what its owner makes in nearly the order of places goes into a lane. So a push or a pop costs the same with
 * a thousand or a million events, and it is known which events are next. */
#ifndef SIMULATE_ENGINE_EVENT_QUEUE_H
#define SIMULATE_ENGINE_EVENT_QUEUE_H

#include <stddef.h>

#include "common/status.h"
#include "simulate/engine/event_lane.h"

struct event_list {
    struct event *items;
    size_t count, capacity;
};

enum { EVENT_LANES = 2 };

enum { EVENT_CHUNK_EVENTS = 10, EVENT_NO_CHUNK = 0 }; /* chunk 0 is never used */

struct event_chunk { /* four cache lines of a list */
    struct event items[EVENT_CHUNK_EVENTS];
    uint32_t count, next;
};

struct event_queue {
    size_t count, reserved; /* there is room for so many, wherever they lie */
    size_t bucketed;        /* of them: in buckets and in the list behind */
    uint64_t sequence;
    struct event_list run; /* sorted, the next one last; with the heap and the lanes all events before near_ps */
    struct event_list heap;
    struct event_lane lanes[EVENT_LANES]; /* of any time: the next one of all events is never in a bucket */
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
int64_t event_queue_first_ps(struct event_queue *queue);

/* For events that the owner keeps elsewhere: the order of one made now, and an event at such a place. */
uint64_t event_queue_order(struct event_queue *queue, uint32_t key);
enum status event_queue_push_at(struct event_queue *queue, struct event_time place, uint32_t type, uint32_t id,
                                struct err *err);

/* In nearly the order of the lane's places, as those of messages that take about as long: cheaper. */
enum status event_queue_push_near_lane(struct event_queue *queue, unsigned lane, const struct event *event,
                                       struct err *err); /* any case of push_lane */
static inline enum status event_queue_push_lane(struct event_queue *queue, unsigned lane, struct event_time place,
                                                uint32_t type, uint32_t id, struct err *err)
{
    const struct event event = {place, type, id};
    bool ready = queue->ahead == 0 && queue->count < queue->reserved && queue->lanes[lane].items;
    if (!ready || !event_lane_push(&queue->lanes[lane], &event))
        return event_queue_push_near_lane(queue, lane, &event, err);
    queue->count++;
    return STATUS_OK;
}

/* The event that comes behind `count` others; NULL: not known. Known for count < queue.ahead, if there are so many;
 * behind those some made lately may be left out. */
static inline const struct event *event_queue_ahead(const struct event_queue *queue, size_t count)
{
    return count < queue->run.count ? &queue->run.items[queue->run.count - 1 - count] : NULL;
}

/* The event behind `count` others of the lane, NULL: none. */
static inline const struct event *event_queue_in_lane(const struct event_queue *queue, unsigned lane, uint32_t count)
{
    return count < queue->lanes[lane].count ? event_lane_item(&queue->lanes[lane], count) : NULL;
}

#endif
