/* Why the recorder was in no process of a program that has MPI. */
#ifndef RECORDING_UNREACHED_H
#define RECORDING_UNREACHED_H

#include "trace/spool/spool.h"

/* By the command, which sets LD_PRELOAD itself, or by the program's file: MPI is inside it, it is set-uid, or LD_PRELOAD did not
 * get to it. why stays "" if neither says anything, as of a script. */
void record_why_unreached(char *const *command, char why[SPOOL_UNRECORDED_BYTES]);

#endif
