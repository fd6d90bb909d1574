/* What others wait for a rank as the target of locks: Lock Contention and Wait for Progress. Of a recorded trace both are
 * inferred, and which of them a call had, or which of two calls, time stamps may not tell. Their sum for a target does not
 * depend on that. */
#ifndef VALIDATE_TARGET_WAITS_H
#define VALIDATE_TARGET_WAITS_H

#include "model/analyze.h"

/* waits_s has room for all ranks. options NULL: defaults. A wait for a lock in a call that names no target is the
 * holder's. */
enum status target_waits(const struct trace *trace, const struct analyze_options *options, double *waits_s,
                         struct err *err);

#endif
