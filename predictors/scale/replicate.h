/* Weak scaling by replication: a run of P ranks is joined by copies of itself. Messages and operations of a copy stay
 * inside it; collective calls and windows are those of all ranks. */
#ifndef PREDICTORS_SCALE_REPLICATE_H
#define PREDICTORS_SCALE_REPLICATE_H

#include "trace/trace.h"

/* STATUS_DATA: ranks is no multiple of the trace's, or the trace has what no other scale is predicted of (observe.h).
 * The caller owns *made. */
enum status scale_replicate(const struct trace *trace, uint32_t ranks, struct trace **made, struct err *err);

#endif
