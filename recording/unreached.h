/* Why the recorder was in no process of a program that has MPI. */
#ifndef RECORDING_UNREACHED_H
#define RECORDING_UNREACHED_H

#include "trace/spool/spool.h"

/* By the program's file: MPI is inside it, it is set-uid, or LD_PRELOAD did not get to it. why stays "" if the file says nothing,
 * as a script does. */
void record_why_unreached(const char *program, char why[SPOOL_UNRECORDED_BYTES]);

#endif
