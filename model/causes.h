/* Root causes of waits, and the critical path (docs/patterns.md). */
#ifndef MODEL_CAUSES_H
#define MODEL_CAUSES_H

#include "model/shares.h"
#include "model/waits.h"

/* Of every wait with a known cause: what the rank that is waited for does meanwhile; where that rank waits itself, what
 * the rank does that it waits for, and so on. The sum is that of the waits' intervals. waits are sorted. */
enum status causes_find(const struct waits *waits, struct shares *shares, struct err *err);

/* The chain of activities from the trace's first event to its last one in which nothing waits: backwards from the rank
 * that ends last; where it had waited, the path goes on with the rank that ended the wait. Its length is the run time.
 */
enum status critical_path_find(const struct waits *waits, struct shares *shares, struct err *err);

#endif
