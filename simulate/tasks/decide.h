/* Tasks that are taken in the order in which a replay grants the claims to their queue, whatever rank took them when the program
 * was recorded (docs/simulation.md, Queues of tasks).
 *
 * The replay walks a trace that grows. At first it has the calls of each rank up to where the rank knows what its first claim
 * read. A rank at the end of its calls there gets those of the next task, whoever recorded them, or, if no task is left, its own
 * ones behind its last claim. Each recorded call is made once, behind the same computing. */
#ifndef SIMULATE_TASKS_DECIDE_H
#define SIMULATE_TASKS_DECIDE_H

#include "trace/trace.h"

struct decisions;

/* Borrows the trace until decisions_free(). *decisions is NULL if there is no queue whose tasks may move. */
enum status decisions_new(const struct trace *trace, struct decisions **decisions, struct err *err);
void decisions_free(struct decisions *decisions);

/* The trace that grows: its calls have the times at which they were recorded, moved such that computing stays. Who replaces it by
 * NULL owns it then. */
struct trace **decisions_trace(struct decisions *decisions);

/* The operation of the rank's call (of the trace that grows) acts at its target now. If it is a claim, it gets the next
 * task. */
void decisions_grant(struct decisions *decisions, uint32_t rank, size_t call);

/* The rank's last call has returned: adds calls, none if the rank has ended. The memory of the rank's calls may move.
 */
enum status decisions_next(struct decisions *decisions, uint32_t rank, struct err *err);

#endif
