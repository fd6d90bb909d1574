/* A binary heap of indices. The caller says which of two indices comes first, owns the items, and has reserved room for
 * them. An index may change its key while it is first, before heap_sift_down. */
#ifndef COMMON_HEAP_H
#define COMMON_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap {
    uint32_t *items, count;
};

typedef bool heap_before(const void *context, uint32_t one, uint32_t other);

static inline void heap_push(struct heap *heap, uint32_t item, heap_before *before, const void *context)
{
    uint32_t at = heap->count++, *items = heap->items;
    for (; at > 0 && before(context, item, items[(at - 1) / 2]); at = (at - 1) / 2) items[at] = items[(at - 1) / 2];
    items[at] = item;
}

/* Moves the first index, whose key has grown, to its new position. The heap must not be empty. */
static inline void heap_sift_down(struct heap *heap, heap_before *before, const void *context)
{
    uint32_t *items = heap->items, item = items[0], at = 0;
    for (uint32_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && before(context, items[child + 1], items[child])) child++;
        if (!before(context, items[child], item)) break;
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

/* Removes the first index and returns it. The heap must not be empty. */
static inline uint32_t heap_pop(struct heap *heap, heap_before *before, const void *context)
{
    uint32_t first = heap->items[0];
    heap->items[0] = heap->items[--heap->count];
    if (heap->count > 0) heap_sift_down(heap, before, context);
    return first;
}

#endif
