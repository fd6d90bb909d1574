/* Reads the records of one thread's files one after another. */
#ifndef TRACE_SPOOL_CURSOR_H
#define TRACE_SPOOL_CURSOR_H

#include "trace/spool/reader.h"

struct spool_cursor {
    const struct spool_rank *files;
    struct spool_record record; /* the current record; its time has all bits */
    size_t at;                  /* its position, in words */
    size_t content, next;       /* positions of its content, of the next record */
    unsigned pattern;           /* its template */
    bool repeated;              /* it equals the last record of its template */
    uint64_t time;
    const uint64_t *chunk; /* words of the record's chunk, from chunk_begin on */
    size_t chunk_begin, chunk_end;
    uint64_t templates[SPOOL_TEMPLATES][SPOOL_RECORD_WORDS];
};

/* Borrows files until the last use of the cursor. */
void spool_cursor_begin(struct spool_cursor *cursor, const struct spool_rank *files);

/* Moves to the next record. *more is false at the end of the files, also in a torn record or content. Returns
 * STATUS_DATA for data that are no record; `at` is then their position. */
enum status spool_cursor_next(struct spool_cursor *cursor, bool *more, struct err *err);

/* The content of the current definition; of an earlier one. */
enum status spool_content(const struct spool_cursor *cursor, struct spool_bytes *content, struct err *err);
enum status spool_item_content(const struct spool_rank *files, const struct spool_item *item,
                               struct spool_bytes *content, struct err *err);

#endif
