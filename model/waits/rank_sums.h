/* Sums of time and count by item, rank and thread. Items are the caller's numbers. */
#ifndef MODEL_WAITS_RANK_SUMS_H
#define MODEL_WAITS_RANK_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "common/status.h"
#include "common/wide.h"

struct rank_sum {
    uint32_t item, rank, thread;
    uint64_t count;
    wide_ps ps, without_core_ps; /* of calls: without_core_ps of ps, without a core */
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

/* Whether the rank with the most time stands out (spread_stands_out()) among all ranks; those without a sum have no time. */
bool rank_sums_stand_out(const struct rank_sum *sums, size_t count, uint32_t rank_count);

/* Values of ranks, of which the largest may stand out. All-zero is empty. */
struct spread {
    uint64_t count;
    double most_s, second_s, least_s, sum_s;
    uint32_t most_rank; /* the lowest with most_s */
};
void spread_add(struct spread *spread, uint32_t rank, double value_s);
/* The mean of all values but the largest; 0: there is none. */
double spread_others_s(const struct spread *spread);
/* Whether the largest exceeds the mean of the others by more than a tenth of it, and by more than the others differ. */
bool spread_stands_out(const struct spread *spread);

#endif
