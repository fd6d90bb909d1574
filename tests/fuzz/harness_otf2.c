/* Archives: a text trace is written as one, and lines "#@ FILE CHANGE A B C" change its records, so that most frames
 * stay whole and OTF2 gets as far as the content:
 *
 *   drop A        record A goes
 *   copy A B      a copy of record A stands before record B
 *   over A B      record B becomes a copy of record A: the number of records stays
 *   swap A B      records A and B change places
 *   set A B C     byte B of record A becomes C
 *   flip A B      bit B of the file's byte A
 *   cut A         the file ends at byte A
 *   gone          there is no such file
 *
 * FILE: traces.otf2, traces.def, traces/0.evt and so on. Numbers are taken modulo what there is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"
#include "trace/otf2/otf2.h"
#include "trace/text/text.h"

enum {
    HEADER_BYTES = 18,
    TIMESTAMP = 5,
    TIMESTAMP_BYTES = 9,
    FILE_ROOM = 1 << 20,
    RECORDS_MAX = 4096,
    CHANGES_MAX = 16
};

struct file {
    uint8_t bytes[FILE_ROOM];
    size_t size;
    size_t begin[RECORDS_MAX + 1]; /* of each record; behind the last one */
    size_t count;
};

static void find_records(struct file *file)
{
    size_t at = HEADER_BYTES;
    file->count = 0;
    while (at + 2 < file->size && file->bytes[at] > 3 && file->count < RECORDS_MAX) {
        size_t length = file->bytes[at] == TIMESTAMP ? TIMESTAMP_BYTES : (size_t)file->bytes[at + 1] + 2;
        if (at + length > file->size) break;
        file->begin[file->count++] = at;
        at += length;
    }
    file->begin[file->count] = at;
}

/* The bytes from begin to end become these. */
static void replace_bytes(struct file *file, size_t begin, size_t end, const uint8_t *with, size_t size)
{
    if (file->size - (end - begin) + size > FILE_ROOM) return;
    memmove(file->bytes + begin + size, file->bytes + end, file->size - end);
    memcpy(file->bytes + begin, with, size);
    file->size += size - (end - begin);
}

static void change_records(struct file *file, const char *change, size_t a, size_t b, size_t c)
{
    static uint8_t first[FILE_ROOM], second[FILE_ROOM];
    find_records(file);
    if (file->count == 0) return;
    a %= file->count;
    size_t at = file->begin[a], length = file->begin[a + 1] - at;
    memcpy(first, file->bytes + at, length);
    if (strcmp(change, "set") == 0) {
        file->bytes[at + b % length] = (uint8_t)c;
        return;
    }
    if (strcmp(change, "drop") == 0) {
        replace_bytes(file, at, at + length, first, 0);
        return;
    }
    b %= file->count;
    size_t to = file->begin[b], to_length = file->begin[b + 1] - to;
    memcpy(second, file->bytes + to, to_length);
    if (strcmp(change, "copy") == 0) replace_bytes(file, to, to, first, length);
    if (strcmp(change, "over") == 0) replace_bytes(file, to, to + to_length, first, length);
    if (strcmp(change, "swap") != 0 || a == b) return;
    bool forward = at < to; /* the later one first: what stands before it does not move */
    replace_bytes(file, forward ? to : at, (forward ? to + to_length : at + length), forward ? first : second,
                  forward ? length : to_length);
    replace_bytes(file, forward ? at : to, (forward ? at + length : to + to_length), forward ? second : first,
                  forward ? to_length : length);
}

static void change_file(const char *path, const char *change, size_t a, size_t b, size_t c)
{
    static struct file file;
    FILE *in = fopen(path, "rb");
    if (!in) return;
    file.size = fread(file.bytes, 1, sizeof file.bytes, in);
    fclose(in);
    if (strcmp(change, "gone") == 0) {
        remove(path);
        return;
    }
    if (strcmp(change, "flip") == 0 && file.size > 0)
        file.bytes[a % file.size] ^= (uint8_t)(1u << b % 8);
    else if (strcmp(change, "cut") == 0)
        file.size = a % (file.size + 1);
    else
        change_records(&file, change, a, b, c);
    FILE *out = fopen(path, "wb");
    if (!out) return;
    fwrite(file.bytes, 1, file.size, out);
    fclose(out);
}

static void change_archive(const char *archive, const uint8_t *data, size_t size)
{
    static char text[FUZZ_ROOM + 1];
    int changes = 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (const char *line = text; *line && changes < CHANGES_MAX; line += strcspn(line, "\n"), line += *line == '\n') {
        char name[32], change[8], path[160];
        unsigned a = 0, b = 0, c = 0;
        if (sscanf(line, "#@ %31s %7s %u %u %u", name, change, &a, &b, &c) < 2) continue;
        if (strstr(name, "..") || strncmp(name, "traces", 6) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", archive, name);
        change_file(path, change, a, b, c);
        changes++;
    }
}

static void run(const uint8_t *data, size_t size)
{
    char directory[64], archive[80];
    struct trace *trace;
    struct err err;
    if (text_read_by(0, fuzz_file(data, size), false, &trace, &err) != STATUS_OK) return;
    enum status status = trace_check(trace, &err);
    fuzz_directory("otf2", directory, sizeof directory);
    snprintf(archive, sizeof archive, "%s/a.rma", directory);
    if (status == STATUS_OK) status = otf2_write(trace, archive, &err);
    trace_free(trace);
    if (status == STATUS_OK) {
        change_archive(archive, data, size);
        struct platform *platform = platform_of_text(data, size);
        oracle_open(archive, platform);
        platform_free(platform);
    }
    fuzz_remove(directory);
}

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const names[] = {"traces.def",   "traces.def",   "traces/0.evt", "traces/0.evt", "traces/1.evt",
                                        "traces/1.evt", "traces/2.evt", "traces.otf2",  "traces/0.def"};
    static const char *const changes[] = {"set",  "set",  "set",  "set",  "over", "over", "swap",
                                          "swap", "copy", "drop", "flip", "cut",  "gone"};
    char line[128];
    if (random_chance(random, 20)) return mutate_text(random, data, size, room);
    const char *name = names[random_below(random, sizeof names / sizeof *names)];
    /* Most of the definitions are names of functions; what is not stands behind them. */
    uint32_t first = random_below(random, 2000),
             second = random_chance(random, 50) ? first + 1 : random_below(random, 2000);
    const char *change = changes[random_below(random, sizeof changes / sizeof *changes)];
    if (strcmp(change, "set") == 0) second = random_below(random, 12);
    int length = snprintf(line, sizeof line, "#@ %s %s %u %u %u\n", name, change, first, second,
                          random_chance(random, 50) ? random_below(random, 8) : random_below(random, 256));
    if (length < 0 || size + (size_t)length > room) return size;
    memmove(data + length, data, size);
    memcpy(data, line, (size_t)length);
    return size + (size_t)length;
}

const struct fuzz_harness harness_otf2 = {
    .name = "otf2",
    .summary = "OTF2 archives: records of definitions and events changed",
    .run = run,
    .mutate = mutate,
    .make = make_text,
    .leaves = true,
};
