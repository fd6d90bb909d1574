/* The bounds of each transfer's end in a predicted trace: those of both event models, and the least one. */
#ifndef SIMULATE_BOUNDS_TRACE_BOUNDS_H
#define SIMULATE_BOUNDS_TRACE_BOUNDS_H

#include "platforms/platform.h"
#include "trace/trace.h"

struct relations;

struct trace_bounds {
    uint64_t transfers; /* that have bounds */
    uint64_t endless;   /* that never end, since their epochs have no end */
    uint64_t outside;   /* that end outside the bounds of the two event models */
};

/* Sets base_end_ps, extended_end_ps and xfer_least_ps of the predicted trace, whose relations these are. The least end is
 * the enter of the operation's call and what its data alone take, with the platform's stated errors in their favour
 * (docs/simulation.md). */
enum status trace_bounds_keep(struct trace *predicted, const struct relations *relations, const struct platform *platform,
                              struct trace_bounds *bounds, struct err *err);

#endif
