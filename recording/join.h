/* Recordings whose ranks wrote to several directories, as on nodes that share no file system. */
#ifndef RECORDING_JOIN_H
#define RECORDING_JOIN_H

#include <stddef.h>

#include "common/status.h"
#include "recording/pack.h"

/* Packs the spools in the directories as one, as record_pack() says. They stay as they are: links to their files make up the
 * spool that is packed, and are removed. observer->kept is not called. Ranks that are in none of them are incomplete.
 * STATUS_DATA: a directory has no file of the recorder, two have one of the same rank, a process still writes, or as
 * record_make_spool() and record_pack() say. */
enum status record_join(const char *const *directories, size_t count, const char *directory,
                        const struct record_observer *observer, struct err *err);

#endif
