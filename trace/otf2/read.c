/* Reads an archive: anchor and definitions, then the events (read_ranks.c). */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/files/file_claims.h"
#include "common/units.h"
#include "common/warning.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/archive_file.h"
#include "trace/otf2/read.h"

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
    if (!directory && errno == ENOMEM) return err_memory(reader->err);
    if (!directory) return err_set(reader->err, STATUS_DATA, reader->path, NULL, "cannot open: %s", strerror(errno));
    char name[NAME_MAX + 1] = "";
    unsigned found = 0;
    bool usual = false;
    for (struct dirent *entry; !usual && (errno = 0, entry = readdir(directory));) {
        if (!is_anchor(entry->d_name)) continue;
        usual = strcmp(entry->d_name, ARCHIVE_ANCHOR) == 0;
        found++;
        snprintf(name, sizeof name, "%s", entry->d_name);
    }
    int cause = usual ? 0 : errno;
    closedir(directory);
    if (cause != 0) return err_set(reader->err, STATUS_SYSTEM, reader->path, NULL, "cannot be read: %s", strerror(cause));
    if (!usual && found != 1)
        return err_set(reader->err, STATUS_DATA, reader->path, NULL, "%u OTF2 anchor files (*.otf2), expected one",
                       found);
    if (asprintf(&reader->anchor, "%s/%s", reader->path, name) >= 0) return STATUS_OK;
    reader->anchor = NULL;
    return err_memory(reader->err);
}

/* OTF2 opens them. */
static enum status claim_file(void *context, const char *path, bool directory, struct err *err)
{
    (void)context, (void)directory;
    return file_claim_input_path(path, err);
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
    if (!reader->base) return err_memory(reader->err);
    return otf2_visit_files(reader->anchor, claim_file, NULL, reader->err);
}

char *archive_location_path(const struct archive_reader *reader, OTF2_LocationRef location, const char *suffix)
{
    char *path;
    return asprintf(&path, "%s/%" PRIu64 ".%s", reader->base, location, suffix) < 0 ? NULL : path;
}

enum status archive_broken(struct archive_reader *reader, const char *path, const char *what)
{
    int refusal = archive_refusal();
    if (refusal != 0) return archive_refused(refusal, path, what, reader->err);
    return err_set(reader->err, STATUS_DATA, path, NULL, "%s: %s, expected a whole OTF2 archive", what,
                   archive_message());
}

enum status archive_open_handle(struct archive_reader *reader)
{
    reader->otf2 = OTF2_Reader_Open(reader->anchor);
    if (reader->otf2 && OTF2_Reader_SetSerialCollectiveCallbacks(reader->otf2) == OTF2_SUCCESS) return STATUS_OK;
    return archive_broken(reader, reader->anchor, "cannot open the archive");
}

enum status archive_note_behind(struct archive_reader *reader, const char *path, uint64_t bytes)
{
    if (bytes == 0) return STATUS_OK;
    if (!reader->behind.first && !(reader->behind.first = strdup(path))) return err_memory(reader->err);
    reader->behind.files++;
    reader->behind.bytes += bytes;
    return STATUS_OK;
}

void archive_tell_behind(const struct archive_reader *reader)
{
    const struct archive_behind *behind = &reader->behind;
    char others[64] = "";
    if (behind->files == 0) return;
    if (behind->files > 1)
        snprintf(others, sizeof others, ", there and in %" PRIu64 " other file%s", behind->files - 1,
                 units_plural(behind->files - 1));
    warning_tell("%s: %" PRIu64 " byte%s behind OTF2's end mark%s, left out", behind->first, behind->bytes,
                 units_plural(behind->bytes), others);
}

static enum status open_archive(struct archive_reader *reader)
{
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    uint64_t definition_chunk_bytes, behind = 0;
    TRY(archive_file_check_anchor(reader->anchor, &behind, reader->err));
    TRY(archive_note_behind(reader, reader->anchor, behind));
    TRY(archive_open_handle(reader));
    if (OTF2_Reader_GetChunkSize(reader->otf2, &reader->chunk_bytes, &definition_chunk_bytes) != OTF2_SUCCESS ||
        OTF2_Reader_GetFileSubstrate(reader->otf2, &substrate) != OTF2_SUCCESS ||
        OTF2_Reader_GetCompression(reader->otf2, &compression) != OTF2_SUCCESS)
        return archive_broken(reader, reader->anchor, "cannot open the archive");
    if (substrate != OTF2_SUBSTRATE_POSIX || compression != OTF2_COMPRESSION_NONE || reader->chunk_bytes == 0)
        return err_set(
            reader->err, STATUS_DATA, reader->anchor, NULL,
            "an archive in SION containers or compressed, expected plain files");
    char *path;
    if (asprintf(&path, "%s.def", reader->base) < 0) return err_memory(reader->err);
    enum status status = archive_file_check_definitions(path, &behind, reader->err);
    if (status == STATUS_OK) status = archive_note_behind(reader, path, behind);
    free(path);
    return status;
}

enum status archive_open(struct archive_reader *reader)
{
    TRY(name_files(reader));
    TRY(open_archive(reader));
    TRY(archive_read_definitions(reader));
    TRY(archive_make_trace(reader));
    return archive_check_memory(reader->err);
}

void archive_cursor_clear(struct archive_cursor *cursor)
{
    map_clear(&cursor->requests);
    FREE_ALL(cursor->completed, cursor->open, cursor->late, cursor->orders);
}

void archive_close(struct archive_reader *reader)
{
    if (reader->otf2) OTF2_Reader_Close(reader->otf2);
    free(reader->behind.first);
    archive_definitions_clear(&reader->definitions);
    archive_cursor_clear(&reader->cursor);
    free(reader->assumed.functions);
    map_clear(&reader->locks);
    FREE_ALL(reader->self, reader->anchor, reader->base);
}

static void begin_reading(struct archive_reader *reader, const char *path, bool keep_going, struct err *err)
{
    *reader = (struct archive_reader){.path = path, .keep_going = keep_going, .err = err};
    archive_messages_catch();
}

static enum status read_with(struct archive_reader *reader, const char *path, bool keep_going, unsigned threads,
                             struct err *err)
{
    bool in_order = false;
    begin_reading(reader, path, keep_going, err);
    TRY(archive_open(reader));
    enum status status = archive_read_ranks(reader, threads, &in_order);
    if (!in_order) return status;
    if (reader->ours) { /* a trace of which threads have made a part */
        trace_free(reader->trace);
        archive_close(reader);
        begin_reading(reader, path, keep_going, err);
        TRY(archive_open(reader));
    }
    return archive_read_ranks_in_order(reader);
}

enum status otf2_read_by(unsigned threads, const char *path, bool keep_going, struct trace **trace, struct err *err)
{
    struct err own; /* messages are taken apart */
    struct archive_reader reader;
    enum status status = read_with(&reader, path, keep_going, threads, err ? err : &own);
    if (status == STATUS_OK) status = archive_tell_assumptions(&reader);
    if (status == STATUS_OK) archive_tell_behind(&reader);
    archive_close(&reader);
    if (status == STATUS_OK)
        *trace = reader.trace;
    else
        trace_free(reader.trace);
    return status;
}

enum status otf2_read(const char *path, struct trace **trace, struct err *err)
{
    return otf2_read_by(0, path, false, trace, err);
}
