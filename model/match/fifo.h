/* Queues of indices, one for each key of four numbers. They match the n-th event of one side with the n-th of the
 * other. */
#ifndef MODEL_MATCH_FIFO_H
#define MODEL_MATCH_FIFO_H

#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "common/status.h"

#define FIFO_EMPTY SIZE_MAX

struct fifo_key {
    uint32_t a, b, c, d;
};

struct fifo_node {
    size_t item, next;
};

struct fifo_queue {
    struct fifo_key key;
    bool used;
    size_t head, tail, last; /* nodes; last: the item that was removed last */
};

struct fifo {
    struct fifo_queue *queues; /* a hash table */
    size_t count, capacity;
    struct fifo_node *nodes;
    size_t node_count, node_capacity, unused; /* unused: a node of a removed item plus 1, and so on by next; 0: none */
};

/* All-zero is the empty fifo. */
void fifo_clear(struct fifo *fifo);
enum status fifo_push(struct fifo *fifo, struct fifo_key key, size_t item, struct err *err);
/* The item pushed first under key, which is removed; FIFO_EMPTY if there is none. */
size_t fifo_pop(struct fifo *fifo, struct fifo_key key);
/* As fifo_pop(); *before is the item that was removed under key before this one, or FIFO_EMPTY. */
size_t fifo_pop_after(struct fifo *fifo, struct fifo_key key, size_t *before);

#endif
