/* The calls of a trace in a temporary file, for who needs the next few of each rank only: one thread per rank, without extents,
 * simulated facts and times before calls but for sleep.
 *
 * Order of calls: call_file_new, call_file_append for rank after rank, call_file_next as often as wanted, call_file_free. */
#ifndef TRACE_CALL_FILE_H
#define TRACE_CALL_FILE_H

#include "trace/trace.h"

struct call_file;

/* STATUS_SYSTEM: a temporary file cannot be made. call_file_free() takes NULL. */
enum status call_file_new(uint32_t rank_count, struct call_file **file, struct err *err);
void call_file_free(struct call_file *file);

/* Appends the calls of the rank in the trace from index `first` on, with their lists of requests and sleep. */
enum status call_file_append(struct call_file *file, const struct trace *trace, uint32_t rank, size_t first, struct err *err);
/* Replaces a call, by its number among those of the rank, from 0; one without a list of requests. */
enum status call_file_replace(struct call_file *file, uint32_t rank, uint64_t number, const struct trace_call *call,
                              struct err *err);

uint64_t call_file_calls(const struct call_file *file);     /* of all ranks */
uint64_t call_file_calls_of(const struct call_file *file, uint32_t rank);
const bool *call_file_sleeps(const struct call_file *file); /* by rank: some sleep was appended; NULL: none at all */

/* Puts the next `calls` calls of the rank, fewer at its end, into the place of those that the trace has of it. The trace has no
 * other calls. Lists of requests that it does not refer to any more are removed from time to time. */
enum status call_file_next(struct call_file *file, struct trace *trace, uint32_t rank, size_t calls, struct err *err);

#endif
