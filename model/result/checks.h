/* Checks of an analysis on its own figures (rmacast analyze --verify).
 *
 *   checks_add for the whole trace, or for each slice; checks_report */
#ifndef MODEL_RESULT_CHECKS_H
#define MODEL_RESULT_CHECKS_H

#include "common/map.h"
#include "common/wide.h"
#include "model/match/relations.h"
#include "model/result/result.h"
#include "model/waits/provisional.h"
#include "model/waits/waits.h"

/* All-zero before the first checks_add. */
struct checks {
    struct result_check fit;   /* each call is at least as long as its waits */
    struct result_check cause; /* each call returns after the call for which it waited begins */
    uint64_t calls, uncertain_calls[DOUBT_COUNT]; /* calls examined for `fit` */
    struct map waited; /* (rank, event) of calls that wait, to the time waited; in slices only calls that may get more
                          waits */
};

/* Adds the waits of a whole trace, or those of a slice that this round counts; they include waits that the filter
 * leaves out. */
enum status checks_add(struct checks *checks, const struct relations *relations, const struct waits *waits,
                       struct err *err);

/* Appends a row per check to result->checks. result is otherwise complete, and totals are those of its patterns.
 * refuted is by function, for slices (model/waits/provisional.h), or NULL. waited_ps is the total time of which root
 * causes are shares. */
void checks_report(struct checks *checks, const struct totals *totals, const bool *refuted, wide_ps waited_ps,
                   struct result *result);
void checks_clear(struct checks *checks);

/* STATUS_DATA with the first check of the result that does not hold. */
enum status checks_expect(const struct result *result, struct err *err);

#endif
