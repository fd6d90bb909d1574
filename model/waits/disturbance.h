/* Measures how much a recording was disturbed: how long computing threads waited for a core. It sums per rank, over a
 * whole trace or its slices. */
#ifndef MODEL_WAITS_DISTURBANCE_H
#define MODEL_WAITS_DISTURBANCE_H

#include "model/match/timelines.h"
#include "model/result/result.h"
#include "trace/trace.h"

/* Adds the time that each rank spent inside calls; of a slice, inside its new calls. inside_ps has rank_count
 * elements. */
void disturbance_add(const struct trace *trace, int64_t *inside_ps);

/* timelines belong to the trace at its end. The disturbance is unknown for a simulated trace, and where core waits were
 * not recorded. */
void disturbance_report(const struct timelines *timelines, const int64_t *inside_ps, struct result_disturbance *made);

/* disturbance_add() and disturbance_report() for a whole trace. */
enum status disturbance_find(const struct trace *trace, struct result_disturbance *made, struct err *err);

#endif
