/* Whether results of fetching operations may have decided which calls the recorded program made, as in a queue of tasks
 * or a compare-and-swap that is repeated until it succeeds. A replay makes the recorded calls, whatever the results
 * would be (docs/simulation.md, What a replay cannot do); it decides only anew which rank makes which task of a queue.
 */
#ifndef PREDICTORS_STEERING_H
#define PREDICTORS_STEERING_H

#include "model/result/result.h"
#include "platforms/platform.h"
#include "trace/trace.h"

/* Adds notes, and sets the class of the uncertainty. One for each queue of tasks (simulate/tasks/queues.h), unless
 * platform.decide is recorded: whether its tasks were decided again, or why not. One if, at some call site, the ranks
 * that call a fetching operation there made different numbers of calls, and no queue that was decided again explains
 * it: at the site with the largest difference. None for a simulated trace; the latter not where call sites are not
 * known. */
enum status steering_note(const struct trace *trace, const struct platform *platform, struct result *result,
                          struct err *err);

#endif
