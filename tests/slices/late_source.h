/* A trace in memory, read as archives are: a non-blocking receive has no communicator and no sender before the call
 * that completes it has been read (trace/source.h). */
#ifndef TESTS_SLICES_LATE_SOURCE_H
#define TESTS_SLICES_LATE_SOURCE_H

#include "trace/source.h"

/* As source_of_trace(). */
enum status late_source_of_trace(const struct trace *trace, struct trace_source *source, struct err *err);

#endif
