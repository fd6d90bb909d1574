/* A directory aside, in which an archive is written before it takes the place of the one that stands there. Call order:
 * open, commit (if all went well), close. Internal to trace/otf2/.
 *
 * Where an archive is replaced, the stage is DIRECTORY's neighbour ".NAME.rmacast-XXXXXX" and the two change their
 * names at one stroke: whatever ends the process, the old archive stays or the new one stands. Where that cannot be
 * (the working directory, a mount point, a parent that is not ours to write, a file system without RENAME_EXCHANGE) or
 * there is nothing to replace, the stage is DIRECTORY/.rmacast-XXXXXX and the files are moved one by one, the anchor
 * out first and in last: a reader sees one archive or none. Signals wait meanwhile; after a SIGKILL the next writer
 * puts the old archive back first.
 *
 * A stage is locked (flock) as long as its maker lives. Opening removes the stages of makers that are gone. */
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

/* Puts the archive in path into the place of the one in the directory. */
enum status archive_stage_commit(struct archive_stage *stage, struct err *err);

/* Removes what is left, and the directory if it is new and nothing was committed. */
void archive_stage_close(struct archive_stage *stage);

#endif
