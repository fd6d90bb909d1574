/* Reading a recorder's spool directory into a trace, whatever is left of it. */
#ifndef TRACE_SPOOL_READ_H
#define TRACE_SPOOL_READ_H

#include "trace/trace.h"

/* Reads all ranks of a spool directory: unifies communicators, groups and windows over ranks, corrects clocks, resolves call
 * sites, marks ranks whose stream breaks off. The caller owns *trace. */
enum status spool_read(const char *directory, struct trace **trace, struct err *err);

#endif
