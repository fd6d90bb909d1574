/* The files of an archive on disk, and the check that a directory has only an archive. No other file is ever moved or
 * removed. Internal to trace/otf2/; otf2_check_place() and its like are in otf2.h. */
#ifndef TRACE_OTF2_ARCHIVE_ENTRIES_H
#define TRACE_OTF2_ARCHIVE_ENTRIES_H

#include <stdbool.h>

#include "common/status.h"

#define ARCHIVE_NAME   "traces"
#define ARCHIVE_ANCHOR ARCHIVE_NAME ".otf2"

/* The entries of an archive in its directory, NULL-terminated. The first is the anchor; without it there is no
 * archive. */
extern const char *const archive_entries[];
bool archive_has_entry(const char *name);

/* STATUS_USAGE if one of these files is read (common/files/file_claims.h), or the directory is a part of what is read. */
enum status archive_check_unread(const char *directory, struct err *err);

/* Removes the files of an archive from a directory. The directory and other files remain. */
void archive_remove_files(const char *directory);

#define ARCHIVE_STAGE ".rmacast-"
/* True if name is prefix, ARCHIVE_STAGE and six characters: a directory that a writer of archives works in. */
bool archive_is_stage(const char *name, const char *prefix);

#endif
