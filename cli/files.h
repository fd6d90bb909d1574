/* Checks the files that a command reads and writes: no output may replace an input or another output of the same
 * command, and each output can be written as far as can be told before.
 *
 * Two names are the same file if device and inode are the same, so links of both kinds count. An archive is its anchor,
 * the files that belong to it, and all files in its directory of events. A command that writes a file calls this check
 * before it reads anything. A file that only an input names (SimGrid's platform) is checked as soon as it is known. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stddef.h>

#include "common/status.h"

enum cli_file_kind {
    CLI_READS,          /* a trace in any form, or any other file; "-" is standard input */
    CLI_WRITES,         /* one file; "-" is standard output */
    CLI_WRITES_IN,      /* one file of a directory that the command makes if it is missing */
    CLI_WRITES_TRACE,   /* what trace_save() writes: a text or an archive */
    CLI_WRITES_ARCHIVE, /* an archive, whatever its name */
};

struct cli_file {
    enum cli_file_kind kind;
    const char *name; /* an input's as "the trace", an output's as "--json" */
    const char *path; /* NULL: not requested */
};

/* STATUS_USAGE names the two files in one line. STATUS_DATA: an archive may not be written there (otf2_check_place()).
 * STATUS_SYSTEM: an output cannot be written (output_file_check()). */
enum status cli_check_files(const struct cli_file *files, size_t count, struct err *err);

#endif
