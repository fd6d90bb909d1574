/* When nothing moves any more but ranks are left: who waits for whom. */
#ifndef SIMULATE_REPLAY_DEADLOCK_H
#define SIMULATE_REPLAY_DEADLOCK_H

#include "simulate/replay/state.h"

/* STATUS_DATA that says who waits for whom; options->stopped is told where each rank stopped. */
enum status replay_report_deadlock(struct replay *replay);
/* The same as text, of ranks that wait at the moment; text may be cut. */
void replay_describe_waiting(struct replay *replay, char *text, size_t room);

/* abort.c. Between the two, the end of the process by a fault leaves who waited for what on standard error, if that is a
 * file. */
void replay_watch_aborts(struct replay *replay);
void replay_unwatch_aborts(void);

#endif
