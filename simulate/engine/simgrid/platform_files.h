/* The files of a user's SimGrid platform, which SimGrid opens by itself. */
#ifndef SIMULATE_ENGINE_SIMGRID_PLATFORM_FILES_H
#define SIMULATE_ENGINE_SIMGRID_PLATFORM_FILES_H

#include "common/status.h"

/* Says that they are read (common/files/file_claims.h): the platform, and each value of an attribute whose name ends in "file"
 * (profiles of hosts and links, <trace file="...">, <include>, which SimGrid 3.32 refuses), from the working directory and
 * from the platform's, as SimGrid searches it. Files that are named need not exist. STATUS_USAGE: one is an output.
 * STATUS_DATA: the platform has a <config> with keys for SimGrid itself. */
enum status platform_files_check(const char *xml, struct err *err);

#endif
