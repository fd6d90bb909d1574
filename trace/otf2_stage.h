/* A directory aside, in which an archive is written before it takes the place of the one that stands there. Call order:
 * open, commit (if all went well), close. Internal to trace/otf2_*.c. */
#ifndef TRACE_OTF2_STAGE_H
#define TRACE_OTF2_STAGE_H

#include <stdbool.h>

#include "common/status.h"

struct archive_stage {
    const char *directory; /* borrowed: where the archive is to stand */
    char *path;            /* write here; on the same file system */
    char *old;
    bool made;             /* directory did not exist before */
    bool done;
};

/* Makes the directory if it does not exist (its parent must). */
enum status archive_stage_open(const char *directory, struct archive_stage *stage, struct err *err);

/* Moves the entries named (NULL-terminated; those that exist) into the directory and removes the old ones. Without
 * the first entry an archive is none: the old one goes first and the new one comes last, so that no reader sees two
 * halves. */
enum status archive_stage_commit(struct archive_stage *stage, const char *const *entries, struct err *err);

/* Removes what is left, and the directory if it is new and nothing was committed. */
void archive_stage_close(struct archive_stage *stage);

#endif
