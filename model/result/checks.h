/* What an analysis must keep, checked on its own figures (rmacast analyze --verify).
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
    struct result_check fit; /* that waits fit their calls */
    uint64_t calls, uncertain_calls[DOUBT_COUNT]; /* looked at for that */
    struct map waited; /* (rank, event) of the calls that wait to how long; of slices those that may wait for more */
};

/* waits: those of a whole trace, or those that are counted of a slice; with those that a filter keeps out. */
enum status checks_add(struct checks *checks, const struct relations *relations, const struct waits *waits,
                       struct err *err);

/* Appends a row per check to result->checks. result holds everything else, account is that of its patterns. refuted: by
 * function, of slices (model/waits/provisional.h), or NULL; waited_ps: all intervals that root causes are shares of. */
void checks_report(struct checks *checks, const struct totals *totals, const bool *refuted, wide_ps waited_ps,
                   struct result *result);
void checks_clear(struct checks *checks);

/* STATUS_DATA with the first check of the result that does not hold. */
enum status checks_expect(const struct result *result, struct err *err);

#endif
