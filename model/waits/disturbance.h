/* How disturbed a recording was: how long computing waited for a core. Sums per rank, of a trace whole or in slices. */
#ifndef MODEL_WAITS_DISTURBANCE_H
#define MODEL_WAITS_DISTURBANCE_H

#include "model/match/timelines.h"
#include "model/result/result.h"
#include "trace/trace.h"

/* Adds the time inside the calls of each rank, of a slice in its new ones. inside_ps: rank_count. */
void disturbance_add(const struct trace *trace, int64_t *inside_ps);

/* timelines: of the trace, which holds its end. Unknown of a simulated trace, and where nobody looked for core waits.
 */
void disturbance_report(const struct timelines *timelines, const int64_t *inside_ps, struct result_disturbance *made);

/* Both, of a whole trace. */
enum status disturbance_find(const struct trace *trace, struct result_disturbance *made, struct err *err);

#endif
