/* A file that appears as a whole or not at all: until it is closed it has no name (O_TMPFILE), or, where the file
 * system knows no such files, the name .NAME.rmacast-XXXXXX beside it. So whatever ends the process, what had the name
 * before is untouched. What a killed writer left under such a name the next writer of the same file removes. Links are
 * followed, but none that another user put into a directory for all (common/place.h). Pipes, devices, and files in a
 * directory that may not be written, are written as they are. "-" is standard output. */
#ifndef COMMON_OUTPUT_FILE_H
#define COMMON_OUTPUT_FILE_H

#include <stdio.h>

#include "common/status.h"

/* STATUS_SYSTEM if it cannot be written; *out is owned until output_file_close(). */
enum status output_file_open(const char *path, FILE **out, struct err *err);

/* Closes it and gives it its name if `written`, what became of writing, is STATUS_OK; else nothing appears. Returns
 * `written` if that is a fault, STATUS_SYSTEM if not everything could be written. Standard output stays open. */
enum status output_file_close(const char *path, FILE *out, enum status written, struct err *err);

#endif
