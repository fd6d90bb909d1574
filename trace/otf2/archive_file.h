/* Checks whether an OTF2 file is whole, by its frame alone, before OTF2 reads it: OTF2 3.0 repeats the last chunk of a
 * truncated file for ever, and reads invalid memory where a record's length is wrong. Layout from its sources
 * (src/OTF2_Buffer.c, src/OTF2_AnchorFile.c). Internal to trace/otf2/. */
#ifndef TRACE_OTF2_ARCHIVE_FILE_H
#define TRACE_OTF2_ARCHIVE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"

/* True if the bytes at the descriptor's position are the beginning of an OTF2 file. */
bool archive_file_has_mark(int descriptor);

/* Each sets *behind to the number of bytes behind the end mark, which are no damage: OTF2 does not read them.
 *
 * Checks the anchor, also that it is long enough for its number of properties, which OTF2 does not check. Returns
 * STATUS_DATA "FILE: ..." */
enum status archive_file_check_anchor(const char *path, uint64_t *behind, struct err *err);

/* Checks global or local definitions, record by record up to the end mark. */
enum status archive_file_check_definitions(const char *path, uint64_t *behind, struct err *err);

/* Checks events: chunks of chunk_bytes, the last one shorter; each states its range of events. `events` is the number
 * in the definitions. *whole is the number of events in whole chunks before the damage; it is set on failure, too. */
enum status archive_file_check_events(const char *path, uint64_t chunk_bytes, uint64_t events, uint64_t *whole,
                                      uint64_t *behind, struct err *err);

#endif
