/* Where a path leads that is to be written to: its last directory, open, and a name in it that is no link.
 *
 * A link in a sticky directory that all may write to (/tmp) is followed only if it is the process's user's or the
 * directory's owner's, in every part of the path and whatever the kernel's fs.protected_symlinks says: others could
 * lead us to any file that we may write. Directories are open while links are looked at, so that nobody can change what
 * was looked at. */
#ifndef COMMON_PLACE_H
#define COMMON_PLACE_H

#include <stdbool.h>

struct place {
    int directory; /* a descriptor for ...at() functions (O_PATH) */
    char *name;    /* owned; "." is the directory itself; it need not exist */
    bool magic;    /* a link of /proc, which leads to something open */
};

enum { PLACE_LINK_OF_OTHERS = -1 };

/* 0, a value of errno, or PLACE_LINK_OF_OTHERS. */
int place_open(const char *path, struct place *place);
void place_close(struct place *place);

/* The same as an absolute path, which the caller frees. */
int place_path(const char *path, char **whole);

/* What such a value says, for messages "FILE: cannot be written: ...". */
const char *place_error(int cause);

#endif
