/* The replayable prefix of a trace. It has, for each rank, the calls before the first one that never returns or that
 * the replay refuses. A call never returns if its message, post or partner never comes, or if its recording breaks off.
 * The replay refuses, for example, a flush without lock or roots that differ. The analysis with --keep-going cuts
 * traces in the same form (trace/faults.h). */
#ifndef PREDICTORS_REPLAYABLE_PREFIX_H
#define PREDICTORS_REPLAYABLE_PREFIX_H

#include "platforms/platform.h"
#include "trace/trace.h"

/* Owns the array of ranks, their reasons and the faults, and borrows everything else from the given trace. */
struct replayable_prefix {
    struct trace trace;
};

/* Repeats the replay with the loggp engine until every remaining call returns. *prefix is NULL if no call had to be
 * cut; otherwise its trace has a fault for each rank that was cut. Other errors of a replay are returned. trace must
 * outlive *prefix. */
enum status replayable_prefix_new(const struct trace *trace, const struct platform *platform,
                                  struct replayable_prefix **prefix, struct err *err);
void replayable_prefix_free(struct replayable_prefix *prefix);

#endif
