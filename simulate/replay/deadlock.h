/* The report when ranks are left but no event is: who waits for whom. */
#ifndef SIMULATE_REPLAY_DEADLOCK_H
#define SIMULATE_REPLAY_DEADLOCK_H

#include "simulate/replay/state.h"

/* STATUS_DATA whose text says who waits for whom. Calls options->stopped for each rank. */
enum status replay_report_deadlock(struct replay *replay);
/* The same as text, for the ranks that wait now. text may be truncated. */
void replay_describe_waiting(struct replay *replay, char *text, size_t room);

/* In abort.c. Between these two calls, if a fault ends the process, who waited for what is written to standard error,
 * if that is a file. */
void replay_watch_aborts(struct replay *replay);
void replay_unwatch_aborts(void);

#endif
