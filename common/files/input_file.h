/* A file that is read. Every file of the user's is opened here, so that no output can replace it (file_claims.h), and is closed
 * here, so that no read error is taken for the file's end. "-" is standard input, which can be opened once. */
#ifndef COMMON_FILES_INPUT_FILE_H
#define COMMON_FILES_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

struct input_file {
    const char *path; /* borrowed until it is closed */
    FILE *file;       /* for what input_file_line() and input_file_read() do not do; never closed but by input_file_close() */
    char *line;       /* owned: the last line */
    size_t length;    /* its bytes */
    size_t room;
    int cause; /* of what failed while reading, a value of errno */
};

/* STATUS_DATA: it cannot be opened; STATUS_SYSTEM: not now (no descriptor, no memory, a fault of the device); STATUS_USAGE: it is
 * an output of the command. */
enum status input_file_open(const char *path, struct input_file *in, struct err *err);

/* The same, but it is no input: what the command itself continues, or what is only recognised. */
enum status input_file_open_own(const char *path, struct input_file *in, struct err *err);

/* The same as a descriptor, for files that are mapped: not for pipes and devices. The caller closes it. */
enum status input_file_descriptor(const char *path, int *descriptor, struct err *err);

/* Text in memory, in place of a file; path: its name for messages. STATUS_SYSTEM: no memory. */
enum status input_file_of_text(const char *text, size_t bytes, const char *path, struct input_file *in, struct err *err);

/* The next line with its newline, a NUL behind it; the last one may have no newline. NULL: the end, or a read error, which
 * input_file_close() reports. It lives until the next call. */
char *input_file_line(struct input_file *in);

/* Up to `bytes` bytes; fewer only at the end, or after a read error. */
size_t input_file_read(struct input_file *in, void *to, size_t bytes);

/* All that is left, a NUL behind it; the caller frees it. NULL: a read error, or no memory. */
char *input_file_all(struct input_file *in, size_t *bytes);

/* status is what became of reading. A read error, which readers take for the end, is the cause of all else: STATUS_SYSTEM with
 * file and cause, as no memory for a line is. Standard input stays open. */
enum status input_file_close(struct input_file *in, enum status status, struct err *err) __attribute__((warn_unused_result));

#endif
