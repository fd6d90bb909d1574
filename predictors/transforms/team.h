/* A parallel region whose threads take locks or wait at conditions: how long it takes on another number of threads.
 *
 * Its members, the threads that share its work, take the same locks in the same order. N members then do so: each computes as
 * one of the recorded ones, those that compute longest first, times n / N. What a member computes while it has a lock that it
 * takes once between two barriers is each member's own, and stays. The region is replayed without costs. docs/transforms.md has
 * the rule.
 *
 * Order of calls: team_open, then for each region team_add for its calls, team_time, team_empty; team_close. */
#ifndef PREDICTORS_TRANSFORMS_TEAM_H
#define PREDICTORS_TRANSFORMS_TEAM_H

#include "trace/trace.h"

struct team;

/* For the trace's regions on so many threads, at most `cores` of which run at once. If all may, a thread 0 beside them has a
 * core of its own. Borrows the trace. */
enum status team_open(const struct trace *trace, uint32_t threads, uint32_t cores, struct team **team, struct err *err);
void team_close(struct team *team); /* takes NULL */

/* Whether the call is one by which members may wait for each other, but a barrier. */
bool team_knows(const struct trace_call *call);

/* A thread of the region comes to a call of the rank, having computed so long since its call before. In the order of calls. */
enum status team_add(struct team *team, uint32_t rank, uint32_t thread, size_t call, int64_t gap_ps, struct err *err);
/* Whether a lock or condition is among the calls. */
bool team_waits(const struct team *team);
/* Thread 0 is a member if it does as the others do, which openmp says it must. *members: of the recording. STATUS_DATA if what
 * other numbers of threads do does not follow. */
enum status team_time(struct team *team, uint32_t rank, size_t opened, bool openmp, int64_t *region_ps, uint32_t *members,
                      struct err *err);
void team_empty(struct team *team);

#endif
