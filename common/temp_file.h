/* A temporary file for what an analysis in slices must remember and memory should not hold. It lies in TMPDIR (else
 * /tmp) and has no name: it is gone when it is closed, and when the process ends, however (where the file system cannot make
 * files without a name, a process that is killed just then leaves an empty one). */
#ifndef COMMON_TEMP_FILE_H
#define COMMON_TEMP_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct temp_file {
    int descriptor;
    int64_t bytes; /* written so far */
};

/* Inits *temp. STATUS_SYSTEM naming the directory if no file can be made there. */
enum status temp_file_open(struct temp_file *temp, struct err *err);
void temp_file_close(struct temp_file *temp);

/* Appends bytes; *offset (may be NULL) says where they begin. */
enum status temp_file_append(struct temp_file *temp, const void *data, size_t bytes, int64_t *offset, struct err *err);
enum status temp_file_read(const struct temp_file *temp, int64_t offset, void *data, size_t bytes, struct err *err);

#endif
