/* Which call shows that an operation under a lock is complete before the epoch ends: flushes, and waits for the
 * requests of operations that bring data back (MPI-3.1 11.3.5, 11.5.4). */
#ifndef MODEL_MATCH_COMPLETIONS_H
#define MODEL_MATCH_COMPLETIONS_H

#include "model/match/epochs.h"

/* Sets done_call and first_flush of all operations, flush_call of all epochs. */
enum status completions_find(const struct trace *trace, struct epochs *epochs, struct err *err);

#endif
