/* Sums, per rank, the waits of other ranks for it as the target of locks: Lock Contention and Wait for Progress. In a
 * recorded trace both are inferred, and time stamps may not show which of them a call had, or which of two calls had
 * it. The sum for a target does not depend on that. */
#ifndef VALIDATE_TARGET_WAITS_H
#define VALIDATE_TARGET_WAITS_H

#include "model/analyze.h"

/* waits_s has an element per rank. options NULL: defaults. A wait for a lock in a call without a target counts for the
 * holder. */
enum status target_waits(const struct trace *trace, const struct analyze_options *options, double *waits_s,
                         struct err *err);

#endif
