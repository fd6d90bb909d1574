/* Processes of a recorded command that outlive its launcher: an end that was asked for is the end of all of them, and a
 * recording that one of them still writes is not packed. Looks at this machine only. */
#ifndef RECORDING_GUESTS_H
#define RECORDING_GUESTS_H

#include <stdbool.h>
#include <stddef.h>

/* Processes that the command started from now on, and their own, become this process's when their parents end. */
void record_adopt_guests(void);

/* Ends all processes below this one: SIGTERM, and SIGKILL for those that are there 3 s later. */
void record_end_guests(void);

/* Waits up to 2 s for the last writer to end; the process id of one that has not, 0: there is none. */
int record_await_writers(const char *spool);

#endif
