/* Who has how much of what: seconds and counts by item, rank and thread. Items are the caller's numbers. */
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

/* Orders the sums by item, rank and thread; nothing is added afterwards. */
void rank_sums_sort(struct rank_sums *sums);
/* Of ordered sums those of one item, *count of them. */
const struct rank_sum *rank_sums_of(const struct rank_sums *sums, uint32_t item, size_t *count);

/* Of one item's sums the rank that has most, with its thread that has most; ps is that of the rank. Of equal ones the
 * one that occurs most often, then the lowest. count > 0. */
struct rank_sum rank_sums_worst(const struct rank_sum *sums, size_t count);

#endif
