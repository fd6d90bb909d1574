/* A temporary file for what an analysis in slices must remember and memory should not hold. It lies in TMPDIR (else
 * /tmp) and has no name: it is gone when it is closed, and when the process ends, however (where the file system cannot make
 * files without a name, a process that is killed just then leaves an empty one). */
#ifndef COMMON_TEMP_FILE_H
#define COMMON_TEMP_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct scratch {
    int descriptor;
    int64_t bytes; /* written so far */
};

/* Inits *scratch. STATUS_SYSTEM naming the directory if no file can be made there. */
enum status scratch_open(struct scratch *scratch, struct err *err);
void scratch_close(struct scratch *scratch);

/* Appends bytes; *offset (may be NULL) says where they begin. */
enum status scratch_append(struct scratch *scratch, const void *data, size_t bytes, int64_t *offset, struct err *err);
enum status scratch_read(const struct scratch *scratch, int64_t offset, void *data, size_t bytes, struct err *err);

#endif
