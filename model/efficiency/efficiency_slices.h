/* Efficiency by interval of a trace that is read in slices.
 *
 *   for each slice: efficiency_slices_go_on; once it is final: activity_log_add_calls, efficiency_slices_add
 *   at the end: activity_log_sum, efficiency_slices_sum, efficiency_slices_end */
#ifndef MODEL_EFFICIENCY_EFFICIENCY_SLICES_H
#define MODEL_EFFICIENCY_EFFICIENCY_SLICES_H

#include "common/bytes.h"
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

/* Adds what this round counts. A shard adds the figures of its own ranks, and the waits that it finds for ranks of
 * other shards. */
enum status efficiency_slices_add(struct efficiency_slices *slices, const struct relations *relations,
                                  const struct waits *waits, struct err *err);
/* Adds one wait that was decided at the end. cause is the interval of the call that ended it, or CAUSED_NOWHERE. */
enum status efficiency_slices_add_wait(struct efficiency_slices *slices, uint32_t interval, uint32_t cause,
                                       uint32_t rank, enum mpi_call call, enum pattern pattern, int64_t severity_ps,
                                       struct err *err);

/* Adds the sums of the activity log and the waits that were in doubt. */
enum status efficiency_slices_sum(struct efficiency_slices *slices, const struct activity_log *log,
                                  const struct provisional *provisional, struct err *err);

/* Writes the sums as bytes; adds the sums of another shard. intervals translates its interval numbers. */
enum status efficiency_slices_put(const struct efficiency_slices *slices, struct bytes *bytes, struct err *err);
enum status efficiency_slices_take(struct efficiency_slices *slices, struct bytes *bytes, const uint32_t *intervals,
                                   struct err *err);

/* Derives the other figures from the sums. The caller owns *efficiency. */
enum status efficiency_slices_end(struct efficiency_slices *slices, const struct activity_log *log,
                                  struct efficiency **efficiency, struct err *err);

#endif
