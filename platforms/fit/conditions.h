/* The conditions under which a machine was measured. A virtual machine moves its cores. Messages within a node then take two to
 * four times as long as a second before, and a core computes half as fast if it shares a core of the host. Each batch of a bench
 * has references, half a round trip and a piece of computing right before and behind it (platforms/bench/results.h). Batches with
 * like references were measured under like conditions. */
#ifndef PLATFORMS_FIT_CONDITIONS_H
#define PLATFORMS_FIT_CONDITIONS_H

#include <stdbool.h>

#include "platforms/bench/results.h"

/* References that differ by this factor at most are alike. */
#define CONDITIONS_WIDTH 1.15
/* So many batches are enough, since load only adds time: the fastest conditions with this share count. */
#define CONDITIONS_SHARE 0.2
/* So many repetitions under the conditions are a series. */
enum { CONDITIONS_REPETITIONS_LEAST = 20 };

struct conditions {
    double from_s, upto_s;           /* half round trips. 0: no references are known */
    double work_from_s, work_upto_s; /* pieces of computing. 0: not known */
    double share;                    /* of all batches */
};

/* Within a node or between nodes: of the batches the fastest computing with CONDITIONS_SHARE of them, else the most frequent one;
 * of these batches the fastest round trips with this share of them, else the most frequent ones. */
enum status conditions_find(const struct bench_results *results, bool between, struct conditions *conditions, struct err *err);

/* Whether the repetition was measured under the conditions. */
bool conditions_hold(const struct conditions *conditions, const struct bench_repetition *repetition);

/* Sizes of tests that were measured with references, in all passes of a place. *missing: of these, the ones with fewer than
 * CONDITIONS_REPETITIONS_LEAST repetitions under the conditions. */
enum status conditions_count(const struct bench_results *results, bool between, const struct conditions *conditions,
                             size_t *sizes, size_t *missing, struct err *err);

#endif
