/* Locks: the queue at each target. */
#ifndef TESTS_REFERENCE_PASSIVE_H
#define TESTS_REFERENCE_PASSIVE_H

#include "tests/reference/operation.h"

/* Sends the request for the lock's grant. */
void lane_ask(struct model *model, struct lane *lane);

struct server {
    struct lane **queue;
    size_t queue_count, queue_capacity, holder_count;
    bool exclusive; /* the holder is alone */
};

#endif
