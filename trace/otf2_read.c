/* Reading an archive: anchor, definitions, then the events of one location after another with local readers. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/units.h"
#include "trace/faults.h"
#include "trace/otf2.h"
#include "trace/otf2_file.h"
#include "trace/otf2_read.h"

#define ANCHOR_SUFFIX ".otf2"

static bool is_anchor(const char *name)
{
    size_t length = strlen(name), suffix = strlen(ANCHOR_SUFFIX);
    return length > suffix && strcmp(name + length - suffix, ANCHOR_SUFFIX) == 0;
}

/* The anchor file in a directory: traces.otf2, else the only one there is. */
static enum status find_anchor(struct archive_reader *reader)
{
    DIR *directory = opendir(reader->path);
    if (!directory) return err_set(reader->err, STATUS_DATA, reader->path, NULL, "cannot open: %s", strerror(errno));
    char name[NAME_MAX + 1] = "";
    unsigned found = 0;
    bool usual = false;
    for (struct dirent *entry; !usual && (entry = readdir(directory));) {
        if (!is_anchor(entry->d_name)) continue;
        usual = strcmp(entry->d_name, ARCHIVE_ANCHOR) == 0;
        found++;
        snprintf(name, sizeof name, "%s", entry->d_name);
    }
    closedir(directory);
    if (!usual && found != 1)
        return err_set(reader->err, STATUS_DATA, reader->path, NULL, "%u OTF2 anchor files (*.otf2), expected one",
                       found);
    if (asprintf(&reader->anchor, "%s/%s", reader->path, name) >= 0) return STATUS_OK;
    reader->anchor = NULL;
    return err_memory(reader->err);
}

static enum status name_files(struct archive_reader *reader)
{
    struct stat status;
    if (stat(reader->path, &status) != 0)
        return err_set(reader->err, STATUS_DATA, reader->path, NULL, "cannot open: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        TRY(find_anchor(reader));
    else if (!is_anchor(reader->path))
        return err_set(reader->err, STATUS_DATA, reader->path, NULL,
                       "no OTF2 anchor file, expected a name ending in .otf2");
    else if (!(reader->anchor = strdup(reader->path)))
        return err_memory(reader->err);
    reader->base = strndup(reader->anchor, strlen(reader->anchor) - strlen(ANCHOR_SUFFIX));
    return reader->base ? STATUS_OK : err_memory(reader->err);
}

/* "BASE.def", "BASE/7.evt"; NULL without memory. */
static char *global_definitions_path(const struct archive_reader *reader)
{
    char *path;
    return asprintf(&path, "%s.def", reader->base) < 0 ? NULL : path;
}

char *archive_location_path(const struct archive_reader *reader, OTF2_LocationRef location, const char *suffix)
{
    char *path;
    return asprintf(&path, "%s/%" PRIu64 ".%s", reader->base, location, suffix) < 0 ? NULL : path;
}

enum status archive_broken(struct archive_reader *reader, const char *path, const char *what)
{
    return err_set(reader->err, STATUS_DATA, path, NULL, "%s: %s, expected a whole OTF2 archive", what,
                   archive_message());
}

static enum status open_archive(struct archive_reader *reader)
{
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    uint64_t definition_chunk_bytes;
    TRY(archive_file_check_anchor(reader->anchor, reader->err));
    reader->otf2 = OTF2_Reader_Open(reader->anchor);
    if (!reader->otf2) return archive_broken(reader, reader->anchor, "cannot open the archive");
    if (OTF2_Reader_SetSerialCollectiveCallbacks(reader->otf2) != OTF2_SUCCESS ||
        OTF2_Reader_GetChunkSize(reader->otf2, &reader->chunk_bytes, &definition_chunk_bytes) != OTF2_SUCCESS ||
        OTF2_Reader_GetFileSubstrate(reader->otf2, &substrate) != OTF2_SUCCESS ||
        OTF2_Reader_GetCompression(reader->otf2, &compression) != OTF2_SUCCESS)
        return archive_broken(reader, reader->anchor, "cannot open the archive");
    if (substrate != OTF2_SUBSTRATE_POSIX || compression != OTF2_COMPRESSION_NONE || reader->chunk_bytes == 0)
        return err_set(
            reader->err, STATUS_DATA, reader->anchor, NULL,
            "an archive in SION containers or compressed, expected plain files");
    char *path = global_definitions_path(reader);
    enum status status = path ? archive_file_check_definitions(path, reader->err) : err_memory(reader->err);
    free(path);
    return status;
}

/* Foreign local definitions map local references to global ones and correct the clock; ours hold nothing. */
static enum status read_local_definitions(struct archive_reader *reader, OTF2_LocationRef location)
{
    if (reader->ours) return STATUS_OK;
    char *path = archive_location_path(reader, location, "def");
    if (!path) return err_memory(reader->err);
    struct stat file;
    enum status status = STATUS_OK;
    if (stat(path, &file) == 0) {
        status = archive_file_check_definitions(path, reader->err);
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
    if (done == events) return archive_end_stream(reader);
    return err_set(reader->err, STATUS_DATA, path, NULL,
                   "%" PRIu64 " events, expected the %" PRIu64 " that the definitions name", done, events);
}

/* The first `events` of a location. */
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
    return status;
}

/* The call that was open is left out with the rest; what it would have completed stays open. */
static enum status leave_out_rest(struct archive_reader *reader)
{
    struct archive_stream *stream = &reader->stream;
    reader->status = STATUS_OK;
    stream->in_call = false;
    TRY(trace_add_fault(reader->trace, stream->rank, stream->calls->count, stream->last_ps, TRACE_FAULT_UNCOUNTED,
                        reader->err->text, reader->err));
    return archive_end_stream(reader);
}

/* Which event of the rank, and when, an error in the records is about; errors of files stay as they are. */
void archive_place_fault(struct archive_reader *reader)
{
    const struct archive_stream *stream = &reader->stream;
    size_t length = strlen(reader->anchor);
    if (strncmp(reader->err->text, reader->anchor, length) != 0 || strncmp(reader->err->text + length, ": ", 2) != 0)
        return;
    char message[ERR_TEXT_BYTES], place[TRACE_PLACE_BYTES], time[UNITS_TEXT_BYTES];
    bool begun = stream->last_ps != TRACE_UNKNOWN_PS;
    snprintf(message, sizeof message, "%s", reader->err->text + length + 2);
    snprintf(place, sizeof place, "rank %" PRIu32 ", event %" PRIu64 "%s%s%s", stream->rank,
             trace_event(reader->trace, stream->rank, stream->calls->count),
             begun ? " at " : "", begun ? units_format_ps(stream->last_ps, time) : "", begun ? " s" : "");
    err_set(reader->err, STATUS_DATA, reader->anchor, place, "%s", message);
}

enum status archive_check_events(struct archive_reader *reader, const struct archive_location *location,
                                 const char *path, uint64_t *whole)
{
    enum status status = archive_file_check_events(path, reader->chunk_bytes, location->events, whole, reader->err);
    if (status != STATUS_DATA || !reader->err) return status;
    size_t length = strlen(reader->err->text);
    snprintf(reader->err->text + length, sizeof reader->err->text - length,
             " (rank %" PRId32 ", behind record %" PRIu64 ")", location->rank, *whole);
    return status;
}

static enum status read_file(struct archive_reader *reader, const struct archive_location *location,
                             const OTF2_EvtReaderCallbacks *callbacks, const char *path)
{
    uint64_t whole;
    enum status checked = archive_check_events(reader, location, path, &whole);
    if (checked != STATUS_OK && (checked != STATUS_DATA || !reader->keep_going)) return checked;
    if (checked != STATUS_OK && whole == 0) return leave_out_rest(reader);
    struct err damage = {.status = STATUS_OK};
    if (checked != STATUS_OK) damage = *reader->err;
    enum status status = read_events(reader, location, callbacks, path, whole);
    if (status == STATUS_DATA) archive_place_fault(reader);
    if (status == STATUS_DATA && reader->keep_going) return leave_out_rest(reader);
    TRY(status);
    if (checked == STATUS_OK) return STATUS_OK;
    *reader->err = damage;
    return leave_out_rest(reader);
}

static void begin_location(struct archive_reader *reader, const struct archive_location *location)
{
    struct archive_stream *stream = &reader->stream;
    stream->thread = location->thread;
    stream->in_call = false;
    stream->open_count = 0;
    stream->last_ps = TRACE_UNKNOWN_PS;
    archive_messages_clear();
}

static enum status read_location(struct archive_reader *reader, const struct archive_location *location,
                                 const OTF2_EvtReaderCallbacks *callbacks)
{
    begin_location(reader, location);
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

static int by_rank_and_thread(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    if (a->rank != b->rank) return a->rank > b->rank ? 1 : -1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* The locations of one rank: thread 0, then the others. */
static enum status read_rank(struct archive_reader *reader, const struct place *places, size_t count,
                             const OTF2_EvtReaderCallbacks *callbacks)
{
    const struct archive_location *locations = reader->definitions.locations;
    struct archive_stream *stream = &reader->stream;
    stream->rank = (uint32_t)places[0].rank;
    stream->calls = &reader->trace->ranks[stream->rank];
    stream->several = count > 1;
    stream->next_request = 0;
    stream->late_count = stream->order_count = 0;
    archive_requests_restart(&stream->requests);
    for (size_t i = 0; i < count; i++)
        if (locations[places[i].index].events > 0)
            TRY(read_location(reader, &locations[places[i].index], callbacks));
    return archive_end_rank(reader);
}

static enum status read_ranks(struct archive_reader *reader, const OTF2_EvtReaderCallbacks *callbacks)
{
    const struct archive_definitions *definitions = &reader->definitions;
    struct place *places = malloc((definitions->location_count + 1) * sizeof *places);
    size_t count = 0;
    if (!places) return err_memory(reader->err);
    for (size_t i = 0; i < definitions->location_count; i++) {
        const struct archive_location *location = &definitions->locations[i];
        if (location->rank != TRACE_NONE) places[count++] = (struct place){location->rank, location->thread, i};
    }
    qsort(places, count, sizeof *places, by_rank_and_thread);
    enum status status = STATUS_OK;
    for (size_t first = 0, next; status == STATUS_OK && first < count; first = next) {
        for (next = first; next < count && places[next].rank == places[first].rank;) next++;
        status = read_rank(reader, places + first, next - first, callbacks);
    }
    free(places);
    return status;
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

static enum status read_locations(struct archive_reader *reader)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks) return err_memory(reader->err);
    archive_set_event_callbacks(callbacks);
    enum status status = archive_open_events(reader);
    if (status == STATUS_OK) status = read_ranks(reader, callbacks);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    return status;
}

enum status archive_open(struct archive_reader *reader)
{
    TRY(name_files(reader));
    TRY(open_archive(reader));
    TRY(archive_read_definitions(reader));
    return archive_make_trace(reader);
}

static enum status read_archive(struct archive_reader *reader)
{
    TRY(archive_open(reader));
    TRY(read_locations(reader));
    return archive_tell_assumptions(reader);
}

void archive_stream_clear(struct archive_stream *stream)
{
    archive_requests_clear(&stream->requests);
    free(stream->completed);
    free(stream->open);
    free(stream->late);
    free(stream->orders);
}

void archive_close(struct archive_reader *reader)
{
    if (reader->otf2) OTF2_Reader_Close(reader->otf2);
    archive_definitions_clear(&reader->definitions);
    archive_stream_clear(&reader->stream);
    free(reader->assumed.functions);
    map_clear(&reader->locks);
    free(reader->self);
    free(reader->anchor);
    free(reader->base);
}

static enum status read_path(const char *path, bool keep_going, struct trace **trace, struct err *err)
{
    struct err own; /* messages are taken apart */
    struct archive_reader reader = {.path = path, .keep_going = keep_going, .err = err ? err : &own};
    archive_messages_catch();
    enum status status = read_archive(&reader);
    archive_close(&reader);
    if (status == STATUS_OK)
        *trace = reader.trace;
    else
        trace_free(reader.trace);
    return status;
}

enum status otf2_read(const char *path, struct trace **trace, struct err *err)
{
    return read_path(path, false, trace, err);
}

enum status otf2_read_partly(const char *path, struct trace **trace, struct err *err)
{
    return read_path(path, true, trace, err);
}
