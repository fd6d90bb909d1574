/* The replayable prefix of a trace: of each rank, the calls before the first one that never returns (its message, post
 * or partner never comes, or its recording breaks off) or that the replay refuses (a flush without lock, roots that
 * differ). The analysis with --keep-going cuts traces in the same form (trace/faults.h). */
#ifndef PREDICTORS_REPLAYABLE_PREFIX_H
#define PREDICTORS_REPLAYABLE_PREFIX_H

#include "platforms/platform.h"
#include "trace/trace.h"

/* Borrows all but the ranks' array, their reasons and the faults from the trace that was given. */
struct replayable_prefix {
    struct trace trace;
};

/* Repeats the replay with the loggp engine until every call that is left returns. *cut is NULL if nothing had to go,
 * else its trace has a fault for each rank that was cut. Other errors of a replay stay errors.
 * trace outlives *cut. */
enum status replayable_prefix_new(const struct trace *trace, const struct platform *platform,
                                  struct replayable_prefix **prefix, struct err *err);
void replayable_prefix_free(struct replayable_prefix *prefix);

#endif
