/* Writes an archive: the events of each rank, then the definitions, into a stage that then replaces the old archive. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/stage.h"
#include "trace/otf2/write.h"

/* OTF2 3.0 gathers EVENT_CHUNKS full chunks before it writes, and touches freed memory when it closes a file after
 * such a write failed (src/OTF2_File.c). With this many chunks and no more in memory the write happens in the middle
 * of an event, which reports it, and never in closing. */
enum {
    EVENT_CHUNK_BYTES = 1 << 18,
    EVENT_CHUNKS = 4,
    CHUNKS_MAX = 32,
    SPARES = 2,
    DEFINITION_CHUNK_BYTES = 4 << 20,
    DEFINITION_CHUNK_BYTES_MAX = 16 << 20,
    LOCAL_DEFINITIONS_BYTES_MAX = 256
};

static OTF2_FlushType flush_always(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* Memory of one open file. */
struct pool {
    void *chunks[CHUNKS_MAX];
    uint64_t bytes; /* of each */
    unsigned count, used;
};

/* Chunks for the next file. OTF2 clears a whole chunk for a file of a few bytes: of very many files, most of the time
 * would go into the pages of new ones. OTF2 clears these, too: the bytes written do not depend on what was in them. */
struct spares {
    struct {
        void *chunk;
        uint64_t bytes;
    } rows[SPARES]; /* of events, of definitions */
};

static void *take_chunk(struct spares *spares, uint64_t bytes)
{
    for (int i = 0; i < SPARES; i++) {
        void *chunk = spares->rows[i].chunk;
        if (!chunk || spares->rows[i].bytes != bytes) continue;
        spares->rows[i].chunk = NULL;
        return chunk;
    }
    return calloc(1, bytes);
}

static void give_chunk(struct spares *spares, void *chunk, uint64_t bytes)
{
    int row = 0;
    while (row < SPARES && spares->rows[row].chunk) row++;
    if (row == SPARES) {
        free(chunk);
        return;
    }
    spares->rows[row].chunk = chunk;
    spares->rows[row].bytes = bytes;
}

/* NULL makes OTF2 flush what it has and ask again. */
static void *allocate_chunk(void *user, OTF2_FileType type, OTF2_LocationRef location, void **file, uint64_t bytes)
{
    struct pool *pool = *file ? *file : calloc(1, sizeof *pool);
    (void)location;
    if (!pool) return NULL;
    *file = pool;
    if (pool->used == (type == OTF2_FILETYPE_EVENTS ? EVENT_CHUNKS : CHUNKS_MAX)) return NULL;
    if (pool->used == pool->count) {
        pool->chunks[pool->count] = take_chunk(user, bytes);
        if (!pool->chunks[pool->count]) return NULL;
        pool->bytes = bytes;
        pool->count++;
    }
    return pool->chunks[pool->used++];
}

static void free_chunks(void *user, OTF2_FileType type, OTF2_LocationRef location, void **file, bool final)
{
    struct pool *pool = *file;
    (void)type, (void)location;
    if (!pool) return;
    pool->used = 0;
    if (!final) return;
    for (unsigned i = 0; i < pool->count; i++) give_chunk(user, pool->chunks[i], pool->bytes);
    free(pool);
    *file = NULL;
}

/* Writes the locations of one rank. */
static enum status write_rank(struct archive_writer *writer)
{
    if (writer->make) TRY(writer->make(writer->context, writer->rank, writer->err));
    uint32_t threads = trace_thread_count(writer->trace, writer->rank);
    enum status status = STATUS_OK;
    if (writer->trace->ranks[writer->rank].count > 0) {
        int64_t end_ps = trace_rank_end_ps(writer->trace, writer->rank);
        if (end_ps > writer->last_ps) writer->last_ps = end_ps;
    }
    for (uint32_t t = 0; t < threads && !writer->failed; t++) {
        writer->outs[t] = OTF2_Archive_GetEvtWriter(writer->archive, archive_location(writer, writer->rank, t));
        writer->end_ps[t] = writer->begin_ps;
        writer->mark_next[t] = 0;
        writer->failed = !writer->outs[t];
    }
    if (!writer->failed) status = archive_write_rank(writer);
    for (uint32_t t = 0; t < threads; t++) {
        uint64_t *events = &writer->events[archive_location(writer, writer->rank, t)];
        ARCHIVE_TRY(writer, OTF2_EvtWriter_GetNumberOfEvents(writer->outs[t], events));
        ARCHIVE_TRY(writer, OTF2_Archive_CloseEvtWriter(writer->archive, writer->outs[t]));
    }
    return status;
}

static enum status write_events(struct archive_writer *writer)
{
    enum status status = STATUS_OK;
    ARCHIVE_TRY(writer, OTF2_Archive_OpenEvtFiles(writer->archive));
    for (writer->rank = 0; !writer->failed && status == STATUS_OK && writer->rank < writer->trace->rank_count;
         writer->rank++)
        status = write_rank(writer);
    ARCHIVE_TRY(writer, OTF2_Archive_CloseEvtFiles(writer->archive));
    return status;
}

static enum status fail_writing(const struct archive_writer *writer)
{
    if (errno == ENOMEM) return err_memory(writer->err);
    return err_set(writer->err, STATUS_SYSTEM, writer->directory, NULL, "cannot write the archive: %s", strerror(errno));
}

static enum status local_definitions_file(const struct archive_writer *writer, uint64_t location, const char *mode,
                                          FILE **file)
{
    char *path;
    if (asprintf(&path, "%s/" ARCHIVE_NAME "/%" PRIu64 ".def", writer->stage, location) < 0)
        return err_memory(writer->err);
    *file = fopen(path, mode);
    free(path);
    return *file ? STATUS_OK : fail_writing(writer);
}

/* Copies location 0's file for all others. OTF2 would clear a chunk of memory for each, and search all locations. */
static enum status copy_local_definitions(const struct archive_writer *writer)
{
    char bytes[LOCAL_DEFINITIONS_BYTES_MAX];
    FILE *file;
    TRY(local_definitions_file(writer, 0, "re", &file));
    size_t count = fread(bytes, 1, sizeof bytes, file);
    int cause = ferror(file) ? errno : ENODATA;
    bool whole = count > 0 && count < sizeof bytes && !ferror(file);
    fclose(file);
    errno = cause;
    if (!whole) return fail_writing(writer);
    for (uint64_t i = 1; i < writer->first_thread[writer->trace->rank_count]; i++) {
        TRY(local_definitions_file(writer, i, "wxe", &file));
        bool written = fwrite(bytes, 1, count, file) == count;
        if (fclose(file) != 0 || !written) return fail_writing(writer);
    }
    return STATUS_OK;
}

/* Readers expect a file of local definitions per location, though there is nothing to say. */
static enum status write_local_definitions(struct archive_writer *writer)
{
    ARCHIVE_TRY(writer, OTF2_Archive_OpenDefFiles(writer->archive));
    OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(writer->archive, 0);
    writer->failed = writer->failed || !out;
    if (out) ARCHIVE_TRY(writer, OTF2_Archive_CloseDefWriter(writer->archive, out));
    ARCHIVE_TRY(writer, OTF2_Archive_CloseDefFiles(writer->archive));
    return writer->failed ? STATUS_OK : copy_local_definitions(writer);
}

/* Marks incomplete ranks for viewers. Our reader takes the location's property. */
static void write_markers(struct archive_writer *writer)
{
    const struct trace *trace = writer->trace;
    OTF2_MarkerWriter *out = NULL;
    for (uint32_t i = 0; i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->ranks[i];
        if (!rank->incomplete) continue;
        if (!out) {
            out = OTF2_Archive_GetMarkerWriter(writer->archive);
            writer->failed = writer->failed || !out;
            if (!out) return;
            ARCHIVE_TRY(writer, OTF2_MarkerWriter_WriteDefMarker(out, 0, "rmacast", "recording stopped here",
                                                                 OTF2_SEVERITY_HIGH));
        }
        int64_t end_ps = rank->count ? trace_rank_end_ps(trace, i) : writer->begin_ps;
        ARCHIVE_TRY(writer,
                    OTF2_MarkerWriter_WriteMarker(out, archive_time(writer, end_ps), 0, 0, OTF2_MARKER_SCOPE_LOCATION,
                                                  i, rank->incomplete_why ? rank->incomplete_why : ""));
    }
    if (out) ARCHIVE_TRY(writer, OTF2_Archive_CloseMarkerWriter(writer->archive, out));
}

static enum status number_locations(struct archive_writer *writer)
{
    const struct trace *trace = writer->trace;
    size_t largest = 1;
    writer->first_thread = malloc(((size_t)trace->rank_count + 1) * sizeof *writer->first_thread);
    if (!writer->first_thread) return err_memory(writer->err);
    writer->first_thread[0] = trace->rank_count;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        uint32_t threads = trace_thread_count(trace, r);
        writer->first_thread[r + 1] = writer->first_thread[r] + threads - 1;
        if (threads > largest) largest = threads;
    }
    writer->events = calloc(writer->first_thread[trace->rank_count] + 1, sizeof *writer->events);
    writer->outs = calloc(largest, sizeof *writer->outs);
    writer->end_ps = calloc(largest, sizeof *writer->end_ps);
    writer->mark_next = calloc(largest, sizeof *writer->mark_next);
    bool made = writer->events && writer->outs && writer->end_ps && writer->mark_next;
    return made ? STATUS_OK : err_memory(writer->err);
}

/* Before the archive is open: OTF2 ends the process when an archive without events is closed. */
static enum status allocate_all(struct archive_writer *writer)
{
    TRY(number_locations(writer));
    writer->comm_made = calloc(writer->trace->definitions.comm_count + 1, sizeof *writer->comm_made);
    writer->windows = calloc(writer->trace->definitions.window_count + 1, sizeof *writer->windows);
    writer->list = OTF2_AttributeList_New();
    writer->mark_list = OTF2_AttributeList_New();
    if (!writer->comm_made || !writer->windows || !writer->list || !writer->mark_list) return err_memory(writer->err);
    return epoch_cursor_init(&writer->cursor, writer->trace, writer->err);
}

static enum status write_archive(struct archive_writer *writer, struct spares *spares)
{
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate_chunk, .otf2_free_all = free_chunks};
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
    ARCHIVE_TRY(writer, OTF2_Archive_SetFlushCallbacks(writer->archive, &flush, NULL));
    ARCHIVE_TRY(writer, OTF2_Archive_SetMemoryCallbacks(writer->archive, &memory, spares));
    ARCHIVE_TRY(writer, OTF2_Archive_SetSerialCollectiveCallbacks(writer->archive));
    ARCHIVE_TRY(writer, OTF2_Archive_SetCreator(writer->archive, "rmacast " RMACAST_VERSION));
    TRY(write_events(writer));
    TRY(write_local_definitions(writer));
    if (!writer->failed) TRY(archive_write_definitions(writer));
    if (!writer->failed) write_markers(writer);
    return STATUS_OK;
}

static void clear_writer(struct archive_writer *writer)
{
    for (size_t i = 0; writer->windows && i < writer->trace->definitions.window_count; i++)
        free(writer->windows[i].operations);
    free(writer->windows);
    epoch_cursor_clear(&writer->cursor);
    FREE_ALL(writer->comm_made, writer->events, writer->first_thread, writer->outs, writer->end_ps, writer->mark_next);
    if (writer->list) OTF2_AttributeList_Delete(writer->list);
    if (writer->mark_list) OTF2_AttributeList_Delete(writer->mark_list);
    map_clear(&writer->requests);
    map_clear(&writer->acquisitions);
    map_clear(&writer->held);
}

/* Writes traces.otf2, traces.def and traces/ into an existing directory. */
static enum status write_into(struct archive_writer writer)
{
    const struct trace *trace = writer.trace;
    struct spares spares = {.rows = {{.chunk = NULL}}};
    uint64_t definitions =
        64 * (uint64_t)trace->rank_count; /* bytes of the largest record, a group of all ranks, and more */
    writer.begin_ps = writer.last_ps = trace_begin_ps(trace);
    if (writer.begin_ps < 0) writer.zero = -(uint64_t)writer.begin_ps;
    if (definitions < DEFINITION_CHUNK_BYTES) definitions = DEFINITION_CHUNK_BYTES;
    if (definitions > DEFINITION_CHUNK_BYTES_MAX) definitions = DEFINITION_CHUNK_BYTES_MAX;
    archive_messages_catch();
    enum status status = allocate_all(&writer);
    if (status == STATUS_OK)
        writer.archive = OTF2_Archive_Open(writer.stage, ARCHIVE_NAME, OTF2_FILEMODE_WRITE, EVENT_CHUNK_BYTES, definitions,
                                           OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    writer.failed = !writer.archive;
    if (writer.archive) {
        status = write_archive(&writer, &spares);
        ARCHIVE_TRY(&writer, OTF2_Archive_Close(writer.archive)); /* else it is lost: closing would continue to write */
    }
    clear_writer(&writer);
    for (int i = 0; i < SPARES; i++) free(spares.rows[i].chunk);
    TRY(status);
    /* Errors of the last writes, in closing, have a message but no code. */
    if (!writer.failed && !archive_has_message()) return STATUS_OK;
    int refusal = archive_refusal();
    if (refusal != 0) return archive_refused(refusal, writer.directory, "cannot write the archive", writer.err);
    return err_set(writer.err, STATUS_SYSTEM, writer.directory, NULL, "cannot write the archive: %s", archive_message());
}

static enum status write_staged(struct archive_writer writer)
{
    struct archive_stage stage;
    TRY(archive_stage_open(writer.directory, &stage, writer.err));
    writer.stage = stage.path;
    enum status status = archive_stage_check(&stage, write_into(writer), writer.err);
    if (status == STATUS_OK) status = archive_stage_commit(&stage, writer.err);
    archive_stage_close(&stage);
    return status;
}

enum status otf2_write_view(const struct trace *trace, const struct otf2_view *view, const char *directory,
                            struct err *err)
{
    TRY(trace_check(trace, err));
    return write_staged((struct archive_writer){.trace = trace, .view = view, .directory = directory, .err = err});
}

enum status otf2_write(const struct trace *trace, const char *directory, struct err *err)
{
    return otf2_write_view(trace, NULL, directory, err);
}

enum status otf2_write_ranks(const struct trace *trace, otf2_rank_maker *make, void *context, const char *directory,
                             struct err *err)
{
    TRY(trace_check_definitions(trace, err));
    return write_staged(
        (struct archive_writer){.trace = trace, .make = make, .context = context, .directory = directory, .err = err});
}
