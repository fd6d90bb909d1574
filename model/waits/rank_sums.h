/* Sums of time and count by item, rank and thread. Items are the caller's numbers. */
#ifndef MODEL_WAITS_RANK_SUMS_H
#define MODEL_WAITS_RANK_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "common/status.h"
#include "common/wide.h"

struct rank_sum {
    uint32_t item, rank, thread;
    uint64_t count;
    wide_ps ps;
};

struct rank_sums {
    struct map threads, index; /* (rank, thread) to its number; (number, item) to the sum */
    struct rank_sum *items;
    size_t count, capacity;
};

/* All-zero is empty. */
void rank_sums_clear(struct rank_sums *sums);
enum status rank_sums_add(struct rank_sums *sums, const struct rank_sum *more, struct err *err);

/* Orders the sums by item, rank and thread. Nothing may be added afterwards. */
void rank_sums_sort(struct rank_sums *sums);
/* The first of the *count ordered sums of one item. */
const struct rank_sum *rank_sums_of(const struct rank_sums *sums, uint32_t item, size_t *count);

/* Of one item's sums, the rank with the most time, and its thread with the most time; ps is the rank's time. If times
 * are equal, the larger count decides, then the lower rank. count > 0. */
struct rank_sum rank_sums_worst(const struct rank_sum *sums, size_t count);

#endif
