#include "trace/otf2_file.h"

#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the frame. A chunk of events begins with a mark, the byte order and the numbers of its first and last event. */
enum { END_OF_FILE = 1, END_OF_CHUNK = 2, CHUNK_HEADER = 3, LITTLE_ENDIAN_MARK = 0x42, BIG_ENDIAN_MARK = 0x23 };
enum { HOST_IS_LITTLE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
enum { HEADER_BYTES = 2, CHUNK_HEADER_BYTES = 18, END_BYTES = 3 };

static enum status truncated(const char *path, long bytes, struct err *err)
{
    return err_set(err, STATUS_DATA, path, NULL, "truncated: %ld bytes without OTF2's end mark, expected a whole file", bytes);
}

static enum status check_header(const char *path, const uint8_t *header, struct err *err)
{
    if (header[0] == CHUNK_HEADER && (header[1] == LITTLE_ENDIAN_MARK || header[1] == BIG_ENDIAN_MARK)) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL, "begins with bytes %02x %02x, expected an OTF2 file", header[0], header[1]);
}

/* The marks are the last two bytes; the anchor has a zero behind them. */
static bool ends(const uint8_t end[END_BYTES])
{
    const uint8_t *mark = end[END_BYTES - 1] == 0 ? end : end + 1;
    return mark[0] == END_OF_CHUNK && mark[1] == END_OF_FILE;
}

/* Opens a file and finds its length and the frame's ends right. */
static enum status open_file(const char *path, FILE **file, long *bytes, struct err *err)
{
    uint8_t header[HEADER_BYTES] = {0}, end[END_BYTES] = {0};
    FILE *in = fopen(path, "rb");
    if (!in) return err_set(err, STATUS_DATA, path, NULL, "cannot open: %s", strerror(errno));
    bool read = fseek(in, 0, SEEK_END) == 0 && (*bytes = ftell(in)) >= 0;
    bool whole = read && *bytes >= HEADER_BYTES + END_BYTES && fseek(in, 0, SEEK_SET) == 0 &&
                 fread(header, sizeof header, 1, in) == 1 && fseek(in, -END_BYTES, SEEK_END) == 0 &&
                 fread(end, sizeof end, 1, in) == 1;
    enum status status = STATUS_OK;
    if (!read)
        status = err_set(err, STATUS_DATA, path, NULL, "cannot read: %s", strerror(errno));
    else if (!whole)
        status = truncated(path, *bytes, err);
    else
        status = check_header(path, header, err);
    if (status == STATUS_OK && !ends(end)) status = truncated(path, *bytes, err);
    if (status == STATUS_OK)
        *file = in;
    else
        fclose(in);
    return status;
}

enum status archive_file_check(const char *path, struct err *err)
{
    FILE *file;
    long bytes;
    TRY(open_file(path, &file, &bytes, err));
    fclose(file);
    return STATUS_OK;
}

/* The anchor: frame, "OTF2", format, 38 bytes of numbers, three strings, from format 2 on a count and two strings each. */
enum { ANCHOR_FORMAT = 7, ANCHOR_STRINGS = 46, ANCHOR_STRING_COUNT = 3, ANCHOR_BYTES_MAX = 1 << 30 };

static bool properties_fit(const uint8_t *anchor, size_t bytes)
{
    size_t at = ANCHOR_STRINGS;
    if (bytes < ANCHOR_STRINGS || memcmp(anchor + HEADER_BYTES, "OTF2", sizeof "OTF2") != 0) return false;
    if (anchor[ANCHOR_FORMAT] < 2) return true;
    for (int i = 0; i < ANCHOR_STRING_COUNT; i++) {
        const uint8_t *end = at < bytes ? memchr(anchor + at, 0, bytes - at) : NULL;
        if (!end) return false;
        at = (size_t)(end - anchor) + 1;
    }
    uint32_t count;
    if (bytes - at < sizeof count) return false;
    memcpy(&count, anchor + at, sizeof count);
    if ((anchor[1] == LITTLE_ENDIAN_MARK) != HOST_IS_LITTLE) count = bswap_32(count);
    return count <= (bytes - at) / 2;
}

enum status archive_file_check_anchor(const char *path, struct err *err)
{
    FILE *file;
    long bytes;
    TRY(open_file(path, &file, &bytes, err));
    uint8_t *anchor = bytes < ANCHOR_BYTES_MAX ? malloc((size_t)bytes) : NULL;
    enum status status = anchor ? STATUS_OK : err_memory(err);
    if (anchor && (fseek(file, 0, SEEK_SET) != 0 || fread(anchor, (size_t)bytes, 1, file) != 1))
        status = err_set(err, STATUS_DATA, path, NULL, "cannot read: %s", strerror(errno));
    if (status == STATUS_OK && !properties_fit(anchor, (size_t)bytes))
        status = err_set(err, STATUS_DATA, path, NULL, "damaged, expected the anchor file of an OTF2 archive");
    free(anchor);
    fclose(file);
    return status;
}

static uint64_t number(const uint8_t *bytes, uint8_t order)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return (order == LITTLE_ENDIAN_MARK) == HOST_IS_LITTLE ? value : bswap_64(value);
}

static enum status check_chunks(const char *path, FILE *file, long bytes, uint64_t chunk_bytes, uint64_t events, struct err *err)
{
    uint64_t last = 0;
    for (uint64_t at = 0; at < (uint64_t)bytes; at += chunk_bytes) {
        uint8_t header[CHUNK_HEADER_BYTES];
        if ((uint64_t)bytes - at < CHUNK_HEADER_BYTES + END_BYTES) return truncated(path, bytes, err);
        if (fseek(file, (long)at, SEEK_SET) != 0 || fread(header, sizeof header, 1, file) != 1)
            return err_set(err, STATUS_DATA, path, NULL, "cannot read: %s", strerror(errno));
        TRY(check_header(path, header, err));
        uint64_t first = number(header + HEADER_BYTES, header[1]);
        if (first != last + 1)
            return err_set(err, STATUS_DATA, path, NULL, "a chunk begins with event %" PRIu64 ", expected %" PRIu64, first, last + 1);
        last = number(header + HEADER_BYTES + sizeof last, header[1]);
        if (last > events) break;
    }
    if (last == events) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL, "holds %" PRIu64 " events, expected the %" PRIu64 " that the definitions name",
                   last, events);
}

enum status archive_file_check_events(const char *path, uint64_t chunk_bytes, uint64_t events, struct err *err)
{
    FILE *file;
    long bytes;
    TRY(open_file(path, &file, &bytes, err));
    enum status status = check_chunks(path, file, bytes, chunk_bytes, events, err);
    fclose(file);
    return status;
}
