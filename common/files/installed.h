/* Where the files of an installed tree are. The tree may have been moved, and a build tree counts as one. */
#ifndef COMMON_FILES_INSTALLED_H
#define COMMON_FILES_INSTALLED_H

#include <stdbool.h>

#include "common/status.h"

enum { INSTALLED_PATH_BYTES = 4096 };

/* The directory of the running program; empty where there is no /proc. STATUS_SYSTEM: it cannot be read. */
enum status installed_program_directory(char directory[INSTALLED_PATH_BYTES], struct err *err);

/* The directory of librmacast where this code is part of it. False: it is part of the program. */
bool installed_library_directory(char directory[INSTALLED_PATH_BYTES]);

/* Finds one of our libraries: beside librmacast where this code is part of it, then in ../lib, in the build's ../LIBDIR
 * and in the directory itself, seen from the program, then where this build is to be installed. path is absolute.
 * It is empty if the library is in none of them. STATUS_SYSTEM: one cannot be looked up. */
enum status installed_library_find(const char *file, char path[INSTALLED_PATH_BYTES], struct err *err);

#endif
