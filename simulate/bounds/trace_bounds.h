/* The bounds of each transfer's end in a predicted trace: those of both event models, and the least one. */
#ifndef SIMULATE_BOUNDS_TRACE_BOUNDS_H
#define SIMULATE_BOUNDS_TRACE_BOUNDS_H

#include "platforms/platform.h"
#include "trace/trace.h"

/* Sets base_end_ps, extended_end_ps and xfer_least_ps of the predicted trace. The least end is the enter of the operation's
 * call and what its data alone take, with the platform's stated errors in their favour (docs/simulation.md). */
enum status trace_bounds_keep(struct trace *predicted, const struct platform *platform, struct err *err);

#endif
