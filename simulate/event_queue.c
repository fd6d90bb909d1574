#include "simulate/event_queue.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* So few events are sorted at once; a bucket is to hold about PER_BUCKET, and insertion sorts up to FEW well. */
enum { FEW = 32, PER_BUCKET = 16, BUCKETS_MOST = 1 << 20 };

void event_queue_clear(struct event_queue *queue)
{
    for (size_t i = 0; i < queue->bucket_capacity; i++) free(queue->buckets[i].items);
    free(queue->buckets);
    free(queue->run.items);
    free(queue->heap.items);
    free(queue->far.items);
    memset(queue, 0, sizeof *queue);
}

uint64_t event_queue_order(struct event_queue *queue, uint32_t key)
{
    return (uint64_t)key << (64 - EVENT_KEY_BITS) | queue->sequence++;
}

static enum status append(struct event_list *list, const struct event *event, struct err *err)
{
    if (list->count == list->capacity)
        TRY(array_reserve((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items, err));
    list->items[list->count++] = *event;
    return STATUS_OK;
}

static void swap(struct event_list *a, struct event_list *b)
{
    struct event_list was = *a;
    *a = *b;
    *b = was;
}

/* --- the heap --------------------------------------------------------------------------------------------------------
 */

/* Moves the hole up to where the event belongs, and puts it there. */
static void rise(struct event *items, size_t hole, const struct event *event)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (!event_before(event->place, items[parent].place)) break;
        items[hole] = items[parent];
        hole = parent;
    }
    items[hole] = *event;
}

static enum status heap_push(struct event_list *heap, const struct event *event, struct err *err)
{
    TRY(append(heap, event, err));
    rise(heap->items, heap->count - 1, event);
    return STATUS_OK;
}

static struct event heap_pop(struct event_list *heap)
{
    struct event *items = heap->items;
    struct event top = items[0], last = items[--heap->count];
    size_t hole = 0, count = heap->count, child;
    /* The hole sinks to a leaf first and `last` rises from there: it came from a leaf and mostly belongs near one. */
    for (; (child = 2 * hole + 2) < count; hole = child) {
        child -= event_before(items[child - 1].place, items[child].place);
        items[hole] = items[child];
    }
    if (child == count) {
        items[hole] = items[child - 1];
        hole = child - 1;
    }
    rise(items, hole, &last);
    return top;
}

/* --- the run ---------------------------------------------------------------------------------------------------------
 */

static int compare_latest_first(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return event_before(x->place, y->place) ? 1 : -1; /* no two places are the same */
}

static void sort_latest_first(struct event_list *list)
{
    if (list->count > FEW) {
        qsort(list->items, list->count, sizeof *list->items, compare_latest_first);
        return;
    }
    for (size_t i = 1; i < list->count; i++) {
        const struct event event = list->items[i];
        size_t hole = i;
        for (; hole > 0 && event_before(list->items[hole - 1].place, event.place); hole--)
            list->items[hole] = list->items[hole - 1];
        list->items[hole] = event;
    }
}

/* --- buckets ---------------------------------------------------------------------------------------------------------
 */

static void bounds(const struct event_list *list, int64_t *first_ps, int64_t *last_ps)
{
    *first_ps = INT64_MAX, *last_ps = 0;
    for (size_t i = 0; i < list->count; i++) {
        int64_t time_ps = list->items[i].place.time_ps;
        if (time_ps < *first_ps) *first_ps = time_ps;
        if (time_ps > *last_ps) *last_ps = time_ps;
    }
}

static struct event_list *bucket_of(const struct event_queue *queue, int64_t time_ps)
{
    return &queue->buckets[(uint64_t)(time_ps - queue->first_ps) >> queue->shift];
}

/* Room for `count` empty buckets. */
static enum status reserve_buckets(struct event_queue *queue, size_t count, struct err *err)
{
    size_t had = queue->bucket_capacity;
    TRY(array_reserve((void **)&queue->buckets, &queue->bucket_capacity, count, sizeof *queue->buckets, err));
    if (queue->bucket_capacity > had)
        memset(queue->buckets + had, 0, (queue->bucket_capacity - had) * sizeof *queue->buckets);
    return STATUS_OK;
}

/* Every event of `far` into its bucket. On failure all are in `far`, as before. */
static enum status distribute(struct event_queue *queue)
{
    int64_t last_ps;
    size_t wanted = queue->far.count / PER_BUCKET;
    if (wanted > BUCKETS_MOST) wanted = BUCKETS_MOST;
    bounds(&queue->far, &queue->first_ps, &last_ps);
    for (queue->shift = 0; (uint64_t)(last_ps - queue->first_ps) >> queue->shift >= wanted;) queue->shift++;
    queue->bucket_count = (size_t)((uint64_t)(last_ps - queue->first_ps) >> queue->shift) + 1;
    queue->bucket = 0;
    enum status status = reserve_buckets(queue, queue->bucket_count, NULL);
    for (size_t i = 0; i < queue->far.count && status == STATUS_OK; i++)
        status = append(bucket_of(queue, queue->far.items[i].place.time_ps), &queue->far.items[i], NULL);
    if (status == STATUS_OK) queue->far.count = 0;
    for (size_t i = 0; status != STATUS_OK && i < queue->bucket_capacity; i++) queue->buckets[i].count = 0;
    return status;
}

/* All events of `far`, sorted. */
static void run_far(struct event_queue *queue)
{
    int64_t first_ps, last_ps;
    bounds(&queue->far, &first_ps, &last_ps);
    queue->bucket = queue->bucket_count = 0;
    queue->near_ps = queue->far_ps = last_ps + 1;
    swap(&queue->run, &queue->far);
    sort_latest_first(&queue->run);
}

/* The run and the heap are empty, and something is pending. */
static void refill(struct event_queue *queue)
{
    while (queue->bucket < queue->bucket_count && queue->buckets[queue->bucket].count == 0) queue->bucket++;
    if (queue->bucket == queue->bucket_count) {
        if (queue->far.count <= FEW || distribute(queue) != STATUS_OK) {
            run_far(queue);
            return;
        }
        queue->far_ps = queue->first_ps + (int64_t)((uint64_t)queue->bucket_count << queue->shift);
    }
    swap(&queue->run, &queue->buckets[queue->bucket++]);
    queue->near_ps = queue->first_ps + (int64_t)((uint64_t)queue->bucket << queue->shift);
    sort_latest_first(&queue->run);
}

/* --- the queue -------------------------------------------------------------------------------------------------------
 */

enum status event_queue_push_at(struct event_queue *queue, struct event_place place, uint32_t type, uint32_t id,
                                struct err *err)
{
    const struct event event = {place, type, id};
    if (place.time_ps < queue->near_ps)
        TRY(heap_push(&queue->heap, &event, err));
    else
        TRY(append(place.time_ps < queue->far_ps ? bucket_of(queue, place.time_ps) : &queue->far, &event, err));
    queue->count++;
    if (queue->run.count + queue->heap.count == 0) refill(queue);
    return STATUS_OK;
}

enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err)
{
    struct event_place place = {time_ps, event_queue_order(queue, key)};
    return event_queue_push_at(queue, place, type, id, err);
}

static bool run_is_next(const struct event_queue *queue)
{
    if (queue->heap.count == 0) return true;
    return queue->run.count > 0 && event_before(event_queue_ahead(queue, 0)->place, queue->heap.items[0].place);
}

struct event event_queue_pop(struct event_queue *queue)
{
    struct event event = run_is_next(queue) ? queue->run.items[--queue->run.count] : heap_pop(&queue->heap);
    queue->count--;
    if (queue->run.count + queue->heap.count == 0 && queue->count > 0) refill(queue);
    return event;
}

int64_t event_queue_first_ps(const struct event_queue *queue)
{
    return (run_is_next(queue) ? event_queue_ahead(queue, 0)->place : queue->heap.items[0].place).time_ps;
}
