/* Which files this process and its children (fork) read and write, so that no file is both, and none is written twice.
 * A file is a device and an inode, whatever names it has; what is no regular file (a pipe, a terminal) never counts.
 *
 * input_file.h and output_file.h call these functions: whoever opens a file with them is checked. Only what opens or
 * replaces files by itself calls them directly: libraries that open files for us, writers of archives.
 *
 * Order of calls: file_claims_begin, file_claim_output for each output that is known before the work, then the rest in any
 * order, by several threads, file_claims_end. Before file_claims_begin() nothing is noted and nothing is refused. So it is in
 * librmacast: a process that lives long names both files itself when it saves what it has read. */
#ifndef COMMON_FILES_FILE_CLAIMS_H
#define COMMON_FILES_FILE_CLAIMS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/status.h"

/* Called first in main(). Standard output counts as an output. STATUS_SYSTEM: no memory. */
enum status file_claims_begin(struct err *err);

/* Called last, with what became of the work: STATUS_USAGE with the first refusal if there was one, also one that was taken for
 * something else on its way. */
enum status file_claims_end(enum status status, struct err *err);

/* An output that will be written. name: as the user says it, "--json"; shown: its path as the user says it. path: where it
 * is, shown itself or a part of it; it need not exist. whole: a directory with all that is in it. All texts are copied.
 * STATUS_USAGE: it is another output, or a file that is read. */
enum status file_claim_output(const char *name, const char *shown, const char *path, bool whole, struct err *err);

/* A file that is read: before its first byte is. path: its name for messages; about: of the open file. A directory counts
 * with all that is in it. STATUS_USAGE: it is an output. */
enum status file_claim_input(const char *path, const struct stat *about, struct err *err);

/* The same before a library opens the file by its path. A missing file is no fault. */
enum status file_claim_input_path(const char *path, struct err *err);

/* Before a name in a directory (a descriptor) is given to an output, or is removed for it: STATUS_USAGE if what has the name
 * now, or a directory above it, is read, or has been written by this process; again: it may have been written. path: the
 * output's name for messages. */
enum status file_claims_check(int directory, const char *name, const char *path, bool again, struct err *err);

/* The same of an open file. */
enum status file_claims_check_open(const struct stat *about, const char *path, bool again, struct err *err);

/* After a name of the file has gone; about: from before. If that was its last one the file is forgotten, since another one may
 * get its inode. */
void file_claims_forget(const struct stat *about);
/* unlinkat(), for files that the program has read and may remove; it forgets them. */
int file_claims_remove(int directory, const char *name, int flags);

/* After an output has been written there. */
enum status file_claim_written(const char *path, const struct stat *about, struct err *err);

#endif
