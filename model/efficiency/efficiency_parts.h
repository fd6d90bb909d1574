/* Shared by efficiency_slices.c, which adds up the figures of intervals, and efficiency.c, which derives the others from them. */
#ifndef MODEL_EFFICIENCY_EFFICIENCY_PARTS_H
#define MODEL_EFFICIENCY_EFFICIENCY_PARTS_H

#include "model/efficiency/efficiency.h"
#include "model/efficiency/processors.h"

enum { EFFICIENCY_ADDED = EFFICIENCY_SEQUENTIAL_MPI + 1 }; /* the number of characteristics that are summed over events */

/* Allocates the values of an interval, all zero: by location or processor. */
enum status efficiency_make_values(struct efficiency_interval *interval, size_t columns, struct err *err);
/* Replaces the values by location with those by processor. */
enum status efficiency_fold(struct efficiency *efficiency, uint32_t rank_count, uint32_t location_count,
                            const struct processors *processors, struct err *err);
/* Derives the other figures from the sums, after everything has been added. Parents come before their children. */
void efficiency_conclude(struct efficiency *efficiency);

#endif
