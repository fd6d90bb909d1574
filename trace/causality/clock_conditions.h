/* The clock condition of a trace: no effect (an exit that waited) may be before its causes (entries of calls). A sync
 * group joins causes and effects that belong together: its time is the latest of its causes, and none of its effects
 * may end before it. Only waits that the MPI standard demands of every implementation count: a message before its
 * receipt, data of a collective, barriers, fences that close an epoch, MPI_Win_free, an origin's complete before its
 * target's wait, a post before the complete of an epoch with a get. */
#ifndef TRACE_CAUSALITY_CLOCK_CONDITIONS_H
#define TRACE_CAUSALITY_CLOCK_CONDITIONS_H

#include "trace/trace.h"

struct clock_condition {
    uint32_t rank;
    size_t index; /* of the call */
    size_t sync_group;
};

struct clock_conditions { /* causes and effects in the order of rank and index */
    struct clock_condition *causes, *effects;
    size_t cause_count, cause_capacity, effect_count, effect_capacity;
    size_t sync_groups;
    uint64_t violations; /* effects that end before their sync_group; if 0, all lists are empty */
};

/* threads is the number of threads that count violations; 0: chosen by the trace's size. */
enum status clock_conditions_find(const struct trace *trace, unsigned threads, struct clock_conditions *conditions,
                                  struct err *err);
void clock_conditions_clear(struct clock_conditions *conditions);

#endif
