/* Root causes of waits, and the critical path (docs/patterns.md). */
#ifndef MODEL_CAUSES_CAUSES_H
#define MODEL_CAUSES_CAUSES_H

#include "model/match/timelines.h"
#include "model/callpaths/time_profile.h"
#include "model/waits/waits.h"

/* A chain of waits is followed so far. */
enum { CAUSES_MOST_HOPS = 64 };

/* Of every wait with a known cause: what the thread that is waited for does meanwhile; where that one waits itself,
 * what the thread does that it waits for, and so on. The sum is that of the waits' intervals. waits are sorted. */
enum status causes_find(const struct waits *waits, const struct timelines *timelines, struct time_profile *profile,
                        struct err *err);

/* The chain of activities from the trace's first event to its last one in which nothing waits: backwards from the
 * thread that ends last; where it had waited, the path goes on with the thread that ended the wait, at its first event
 * with the thread that created it. Its length is the run time. */
enum status critical_path_find(const struct waits *waits, const struct timelines *timelines,
                               struct time_profile *profile, struct err *err);

#endif
