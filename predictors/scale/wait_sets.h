/* Sets of requests, by the kind of call that made them: its key (observe.h). A wait for a set completes the same requests at
 * other scales, and on ranks that have fewer neighbours and thus fewer requests in it. Equal sets have equal numbers. */
#ifndef PREDICTORS_SCALE_WAIT_SETS_H
#define PREDICTORS_SCALE_WAIT_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

enum { PLACE_ALL = -1 };
struct wait_item {
    uint32_t key;
    int32_t place; /* among the open requests of that key, in the order of their creation; PLACE_ALL: each of them */
};

struct wait_set {
    struct wait_item *items; /* owned; by rising key and place */
    size_t count;
};

struct wait_sets {
    struct wait_set *items; /* owned; number 0 is empty */
    size_t count, capacity;
};

enum status wait_sets_open(struct wait_sets *sets, struct err *err);
void wait_sets_clear(struct wait_sets *sets);

/* The number of the set of these items, which get sorted. */
enum status wait_sets_add(struct wait_sets *sets, struct wait_item *items, size_t count, uint32_t *set, struct err *err);

/* Whether waits of two ranks for these sets may be one: the sets are equal, or one is empty, or they have something in common and
 * no places. */
bool wait_sets_fit(const struct wait_sets *sets, uint32_t a, uint32_t b);
/* Their union. */
enum status wait_sets_join(struct wait_sets *sets, uint32_t a, uint32_t b, uint32_t *set, struct err *err);

/* Whether a wait for a set completes what a rank was seen to complete, and nothing that was left open then. */
bool wait_sets_agree(const struct wait_sets *sets, uint32_t set, uint32_t completed, uint32_t left);

#endif
