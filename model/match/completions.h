/* Finds the call that shows that an operation under a lock is complete before the epoch ends: a flush, or a wait for
 * the request of an operation that returns data to the origin (MPI-3.1 11.3.5, 11.5.4). */
#ifndef MODEL_MATCH_COMPLETIONS_H
#define MODEL_MATCH_COMPLETIONS_H

#include "model/match/epochs.h"

/* Sets done_call and first_flush of all operations, flush_call of all epochs. */
enum status completions_find(const struct trace *trace, struct epochs *epochs, struct err *err);

#endif
