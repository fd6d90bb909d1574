/* The memory of a trace that is about to be read as a whole, by the size of its files. */
#ifndef TRACE_MEMORY_H
#define TRACE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"

/* STATUS_DATA if the trace needs more memory than is granted: at first, what the machine has available. path: as the user names
 * the trace; what is none is left to the reader. */
enum status trace_memory_check(const char *path, struct err *err);

/* The same before a replay, of a program alone: asks for large pages, if the calls are many. most: bytes that are granted from
 * now on, 0: no other than before; keeps: with the predicted trace. */
enum status trace_memory_prepare(const char *path, int64_t most, bool keeps, struct err *err);

#endif
