/* Bounds of each transfer's end by the base (lower) and the extended (upper) event model, MPI's completion rules R1-R6
 * (Hermanns 2004, ch. 4-5; MPI-3.1 11.3, 11.5.4). */
#ifndef MODEL_BOUNDS_H
#define MODEL_BOUNDS_H

#include "trace/trace.h"

struct transfer {
    uint32_t origin, target;
    size_t call;               /* index in the origin's calls */
    int64_t bytes;
    int64_t start_ps;          /* enter of the operation */
    int64_t lower_end_ps;      /* base model */
    int64_t upper_end_ps;      /* extended model; TRACE_UNKNOWN_PS where the closing call is missing */
};

struct transfers {
    struct transfer *items; /* by origin, then call order */
    size_t count, capacity;
};

/* trace has passed trace_check(). Inits *transfers. */
enum status bounds_find(const struct trace *trace, struct transfers *transfers, struct err *err);
void transfers_clear(struct transfers *transfers);

#endif
