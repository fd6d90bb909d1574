/* How much longer computing that is bound by memory takes with other neighbours: docs/simulation.md, Computing. */
#ifndef SIMULATE_COMPUTING_MEMORY_BOUND_H
#define SIMULATE_COMPUTING_MEMORY_BOUND_H

#include "platforms/platform.h"
#include "trace/trace.h"

struct memory_bound {
    double *factors;    /* by rank: how many times as long it computes; NULL: all 1, since the platform has no curve, or no rank's
                           share is known */
    uint32_t *recorded; /* by rank: how many ranks were on its node; 1 where the trace does not say */
    uint32_t *predicted;
    uint32_t nowhere; /* ranks whose node in the recording is not known */
    uint32_t unknown; /* ranks whose share is not known: their factor is 1 */
    uint32_t uncurved; /* ranks with other neighbours than recorded on nodes without a curve: their factor is 1 */
    uint32_t uncurved_rank; /* the first of them */
};

enum status memory_bound_find(const struct trace *trace, const struct platform *platform, struct memory_bound *bound,
                              struct err *err);
void memory_bound_clear(struct memory_bound *bound);
/* 1 where no rank's is known. */
double memory_bound_factor(const struct memory_bound *bound, uint32_t rank);

#endif
