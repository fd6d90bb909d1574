/* Reads the events of an archive, one location after another, with local readers.
 *
 * In an archive of our profile all definitions are known before the events, so several threads read blocks of ranks.
 * Each has its own handle of the archive: OTF2 does not lock, and it searches a location among all that its handle has
 * selected, so that one handle would take time by the square of their number. A block adds to tables of its own; they
 * are merged in the order of ranks, so the trace is that of one thread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/units.h"
#include "trace/builder.h"
#include "trace/faults.h"
#include "trace/otf2/archive_file.h"
#include "trace/otf2/read.h"
#include "common/parallel.h"
#include "common/search.h"

/* A handle takes 7 us, a thread perhaps 50; a record 60 ns. */
enum { BLOCK_RECORDS = 1 << 15, BLOCK_LOCATIONS = 256, THREAD_RECORDS = 1 << 16 };

/* Foreign local definitions map local references to global ones and correct the clock; ours hold nothing. */
static enum status read_local_definitions(struct archive_reader *reader, OTF2_LocationRef location)
{
    if (reader->ours) return STATUS_OK;
    char *path = archive_location_path(reader, location, "def");
    if (!path) return err_memory(reader->err);
    struct stat file;
    enum status status = STATUS_OK;
    if (stat(path, &file) == 0) {
        uint64_t behind = 0;
        status = archive_file_check_definitions(path, &behind, reader->err);
        if (status == STATUS_OK) status = archive_note_behind(reader, path, behind);
        OTF2_DefReader *in = status == STATUS_OK ? OTF2_Reader_GetDefReader(reader->otf2, location) : NULL;
        uint64_t read;
        if (status == STATUS_OK &&
            (!in || OTF2_Reader_ReadAllLocalDefinitions(reader->otf2, in, &read) != OTF2_SUCCESS))
            status = archive_broken(reader, path, "cannot read the location's definitions");
        if (in) OTF2_Reader_CloseDefReader(reader->otf2, in);
    }
    free(path);
    return status;
}

enum { EVENTS_AT_ONCE = 1 << 20 };

static enum status read_records(struct archive_reader *reader, OTF2_EvtReader *in, const char *path, uint64_t events)
{
    uint64_t done = 0, read = 1;
    while (done < events && read > 0) {
        uint64_t wanted = events - done < EVENTS_AT_ONCE ? events - done : EVENTS_AT_ONCE;
        OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(reader->otf2, in, wanted, &read);
        if (reader->status != STATUS_OK) return reader->status;
        if (code != OTF2_SUCCESS) return archive_broken(reader, path, "cannot read the events");
        done += read;
    }
    if (done == events) return archive_end_location(reader);
    return err_set(reader->err, STATUS_DATA, path, NULL,
                   "%" PRIu64 " events, expected the %" PRIu64 " that the definitions name", done, events);
}

/* Reads the first `events` of a location. */
static enum status read_events(struct archive_reader *reader, const struct archive_location *location,
                               const OTF2_EvtReaderCallbacks *callbacks, const char *path, uint64_t events)
{
    TRY(read_local_definitions(reader, location->id));
    OTF2_EvtReader *in = OTF2_Reader_GetEvtReader(reader->otf2, location->id);
    if (!in) return archive_broken(reader, path, "cannot open the events");
    enum status status = STATUS_OK;
    if (OTF2_Reader_RegisterEvtCallbacks(reader->otf2, in, callbacks, reader) != OTF2_SUCCESS)
        status = archive_broken(reader, path, "cannot read the events");
    if (status == STATUS_OK) status = read_records(reader, in, path, events);
    OTF2_Reader_CloseEvtReader(reader->otf2, in);
    return status == STATUS_OK ? archive_check_memory(reader->err) : status;
}

enum status archive_leave_out_rest(struct archive_reader *reader)
{
    struct archive_cursor *cursor = &reader->cursor;
    size_t event = (size_t)cursor->calls->first_event + (cursor->calls->count - cursor->calls->kept_count);
    reader->status = STATUS_OK;
    cursor->in_call = false;
    TRY(trace_add_fault(reader->trace, cursor->rank, event, cursor->last_ps, TRACE_FAULT_UNCOUNTED,
                        reader->err->text, reader->err));
    return archive_end_location(reader);
}

/* Which event of the rank, and when, an error in the records is about; errors of files stay as they are. */
void archive_place_fault(struct archive_reader *reader)
{
    const struct archive_cursor *cursor = &reader->cursor;
    size_t length = strlen(reader->anchor);
    if (strncmp(reader->err->text, reader->anchor, length) != 0 || strncmp(reader->err->text + length, ": ", 2) != 0)
        return;
    char message[ERR_TEXT_BYTES], place[TRACE_PLACE_BYTES], time[UNITS_TEXT_BYTES];
    bool begun = cursor->last_ps != TRACE_UNKNOWN_PS;
    snprintf(message, sizeof message, "%s", reader->err->text + length + 2);
    snprintf(place, sizeof place, "rank %" PRIu32 ", event %" PRIu64 "%s%s%s", cursor->rank,
             trace_event(reader->trace, cursor->rank, cursor->calls->count), begun ? " at " : "",
             begun ? units_format_ps(cursor->last_ps, time) : "", begun ? " s" : "");
    err_set(reader->err, STATUS_DATA, reader->anchor, place, "%s", message);
}

enum status archive_check_events(struct archive_reader *reader, const struct archive_location *location,
                                 const char *path, uint64_t *whole)
{
    uint64_t behind = 0;
    enum status status = archive_file_check_events(path, reader->chunk_bytes, location->events, whole, &behind, reader->err);
    if (status == STATUS_OK) return archive_note_behind(reader, path, behind);
    if (status != STATUS_DATA || !reader->err) return status;
    size_t length = strlen(reader->err->text);
    snprintf(reader->err->text + length, sizeof reader->err->text - length,
             " (rank %" PRId32 ", behind record %" PRIu64 ")", location->rank, *whole);
    return status;
}

/* Most have an Enter and a Leave; trace_trim_calls() gives back what was too much. */
enum { RECORDS_PER_CALL = 2 };

static enum status read_file(struct archive_reader *reader, const struct archive_location *location,
                             const OTF2_EvtReaderCallbacks *callbacks, const char *path)
{
    uint64_t whole;
    enum status checked = archive_check_events(reader, location, path, &whole);
    if (checked != STATUS_OK && (checked != STATUS_DATA || !reader->keep_going)) return checked;
    if (checked != STATUS_OK && whole == 0) return archive_leave_out_rest(reader);
    struct err damage = {.status = STATUS_OK};
    if (checked != STATUS_OK) damage = *reader->err;
    TRY(trace_reserve_calls(reader->trace, reader->cursor.rank, whole / RECORDS_PER_CALL, reader->err));
    enum status status = read_events(reader, location, callbacks, path, whole);
    if (status == STATUS_DATA) archive_place_fault(reader);
    if (status == STATUS_DATA && reader->keep_going) return archive_leave_out_rest(reader);
    TRY(status);
    if (checked == STATUS_OK) return STATUS_OK;
    *reader->err = damage;
    return archive_leave_out_rest(reader);
}

static enum status read_location(struct archive_reader *reader, const struct archive_location *location,
                                 const OTF2_EvtReaderCallbacks *callbacks)
{
    struct archive_cursor *cursor = &reader->cursor;
    cursor->thread = location->thread;
    cursor->in_call = false;
    cursor->open_count = 0;
    cursor->last_ps = cursor->left_ps = TRACE_UNKNOWN_PS;
    archive_messages_clear();
    char *path = archive_location_path(reader, location->id, "evt");
    enum status status = path ? read_file(reader, location, callbacks, path) : err_memory(reader->err);
    free(path);
    return status;
}

struct place { /* of a location among the threads */
    int32_t rank;
    uint32_t thread;
    size_t index;
};

ORDER(by_rank_and_thread, struct place, UP(rank) UP(thread))

/* Reads the locations of one rank: thread 0, then the others. */
static enum status read_rank(struct archive_reader *reader, const struct place *places, size_t count,
                             const OTF2_EvtReaderCallbacks *callbacks)
{
    const struct archive_location *locations = reader->definitions.locations;
    struct archive_cursor *cursor = &reader->cursor;
    cursor->rank = (uint32_t)places[0].rank;
    cursor->calls = &reader->trace->ranks[cursor->rank];
    cursor->several = count > 1;
    cursor->next_request = 0;
    cursor->late_count = cursor->order_count = 0;
    map_empty(&cursor->requests);
    for (size_t i = 0; i < count; i++)
        if (locations[places[i].index].events > 0)
            TRY(read_location(reader, &locations[places[i].index], callbacks));
    TRY(archive_end_rank(reader));
    trace_trim_calls(reader->trace, cursor->rank);
    return STATUS_OK;
}

enum status archive_open_events(struct archive_reader *reader)
{
    const struct archive_definitions *definitions = &reader->definitions;
    for (size_t i = 0; i < definitions->location_count; i++)
        if (definitions->locations[i].rank != TRACE_NONE)
            OTF2_Reader_SelectLocation(reader->otf2, definitions->locations[i].id);
    if (!reader->ours) OTF2_Reader_OpenDefFiles(reader->otf2); /* there may be none */
    if (OTF2_Reader_OpenEvtFiles(reader->otf2) == OTF2_SUCCESS) return STATUS_OK;
    return archive_broken(reader, reader->anchor, "cannot open the events");
}

/* Reads places[first, end), which begin and end with a rank. */
static enum status read_places(struct archive_reader *reader, const struct place *places, size_t first, size_t end,
                               const OTF2_EvtReaderCallbacks *callbacks)
{
    for (size_t next; first < end; first = next) {
        for (next = first; next < end && places[next].rank == places[first].rank;) next++;
        TRY(read_rank(reader, places + first, next - first, callbacks));
    }
    return STATUS_OK;
}

/* --- all that is read --- */

struct block {
    size_t first, end; /* in ranks.places */
    struct builder_shard shard; /* without tables of names */
    struct archive_share share;
    struct archive_assumptions assumed;
    struct archive_behind behind;
};

struct ranks {
    struct archive_reader *reader;
    struct place *places;
    size_t place_count;
    uint64_t records;
    struct block *blocks;
    size_t block_count, block_capacity;
    OTF2_EvtReaderCallbacks *callbacks;
};

static enum status find_places(struct ranks *ranks)
{
    const struct archive_definitions *definitions = &ranks->reader->definitions;
    ranks->places = malloc((definitions->location_count + 1) * sizeof *ranks->places);
    ranks->callbacks = OTF2_EvtReaderCallbacks_New();
    if (!ranks->places || !ranks->callbacks) return err_memory(ranks->reader->err);
    archive_set_event_callbacks(ranks->callbacks);
    for (size_t i = 0; i < definitions->location_count; i++) {
        const struct archive_location *location = &definitions->locations[i];
        if (location->rank == TRACE_NONE) continue;
        ranks->places[ranks->place_count++] = (struct place){location->rank, location->thread, i};
        ranks->records += location->events;
    }
    qsort(ranks->places, ranks->place_count, sizeof *ranks->places, by_rank_and_thread);
    return STATUS_OK;
}

static void clear_ranks(struct ranks *ranks)
{
    for (size_t i = 0; i < ranks->block_count; i++) {
        builder_clear(&ranks->blocks[i].shard);
        FREE_ALL(ranks->blocks[i].share.windows, ranks->blocks[i].behind.first);
    }
    FREE_ALL(ranks->blocks, ranks->places);
    if (ranks->callbacks) OTF2_EvtReaderCallbacks_Delete(ranks->callbacks);
}

enum status archive_read_ranks_in_order(struct archive_reader *reader)
{
    struct ranks ranks = {.reader = reader};
    enum status status = find_places(&ranks);
    if (status == STATUS_OK) status = archive_open_events(reader);
    if (status == STATUS_OK) status = read_places(reader, ranks.places, 0, ranks.place_count, ranks.callbacks);
    clear_ranks(&ranks);
    return status;
}

/* --- by several threads --- */

static enum status open_block(struct archive_reader *reader, const struct ranks *ranks, const struct block *block)
{
    TRY(archive_open_handle(reader));
    for (size_t i = block->first; i < block->end; i++)
        OTF2_Reader_SelectLocation(reader->otf2, reader->definitions.locations[ranks->places[i].index].id);
    if (OTF2_Reader_OpenEvtFiles(reader->otf2) == OTF2_SUCCESS) return STATUS_OK;
    return archive_broken(reader, reader->anchor, "cannot open the events");
}

static enum status read_block(void *context, size_t number, struct err *err)
{
    const struct ranks *ranks = context;
    struct block *block = &ranks->blocks[number];
    struct archive_reader reader = *ranks->reader; /* borrows what it shares */
    reader.err = err;
    reader.trace = &block->shard.trace;
    reader.share = &block->share;
    reader.assumed = (struct archive_assumptions){0};
    reader.behind = (struct archive_behind){0};
    reader.cursor = (struct archive_cursor){0};
    archive_messages_clear();
    enum status status = open_block(&reader, ranks, block);
    if (status == STATUS_OK) status = read_places(&reader, ranks->places, block->first, block->end, ranks->callbacks);
    if (reader.otf2) OTF2_Reader_Close(reader.otf2);
    archive_cursor_clear(&reader.cursor);
    block->assumed = reader.assumed;
    block->behind = reader.behind;
    return status;
}

static enum status put_together(const struct ranks *ranks)
{
    struct archive_reader *reader = ranks->reader;
    for (size_t i = 0; i < ranks->block_count; i++) {
        struct block *block = &ranks->blocks[i];
        uint32_t first = (uint32_t)ranks->places[block->first].rank,
                 end = (uint32_t)ranks->places[block->end - 1].rank + 1;
        TRY(builder_merge(&block->shard, reader->trace, first, end, reader->err));
        TRY(builder_translate_ranks(&block->shard, reader->trace, first, end, reader->err));
        /* Of an archive in our profile a reader assumes no more than this. */
        reader->assumed.lost_message_count += block->assumed.lost_message_count;
        reader->assumed.nested_count += block->assumed.nested_count;
        reader->assumed.off_count += block->assumed.off_count;
        reader->behind.files += block->behind.files;
        reader->behind.bytes += block->behind.bytes;
        if (!reader->behind.first) {
            reader->behind.first = block->behind.first;
            block->behind.first = NULL;
        }
        for (size_t w = 0; w < block->share.window_count; w++)
            TRY(archive_put_window_part(reader, &block->share.windows[w]));
    }
    return STATUS_OK;
}

/* Each rank is a block if the number of threads is given. */
static enum status read_blocks(struct ranks *ranks, unsigned threads)
{
    const struct archive_location *locations = ranks->reader->definitions.locations;
    struct block block = {.first = 0};
    uint64_t records = 0;
    for (size_t i = 0; i < ranks->place_count; i++) {
        records += locations[ranks->places[i].index].events;
        block.end = i + 1;
        bool last = block.end == ranks->place_count;
        if (!last && ranks->places[block.end].rank == ranks->places[i].rank) continue;
        if (!last && records < (threads > 0 ? 1 : BLOCK_RECORDS) && block.end - block.first < BLOCK_LOCATIONS) continue;
        TRY(builder_begin(&block.shard, ranks->reader->trace, 0, ranks->reader->err));
        ARRAY_PUSH(ranks->blocks, ranks->block_count, ranks->block_capacity, block, ranks->reader->err);
        block.shard = (struct builder_shard){.own = 0};
        block.first = block.end;
        records = 0;
    }
    if (threads == 0) threads = parallel_threads(ranks->records, THREAD_RECORDS);
    TRY(parallel_run(ranks->block_count, threads, read_block, ranks, ranks->reader->err));
    return put_together(ranks);
}

enum status archive_read_ranks(struct archive_reader *reader, unsigned threads, bool *in_order)
{
    struct ranks ranks = {.reader = reader};
    *in_order = !reader->ours;
    if (*in_order) return STATUS_OK;
    enum status status = find_places(&ranks);
    if (status == STATUS_OK) status = read_blocks(&ranks, threads);
    for (size_t i = 0; i < ranks.block_count; i++) *in_order = *in_order || ranks.blocks[i].share.gave_up;
    clear_ranks(&ranks);
    return status;
}
