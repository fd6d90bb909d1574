/* Directories of outputs: one that has several files is made, one that a single process may use is locked. */
#ifndef COMMON_FILES_DIRECTORY_H
#define COMMON_FILES_DIRECTORY_H

#include "common/status.h"

/* One that is there is as good. Its parent must be there. STATUS_SYSTEM names the path and the cause. */
enum status directory_make(const char *path, struct err *err);

/* Locks the directory that has this name now, no link, until the descriptor returned is closed; operation as for flock().
 * -1: locked by another process (errno EWOULDBLOCK), missing (ENOENT), or on a file system without locks. */
int directory_lock(const char *path, int operation);

#endif
