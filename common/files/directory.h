/* Makes the directory of an output that has several files. */
#ifndef COMMON_FILES_DIRECTORY_H
#define COMMON_FILES_DIRECTORY_H

#include "common/status.h"

/* One that is there is as good. Its parent must be there. STATUS_SYSTEM names the path and the cause. */
enum status directory_make(const char *path, struct err *err);

#endif
