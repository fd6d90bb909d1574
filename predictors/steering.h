/* Whether results of fetching operations may have decided which calls the recorded program made, as in a queue of tasks or a
 * compare-and-swap that is repeated until it succeeds. A replay makes the recorded calls, whatever the results would be
 * (docs/simulation.md, What a replay cannot do). */
#ifndef PREDICTORS_STEERING_H
#define PREDICTORS_STEERING_H

#include "model/result/result.h"
#include "trace/trace.h"

/* Adds a note, and sets the class of the uncertainty, if, at some call site, the ranks that call a fetching operation there
 * made different numbers of calls: at the site with the largest difference. None for a simulated trace, nor where call sites
 * are not known. */
enum status steering_note(const struct trace *trace, struct result *result, struct err *err);

#endif
