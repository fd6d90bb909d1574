#include "simulate/engine/event_queue.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* so few events are sorted at once; a bucket holds about PER_BUCKET; insertion sorts up to FEW well */
enum { FEW = 32, PER_BUCKET = 16, SORTED_MOST = 256, RESERVED_LEAST = 64 };

void event_queue_clear(struct event_queue *queue)
{
    FREE_ALL(queue->buckets, queue->chunks, queue->run.items, queue->heap.items);
    memset(queue, 0, sizeof *queue);
}

/* --- the heap --- */

/* Moves the hole up to where the event belongs, and puts it there. */
static void rise_event(struct event *items, size_t hole, const struct event *event)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / 2;
        if (!event_before(event->time, items[parent].time)) break;
        items[hole] = items[parent];
        hole = parent;
    }
    items[hole] = *event;
}

static void heap_push(struct event_list *heap, const struct event *event)
{
    rise_event(heap->items, heap->count++, event);
}

static struct event heap_pop(struct event_list *heap)
{
    struct event *items = heap->items;
    struct event top = items[0], last = items[--heap->count];
    size_t hole = 0, count = heap->count, child;
    /* The hole sinks to a leaf first and `last` rises from there: it came from a leaf and mostly belongs near one. */
    for (; (child = 2 * hole + 2) < count; hole = child) {
        child -= event_before(items[child - 1].time, items[child].time);
        items[hole] = items[child];
    }
    if (child == count) {
        items[hole] = items[child - 1];
        hole = child - 1;
    }
    rise_event(items, hole, &last);
    return top;
}

/* --- the run --- */

/* Shell's sort (D. Shell, CACM 2(7), 1959) with the gaps of M. Ciura (FCT 2001); few events are sorted by insertion. */
static void sort_latest_first(struct event *items, size_t count)
{
    static const size_t gaps[] = {132, 57, 23, 10, 4, 1};
    for (size_t g = count > FEW ? 0 : sizeof gaps / sizeof *gaps - 1; g < sizeof gaps / sizeof *gaps; g++)
        for (size_t gap = gaps[g], i = gap; i < count; i++) {
            const struct event event = items[i];
            size_t hole = i;
            for (; hole >= gap && event_before(items[hole - gap].time, event.time); hole -= gap)
                items[hole] = items[hole - gap];
            items[hole] = event;
        }
}

/* Inserts from the end: the event is among the next few. */
static void run_insert(struct event_list *run, const struct event *event)
{
    size_t hole = run->count++;
    for (; hole > 0 && event_before(run->items[hole - 1].time, event->time); hole--)
        run->items[hole] = run->items[hole - 1];
    run->items[hole] = *event;
}

/* Whether only the next few events come before it. */
static bool is_near(const struct event_queue *queue, struct event_time time)
{
    size_t count = queue->run.count;
    return count < queue->ahead || event_before(time, queue->run.items[count - queue->ahead].time);
}

/* --- buckets --- */

/* Reserves memory for twice as many events as there are, so that none is needed when events move: a sorted run of all,
 * or chunks, of which each bucket and the list after them may have one that is not full. Unused memory costs
 * nothing. */
static enum status reserve_event(struct event_queue *queue, struct err *err)
{
    size_t events = queue->reserved ? 2 * queue->reserved : RESERVED_LEAST, buckets = events / PER_BUCKET + 1;
    size_t chunks = events / EVENT_CHUNK_EVENTS + buckets + 2;
    TRY(array_reserve((void **)&queue->run.items, &queue->run.capacity, events, sizeof *queue->run.items, err));
    TRY(array_reserve((void **)&queue->heap.items, &queue->heap.capacity, events, sizeof *queue->heap.items, err));
    TRY(array_reserve((void **)&queue->buckets, &queue->bucket_capacity, buckets, sizeof *queue->buckets, err));
    TRY(array_reserve((void **)&queue->chunks, &queue->chunk_capacity, chunks, sizeof *queue->chunks, err));
    if (queue->chunk_count == 0) queue->chunk_count = EVENT_NO_CHUNK + 1;
    queue->reserved = events;
    return STATUS_OK;
}

static void chunk_put(struct event_queue *queue, uint32_t *list, const struct event *event)
{
    uint32_t index = *list;
    if (index == EVENT_NO_CHUNK || queue->chunks[index].count == EVENT_CHUNK_EVENTS) {
        uint32_t last = index;
        index = queue->free_chunk;
        if (index == EVENT_NO_CHUNK)
            index = (uint32_t)queue->chunk_count++;
        else
            queue->free_chunk = queue->chunks[index].next;
        queue->chunks[index].count = 0;
        queue->chunks[index].next = last;
        *list = index;
    }
    struct event_chunk *chunk = &queue->chunks[index];
    chunk->items[chunk->count++] = *event;
}

/* Releases the first chunk of a list and advances to the next. */
static void chunk_drop(struct event_queue *queue, uint32_t *list)
{
    uint32_t index = *list;
    *list = queue->chunks[index].next;
    queue->chunks[index].next = queue->free_chunk;
    queue->free_chunk = index;
}

static uint32_t *bucket_of(const struct event_queue *queue, int64_t time_ps)
{
    return &queue->buckets[(uint64_t)(time_ps - queue->first_ps) >> queue->shift];
}

static void put_far(struct event_queue *queue, const struct event *event)
{
    int64_t time_ps = event->time.time_ps;
    if (queue->far_count++ == 0) queue->far_first_ps = queue->far_last_ps = time_ps;
    if (time_ps < queue->far_first_ps) queue->far_first_ps = time_ps;
    if (time_ps > queue->far_last_ps) queue->far_last_ps = time_ps;
    chunk_put(queue, &queue->far, event);
}

/* Puts every event of `far` into its bucket. All buckets are empty. */
static void distribute_events(struct event_queue *queue)
{
    uint64_t length_ps = (uint64_t)(queue->far_last_ps - queue->far_first_ps);
    size_t lines = queue->far_count / PER_BUCKET;
    for (queue->shift = 0; length_ps >> queue->shift >= lines;) queue->shift++;
    queue->first_ps = queue->far_first_ps;
    queue->bucket = 0;
    queue->bucket_count = (size_t)(length_ps >> queue->shift) + 1;
    queue->far_ps = queue->first_ps + (int64_t)((uint64_t)queue->bucket_count << queue->shift);
    memset(queue->buckets, 0, queue->bucket_count * sizeof *queue->buckets);
    while (queue->far != EVENT_NO_CHUNK) {
        struct event_chunk chunk = queue->chunks[queue->far];
        chunk_drop(queue, &queue->far);
        for (uint32_t i = 0; i < chunk.count; i++)
            chunk_put(queue, bucket_of(queue, chunk.items[i].time.time_ps), &chunk.items[i]);
    }
    queue->far_count = 0;
}

static bool is_long(const struct event_queue *queue, uint32_t list)
{
    size_t count = 0;
    for (; list != EVENT_NO_CHUNK && count <= SORTED_MOST; list = queue->chunks[list].next)
        count += queue->chunks[list].count;
    return count > SORTED_MOST;
}

/* The list becomes the end of the run. A long one becomes the heap, since sorting it would need as much memory
 * again. */
static void run_list(struct event_queue *queue, uint32_t *list)
{
    struct event_list *run = &queue->run;
    size_t count = 0, before = run->count;
    bool heap = is_long(queue, *list);
    for (uint32_t index = *list; index != EVENT_NO_CHUNK; index = queue->chunks[index].next)
        count += queue->chunks[index].count;
    queue->bucketed -= count;
    if (heap) count = 0;
    memmove(run->items + count, run->items, before * sizeof *run->items);
    for (size_t at = 0; *list != EVENT_NO_CHUNK; chunk_drop(queue, list)) {
        const struct event_chunk *chunk = &queue->chunks[*list];
        for (uint32_t i = 0; heap && i < chunk->count; i++) heap_push(&queue->heap, &chunk->items[i]);
        if (heap) continue;
        memcpy(run->items + at, chunk->items, chunk->count * sizeof *chunk->items);
        at += chunk->count;
    }
    sort_latest_first(run->items, count);
    run->count += count;
}

/* Takes the events that follow the run and the heap. There are some. */
static void refill_heap(struct event_queue *queue)
{
    while (queue->bucket < queue->bucket_count && queue->buckets[queue->bucket] == EVENT_NO_CHUNK) queue->bucket++;
    if (queue->bucket == queue->bucket_count && queue->far_count <= FEW) {
        queue->bucket = queue->bucket_count = 0;
        queue->near_ps = queue->far_ps = queue->far_last_ps + 1;
        queue->far_count = 0;
        run_list(queue, &queue->far);
        return;
    }
    if (queue->bucket == queue->bucket_count) distribute_events(queue);
    run_list(queue, &queue->buckets[queue->bucket++]);
    queue->near_ps = queue->first_ps + (int64_t)((uint64_t)queue->bucket << queue->shift);
}

static inline const struct event *heap_first(const struct event_queue *queue)
{
    return queue->heap.count > 0 ? queue->heap.items : NULL;
}

/* The buckets are empty: events after this moment are made later. */
static void reach_time(struct event_queue *queue, int64_t time_ps)
{
    if (time_ps < queue->near_ps) return;
    queue->bucket = queue->bucket_count = 0;
    queue->near_ps = queue->far_ps = time_ps + 1;
}

/* Moves the next events into the run; at least, the next one is in no bucket. */
static void fill_ahead(struct event_queue *queue)
{
    size_t least = queue->ahead > 0 ? queue->ahead : 1;
    for (;;) {
        const struct event *loose = heap_first(queue);
        bool sure = loose && (queue->bucketed == 0 || loose->time.time_ps < queue->near_ps);
        if (sure && queue->ahead == 0) return;
        if (sure && is_near(queue, loose->time)) {
            if (queue->bucketed == 0) reach_time(queue, loose->time.time_ps);
            const struct event event = heap_pop(&queue->heap);
            run_insert(&queue->run, &event);
        } else if (!sure && queue->bucketed > 0 && queue->run.count < least) {
            refill_heap(queue);
        } else {
            return;
        }
    }
}

/* --- the queue --- */

/* There is memory for it. */
static void push_event(struct event_queue *queue, const struct event *event)
{
    int64_t time_ps = event->time.time_ps;
    if (time_ps < queue->near_ps && queue->ahead > 0 && is_near(queue, event->time)) {
        run_insert(&queue->run, event);
    } else if (time_ps < queue->near_ps) {
        heap_push(&queue->heap, event);
    } else {
        queue->bucketed++;
        if (time_ps < queue->far_ps)
            chunk_put(queue, bucket_of(queue, time_ps), event);
        else
            put_far(queue, event);
    }
    queue->count++;
    if (queue->run.count < queue->ahead) fill_ahead(queue);
}

enum status event_queue_push_at(struct event_queue *queue, struct event_time time, uint32_t type, uint32_t id,
                                struct err *err)
{
    const struct event event = {time, type, id};
    if (queue->count == queue->reserved) TRY(reserve_event(queue, err));
    push_event(queue, &event);
    return STATUS_OK;
}

enum status event_queue_push(struct event_queue *queue, int64_t time_ps, uint32_t key, uint32_t type, uint32_t id,
                             struct err *err)
{
    struct event_time time = {time_ps, event_queue_order(queue, key)};
    return event_queue_push_at(queue, time, type, id, err);
}

/* The next event if it is not in the run; NULL: it is. With queue.ahead the run has it already. */
static inline const struct event *loose_next(struct event_queue *queue)
{
    if (queue->ahead > 0) return NULL;
    const struct event *loose = heap_first(queue);
    if (queue->run.count == 0 && queue->bucketed > 0 && !(loose && loose->time.time_ps < queue->near_ps)) {
        fill_ahead(queue);
        loose = heap_first(queue);
    }
    if (!loose || queue->run.count == 0) return loose;
    return event_before(event_queue_ahead(queue, 0)->time, loose->time) ? NULL : loose;
}

struct event event_queue_pop(struct event_queue *queue)
{
    struct event event = loose_next(queue) ? heap_pop(&queue->heap) : queue->run.items[--queue->run.count];
    queue->count--;
    if (queue->ahead > 0) fill_ahead(queue);
    return event;
}

int64_t event_queue_first_ps(struct event_queue *queue)
{
    const struct event *loose = loose_next(queue);
    return (loose ? loose : event_queue_ahead(queue, 0))->time.time_ps;
}

bool event_queue_is_after(struct event_queue *queue, int64_t time_ps)
{
    if (queue->ahead == 0 && queue->bucketed > 0 && queue->near_ps <= time_ps) fill_ahead(queue);
    const struct event *next = event_queue_ahead(queue, 0);
    if (next && next->time.time_ps <= time_ps) return false;
    const struct event *loose = heap_first(queue);
    return !(loose && loose->time.time_ps <= time_ps);
}
