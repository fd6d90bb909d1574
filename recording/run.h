/* Runs a program under the recorder: finds the recorder, prepares the environment, reports the end. */
#ifndef RECORDING_RUN_H
#define RECORDING_RUN_H

#include <stdbool.h>

#include "common/status.h"

enum { RECORD_PATH_BYTES = 4096 };

/* librmacast-record.so: RMACAST_RECORDER, or beside this program as built or installed. */
enum status record_find_library(char path[RECORD_PATH_BYTES], struct err *err);

/* If RMACAST_SEMANTICS or RMACAST_LOCK is set: STATUS_SYSTEM unless librmacast-semantics.so is beside the recorder. */
enum status record_check_semantics(const char *library, struct err *err);

/* Whether all items of "a,b" are groups of calls that the recorder knows (RMACAST_CALLS). */
bool record_knows_groups(const char *list);

/* The directory of the archive: output, or the name of the program that the command runs with ".rma". */
/* The program of a command, behind its launchers: a word of it. */
const char *record_program_name(char *const *command);

enum status record_directory(const char *output, char *const *command, char path[RECORD_PATH_BYTES], struct err *err);

/* Makes both directories. *lock is a descriptor that the caller closes when the spool is packed or removed: until then no other
 * process makes a recording there. -1: the file system has no locks. STATUS_DATA if an earlier recording there was not packed, if
 * another one is being made, or as otf2_check_place() says. */
enum status record_make_spool(const char *directory, const char *spool, int *lock, struct err *err);

/* Whether the recorder gives this name to files of ranks. */
bool record_is_rank_file(const char *name);

/* Removes the recorder's files and the spool directory, and the archive's directory if nothing else is in it. */
void record_remove_spool(const char *directory, const char *spool);

/* Runs command (NULL-terminated) and waits for it. The command gets the terminal's signals. This process passes on
 * SIGTERM, SIGHUP, and a SIGINT that was sent to it alone; after these nothing that the command started outlives it.
 * STATUS_USAGE: there is no such command; STATUS_SYSTEM: it cannot be started. *exit_status is 128 + n if signal n ended it. */
enum status record_run(char *const *command, const char *library, const char *spool, int *exit_status, struct err *err);

#endif
