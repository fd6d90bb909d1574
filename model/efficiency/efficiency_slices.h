/* Efficiency by interval of a trace that is read in slices.
 *
 *   for each slice: efficiency_slices_go_on; once it is final: activity_log_add_calls, efficiency_slices_add
 *   at the end: activity_log_sum, efficiency_slices_sum, efficiency_slices_end */
#ifndef MODEL_EFFICIENCY_EFFICIENCY_SLICES_H
#define MODEL_EFFICIENCY_EFFICIENCY_SLICES_H

#include "model/efficiency/efficiency.h"
#include "model/causes/activity_log.h"

struct efficiency_slices;

/* Borrows trace and locations until efficiency_slices_free(). efficiency_slices_free(NULL) is legal. lost_all: the MPI time of
 * every rank counts as lost. */
enum status efficiency_slices_new(const struct trace *trace, const struct locations *locations, enum interval_source source,
                                  bool lost_all, struct efficiency_slices **slices, struct err *err);
void efficiency_slices_free(struct efficiency_slices *slices);

/* Finds the intervals of the slice's new calls; the result of efficiency_slices_intervals() is borrowed. */
enum status efficiency_slices_go_on(struct efficiency_slices *slices, struct err *err);
struct intervals *efficiency_slices_intervals(struct efficiency_slices *slices);

/* Adds what this round counts. */
enum status efficiency_slices_add(struct efficiency_slices *slices, const struct relations *relations,
                                  const struct waits *waits, struct err *err);

/* Adds the sums of the activity log and the waits that were in doubt. */
enum status efficiency_slices_sum(struct efficiency_slices *slices, const struct activity_log *log,
                                  const struct provisional *provisional, struct err *err);

/* Derives the other figures from the sums. The caller owns *efficiency. */
enum status efficiency_slices_end(struct efficiency_slices *slices, const struct activity_log *log,
                                  struct efficiency **efficiency, struct err *err);

#endif
