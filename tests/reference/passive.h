/* Locks: the queue at each target. */
#ifndef TESTS_REFERENCE_PASSIVE_H
#define TESTS_REFERENCE_PASSIVE_H

#include "tests/reference/operation.h"

/* Sends the request for the lock's grant. */
void access_ask(struct model *model, struct access *access);

struct server {
    struct access **queue;
    size_t queue_count, queue_capacity, holder_count;
    bool exclusive; /* the holder is alone */
};

#endif
