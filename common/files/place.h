/* Resolves a path for writing: its last directory, open, and a name in it that is no link.
 *
 * In a sticky directory that all may write to (/tmp), a link is followed only if it belongs to the process's user or to
 * the directory's owner. This holds in every part of the path and whatever the kernel's fs.protected_symlinks is: with
 * their links, others could make us write any file that we may write. Directories are open while links are checked, so
 * that nobody can change them between check and use. */
#ifndef COMMON_FILES_PLACE_H
#define COMMON_FILES_PLACE_H

#include <stdbool.h>

#include "common/status.h"

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

/* Whether something has this name. STATUS_SYSTEM: the machine refuses to look it up (err_refused()). */
enum status place_look(const char *path, bool *there, struct err *err);

/* The text of such a value, for messages "FILE: cannot be written: ...". */
const char *place_error(int cause);

#endif
