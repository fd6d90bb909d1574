/* A temporary file for data that memory should not hold. It is in TMPDIR (else /tmp) and has no name: the system
 * removes it when it is closed or when the process ends. Where the file system cannot make files without a name, a
 * process that is killed at that moment leaves an empty file. */
#ifndef COMMON_FILES_TEMP_FILE_H
#define COMMON_FILES_TEMP_FILE_H

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
/* Replaces bytes, or writes behind them with a hole of zeros between. */
enum status temp_file_write(struct temp_file *temp, int64_t offset, const void *data, size_t bytes, struct err *err);
enum status temp_file_read(const struct temp_file *temp, int64_t offset, void *data, size_t bytes, struct err *err);

#endif
