/* What handed.c has recorded while handed_on is set: the calls that MPICH makes of its network library UCX, and the
 * messages that UCX sends by TCP for them, each in their order. Not for threads. */
#ifndef TESTS_PROTOCOLS_HANDED_H
#define TESTS_PROTOCOLS_HANDED_H

#include <stdbool.h>
#include <stddef.h>

struct handed {
    const char *name;
    size_t bytes; /* without the headers of UCX */
    int count;    /* of consecutive fragments, each a message of its own */
    bool to_self; /* known for active messages, once handed_own_endpoint is set */
};

enum { HANDED_MAX = 4096 };

struct handed_list {
    struct handed rows[HANDED_MAX];
    int count;
};

extern bool handed_on;
extern struct handed_list handed_calls, handed_messages;
extern long handed_polls;          /* of UCX, always counted */
extern void *handed_last_endpoint; /* of the last two-sided message */
extern void *handed_own_endpoint;

#endif
