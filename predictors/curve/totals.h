/* Replays a run of a program model while the run is made, so that a call is in memory only while its rank needs it. The
 * result has the sums of a replay: times of ranks, wait states, transfers. */
#ifndef PREDICTORS_SCALE_TOTALS_H
#define PREDICTORS_SCALE_TOTALS_H

#include "model/result/result.h"
#include "platforms/platform.h"
#include "simulate/engine/engine.h"
#include "trace/program_model/source.h"

/* Replays the source to its end, on an engine that may run several times in a process. computing_s: of a rank. The caller owns
 * *result. */
enum status scale_totals(struct program_source *source, double computing_s, const struct platform *platform,
                         const struct engine_descriptor *engine, struct result **result, struct err *err);

#endif
