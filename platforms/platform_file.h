/* Finds the file of a platform that --platform names: a path, "ideal", the name of an installed one, or "-", which is standard
 * input. */
#ifndef PLATFORMS_PLATFORM_FILE_H
#define PLATFORMS_PLATFORM_FILE_H

#include "common/status.h"

enum { PLATFORM_PATH_BYTES = 4096 };

/* Looks for a file of this name first, then for NAME or NAME.json among the installed platforms beside the program (in
 * a build tree: those of the source). Standard input and /dev/fd/N can be opened several times from then on, also by child
 * processes. Returns STATUS_DATA with a list of the installed names, or if a descriptor cannot be read. */
enum status platform_file_find(const char *name, char path[PLATFORM_PATH_BYTES], struct err *err);

#endif
