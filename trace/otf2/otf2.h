/* Reads and writes OTF2 archives in our profile (docs/format-otf2.md), and reads Score-P's archives as far as the
 * profile can represent them. */
#ifndef TRACE_OTF2_OTF2_H
#define TRACE_OTF2_OTF2_H

#include "trace/trace.h"

/* Reads an archive, given its anchor file or the directory that holds one. A truncated archive is an error, never an
 * endless loop. Notes state the assumptions about an archive of another tool. The caller owns *trace. */
enum status otf2_read(const char *path, struct trace **trace, struct err *err);
/* The same with a number of threads; 0: as many as the process has processors, fewer for a small archive. Trace and
 * error do not depend on the number. Archives of other tools are read by one thread. keep_going (trace/faults.h): a
 * rank's events are read up to the fault, and the whole chunks of a truncated file. Anchor and global definitions must
 * be whole. */
enum status otf2_read_by(unsigned threads, const char *path, bool keep_going, struct trace **trace, struct err *err);

/* Writes directory/traces.otf2 and the archive's other files, and replaces an existing archive. Returns STATUS_DATA as
 * otf2_check_place() does. */
enum status otf2_write(const struct trace *trace, const char *directory, struct err *err);

/* The same for a trace of which only one rank at a time has calls. make gives trace->ranks[rank] all of them, checked; they
 * may be gone when make is asked for another rank. Ranks are asked for in their order, once each. The trace says when it
 * begins (begin_known), at the latest with its last rank. */
typedef enum status otf2_rank_maker(void *context, uint32_t rank, struct err *err);
enum status otf2_write_ranks(const struct trace *trace, otf2_rank_maker *make, void *context, const char *directory,
                             struct err *err);

/* Whether an archive may be written into the directory: it does not exist, is empty, or has only an archive, complete
 * or not, and the files that recordings leave beside it (spool, archives world-1, ...). Returns STATUS_DATA with the
 * name of any other file. */
enum status otf2_check_place(const char *directory, struct err *err);

/* The error of a directory without an archive: that, or where the old archive is if a command was killed while it moved the files
 * of a new one in. */
enum status otf2_fail_without_anchor(const char *directory, const char *expected, struct err *err);

/* Removes a directory for which otf2_check_place() holds; does nothing to any other one. */
void otf2_remove(const char *directory);

/* Calls visit for the files of an archive, given its anchor "BASE.otf2", whether they exist or not: the anchor,
 * BASE.def, BASE.marker and the directory BASE of events. */
typedef enum status otf2_file_visitor(void *context, const char *path, bool directory, struct err *err);
enum status otf2_visit_files(const char *anchor, otf2_file_visitor *visit, void *context, struct err *err);
/* The same for the files that otf2_write() would write into a directory. */
enum status otf2_visit_written(const char *directory, otf2_file_visitor *visit, void *context, struct err *err);

#endif
