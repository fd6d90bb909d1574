/* OTF2 archives in our profile (docs/format-otf2.md), and what of Score-P's archives this profile can hold. */
#ifndef TRACE_OTF2_OTF2_H
#define TRACE_OTF2_OTF2_H

#include "trace/trace.h"

/* Reads an archive, given its anchor file or the directory that holds one. A truncated archive is an error, never an
 * endless loop. What a foreign archive does not say is stated once each in notes. The caller owns *trace. */
enum status otf2_read(const char *path, struct trace **trace, struct err *err);
/* The same with so many threads; 0: as many as the process has processors, fewer for a small archive. Trace and error
 * are the same with any number; archives of others are read by one. keep_going (trace/faults.h): of a rank's events
 * those before the fault; of a truncated file whole chunks. Anchor and global definitions must be whole. */
enum status otf2_read_by(unsigned threads, const char *path, bool keep_going, struct trace **trace, struct err *err);

/* Writes directory/traces.otf2 and what belongs to it; an archive that is there is replaced. STATUS_DATA as
 * otf2_check_place() says. */
enum status otf2_write(const struct trace *trace, const char *directory, struct err *err);

/* Whether an archive may be written into the directory: it does not exist, is empty, or holds an archive, what is left
 * of one, and what recordings leave beside it (spool, archives world-1 and so on). STATUS_DATA names anything else. */
enum status otf2_check_place(const char *directory, struct err *err);

/* Removes an archive for which otf2_check_place() holds, with its directory; anything else stays as it is. */
void otf2_remove(const char *directory);

/* Calls visit for the files of an archive, given its anchor "BASE.otf2", whether they exist or not: the anchor,
 * BASE.def, BASE.marker and the directory BASE of events. */
typedef enum status otf2_file_visitor(void *context, const char *path, bool directory, struct err *err);
enum status otf2_visit_files(const char *anchor, otf2_file_visitor *visit, void *context, struct err *err);
/* The same for what otf2_write() would write into a directory. */
enum status otf2_visit_written(const char *directory, otf2_file_visitor *visit, void *context, struct err *err);

#endif
