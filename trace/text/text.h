/* The text form of a trace, for tests and for people. The same rows read and write it. Specification: docs/format.md.
 */
#ifndef TRACE_TEXT_TEXT_H
#define TRACE_TEXT_TEXT_H

#include <stdio.h>

#include "trace/trace.h"

/* Reads text ("-" is standard input) with several threads, which divide the file into pieces. 1: line by line; 0:
 * chosen by the number of processors and the file's size. The trace and the error do not depend on the number. Errors
 * name file and line ("t.txt:12: ..."). keep_going (trace/faults.h): a faulty line ends its rank; one that belongs to
 * no rank is left out. The caller owns *trace. */
enum status text_read_by(unsigned threads, const char *file, bool keep_going, struct trace **trace, struct err *err);

struct text_range {
    int32_t rank;           /* TRACE_NONE: all */
    bool by_thread;         /* only the calls of this thread of each rank */
    uint32_t thread;
    int64_t from_ps, to_ps; /* calls that overlap [from, to]; relative to the trace's own time zero */
};
/* Writes the whole trace (range NULL) or a part. A whole trace reads back equal. Errors of writing are left in out
 * (ferror, output_file_close). */
enum status text_write(const struct trace *trace, const struct text_range *range, FILE *out, struct err *err);

#endif
