/* Bounds of each transfer's end by the base (lower) and the extended (upper) event model, MPI's completion rules R1-R6
 * (Hermanns 2004, ch. 4-5; MPI-3.1 11.3, 11.5.4); of OpenSHMEM 1.4 9.5-9.10. */
#ifndef MODEL_TRANSFERS_BOUNDS_H
#define MODEL_TRANSFERS_BOUNDS_H

#include <stdbool.h>

#include "model/match/relations.h"
#include "trace/trace.h"

struct transfer {
    uint32_t origin, target;
    size_t call; /* index in the origin's calls */
    int64_t bytes;
    int64_t start_ps;     /* enter of the operation */
    int64_t lower_end_ps; /* base model: its exit */
    int64_t upper_end_ps; /* extended model; TRACE_UNKNOWN_PS where the closing call is missing */
};

struct transfers {
    struct transfer *items; /* MPI's by origin, then call order; behind them OpenSHMEM's likewise */
    size_t count, capacity;
};

/* Inits *transfers from a trace that has passed trace_check(). */
enum status bounds_find(const struct trace *trace, struct transfers *transfers, struct err *err);
/* The same from existing relations; in a slice only the transfers that this round counts. */
enum status bounds_from_relations(const struct relations *relations, struct transfers *transfers, struct err *err);
/* The exit of the target's call that ends its side of the operation's epoch: closing fence, wait or successful test.
 * TRACE_UNKNOWN_PS under locks, which have no such call, and if the call is missing. */
int64_t bounds_target_exit_ps(const struct relations *relations, const struct epoch_operation *operation);
/* Whether a trace has operations of OpenSHMEM. */
bool bounds_have_shmem(const struct trace *trace);

void transfers_clear(struct transfers *transfers);

/* "put", "get", "accumulate". */
const char *transfer_kind_name(const struct trace *trace, const struct transfer *transfer);

/* The true end of a transfer in a simulated trace; TRACE_UNKNOWN_PS if the trace does not have it. */
int64_t transfer_true_end_ps(const struct trace *trace, const struct transfer *transfer);
/* Before that it cannot end: the end of the base model, or the least end on the platform of a simulated trace, whichever is
 * later. TRACE_UNKNOWN_PS if no platform is known. */
int64_t transfer_least_end_ps(const struct trace *trace, const struct transfer *transfer);
/* lower <= true end <= upper, as far as each is known; false if the true end is unknown. */
bool transfer_within_bounds(const struct trace *trace, const struct transfer *transfer);

#endif
