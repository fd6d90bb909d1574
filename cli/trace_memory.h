/* The memory of a trace that is about to be read as a whole and replayed. */
#ifndef CLI_TRACE_MEMORY_H
#define CLI_TRACE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"

/* Asks for large pages, if the calls are many. path: as the user names the trace; what is none is left to the reader.
 * STATUS_DATA if the trace needs more bytes than `most` (0: no limit), by the size of its files; `keeps`: with its predicted
 * trace. */
enum status trace_memory_prepare(const char *path, int64_t most, bool keeps, struct err *err);

#endif
