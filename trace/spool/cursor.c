#include "trace/spool/cursor.h"

#include <stddef.h>
#include <string.h>

#include "common/array.h"

void spool_cursor_begin(struct spool_cursor *cursor, const struct spool_rank *files)
{
    memset(cursor, 0, sizeof *cursor);
    cursor->files = files;
}

/* Kinds whose bytes are no content's. */
static bool is_bare(const struct spool_record *record)
{
    return record->kind < SPOOL_NAMES || record->kind == SPOOL_ANCHOR || record->kind == SPOOL_EXTENTS ||
           record->kind == SPOOL_CREATED || record->kind == SPOOL_FORKED;
}

static bool has_content(const struct spool_record *record)
{
    return !is_bare(record) && record->bytes > 0;
}

static enum status check_kind(const struct spool_cursor *cursor, struct err *err)
{
    const struct spool_record *record = &cursor->record;
    if (record->kind >= SPOOL_ENTER && record->kind < SPOOL_KIND_COUNT && (is_bare(record) || record->bytes >= 0))
        return STATUS_OK;
    return spool_fault(cursor->files, cursor->at, err, "record of unknown kind %d", record->kind);
}

static const uint64_t *words_at(const struct spool_rank *files, size_t at)
{
    return at < files->chunk_words ? files->chunks + at : files->tail->words + (at - files->chunk_words);
}

/* Moves *at to where the next record or part of a content begins, and gives its first word; 0 at the end of the files.
 */
static uint64_t find_head(const struct spool_rank *files, size_t *at)
{
    while (*at < spool_words(files)) {
        uint64_t head = 0;
        if (*at % SPOOL_CHUNK_WORDS == 0) ++*at;
        if (*at < spool_words(files)) head = *words_at(files, *at);
        if (head != 0) return head;
        *at += SPOOL_CHUNK_WORDS - *at % SPOOL_CHUNK_WORDS;
    }
    return 0;
}

/* No record reaches beyond its chunk. */
static enum status check_room(const struct spool_rank *files, size_t at, uint64_t words, struct err *err)
{
    size_t room = SPOOL_CHUNK_WORDS - at % SPOOL_CHUNK_WORDS;
    if (room > spool_words(files) - at) room = spool_words(files) - at;
    if (words <= room) return STATUS_OK;
    return spool_fault(files, at, err, "what begins here does not fit in its chunk");
}

/* Takes the part of a content at *at, and moves *at behind it. *bytes: its length; 0 at the end of the files. */
static enum status next_part(const struct spool_rank *files, size_t *at, size_t *begin, size_t *bytes, struct err *err)
{
    uint64_t head = find_head(files, at), size = SPOOL_HEAD_STAMP(head);
    uint64_t words = 1 + size / SPOOL_WORD_BYTES + (size % SPOOL_WORD_BYTES != 0);
    *bytes = 0;
    if (head == 0) return STATUS_OK;
    if (SPOOL_HEAD_TEMPLATE(head) != SPOOL_CONTENT || SPOOL_HEAD_CHANGED(head) != 0 || size == 0)
        return spool_fault(files, *at, err, "the content of a definition was expected here");
    TRY(check_room(files, *at, words, err));
    *begin = *at + 1;
    *bytes = (size_t)size;
    *at += (size_t)words;
    return STATUS_OK;
}

/* Moves to what follows the content. *whole is false if the files end before. */
static enum status pass_content(struct spool_cursor *cursor, bool *whole, struct err *err)
{
    uint64_t left = (uint64_t)cursor->record.bytes;
    size_t at = cursor->content, begin, bytes;
    while (left > 0) {
        TRY(next_part(cursor->files, &at, &begin, &bytes, err));
        *whole = bytes > 0;
        if (!*whole) return STATUS_OK;
        if (bytes > left) return spool_fault(cursor->files, begin, err, "more content than the definition has");
        left -= bytes;
    }
    cursor->next = at;
    return STATUS_OK;
}

static void copy_content(const struct spool_rank *files, size_t at, char *to, size_t bytes)
{
    size_t begin = 0, part;
    for (size_t done = 0; done < bytes; done += part) {
        if (next_part(files, &at, &begin, &part, NULL) != STATUS_OK || part == 0) return; /* was passed before */
        memcpy(to + done, words_at(files, begin), part);
    }
}

/* The first word of the record at cursor->next, which moves there; 0 at the end of the files. */
static uint64_t next_head(struct spool_cursor *cursor)
{
    uint64_t head = cursor->next < cursor->chunk_end ? cursor->chunk[cursor->next - cursor->chunk_begin] : 0;
    if (head != 0) return head;
    head = find_head(cursor->files, &cursor->next);
    if (head == 0) return 0;
    cursor->chunk_begin = cursor->next - cursor->next % SPOOL_CHUNK_WORDS;
    cursor->chunk_end = cursor->chunk_begin + SPOOL_CHUNK_WORDS;
    if (cursor->chunk_end > spool_words(cursor->files)) cursor->chunk_end = spool_words(cursor->files);
    cursor->chunk = words_at(cursor->files, cursor->chunk_begin);
    return head;
}

/* The words behind the head at cursor->at that are not the template's. */
static enum status take_words(struct spool_cursor *cursor, unsigned changed, struct err *err)
{
    uint64_t *words = cursor->templates[cursor->pattern];
    TRY(check_room(cursor->files, cursor->at, 1 + (uint64_t)__builtin_popcount(changed), err));
    for (unsigned i = 0; changed != 0; i++, changed >>= 1)
        if (changed & 1) words[i] = cursor->chunk[cursor->next++ - cursor->chunk_begin];
    return STATUS_OK;
}

_Static_assert(sizeof(struct spool_record) - offsetof(struct spool_record, kind) ==
                   SPOOL_RECORD_WORDS * SPOOL_WORD_BYTES,
               "a record is its time and its words");

enum status spool_cursor_next(struct spool_cursor *cursor, bool *more, struct err *err)
{
    uint64_t head = next_head(cursor);
    cursor->at = cursor->next;
    *more = head != 0;
    if (!*more) return STATUS_OK;
    unsigned changed = SPOOL_HEAD_CHANGED(head);
    cursor->pattern = SPOOL_HEAD_TEMPLATE(head);
    cursor->repeated = changed == 0;
    if (!(head & 1) || cursor->pattern == SPOOL_CONTENT)
        return spool_fault(cursor->files, cursor->at, err, "no record begins here");
    cursor->next++;
    if (changed != 0) TRY(take_words(cursor, changed, err));
    memcpy(&cursor->record.kind, cursor->templates[cursor->pattern], SPOOL_RECORD_WORDS * SPOOL_WORD_BYTES);
    TRY(check_kind(cursor, err));
    /* The head has the lower bits of the time; the time is the nearest one to that of the record before. An anchor has
     * all bits. */
    const uint64_t range = UINT64_C(1) << SPOOL_STAMP_BITS;
    uint64_t forward = (SPOOL_HEAD_STAMP(head) - cursor->time) & (range - 1);
    cursor->time += forward < range / 2 ? forward : forward - range;
    if (cursor->record.kind == SPOOL_ANCHOR) cursor->time = (uint64_t)cursor->record.bytes;
    cursor->record.time = cursor->time & SPOOL_TIME_MASK;
    cursor->content = cursor->next;
    return has_content(&cursor->record) ? pass_content(cursor, more, err) : STATUS_OK;
}

enum status spool_item_content(const struct spool_rank *files, const struct spool_item *item, struct spool_bytes *to,
                               struct err *err)
{
    to->bytes = has_content(&item->record) ? (size_t)item->record.bytes : 0;
    TRY(array_reserve((void **)&to->data, &to->capacity, to->bytes + 1, 1, err));
    copy_content(files, item->content, to->data, to->bytes);
    to->data[to->bytes] = 0;
    return STATUS_OK;
}

enum status spool_content(const struct spool_cursor *cursor, struct spool_bytes *to, struct err *err)
{
    const struct spool_item item = {.record = cursor->record, .at = cursor->at, .content = cursor->content};
    return spool_item_content(cursor->files, &item, to, err);
}
