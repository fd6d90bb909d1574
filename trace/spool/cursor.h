/* The records of one thread's files, one after another, whichever version of the format they are in. */
#ifndef TRACE_SPOOL_CURSOR_H
#define TRACE_SPOOL_CURSOR_H

#include "trace/spool/reader.h"

struct spool_cursor {
    const struct spool_rank *files;
    struct spool_record record; /* in hand; its time without lap, all bits of it */
    size_t at;                  /* its place, in units of the file */
    size_t content, next;       /* places of its content, of what follows it */
    unsigned pattern;           /* its template */
    bool repeated;              /* it says what the last one of its template said. Versions 1 and 2: false */
    bool old;                   /* versions 1 and 2 */
    uint64_t time;
    const uint64_t *chunk; /* the words from chunk_begin on, of the chunk that the record is in */
    size_t chunk_begin, chunk_end;
    uint64_t templates[SPOOL_TEMPLATES][SPOOL_RECORD_WORDS];
};

/* Borrows files until the last use of the cursor. */
void spool_cursor_begin(struct spool_cursor *cursor, const struct spool_rank *files);

/* Takes the next record in hand; *more is false where the files end, also in a torn record or content. STATUS_DATA
 * where what stands there is no record; then `at` is its place. */
enum status spool_cursor_next(struct spool_cursor *cursor, bool *more, struct err *err);

/* The content of the definition in hand; of one that was in hand. */
enum status spool_content(const struct spool_cursor *cursor, struct spool_bytes *content, struct err *err);
enum status spool_item_content(const struct spool_rank *files, const struct spool_item *item,
                               struct spool_bytes *content, struct err *err);

#endif
