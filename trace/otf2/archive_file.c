#include "trace/otf2/archive_file.h"

#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files/input_file.h"

/* Bytes of the frame. Every file and every chunk of events begins with a mark and the byte order; records are a type, a
 * length and that many bytes. */
enum { END_OF_FILE = 1, END_OF_CHUNK = 2, CHUNK_HEADER = 3, TIMESTAMP = 5, ATTRIBUTES = 6, FIRST_RECORD_TYPE = 10 };
enum { LITTLE_ENDIAN_MARK = 0x42, BIG_ENDIAN_MARK = 0x23, LONG_LENGTH = 0xff };
enum { HOST_IS_LITTLE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
/* A header is the mark, the byte order and the numbers of the first and the last event (of definitions: 1 and 0). */
enum { MARK_BYTES = 2, HEADER_BYTES = 18, TIMESTAMP_BYTES = 9, END_BYTES = 2, CHUNK_BYTES_MAX = 64 << 20 };

/* A file in memory, as a whole or one chunk of it. */
struct piece {
    const char *path;
    struct err *err;
    uint8_t *bytes;
    uint64_t count;
    uint64_t begin; /* in the file */
};

static enum status fail_damaged(const struct piece *piece, uint64_t at, const char *expected)
{
    return err_set(piece->err, STATUS_DATA, piece->path, NULL, "damaged or truncated at byte %" PRIu64 ", expected %s",
                   piece->begin + at, expected);
}

static enum status fail_reading(const char *path, struct err *err)
{
    return err_set(err, STATUS_DATA, path, NULL, "cannot read: %s", strerror(errno));
}

/* Where it can be read, it is shorter than a moment ago. */
static enum status fail_cut(const char *path, struct err *err)
{
    return err_set(err, STATUS_DATA, path, NULL, "has become shorter while it is read");
}

static uint64_t read_number(const struct piece *piece, uint64_t at)
{
    uint64_t value;
    memcpy(&value, piece->bytes + at, sizeof value);
    return (piece->bytes[1] == LITTLE_ENDIAN_MARK) == HOST_IS_LITTLE ? value : bswap_64(value);
}

static bool is_mark(const uint8_t bytes[MARK_BYTES])
{
    return bytes[0] == CHUNK_HEADER && (bytes[1] == LITTLE_ENDIAN_MARK || bytes[1] == BIG_ENDIAN_MARK);
}

static enum status check_mark(const struct piece *piece)
{
    const uint8_t *bytes = piece->bytes;
    if (piece->count < MARK_BYTES + END_BYTES) return fail_damaged(piece, piece->count, "an OTF2 file");
    if (is_mark(bytes)) return STATUS_OK;
    return err_set(piece->err, STATUS_DATA, piece->path, NULL,
                   "bytes %02x %02x at byte %" PRIu64 ", expected an OTF2 file", bytes[0], bytes[1], piece->begin);
}

bool archive_file_has_mark(int descriptor)
{
    uint8_t bytes[MARK_BYTES];
    return read(descriptor, bytes, sizeof bytes) == (ssize_t)sizeof bytes && is_mark(bytes);
}

static enum status open_file(const char *path, struct input_file *in, uint64_t *bytes, struct err *err)
{
    TRY(input_file_open(path, in, err));
    long end = fseek(in->file, 0, SEEK_END) == 0 ? ftell(in->file) : -1;
    if (end < 0 || fseek(in->file, 0, SEEK_SET) != 0) return input_file_close(in, fail_reading(path, err), err);
    *bytes = (uint64_t)end;
    return STATUS_OK;
}

static enum status check_file(const char *path, enum status (*check)(const struct piece *, uint64_t *behind),
                              uint64_t *behind, struct err *err)
{
    struct input_file in;
    struct piece piece = {.path = path, .err = err};
    TRY(open_file(path, &in, &piece.count, err));
    enum status status;
    piece.bytes = malloc(piece.count + 1);
    if (!piece.bytes)
        status = err_memory(err);
    else if (input_file_read(&in, piece.bytes, piece.count) != piece.count)
        status = fail_cut(path, err);
    else
        status = check(&piece, behind);
    free(piece.bytes);
    return input_file_close(&in, status, err);
}

/* Bytes of the record at `at`, 0 if it does not fit. An undefined value is one byte that looks like
 * the mark of a long length. */
static uint64_t record_bytes(const struct piece *piece, bool events, uint64_t at)
{
    uint64_t left = piece->count - at, length;
    if (events && piece->bytes[at] == TIMESTAMP) return left >= TIMESTAMP_BYTES ? TIMESTAMP_BYTES : 0;
    if (left < 2) return 0;
    length = piece->bytes[at + 1];
    if (length != LONG_LENGTH) return length + 2 <= left ? length + 2 : 0;
    if (left < 2 + sizeof length) return 2;
    length = read_number(piece, at + 2);
    return length <= left - 2 - sizeof length ? length + 2 + sizeof length : 2;
}

/* Definitions that do not fit into one chunk: zeros follow the last record of a chunk up to the next one's header.
 * True: *at is behind that. */
static bool next_chunk(const struct piece *piece, uint64_t *at)
{
    uint64_t header = *at;
    while (header < piece->count && piece->bytes[header] == 0) header++;
    if (piece->count - header < HEADER_BYTES || piece->bytes[header] != CHUNK_HEADER ||
        piece->bytes[header + 1] != piece->bytes[1])
        return false;
    *at = header + HEADER_BYTES;
    return true;
}

/* Walks events up to the wanted number, or definitions up to the end mark. */
static enum status walk_records(const struct piece *piece, bool events, uint64_t wanted, uint64_t *at)
{
    for (uint64_t records = 0; records < wanted;) {
        if (*at >= piece->count) return fail_damaged(piece, *at, "OTF2's end mark");
        uint8_t type = piece->bytes[*at];
        bool aside = events && (type == TIMESTAMP || type == ATTRIBUTES);
        if (type == END_OF_CHUNK && !events) return STATUS_OK;
        if (!events && next_chunk(piece, at)) continue;
        uint64_t bytes = type >= FIRST_RECORD_TYPE || aside || !events ? record_bytes(piece, events, *at) : 0;
        if (bytes == 0 || type <= CHUNK_HEADER) return fail_damaged(piece, *at, "a whole record");
        records += !aside;
        *at += bytes;
    }
    return STATUS_OK;
}

static bool is_end(const struct piece *piece, uint64_t at)
{
    return at + END_BYTES <= piece->count && piece->bytes[at] == END_OF_CHUNK && piece->bytes[at + 1] == END_OF_FILE;
}

/* *behind: how many bytes of the piece follow. */
static enum status check_end(const struct piece *piece, uint64_t at, uint64_t *behind)
{
    if (!is_end(piece, at)) return fail_damaged(piece, at, "OTF2's end mark");
    *behind = piece->count - at - END_BYTES;
    return STATUS_OK;
}

static enum status check_definitions(const struct piece *piece, uint64_t *behind)
{
    uint64_t at = HEADER_BYTES;
    TRY(check_mark(piece));
    if (piece->count < HEADER_BYTES + END_BYTES) return fail_damaged(piece, piece->count, "definitions");
    TRY(walk_records(piece, false, UINT64_MAX, &at));
    return check_end(piece, at, behind);
}

enum status archive_file_check_definitions(const char *path, uint64_t *behind, struct err *err)
{
    return check_file(path, check_definitions, behind, err);
}

/* The anchor: mark, "OTF2", format, 38 bytes of numbers, three strings, from format 2 on a count and two strings
 * each. */
enum { ANCHOR_FORMAT = 7, ANCHOR_STRINGS = 46, ANCHOR_STRING_COUNT = 3 };

/* Moves *at behind that many strings, each of which ends with a zero. */
static bool pass_strings(const struct piece *piece, uint64_t count, uint64_t *at)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *end = *at < piece->count ? memchr(piece->bytes + *at, 0, piece->count - *at) : NULL;
        if (!end) return false;
        *at = (uint64_t)(end - piece->bytes) + 1;
    }
    return true;
}

static enum status check_anchor(const struct piece *piece, uint64_t *behind)
{
    uint64_t at = ANCHOR_STRINGS;
    TRY(check_mark(piece));
    if (piece->count < ANCHOR_STRINGS || memcmp(piece->bytes + MARK_BYTES, "OTF2", sizeof "OTF2") != 0)
        return fail_damaged(piece, MARK_BYTES, "the anchor file of an OTF2 archive");
    if (!pass_strings(piece, ANCHOR_STRING_COUNT, &at))
        return fail_damaged(piece, piece->count, "a name of the machine, the creator, a description");
    if (piece->bytes[ANCHOR_FORMAT] >= 2) {
        uint32_t properties;
        if (piece->count - at < sizeof properties) return fail_damaged(piece, piece->count, "the number of properties");
        memcpy(&properties, piece->bytes + at, sizeof properties);
        if ((piece->bytes[1] == LITTLE_ENDIAN_MARK) != HOST_IS_LITTLE) properties = bswap_32(properties);
        if (properties > (piece->count - at) / 2)
            return fail_damaged(piece, at, "no more properties than the file has room for");
        at += sizeof properties;
        if (!pass_strings(piece, 2 * (uint64_t)properties, &at)) return fail_damaged(piece, piece->count, "a property");
    }
    /* Between the strings and the end mark are two numbers, one or none, by the version; some write a zero behind the mark. */
    uint64_t zero = piece->count > at && piece->bytes[piece->count - 1] == 0;
    if (piece->count >= at + END_BYTES + zero && is_end(piece, piece->count - END_BYTES - zero)) return STATUS_OK;
    int numbers = 2;
    while (numbers >= 0 && !is_end(piece, at + (uint64_t)numbers * sizeof(uint64_t))) numbers--;
    if (numbers < 0) return fail_damaged(piece, piece->count, "OTF2's end mark");
    at += (uint64_t)numbers * sizeof(uint64_t) + END_BYTES;
    *behind = piece->count - at - (at < piece->count && piece->bytes[at] == 0);
    return STATUS_OK;
}

enum status archive_file_check_anchor(const char *path, uint64_t *behind, struct err *err)
{
    return check_file(path, check_anchor, behind, err);
}

/* One chunk; *last is the number of the last event so far. What follows the last of all events is the end mark. */
static enum status check_chunk(const struct piece *piece, uint64_t events, uint64_t *last, uint64_t *behind)
{
    uint64_t at = HEADER_BYTES;
    TRY(check_mark(piece));
    if (piece->count < HEADER_BYTES + END_BYTES) return fail_damaged(piece, piece->count, "a chunk of events");
    uint64_t first = read_number(piece, MARK_BYTES), end = read_number(piece, MARK_BYTES + sizeof first);
    if (first != *last + 1 || end < *last)
        return err_set(piece->err, STATUS_DATA, piece->path, NULL,
                       "a chunk of events %" PRIu64 " to %" PRIu64 ", expected them to begin with %" PRIu64, first, end,
                       *last + 1);
    TRY(walk_records(piece, true, end - *last, &at));
    *last = end;
    return end == events ? check_end(piece, at, behind) : STATUS_OK;
}

static enum status check_chunks(struct input_file *in, struct piece *piece, uint64_t bytes, uint64_t chunk_bytes, uint64_t events,
                                uint64_t *whole, uint64_t *behind)
{
    uint64_t last = 0;
    for (bool ended = false; !ended && piece->begin < bytes; piece->begin += chunk_bytes) {
        uint64_t left = bytes - piece->begin;
        piece->count = left < chunk_bytes ? left : chunk_bytes;
        if (input_file_read(in, piece->bytes, piece->count) != piece->count) return fail_cut(piece->path, piece->err);
        enum status status = check_chunk(piece, events, &last, behind);
        if (piece->count == chunk_bytes || status == STATUS_OK) *whole = last < events ? last : events;
        TRY(status);
        ended = last == events;
        *behind += ended ? left - piece->count : 0;
    }
    if (last == events) return STATUS_OK;
    return err_set(piece->err, STATUS_DATA, piece->path, NULL,
                   "holds %" PRIu64 " events, expected the %" PRIu64 " that the definitions name", last, events);
}

enum status archive_file_check_events(const char *path, uint64_t chunk_bytes, uint64_t events, uint64_t *whole,
                                      uint64_t *behind, struct err *err)
{
    struct input_file in;
    uint64_t bytes;
    struct piece piece = {.path = path, .err = err};
    *whole = 0;
    if (chunk_bytes < HEADER_BYTES + END_BYTES || chunk_bytes > CHUNK_BYTES_MAX)
        return err_set(err, STATUS_DATA, path, NULL, "chunks of %" PRIu64 " bytes by the anchor, expected up to %d",
                       chunk_bytes, CHUNK_BYTES_MAX);
    TRY(open_file(path, &in, &bytes, err));
    enum status status = STATUS_OK;
    piece.bytes = malloc(bytes < chunk_bytes ? bytes + 1 : chunk_bytes);
    if (!piece.bytes)
        status = err_memory(err);
    else if (bytes == 0)
        status = fail_damaged(&piece, 0, "events");
    else
        status = check_chunks(&in, &piece, bytes, chunk_bytes, events, whole, behind);
    free(piece.bytes);
    return input_file_close(&in, status, err);
}
