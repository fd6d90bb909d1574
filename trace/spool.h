/* The recorder's spool: layout shared by the recorder (trace/record) and the reader (trace/spool_read.c). Plain C types
 * only; this file is included into foreign programs. Specification: docs/format.md. */
#ifndef TRACE_SPOOL_H
#define TRACE_SPOOL_H
#endif
