/* One recorded job, from its command to its archives. */
#ifndef RECORDING_JOB_H
#define RECORDING_JOB_H

#include "common/status.h"
#include "recording/pack.h"

/* Runs command (NULL-terminated) under the recorder as record_run() says, waits for its writers, and packs what they have
 * recorded as record_pack() says. directory: of the archive, record_directory(); the spool is in it. Functions of observer may be
 * NULL.
 *
 * *exit_status is the command's as soon as it has ended, also if nothing can be packed; else it stays as it is. STATUS_USAGE: the
 * command cannot be started. STATUS_DATA: as record_make_spool() and record_pack() say; or a process still writes, and the spool
 * is kept. STATUS_SYSTEM: no recorder library, or no directory can be made. */
enum status record_job(char *const *command, const char *directory, const struct record_observer *observer,
                       int *exit_status, struct err *err);

#endif
