/* Processes of a recorded command that outlive its launcher. If an end was requested, all of them are ended. A
 * recording that one of them still writes is not packed. Only processes of this machine are found. */
#ifndef RECORDING_GUESTS_H
#define RECORDING_GUESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

/* From now on this process adopts processes that the command starts, and theirs, when their parents end. */
void record_adopt_guests(void);

/* Ends all processes below this one: SIGTERM, and after 3 s SIGKILL. */
void record_end_guests(void);

/* Waits up to 2 s for the last writer to end. *writer: the process id of one that has not ended; 0: none. STATUS_SYSTEM: a spool
 * cannot be read. */
enum status record_await_writers(const char *spool, int *writer, struct err *err);

#endif
