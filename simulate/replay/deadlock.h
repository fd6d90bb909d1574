/* The report of a deadlock: ranks have not ended, but no event is pending. It says who waits for whom. */
#ifndef SIMULATE_REPLAY_DEADLOCK_H
#define SIMULATE_REPLAY_DEADLOCK_H

#include "simulate/replay/state.h"

/* Returns STATUS_DATA; its text says who waits for whom. Calls options->stopped for each rank. */
enum status replay_report_deadlock(struct replay *replay);
/* Writes the same for the ranks that wait now, truncated to room bytes. */
void replay_describe_waiting(struct replay *replay, char *text, size_t room);

/* In abort.c. If a fault ends the process between these two calls, who waited for what is written to standard error,
 * provided that standard error is a file. */
void replay_watch_aborts(struct replay *replay);
void replay_unwatch_aborts(void);

#endif
