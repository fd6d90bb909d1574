/* Whether results of fetching operations may have decided which calls the recorded program made, as in a queue of tasks or a
 * compare-and-swap that is repeated until it succeeds. A replay makes the recorded calls, whatever the results would be
 * (docs/simulation.md, What a replay cannot do). It decides again only which rank makes which task of a queue. */
#ifndef PREDICTORS_STEERING_H
#define PREDICTORS_STEERING_H

#include "model/result/result.h"
#include "platforms/platform.h"
#include "trace/trace.h"

/* Adds notes, and sets the class of the uncertainty. Two notes are about queues of tasks (simulate/tasks/queues.h), unless
 * platform.decide is recorded: which tasks are decided again, and which are not, and why. One is of the call site at which the
 * numbers of fetching operations differ most between the ranks that call one there, if a queue that is decided again does not
 * explain it, and call sites are known. None for a simulated trace. */
enum status steering_note(const struct trace *trace, const struct platform *platform, struct result *result, struct err *err);

#endif
