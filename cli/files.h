/* The outputs of a command, told before its work: no input may be one of them (common/files/file_claims.h), no two of them
 * are one file, and each can be written as far as can be told before. What a command reads is in no list: whoever opens it
 * says so. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stddef.h>

#include "common/status.h"

enum cli_output_kind {
    CLI_WRITES,         /* one file; "-" is standard output */
    CLI_WRITES_IN,      /* one file of a directory that the command makes if it is missing */
    CLI_WRITES_TRACE,   /* what trace_save() writes: a text or an archive */
    CLI_WRITES_ARCHIVE, /* an archive, whatever its name */
};

struct cli_output {
    enum cli_output_kind kind;
    const char *name; /* "--json" */
    const char *path; /* NULL: not requested */
};

/* Before anything is read. STATUS_USAGE names two outputs that are one file, or both standard output, in one line; standard
 * output is "-", whatever it leads to. STATUS_DATA: an archive may not be written there (otf2_check_place()). STATUS_SYSTEM: an
 * output cannot be written (output_file_check()). */
enum status cli_claim_outputs(const struct cli_output *outputs, size_t count, struct err *err);

#endif
