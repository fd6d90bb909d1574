/* A trace in memory, read in slices as archives are. */
#ifndef TESTS_SLICES_MEMORY_SOURCE_H
#define TESTS_SLICES_MEMORY_SOURCE_H

#include "trace/source.h"

/* Borrows trace, which has passed trace_check(), until source_close(). STATUS_DATA: a rank has several threads. */
enum status source_of_trace(const struct trace *trace, struct trace_source *source, struct err *err);

#endif
