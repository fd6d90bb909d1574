/* An output file that appears as a whole or not at all. Until it is closed it has no name (O_TMPFILE); where the file
 * system has no such files, its name is .NAME.rmacast-XXXXXX in the same directory. So the old file of that name is
 * intact, whatever ends the process. The next writer of the same file removes what a killed writer left. Links are
 * followed, except those that another user made in a directory for all (common/files/place.h). Pipes and devices are written
 * directly; files in a directory without write permission, and those of /dev/fd, at the end. "-" is standard output.
 *
 * A file that the process reads, or has written under another name, is never replaced (common/files/file_claims.h):
 * STATUS_USAGE, before anything is changed. */
#ifndef COMMON_FILES_OUTPUT_FILE_H
#define COMMON_FILES_OUTPUT_FILE_H

#include <stdio.h>

#include "common/status.h"

/* STATUS_SYSTEM if output_file_open() would fail now. Changes nothing: for commands that run long before they write. */
enum status output_file_check(const char *path, struct err *err);

/* STATUS_SYSTEM if it cannot be written; *out is owned until output_file_close(). */
enum status output_file_open(const char *path, FILE **out, struct err *err);

/* The same for rows that are to stay if the process is killed: the file is there at once, and what has its name is gone. */
enum status output_file_open_growing(const char *path, FILE **out, struct err *err);

/* The same for a file that the process has written before: a result that grows. */
enum status output_file_open_again(const char *path, FILE **out, struct err *err);

/* Closes it and gives it its name if `written`, what became of writing, is STATUS_OK; else nothing appears. Returns
 * `written` if that is a fault of the data or of usage, STATUS_SYSTEM with file and cause if not everything could be written.
 * Standard output stays open. */
enum status output_file_close(const char *path, FILE *out, enum status written, struct err *err);

/* The same for several files, which get their names together. If one cannot, the old files have theirs again; where a file system
 * cannot exchange two names, err tells which file is new already. output: private. */
struct output;
struct output_closing {
    const char *path;
    FILE *out;
    struct output *output;
};
enum status output_file_close_all(struct output_closing *files, size_t count, enum status written, struct err *err);

#endif
