/* When transfers and non-blocking messages of a rank are under way: the union of their intervals, for what overlaps
 * with computing. A one-sided transfer lasts from its operation to its true end if a simulation knows it, else to the
 * upper bound of its end; a message of a non-blocking call from that call to the wait that ends it. */
#ifndef MODEL_BUSY_H
#define MODEL_BUSY_H

#include <stddef.h>
#include <stdint.h>

#include "model/bounds.h"
#include "model/relations.h"

struct busy_interval {
    int64_t from_ps, to_ps;
    uint32_t rank;
};

struct busy {
    struct busy_interval *items; /* by rank, then time; disjoint on one rank */
    size_t count, capacity;
    size_t at, end; /* what is left of the current rank */
};

/* Inits *busy. */
enum status busy_build(const struct relations *relations, const struct transfers *transfers, struct busy *busy,
                       struct err *err);
void busy_clear(struct busy *busy);

/* Ranks are asked for in ascending order, and each rank's times, too. */
void busy_of_rank(struct busy *busy, uint32_t rank);
int64_t busy_within(struct busy *busy, int64_t from_ps, int64_t to_ps);

#endif
