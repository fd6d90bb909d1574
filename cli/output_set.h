/* The single files that a command writes are a set: they get their names together, when all of them are complete, or none does.
 * Until then each is written apart (common/files/output_file.h), and what had its name stays. Standard output is in no set; a
 * trace as an archive has its own way (trace/otf2/otf2.h).
 *
 * Order of calls: output_set_open and output_set_close for each file, output_set_end. */
#ifndef CLI_OUTPUT_SET_H
#define CLI_OUTPUT_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/status.h"

/* Makes the directory of files of the set, as directory_make() does. If the set fails it goes again. */
enum status output_set_directory(const char *path, struct err *err);

/* As output_file_open() and output_file_close(), but the name comes with output_set_end(). If either fails, or `written` is not
 * STATUS_OK, the set has failed. */
enum status output_set_open(const char *path, FILE **out, struct err *err);
enum status output_set_close(const char *path, FILE *out, enum status written, struct err *err);

/* The bytes of a file of the set that is complete and has no name yet; *cause: why they are not known, a value of errno, or 0.
 * False: there is no such file. */
bool output_set_bytes(const char *path, uint64_t *bytes, int *cause);

/* Gives the complete files their names if `keep` and the set has not failed; else they go. The next set begins. STATUS_SYSTEM: a
 * name could not be given, and the old files have theirs again (output_file_close_all()). */
enum status output_set_end(bool keep, struct err *err);

#endif
