#include "trace/otf2/slices.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/array.h"
#include "trace/otf2/read.h"

/* A reader has one chunk and one descriptor. While all stay open, a few calls are worth a reading; else as many as take the time
 * of opening a reader and of finding its place. */
enum { READERS_MAX = 1024, OTHER_DESCRIPTORS = 128, BATCH_OPEN = 16 };

struct rank_reader {
    const struct archive_location *location;
    struct archive_cursor cursor; /* while another rank is at work */
    OTF2_EvtReader *in;           /* NULL: closed */
    uint64_t done;                /* records read */
    uint64_t limit;               /* those that can be read, from the first reading on */
    char *damage;                 /* why not all can be; owned; NULL: they can */
    uint64_t used;                /* when it was at work last */
    bool begun;
};

struct archive_source {
    char *path;
    struct archive_reader reader;
    OTF2_EvtReaderCallbacks *callbacks;
    struct rank_reader *ranks;
    uint64_t turn;
    uint32_t open_count, open_most;
    struct rlimit limit; /* of descriptors, as it was before it was raised */
    bool raised;
};

static void close_reader(struct archive_source *source, struct rank_reader *rank)
{
    if (!rank->in) return;
    OTF2_Reader_CloseEvtReader(source->reader.otf2, rank->in);
    rank->in = NULL;
    source->open_count--;
}

static void close_least_used(struct archive_source *source)
{
    struct rank_reader *least = NULL;
    for (uint32_t r = 0; r < source->reader.trace->rank_count; r++) {
        struct rank_reader *rank = &source->ranks[r];
        if (rank->in && (!least || rank->used < least->used)) least = rank;
    }
    if (least) close_reader(source, least);
}

static enum status open_reader(struct archive_source *source, struct rank_reader *rank, const char *path)
{
    struct archive_reader *reader = &source->reader;
    if (source->open_count == source->open_most) close_least_used(source);
    rank->in = OTF2_Reader_GetEvtReader(reader->otf2, rank->location->id);
    if (!rank->in) return archive_broken(reader, path, "cannot open the events");
    source->open_count++;
    if (OTF2_Reader_RegisterEvtCallbacks(reader->otf2, rank->in, source->callbacks, reader) != OTF2_SUCCESS ||
        (rank->done > 0 && OTF2_EvtReader_Seek(rank->in, rank->done + 1) != OTF2_SUCCESS))
        return archive_broken(reader, path, "cannot read the events");
    return STATUS_OK;
}

/* Two records at least make a call. */
static enum status read_records(struct archive_source *source, struct rank_reader *rank, const char *path,
                                size_t wanted)
{
    struct archive_reader *reader = &source->reader;
    const struct trace_rank *calls = reader->cursor.calls;
    while (rank->done < rank->limit && calls->count < wanted) {
        uint64_t left = rank->limit - rank->done, records = 2 * (wanted - calls->count), read;
        if (records > left) records = left;
        OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(reader->otf2, rank->in, records, &read);
        if (reader->status != STATUS_OK) return reader->status;
        if (code != OTF2_SUCCESS || read == 0) return archive_broken(reader, path, "cannot read the events");
        rank->done += read;
    }
    if (rank->done < rank->limit) return STATUS_OK;
    close_reader(source, rank);
    if (rank->damage) return err_set(reader->err, STATUS_DATA, NULL, NULL, "%s", rank->damage);
    TRY(archive_end_location(reader));
    return archive_end_rank(reader);
}

static enum status begin_rank(struct archive_source *source, struct rank_reader *rank, const char *path, bool keeps_going)
{
    struct archive_reader *reader = &source->reader;
    uint64_t whole;
    enum status status = archive_check_events(reader, rank->location, path, &whole);
    rank->begun = true;
    rank->limit = rank->location->events;
    if (status != STATUS_DATA || !keeps_going) return status;
    rank->limit = whole;
    rank->damage = strdup(reader->err->text);
    return rank->damage ? STATUS_OK : err_memory(reader->err);
}

/* Leaves out what follows a fault. */
static enum status end_at_fault(struct archive_source *source, struct rank_reader *rank)
{
    close_reader(source, rank);
    rank->done = rank->limit;
    TRY(archive_leave_out_rest(&source->reader));
    return archive_end_rank(&source->reader);
}

static enum status read_on(struct archive_source *source, struct rank_reader *rank, size_t wanted, bool keeps_going)
{
    struct archive_reader *reader = &source->reader;
    char *path = archive_location_path(reader, rank->location->id, "evt");
    if (!path) return err_memory(reader->err);
    enum status status = STATUS_OK;
    if (!rank->begun) status = begin_rank(source, rank, path, keeps_going);
    if (status == STATUS_OK && !rank->in && rank->limit > 0) status = open_reader(source, rank, path);
    if (status == STATUS_OK) status = read_records(source, rank, path, wanted);
    if (status == STATUS_DATA && !rank->damage) archive_place_fault(reader);
    if (status == STATUS_DATA && keeps_going) status = end_at_fault(source, rank);
    free(path);
    return status;
}

static enum status read_archive(struct trace_source *of, uint32_t number, size_t calls, bool *ended, struct err *err)
{
    struct archive_source *source = of->state;
    struct rank_reader *rank = &source->ranks[number];
    *ended = !rank->location || rank->location->events == 0;
    if (*ended) return STATUS_OK;
    source->reader.err = err;
    source->reader.in_slices = !of->keeps_before;
    source->reader.adds_before = of->adds_before;
    source->reader.cursor = rank->cursor;
    source->reader.cursor.calls = &of->trace->ranks[number];
    rank->used = ++source->turn;
    enum status status = read_on(source, rank, of->trace->ranks[number].count + calls, of->keeps_going);
    rank->cursor = source->reader.cursor;
    source->reader.cursor = (struct archive_cursor){0};
    *ended = rank->done == rank->limit;
    return status;
}

static enum status calls_moved(struct trace_source *of, uint32_t number, const size_t *moved, struct err *err)
{
    struct archive_source *source = of->state;
    struct map *requests = &source->ranks[number].cursor.requests, stay = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && requests->count > 0 && i < requests->capacity; i++)
        if (requests->used[i] && moved[requests->values[i]] != SOURCE_GONE)
            status = map_set(&stay, requests->keys[i], moved[requests->values[i]], err);
    if (status != STATUS_OK) {
        map_clear(&stay);
        return status;
    }
    map_clear(requests);
    *requests = stay;
    return STATUS_OK;
}

static enum status end_archive(struct trace_source *of, struct err *err)
{
    struct archive_source *source = of->state;
    source->reader.err = err;
    return archive_tell_assumptions(&source->reader);
}

static void close_archive(struct trace_source *of)
{
    struct archive_source *source = of->state;
    bool read = false;
    for (uint32_t r = 0; source->ranks && r < source->reader.trace->rank_count; r++) {
        close_reader(source, &source->ranks[r]);
        read = read || source->ranks[r].begun;
        archive_cursor_clear(&source->ranks[r].cursor);
        free(source->ranks[r].damage);
    }
    if (source->callbacks) OTF2_EvtReaderCallbacks_Delete(source->callbacks);
    if (source->raised) setrlimit(RLIMIT_NOFILE, &source->limit);
    if (read) archive_tell_behind(&source->reader);
    archive_close(&source->reader);
    FREE_ALL(source->ranks, source->path, source);
}

/* Raises the soft limit while the archive is read. */
static void choose_readers(struct archive_source *source)
{
    const rlim_t ranks = source->reader.trace->rank_count < READERS_MAX ? source->reader.trace->rank_count : READERS_MAX;
    source->open_most = 1;
    if (getrlimit(RLIMIT_NOFILE, &source->limit) != 0) return;
    struct rlimit raised = source->limit;
    if (raised.rlim_cur < ranks + OTHER_DESCRIPTORS) {
        raised.rlim_cur = raised.rlim_max < ranks + OTHER_DESCRIPTORS ? raised.rlim_max : ranks + OTHER_DESCRIPTORS;
        source->raised = setrlimit(RLIMIT_NOFILE, &raised) == 0;
        if (!source->raised) raised = source->limit;
    }
    const rlim_t free_ones = raised.rlim_cur > OTHER_DESCRIPTORS ? raised.rlim_cur - OTHER_DESCRIPTORS : 1;
    source->open_most = (uint32_t)(free_ones < READERS_MAX ? free_ones : READERS_MAX);
}

static enum status open_archive(struct archive_source *source, bool *possible, uint64_t *events)
{
    struct archive_reader *reader = &source->reader;
    TRY(archive_open(reader));
    /* *possible false: some rank has several locations. */
    const struct archive_definitions *definitions = &reader->definitions;
    source->ranks = calloc((size_t)reader->trace->rank_count + 1, sizeof *source->ranks);
    if (!source->ranks) return err_memory(reader->err);
    *possible = reader->ours;
    *events = 0;
    for (size_t i = 0; i < definitions->location_count; i++) {
        const struct archive_location *location = &definitions->locations[i];
        if (location->rank == TRACE_NONE) continue;
        struct rank_reader *rank = &source->ranks[location->rank];
        if (rank->location) *possible = false;
        rank->location = location;
        rank->cursor.rank = (uint32_t)location->rank;
        rank->cursor.last_ps = rank->cursor.left_ps = TRACE_UNKNOWN_PS;
        *events += location->events;
    }
    if (!*possible) return STATUS_OK;
    source->callbacks = OTF2_EvtReaderCallbacks_New();
    if (!source->callbacks) return err_memory(reader->err);
    archive_set_event_callbacks(source->callbacks);
    choose_readers(source);
    return archive_open_events(reader);
}

enum status otf2_slices_open(const char *path, struct trace_source *source, bool *possible, uint64_t *events,
                             struct err *err)
{
    *source = (struct trace_source){.read = read_archive, .moved = calls_moved, .end = end_archive, .close = close_archive};
    struct archive_source *state = calloc(1, sizeof *state);
    if (!state) return err_memory(err);
    source->state = state;
    state->path = strdup(path);
    state->reader = (struct archive_reader){.path = state->path, .err = err};
    archive_messages_catch();
    enum status status = state->path ? open_archive(state, possible, events) : err_memory(err);
    source->trace = state->reader.trace;
    if (source->trace && state->open_most >= source->trace->rank_count) source->batch = BATCH_OPEN;
    if (status != STATUS_OK || !*possible) source_close(source);
    return status;
}
