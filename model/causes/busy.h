/* The times in which transfers and non-blocking messages of a processor are in progress, as the union of their
 * intervals. Computing in this time overlaps with them. A one-sided transfer lasts from its operation to its true end
 * if the trace has it, else to the upper bound of its end. A non-blocking message lasts from its call to the wait that
 * completes it. */
#ifndef MODEL_CAUSES_BUSY_H
#define MODEL_CAUSES_BUSY_H

#include <stddef.h>
#include <stdint.h>

#include "model/transfers/bounds.h"
#include "model/efficiency/processors.h"
#include "model/match/relations.h"

struct busy_interval {
    int64_t from_ps, to_ps;
    uint32_t processor;
};

struct busy {
    struct busy_interval *items; /* by processor, then time; disjoint on one processor */
    size_t count, capacity;
    size_t at, end; /* the rest of the current processor's items */
};

/* Inits *busy. */
enum status busy_build(const struct relations *relations, const struct processors *processors,
                       const struct transfers *transfers, struct busy *busy, struct err *err);
void busy_clear(struct busy *busy);

/* Queries ask for processors in ascending order, and for each one's times in ascending order. */
void busy_of_processor(struct busy *busy, uint32_t processor);
int64_t busy_within(struct busy *busy, int64_t from_ps, int64_t to_ps);

#endif
