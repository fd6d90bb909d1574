/* The file of a platform that --platform names: a path, "ideal", or the name of one that is installed. */
#ifndef PLATFORMS_PLATFORM_FILE_H
#define PLATFORMS_PLATFORM_FILE_H

#include "common/status.h"

enum { PLATFORM_PATH_BYTES = 4096 };

/* A file of this name comes first; then NAME or NAME.json among the installed ones, beside the program (in a build tree
 * the source's). STATUS_DATA lists their names. */
enum status platform_file_find(const char *name, char path[PLATFORM_PATH_BYTES], struct err *err);

#endif
