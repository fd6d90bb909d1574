#include "model/match/fifo.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void fifo_clear(struct fifo *fifo)
{
    map_clear(&fifo->first);
    map_clear(&fifo->second);
    map_clear(&fifo->queue);
    FREE_ALL(fifo->heads, fifo->tails, fifo->lasts, fifo->nodes);
    memset(fifo, 0, sizeof *fifo);
}

static uint64_t join_words(uint64_t high, uint64_t low)
{
    return high << 32 | low;
}

static enum status queue_of(struct fifo *fifo, struct fifo_key key, size_t *queue, struct err *err)
{
    uint64_t *one, *two, *both;
    TRY(map_put(&fifo->first, join_words(key.a, key.b), fifo->first.count, &one, err));
    TRY(map_put(&fifo->second, join_words(key.c, key.d), fifo->second.count, &two, err));
    TRY(map_put(&fifo->queue, join_words(*one, *two), fifo->queue_count, &both, err));
    if (*both == fifo->queue_count) {
        TRY(array_reserve((void **)&fifo->heads, &fifo->head_capacity, fifo->queue_count + 1, sizeof *fifo->heads,
                          err));
        TRY(array_reserve((void **)&fifo->tails, &fifo->tail_capacity, fifo->queue_count + 1, sizeof *fifo->tails,
                          err));
        TRY(array_reserve((void **)&fifo->lasts, &fifo->last_capacity, fifo->queue_count + 1, sizeof *fifo->lasts,
                          err));
        fifo->heads[fifo->queue_count] = fifo->tails[fifo->queue_count] = FIFO_EMPTY;
        fifo->lasts[fifo->queue_count] = FIFO_EMPTY;
        fifo->queue_count++;
    }
    *queue = *both;
    return STATUS_OK;
}

enum status fifo_push(struct fifo *fifo, struct fifo_key key, size_t item, struct err *err)
{
    size_t queue, node = fifo->unused;
    TRY(queue_of(fifo, key, &queue, err));
    struct fifo_node made = {.item = item, .next = FIFO_EMPTY};
    if (node > 0) {
        fifo->unused = fifo->nodes[--node].next;
        fifo->nodes[node] = made;
    } else {
        node = fifo->node_count;
        ARRAY_PUSH(fifo->nodes, fifo->node_count, fifo->node_capacity, made, err);
    }
    if (fifo->heads[queue] == FIFO_EMPTY)
        fifo->heads[queue] = node;
    else
        fifo->nodes[fifo->tails[queue]].next = node;
    fifo->tails[queue] = node;
    return STATUS_OK;
}

size_t fifo_pop(struct fifo *fifo, struct fifo_key key)
{
    size_t before;
    return fifo_pop_after(fifo, key, &before);
}

size_t fifo_pop_after(struct fifo *fifo, struct fifo_key key, size_t *before)
{
    const uint64_t *one = map_find(&fifo->first, join_words(key.a, key.b));
    const uint64_t *two = map_find(&fifo->second, join_words(key.c, key.d));
    const uint64_t *both = one && two ? map_find(&fifo->queue, join_words(*one, *two)) : NULL;
    *before = both ? fifo->lasts[*both] : FIFO_EMPTY;
    if (!both || fifo->heads[*both] == FIFO_EMPTY) return FIFO_EMPTY;
    size_t removed = fifo->heads[*both];
    struct fifo_node *node = &fifo->nodes[removed];
    fifo->heads[*both] = node->next;
    fifo->lasts[*both] = node->item;
    node->next = fifo->unused;
    fifo->unused = removed + 1;
    return node->item;
}
