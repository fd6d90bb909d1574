/* Efficiency by interval of a trace in slices: the same figures as of efficiency_new(). One thread per rank.
 *
 *   for each slice, once it is settled: efficiency_slices_go_on, ledger_add_calls, efficiency_slices_add
 *   at the end: ledger_sum, efficiency_slices_end */
#ifndef MODEL_EFFICIENCY_SLICES_H
#define MODEL_EFFICIENCY_SLICES_H

#include "model/efficiency.h"
#include "model/ledger.h"

struct efficiency_slices;

/* trace is borrowed until efficiency_slices_free; NULL is legal there. */
enum status efficiency_slices_new(const struct trace *trace, enum interval_source source,
                                  struct efficiency_slices **slices, struct err *err);
void efficiency_slices_free(struct efficiency_slices *slices);

/* The intervals of the slice's new calls, for ledger_add_calls(). Borrowed. */
enum status efficiency_slices_go_on(struct efficiency_slices *slices, struct err *err);
const struct intervals *efficiency_slices_intervals(const struct efficiency_slices *slices);

/* What is counted in this round. */
enum status efficiency_slices_add(struct efficiency_slices *slices, const struct relations *relations,
                                  const struct waits *waits, struct err *err);

/* The caller owns *efficiency. */
enum status efficiency_slices_end(struct efficiency_slices *slices, struct ledger *ledger,
                                  const struct provisional *provisional, struct efficiency **efficiency,
                                  struct err *err);

#endif
