/* A first pass over a thread's files: definitions and anchors, which the events before them may need, who created the
 * thread, and how many calls come. Ranks are scanned by several threads; then one thread numbers the definitions in the
 * order of ranks (define.c), and the events are read (blocks.c). */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/spool/cursor.h"

static bool defines_item(const struct spool_record *record)
{
    switch (record->kind) {
    case SPOOL_LIST:
    case SPOOL_CPU:
    case SPOOL_FUNCTION_ENTER:
    case SPOOL_FUNCTION_LEAVE:
    case SPOOL_ABANDONED:
    case SPOOL_EXTENTS:
    case SPOOL_CREATED:
    case SPOOL_FORKED:
    case SPOOL_CORE_WAIT:
    case SPOOL_SLEPT:
    case SPOOL_PAUSE: return false;
    default: return record->kind >= SPOOL_NAMES;
    }
}

static bool begins_call(const struct spool_record *record)
{
    switch (record->kind) {
    case SPOOL_ENTER:
    case SPOOL_REGION_ENTER:
    case SPOOL_REGION_LEAVE:
    case SPOOL_FUNCTION_ENTER:
    case SPOOL_FUNCTION_LEAVE:
    case SPOOL_CREATED:
    case SPOOL_FORKED: return true;
    default: return false;
    }
}

static enum status take_record(struct spool_scan *scan, const struct spool_cursor *cursor, struct err *err)
{
    scan->begun = true;
    if (cursor->record.time > scan->after) scan->after = cursor->record.time;
    scan->calls += begins_call(&cursor->record);
    if (cursor->record.kind == SPOOL_CREATED && !scan->created) {
        scan->created = true;
        scan->creation = cursor->record;
    }
    if (!defines_item(&cursor->record)) return STATUS_OK;
    const struct spool_item item = {cursor->record, cursor->at, cursor->content, scan->after};
    ARRAY_PUSH(scan->items, scan->count, scan->capacity, item, err);
    return STATUS_OK;
}

static enum status look_through(struct spool_scan *scan, struct spool_cursor *cursor, struct err *err)
{
    struct err cause = {.text = ""};
    for (;;) {
        bool more;
        scan->status = spool_cursor_next(cursor, &more, &cause);
        scan->at = cursor->at;
        if (scan->status != STATUS_OK) {
            scan->why = strdup(cause.text);
            return scan->why ? STATUS_OK : err_memory(err);
        }
        if (!more) return STATUS_OK;
        TRY(take_record(scan, cursor, err));
    }
}

enum status spool_scan(struct spool_rank *files, struct err *err)
{
    struct spool_cursor *cursor = malloc(sizeof *cursor);
    if (!cursor) return err_memory(err);
    spool_cursor_begin(cursor, files);
    enum status status = look_through(&files->scan, cursor, err);
    free(cursor);
    return status;
}

void spool_scan_clear(struct spool_scan *scan)
{
    FREE_ALL(scan->items, scan->why);
    *scan = (struct spool_scan){0};
}
