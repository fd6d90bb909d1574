/* Root causes of waits, and the critical path (docs/patterns.md). */
#ifndef MODEL_CAUSES_CAUSES_H
#define MODEL_CAUSES_CAUSES_H

#include "model/match/timelines.h"
#include "model/callpaths/time_profile.h"
#include "model/waits/waits.h"

/* Chains of waits are followed up to this length. */
enum { CAUSES_MOST_HOPS = 64 };

/* Attributes each wait with a known cause to the activity of the thread that is waited for. While that thread waits
 * itself, the wait is attributed to the thread that it waits for, and so on. The sum is that of the waits' intervals.
 * waits are sorted. */
enum status causes_find(const struct waits *waits, const struct timelines *timelines, struct time_profile *profile,
                        struct err *err);

/* Finds the chain of activities without waits from the trace's first event to its last one. The path runs backwards
 * from the thread that ends last. At a wait it continues on the thread that ended the wait; at a thread's first event,
 * on the thread that created it. Its length is the run time. */
enum status critical_path_find(const struct waits *waits, const struct timelines *timelines,
                               struct time_profile *profile, struct err *err);

#endif
