/* Finds the file of a platform that --platform names: a path, "ideal", or the name of an installed one. */
#ifndef PLATFORMS_PLATFORM_FILE_H
#define PLATFORMS_PLATFORM_FILE_H

#include "common/status.h"

enum { PLATFORM_PATH_BYTES = 4096 };

/* Looks for a file of this name first, then for NAME or NAME.json among the installed platforms beside the program (in
 * a build tree: those of the source). Returns STATUS_DATA with a list of the installed names. */
enum status platform_file_find(const char *name, char path[PLATFORM_PATH_BYTES], struct err *err);

#endif
