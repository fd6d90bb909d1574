/* Weak scaling by replication: a run of P ranks is extended by copies of itself. Messages and operations of a copy
 * remain inside the copy; collective calls and windows span all ranks. */
#ifndef PREDICTORS_SCALE_REPLICATE_H
#define PREDICTORS_SCALE_REPLICATE_H

#include "trace/trace.h"

/* Returns STATUS_DATA if ranks is no multiple of the trace's, or the trace has calls that programs cannot describe
 * (observe.h). The caller owns *made. */
enum status scale_replicate(const struct trace *trace, uint32_t ranks, struct trace **made, struct err *err);

#endif
