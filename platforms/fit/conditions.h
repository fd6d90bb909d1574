/* The conditions under which a machine was measured. A virtual machine moves its cores, and messages within a node then take
 * two to four times as long as a second before. Each batch of a bench has a reference, half a round trip right before it
 * (platforms/bench/results.h). Batches with like references were measured under like conditions. */
#ifndef PLATFORMS_FIT_CONDITIONS_H
#define PLATFORMS_FIT_CONDITIONS_H

#include <stdbool.h>

#include "platforms/bench/results.h"

/* References that differ by this factor at most are alike. */
#define CONDITIONS_WIDTH 1.15
/* So many batches are enough, since load only adds time: the fastest conditions with this share count. */
#define CONDITIONS_SHARE 0.2

struct conditions {
    double from_s, upto_s; /* references. 0: none are known */
    double share;          /* of all batches */
};

/* The fastest conditions with CONDITIONS_SHARE of the batches, within a node or between nodes; else the most frequent ones. */
enum status conditions_find(const struct bench_results *results, bool between, struct conditions *conditions, struct err *err);

#endif
