/* OTF2 archives in our profile (docs/format-otf2.md), and Score-P's as far as they go. */
#ifndef TRACE_OTF2_H
#define TRACE_OTF2_H

#include "trace/trace.h"

/* Reads an archive, given its anchor file or the directory that holds one. A truncated archive is an error, never an
 * endless loop. What a foreign archive does not say is stated once each in notes. The caller owns *trace. */
enum status otf2_read(const char *path, struct trace **trace, struct err *err);
/* The same to keep going (trace/faults.h): of a rank's events what stands before the fault; of a truncated file whole
 * chunks. Anchor and global definitions must be whole. */
enum status otf2_read_partly(const char *path, struct trace **trace, struct err *err);
/* Either with so many threads, 0 as those two choose: as many as the process has processors, fewer for a small archive.
 * Trace and error are the same with any number; archives of others are read by one. */
enum status otf2_read_by(unsigned threads, const char *path, bool keep_going, struct trace **trace, struct err *err);

/* Writes directory/traces.otf2 and what belongs to it; an archive that stands there is replaced. */
enum status otf2_write(const struct trace *trace, const char *directory, struct err *err);

#endif
