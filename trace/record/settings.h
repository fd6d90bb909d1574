/* The settings of the recorder: the environment's RMACAST_* at the time the program was loaded. The program may change
 * them afterwards. */
#ifndef RECORD_SETTINGS_H
#define RECORD_SETTINGS_H

#include <stdbool.h>

/* Keeps those of an environment (ends with NULL); the first call counts. */
void rec_settings_copy(char *const *environment);
char *const *rec_settings(void);

const char *rec_setting(const char *name); /* NULL: it was not set */

/* Tells `rmacast record` why nothing is recorded, in the spool's directory. False: it cannot be told there. */
bool rec_tell_unrecorded(const char *why);
/* Tells `rmacast record` that the recorder is in a process that has MPI. RMACAST_SPOOL is set. */
void rec_note_reached(void);
/* Tells that no recorder fits the program's MPI library, there; else in a line to the user. */
void rec_refuse_library(const char *file);

/* Those of the dispatch (trace/record/preload/dispatch.c), which is loaded before the recorder; where the recorder was
 * preloaded itself there is none. */
extern char *const *rmacast_record_settings(void) __attribute__((weak, visibility("default")));

#endif
