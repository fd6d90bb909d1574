/* Checks whether an OTF2 file is whole, by its frame alone, before OTF2 reads it: OTF2 3.0 repeats the last chunk of a
 * truncated file for ever, and reads invalid memory where a record's length is wrong. Layout from its sources
 * (src/OTF2_Buffer.c, src/OTF2_AnchorFile.c). Internal to trace/otf2/. */
#ifndef TRACE_OTF2_FILE_H
#define TRACE_OTF2_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/status.h"

/* True if the bytes at the descriptor's position are the beginning of an OTF2 file. */
bool archive_file_has_mark(int descriptor);

/* The anchor, and whether it can hold as many properties as it names: OTF2 believes any number. STATUS_DATA "FILE:
 * ..." */
enum status archive_file_check_anchor(const char *path, struct err *err);

/* Global or local definitions: one record after another up to the end mark. */
enum status archive_file_check_definitions(const char *path, struct err *err);

/* Events: chunks of chunk_bytes, the last one shorter; each says which events it holds. `events` is what the
 * definitions promise; *whole, set on failure, too, the number of those in whole chunks before the damage. */
enum status archive_file_check_events(const char *path, uint64_t chunk_bytes, uint64_t events, uint64_t *whole,
                                      struct err *err);

#endif
