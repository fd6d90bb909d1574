/* A run of a program model that is replayed while it is made: no call is held longer than its rank needs it. What is left of the
 * run is what a replay adds up itself: times of ranks, wait states, transfers. */
#ifndef PREDICTORS_SCALE_TOTALS_H
#define PREDICTORS_SCALE_TOTALS_H

#include "model/result/result.h"
#include "platforms/platform.h"
#include "simulate/engine/engine.h"
#include "trace/program_model/source.h"

/* Replays the source to its end, on an engine that may run several times in a process. The caller owns *result. */
enum status scale_totals(struct program_source *source, const struct platform *platform, const struct engine_descriptor *engine,
                         struct result **result, struct err *err);

#endif
