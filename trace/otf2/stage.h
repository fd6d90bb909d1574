/* A stage: a temporary directory in which an archive is written before it replaces the old one. Call order: open,
 * check, commit (on success), close. Internal to trace/otf2/.
 *
 * Where an archive is replaced, the stage is ".NAME.rmacast-XXXXXX" beside DIRECTORY, and one system call exchanges the
 * two names: however the process ends, either the old archive or the new one is there. Where that is impossible (the
 * working directory, a mount point, a parent without write permission, a file system without RENAME_EXCHANGE) or there
 * is nothing to replace, the stage is DIRECTORY/.rmacast-XXXXXX and the files are moved one by one, the old anchor
 * first and the new anchor last: a reader finds one archive or none. Signals are blocked meanwhile. After a SIGKILL the
 * next writer first puts the old archive back.
 *
 * A stage is locked (flock) while its process lives. Opening a stage removes those of processes that are gone. */
#ifndef TRACE_OTF2_STAGE_H
#define TRACE_OTF2_STAGE_H

#include <stdbool.h>

#include "common/status.h"

struct archive_stage {
    const char *directory; /* borrowed: as the user names it */
    char *target;          /* the same without links */
    char *path;            /* write here; on the same file system */
    int lock;              /* of path */
    int target_lock;       /* of target while it changes */
    bool beside;           /* path is target's neighbour */
    bool made;             /* directory did not exist before */
    bool done;
};

/* Makes the directory if it does not exist (its parent must). STATUS_DATA as otf2_check_place() says. */
enum status archive_stage_open(const char *directory, struct archive_stage *stage, struct err *err);

/* With what became of writing into path: STATUS_SYSTEM with the true reason if somebody has moved or removed it. */
enum status archive_stage_check(const struct archive_stage *stage, enum status written, struct err *err);

/* Replaces the archive in the directory by the one in path. */
enum status archive_stage_commit(struct archive_stage *stage, struct err *err);

/* Removes the stage, and the directory if it is new and nothing was committed. */
void archive_stage_close(struct archive_stage *stage);

#endif
