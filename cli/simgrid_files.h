/* Files that a SimGrid platform names: profiles of hosts and links (`bandwidth_file="..."`, `<trace file="...">`), and the
 * files of `<include>`, which SimGrid 3.32 refuses. */
#ifndef CLI_SIMGRID_FILES_H
#define CLI_SIMGRID_FILES_H

#include <stddef.h>

#include "common/status.h"

struct simgrid_files {
    char **paths;
    size_t count, capacity;
};

/* Adds every value of an attribute whose name ends in "file", relative to the working directory and to the platform's,
 * as SimGrid searches it. Neither needs to exist. A platform that cannot be read names none. The caller clears files,
 * also after a failure. */
enum status simgrid_files_find(const char *xml, struct simgrid_files *files, struct err *err);

void simgrid_files_clear(struct simgrid_files *files);

#endif
