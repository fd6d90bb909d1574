#include "model/match/fifo.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void fifo_clear(struct fifo *fifo)
{
    FREE_ALL(fifo->queues, fifo->nodes);
    memset(fifo, 0, sizeof *fifo);
}

/* The key's queue, or the unused one where it belongs: open addressing, linear probing. */
static struct fifo_queue *slot_of(const struct fifo *fifo, struct fifo_key key)
{
    size_t i = (size_t)map_mix(map_pair(key.a, key.b), map_pair(key.c, key.d));
    for (;; i++) {
        struct fifo_queue *queue = &fifo->queues[i & (fifo->capacity - 1)];
        if (!queue->used || memcmp(&queue->key, &key, sizeof key) == 0) return queue;
    }
}

static enum status grow_queues(struct fifo *fifo, struct err *err)
{
    struct fifo bigger = {.capacity = fifo->capacity ? fifo->capacity * 2 : 16};
    bigger.queues = calloc(bigger.capacity, sizeof *bigger.queues);
    if (!bigger.queues) return err_memory(err);
    for (size_t i = 0; i < fifo->capacity; i++)
        if (fifo->queues[i].used) *slot_of(&bigger, fifo->queues[i].key) = fifo->queues[i];
    free(fifo->queues);
    fifo->queues = bigger.queues;
    fifo->capacity = bigger.capacity;
    return STATUS_OK;
}

enum status fifo_push(struct fifo *fifo, struct fifo_key key, size_t item, struct err *err)
{
    size_t node = fifo->unused;
    const struct fifo_node made = {.item = item, .next = FIFO_EMPTY};
    if (fifo->count * 4 >= fifo->capacity * 3) TRY(grow_queues(fifo, err));
    if (node > 0) {
        fifo->unused = fifo->nodes[--node].next;
        fifo->nodes[node] = made;
    } else {
        node = fifo->node_count;
        ARRAY_PUSH(fifo->nodes, fifo->node_count, fifo->node_capacity, made, err);
    }
    struct fifo_queue *queue = slot_of(fifo, key);
    fifo->count += !queue->used;
    if (!queue->used) *queue = (struct fifo_queue){key, true, FIFO_EMPTY, FIFO_EMPTY, FIFO_EMPTY};
    *(queue->head == FIFO_EMPTY ? &queue->head : &fifo->nodes[queue->tail].next) = node;
    queue->tail = node;
    return STATUS_OK;
}

size_t fifo_pop(struct fifo *fifo, struct fifo_key key)
{
    size_t before;
    return fifo_pop_after(fifo, key, &before);
}

size_t fifo_pop_after(struct fifo *fifo, struct fifo_key key, size_t *before)
{
    struct fifo_queue *queue = fifo->capacity > 0 ? slot_of(fifo, key) : NULL;
    const bool known = queue && queue->used;
    *before = known ? queue->last : FIFO_EMPTY;
    if (!known || queue->head == FIFO_EMPTY) return FIFO_EMPTY;
    size_t removed = queue->head;
    struct fifo_node *node = &fifo->nodes[removed];
    queue->head = node->next;
    queue->last = node->item;
    node->next = fifo->unused;
    fifo->unused = removed + 1;
    return node->item;
}
