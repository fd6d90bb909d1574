/* Efficiency by interval of a trace that is read in slices. The figures are those of efficiency_new(). One thread per
 * rank.
 *
 *   for each slice: efficiency_slices_go_on; once it is final: activity_log_add_calls, efficiency_slices_add
 *   at the end: activity_log_sum, efficiency_slices_sum, efficiency_slices_end */
#ifndef MODEL_EFFICIENCY_EFFICIENCY_SLICES_H
#define MODEL_EFFICIENCY_EFFICIENCY_SLICES_H

#include "common/bytes.h"
#include "model/efficiency/efficiency.h"
#include "model/causes/activity_log.h"

struct efficiency_slices;

/* trace is borrowed until efficiency_slices_free; NULL is legal there. */
enum status efficiency_slices_new(const struct trace *trace, enum interval_source source, bool lost_all,
                                  struct efficiency_slices **slices, struct err *err);
void efficiency_slices_free(struct efficiency_slices *slices);

/* The intervals of the slice's new calls. Borrowed. */
enum status efficiency_slices_go_on(struct efficiency_slices *slices, struct err *err);
struct intervals *efficiency_slices_intervals(struct efficiency_slices *slices);

/* What is counted in this round; of one shard of several, of its own ranks, and waits that it finds for others. */
enum status efficiency_slices_add(struct efficiency_slices *slices, const struct relations *relations,
                                  const struct waits *waits, struct err *err);
/* One wait that showed at the end; cause: the interval of the call that it lasts for, or CAUSED_NOWHERE. */
enum status efficiency_slices_add_wait(struct efficiency_slices *slices, uint32_t interval, uint32_t cause,
                                       uint32_t rank, enum mpi_call call, int64_t severity_ps, struct err *err);

/* All else that is added up. */
enum status efficiency_slices_sum(struct efficiency_slices *slices, const struct activity_log *log,
                                  const struct provisional *provisional, struct err *err);

/* Sums as bytes, and those of another shard added: intervals are the numbers here of its intervals. */
enum status efficiency_slices_put(const struct efficiency_slices *slices, struct bytes *bytes, struct err *err);
enum status efficiency_slices_take(struct efficiency_slices *slices, struct bytes *bytes, const uint32_t *intervals,
                                   struct err *err);

/* What follows from the sums. The caller owns *efficiency. */
enum status efficiency_slices_end(struct efficiency_slices *slices, struct efficiency **efficiency, struct err *err);

#endif
