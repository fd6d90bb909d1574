/* Further programs of a job (MPI_Comm_spawn, two launches in one script). The recorder gives each a spool of its own,
 * world-1, world-2, ..., inside the first one's. Each becomes an archive of that name in the first one's directory. */
#ifndef RECORDING_WORLDS_H
#define RECORDING_WORLDS_H

#include <stddef.h>

#include "common/status.h"

/* The number of them in the spool. STATUS_SYSTEM: one cannot be looked up. */
enum status record_count_worlds(const char *spool, unsigned *count, struct err *err);

/* DIRECTORY/world-NUMBER. */
void record_world_path(const char *directory, unsigned number, char *path, size_t bytes);

/* Removes the archives of further programs that an earlier recording left in the directory, and nothing else. */
void record_remove_worlds(const char *directory);

#endif
