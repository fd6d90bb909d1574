/* The bounds of each transfer's end in a predicted trace: those of both event models, and the least one. */
#ifndef SIMULATE_BOUNDS_TRACE_BOUNDS_H
#define SIMULATE_BOUNDS_TRACE_BOUNDS_H

#include "platforms/platform.h"
#include "trace/trace.h"

struct relations;

/* What finds the least end of a transfer: the enter of the operation's call and what its data alone take, with the platform's
 * stated errors in their favour (docs/simulation.md). */
struct least_ends {
    struct platform best; /* a copy of the caller's, whose pointers are borrowed but for those of segments */
};

/* Inits *ends. */
enum status least_ends_open(struct least_ends *ends, const struct platform *platform, struct err *err);
void least_ends_clear(struct least_ends *ends);
int64_t least_ends_of(const struct least_ends *ends, uint32_t origin, const struct trace_call *operation);

struct trace_bounds {
    uint64_t transfers; /* that have bounds */
    uint64_t endless;   /* that never end, since their epochs have no end */
    uint64_t outside;   /* that end outside the bounds of the two event models */
};

/* Sets base_end_ps, extended_end_ps and xfer_least_ps of the predicted trace, whose relations these are. */
enum status trace_bounds_keep(struct trace *predicted, const struct relations *relations, const struct least_ends *ends,
                              struct trace_bounds *bounds, struct err *err);

#endif
