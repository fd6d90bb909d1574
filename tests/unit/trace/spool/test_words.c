/* Spool files, written word by word as docs/format-spool.md says, and what the recorder writes read
 * back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "craft.h"
#include "trace/record/output/buffer.h"
#include "trace/spool/cursor.h"
#include "trace/spool/read.h"

enum { CHUNK = 8192, MANY = 5000, BYTES = 65536 };

struct words {
    uint64_t items[4 * CHUNK];
    size_t count;
    size_t ends[3 * MANY]; /* of records: the place behind each */
    size_t records;
};

static const uint64_t mark = UINT64_C(0x4b4e484300000000), nobody = UINT64_C(0x00000000ffffffff);
static const uint64_t no_id = UINT64_C(0xffffffff00000000);

/* A record or a part of a content begins where five words and a 0 fit. */
static void begin(struct words *to)
{
    if (to->count % CHUNK > CHUNK - 6) to->count += CHUNK - to->count % CHUNK;
    if (to->count % CHUNK == 0) {
        to->items[to->count] = mark + to->count / CHUNK;
        to->count++;
    }
}

/* changed: bit k if word k of the four follows. */
static void put(struct words *to, uint64_t template, uint64_t changed, uint64_t time, const uint64_t four[4])
{
    begin(to);
    to->items[to->count++] = 1 | changed << 1 | template << 5 | time << 15;
    for (int i = 0; i < 4; i++)
        if (changed >> i & 1) to->items[to->count++] = four[i];
    to->ends[to->records++] = to->count;
}

static void put_content(struct words *to, const char *text, size_t bytes)
{
    begin(to);
    to->items[to->count++] = 1 | 1023 << 5 | (uint64_t)bytes << 15;
    memcpy(&to->items[to->count], text, bytes);
    to->count += (bytes + 7) / 8;
    to->ends[to->records - 1] = to->count; /* a definition ends behind its content */
}

enum { PROLOGUE = 2 }; /* records */

/* Names (kind 6), the world (kind 10, one member). */
static struct words *words_new(void)
{
    static const char names[] = "MPI_Init\nMPI_Barrier\nMPI_Finalize\n";
    struct words *made = calloc(1, sizeof *made);
    assert_non_null(made);
    put(made, 700, 5, 0, (const uint64_t[]){6, 0, sizeof names - 1, 0});
    put_content(made, names, sizeof names - 1);
    put(made, 1022, 9, 0, (const uint64_t[]){10, 0, 0, 1});
    return made;
}

/* MPI_Init, then barriers of 1 us every 2 us: the first has all words that are not 0, the others none. */
static struct words *words_run(uint64_t barriers)
{
    struct words *made = words_new();
    put(made, 4, 3, 0, (const uint64_t[]){1 | no_id, nobody, 0, 0});
    put(made, 5, 3, 500, (const uint64_t[]){2 | no_id, nobody, 0, 0});
    for (uint64_t i = 0; i < barriers; i++) {
        put(made, 0, i ? 0 : 3, 1000 + 2000 * i, (const uint64_t[]){1 | 1 << 16, nobody, 0, 0});
        put(made, 511, i ? 0 : 3, 2000 + 2000 * i, (const uint64_t[]){2 | 1 << 16 | no_id, nobody, 0, 0});
    }
    return made;
}

static void write_file(const char *directory, const char *name, const void *head, size_t head_bytes, size_t at,
                       const uint64_t *words, size_t count)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, head_bytes, file), head_bytes);
    fseek(file, (long)at, SEEK_SET);
    assert_int_equal(fwrite(words, 8, count, file), count);
    fclose(file);
}

/* The first chunks go to the main file, the next one is the tail. */
static void write_words(const struct words *words, const char *directory, size_t chunks, uint32_t state)
{
    const struct {
        char magic[8];
        uint32_t version, unit_bytes, chunk_units, rank, world, pid;
        uint64_t base_ns;
        uint32_t thread, clock;
        uint64_t base_ticks, ticks_per_s;
    } header = {"MASPOOL1", SPOOL_VERSION, 8, CHUNK, 0, 1, 0, 1000000, 0, 0, 0, 0};
    const struct {
        char magic[8];
        uint32_t rank, state;
        uint64_t base_ns;
    } tail = {"RMATAIL1", 0, state, 1000000};
    write_file(directory, "rank-000000.spool", &header, sizeof header, BYTES, words->items, chunks * CHUNK);
    write_file(directory, "rank-000000.tail", &tail, sizeof tail, 4096, words->items + chunks * CHUNK, CHUNK);
}

static void expect_count(const char *directory, size_t calls)
{
    struct trace *trace = craft_read(directory);
    assert_int_equal(trace->ranks[0].count, calls);
    trace_free(trace);
}

/* Killed in any record: the word where it begins is 0, and behind it stands some of it, or what was there before. The
 * calls whose exit stands before are whole, one whose entry does is marked. */
static void every_end(void **state)
{
    (void)state;
    char *directory = craft_directory();
    for (size_t end = 0; end <= PROLOGUE + 2 + 40; end++)
        for (int noise = 0; noise < 2; noise++) {
            struct words *words = words_run(20);
            size_t at = end > 0 ? words->ends[end - 1] : 1, events = end < PROLOGUE ? 0 : end - PROLOGUE;
            words->items[at] = 0;
            if (noise) memset(&words->items[at + 1], 0xff, 64);
            write_words(words, directory, 0, 0);
            struct trace *trace = craft_read(directory);
            assert_true(trace->ranks[0].incomplete);
            assert_int_equal(trace->ranks[0].count, (events + 1) / 2);
            if (events > 0)
                assert_int_equal(trace->ranks[0].calls[(events - 1) / 2].flags, events % 2 == 1 ? TRACE_BREAK : 0);
            trace_free(trace);
            free(words);
        }
    craft_remove(directory);
}

/* 10000 records of a word each, and the prologue: a chunk and a part. */
static void chunks(void **state)
{
    (void)state;
    char *directory = craft_directory();
    struct words *words = words_run(MANY);
    assert_true(words->count > CHUNK && words->count < 2 * CHUNK);
    write_words(words, directory, 1, SPOOL_CLOSED);
    struct trace *trace = craft_read(directory);
    assert_int_equal(trace->ranks[0].count, MANY + 1);
    assert_false(trace->ranks[0].incomplete);
    for (int64_t i = 0; i < MANY; i++) {
        assert_int_equal(trace->ranks[0].calls[i + 1].call, ID_Barrier);
        assert_int_equal(trace->ranks[0].calls[i + 1].enter_ps, (1000 + 2000 * i) * 1000);
        assert_int_equal(trace->ranks[0].calls[i + 1].exit_ps, (2000 + 2000 * i) * 1000);
    }
    trace_free(trace);
    free(words);
    craft_remove(directory);
}

/* Killed inside write(), behind it, and when the next chunk was empty but had its mark: the tail's chunk counts once.
 * */
static void at_a_flush(void **state)
{
    (void)state;
    char *directory = craft_directory();
    struct words *words = words_run(MANY);
    size_t in_first = 0;
    while (words->ends[in_first] <= CHUNK) in_first++;
    size_t calls = (in_first - PROLOGUE + 1) / 2;
    uint64_t first = words->items[CHUNK + 1];
    words->items[CHUNK + 1] = 0;
    write_words(words, directory, 1, 0);
    expect_count(directory, calls);
    craft_patch(directory, "rank-000000.tail", 4096, words->items, 8); /* the mark of chunk 0, which is written */
    expect_count(directory, calls);
    craft_patch(directory, "rank-000000.tail", 4096, words->items, BYTES);
    expect_count(directory, calls);
    craft_cut(directory, "rank-000000.spool", BYTES + 5000);
    expect_count(directory, calls);
    craft_cut(directory, "rank-000000.spool", 64);
    expect_count(directory, calls);
    words->items[CHUNK + 1] = first;
    free(words);
    craft_remove(directory);
}

static void expect_refused(const char *directory, const char *place)
{
    struct trace *trace;
    struct err err = {0};
    char expected[512];
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_DATA);
    snprintf(expected, sizeof expected, "%s%s", directory, place);
    if (strncmp(err.text, expected, strlen(expected)) != 0) print_message("%s\n", err.text);
    assert_memory_equal(err.text, expected, strlen(expected));
}

static void refuse_word(size_t at, uint64_t wrong, const char *why)
{
    char *directory = craft_directory();
    char place[256];
    struct words *words = words_run(MANY);
    write_words(words, directory, 1, SPOOL_CLOSED);
    craft_patch(directory, "rank-000000.spool", BYTES + 8 * at, &wrong, sizeof wrong);
    snprintf(place, sizeof place, "/rank-000000.spool:%zu: %s", BYTES + 8 * at, why);
    expect_refused(directory, place);
    free(words);
    craft_remove(directory);
}

/* Words 1 to 9 of a run: the names' head and two words, the content's head and five words. */
static void refused(void **state)
{
    (void)state;
    refuse_word(0, mark + 1, "the record is not of chunk 0");
    refuse_word(1, 2, "no record begins here");
    refuse_word(1, 1 | 1023 << 5, "no record begins here");
    refuse_word(1, 1 | 8 << 1, "record of unknown kind 0");
    refuse_word(4, 1 | 1023 << 5, "the content of a definition was expected here");
    refuse_word(4, 1 | 3 << 5 | 34 << 15, "the content of a definition was expected here");
    refuse_word(4, 1 | 1023 << 5 | UINT64_C(8188) * 8 << 15, "what begins here does not fit in its chunk");
    refuse_word(4, UINT64_MAX, "the content of a definition was expected here");
    char *directory = craft_directory();
    struct words *words = words_run(MANY);
    write_words(words, directory, 1, SPOOL_CLOSED);
    craft_cut(directory, "rank-000000.spool", BYTES + 100);
    expect_refused(directory, "/rank-000000.spool:65636: the file ends here, but its tail continues a longer one");
    write_words(words, directory, 1, SPOOL_CLOSED);
    craft_cut(directory, "rank-000000.tail", 5000);
    expect_refused(directory, "/rank-000000.tail:5000: the file ends here, expected 69632 bytes");
    free(words);
    craft_remove(directory);
}

/* Two records at the end of a chunk: no room is needed behind the last, and none may reach beyond. */
static void the_last_words_of_a_chunk(void **state)
{
    (void)state;
    char *directory = craft_directory();
    struct words *words = words_run(0);
    size_t at = words->count;
    while (at < CHUNK) /* matched barriers of a word each up to the very end, as another writer might */
        for (int i = 0; i < 2 && at < CHUNK; i++) {
            bool known = at > words->count + 5;
            words->items[at++] = 1 | (uint64_t)(known ? 0 : 3) << 1 | (uint64_t)(6 + i) << 5 | UINT64_C(1000) << 15;
            if (known) continue;
            words->items[at++] = i ? (2 | 1 << 16 | no_id) : (1 | 1 << 16);
            words->items[at++] = nobody;
        }
    write_words(words, directory, 0, 0);
    size_t events = 2 + CHUNK - words->count - 4; /* four words are not heads */
    expect_count(directory, (events + 1) / 2);
    const uint64_t reaching = 1 | 3 << 1 | 6 << 5;
    craft_patch(directory, "rank-000000.tail", 4096 + BYTES - 8, &reaching, 8);
    expect_refused(directory, "/rank-000000.tail:69624: what begins here does not fit in its chunk");
    free(words);
    craft_remove(directory);
}

/* Whatever byte is wrong, the reader neither crashes nor loops (run with sanitizers, too). */
static void any_byte_wrong(void **state)
{
    (void)state;
    char *directory = craft_directory();
    struct words *words = words_run(3);
    for (size_t at = 0; at < 8 * words->count; at++)
        for (int bit = 0; bit < 8; bit++) {
            struct trace *trace;
            struct err err = {0};
            write_words(words, directory, 0, SPOOL_CLOSED);
            char wrong = (char)(((const char *)words->items)[at] ^ (1 << bit));
            craft_patch(directory, "rank-000000.tail", 4096 + at, &wrong, 1);
            if (spool_read(directory, &trace, &err) == STATUS_OK)
                trace_free(trace);
            else
                assert_null(strchr(err.text, '\n'));
        }
    free(words);
    craft_remove(directory);
}

/* Heads have 49 bits of a time. An anchor (kind 21) at 2^49 - 1000 ns has all; the entry is 990 ns later, the exit 30
 * ns behind that: its bits are those of 20. */
static void times_beyond_the_heads_bits(void **state)
{
    (void)state;
    const uint64_t range = UINT64_C(1) << 49;
    char *directory = craft_directory();
    struct words *words = words_run(0);
    put(words, 20, 5, 0, (const uint64_t[]){21, 0, range - 1000, 0});
    put(words, 0, 3, range - 10, (const uint64_t[]){1 | 1 << 16, nobody, 0, 0});
    put(words, 1, 3, 20, (const uint64_t[]){2 | 1 << 16 | no_id, nobody, 0, 0});
    put(words, 0, 0, 25, NULL);
    put(words, 1, 0, 35, NULL);
    write_words(words, directory, 0, SPOOL_CLOSED);
    struct trace *trace;
    struct err err = {0};
    enum status status = spool_read(directory, &trace, &err);
    if (status != STATUS_OK) print_message("%s\n", err.text);
    assert_int_equal(status, STATUS_OK);
    const struct trace_call *calls = trace->ranks[0].calls;
    assert_int_equal(trace->ranks[0].count, 3);
    assert_int_equal(calls[1].enter_ps, (INT64_C(562949953421312) - 10) * 1000); /* 2^49 - 10 */
    assert_int_equal(calls[1].exit_ps, (INT64_C(562949953421312) + 20) * 1000);
    assert_int_equal(calls[2].enter_ps, (INT64_C(562949953421312) + 25) * 1000);
    assert_int_equal(calls[2].exit_ps, (INT64_C(562949953421312) + 35) * 1000);
    trace_free(trace);
    free(words);
    craft_remove(directory);
}

/* Names, the world, extents (kind 23: 8 bytes of send buffer or origin, 8 of target, 8 of receive buffer or result) in
 * front of broadcasts of the rank to itself. */
static struct words *words_with_extents(uint64_t send, uint64_t target, uint64_t receive)
{
    static const char names[] = "MPI_Init\nMPI_Bcast\n";
    const uint64_t bcast[] = {1 | 1 << 16, 0, 12, 0}, done[] = {2 | 1 << 16 | no_id, nobody, 0, 0};
    struct words *made = calloc(1, sizeof *made);
    assert_non_null(made);
    put(made, 700, 5, 0, (const uint64_t[]){6, 0, sizeof names - 1, 0});
    put_content(made, names, sizeof names - 1);
    put(made, 1022, 9, 0, (const uint64_t[]){10, 0, 0, 1});
    put(made, 840, 15, 900, (const uint64_t[]){23, receive, send, target});
    put(made, 0, 7, 1000, bcast);
    put(made, 1, 7, 2000, done);
    return made;
}

/* The second has the same ones, in a word; the third none; the fourth is killed inside. */
static void extents_of_the_next_call(void **state)
{
    (void)state;
    char *directory = craft_directory();
    const int64_t receive = INT64_C(0x123456789a);
    struct words *words = words_with_extents(20, 0, (uint64_t)receive);
    put(words, 840, 0, 2900, NULL);
    put(words, 0, 0, 3000, NULL);
    put(words, 1, 0, 4000, NULL);
    put(words, 0, 0, 5000, NULL);
    put(words, 1, 0, 6000, NULL);
    put(words, 840, 6, 6900, (const uint64_t[]){23, 0, 21, 0});
    put(words, 0, 0, 7000, NULL);
    write_words(words, directory, 0, 0);
    struct trace *trace = craft_read(directory);
    const int64_t sends[] = {20, 20, 0, 21}, receives[] = {receive, receive, 0, 0};
    assert_int_equal(trace->ranks[0].count, 4);
    for (size_t i = 0; i < 4; i++) {
        struct trace_extents extents = trace_call_extents(trace, 0, i);
        assert_int_equal(extents.of[TRACE_SEND], sends[i]);
        assert_int_equal(extents.of[TRACE_TARGET], 0);
        assert_int_equal(extents.of[TRACE_RECEIVE], receives[i]);
        assert_int_equal(trace->ranks[0].calls[i].flags, (i != 2 ? TRACE_GAPS : 0) | (i == 3 ? TRACE_BREAK : 0));
    }
    trace_free(trace);
    free(words);
    craft_remove(directory);
}

static void refuse_extents(uint64_t send, uint64_t target, uint64_t receive, const char *numbers)
{
    char *directory = craft_directory(), place[256];
    struct words *words = words_with_extents(send, target, receive);
    size_t at = words->ends[words->records - 3]; /* where the entry begins */
    write_words(words, directory, 0, SPOOL_CLOSED);
    snprintf(
        place, sizeof place,
        "/rank-000000.tail:%zu: MPI_Bcast with extents %s of origin or send buffer, target, result or receive buffer, "
        "expected those that it has",
        4096 + 8 * at, numbers);
    expect_refused(directory, place);
    free(words);
    craft_remove(directory);
}

static void extents_that_cannot_be(void **state)
{
    (void)state;
    refuse_extents((uint64_t)-1, 0, 20, "-1, 0, 20");
    refuse_extents(20, 8, 0, "20, 8, 0");
    refuse_extents(0, 0, UINT64_C(1) << 61, "0, 0, 2305843009213693952");
}

static uint64_t seed;

static uint64_t random_below(uint64_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % limit;
}

/* Few values per member, so that records often are as their template. The time is far behind the one before's, or near
 * it on either side. */
static struct spool_record random_record(uint64_t *time)
{
    static const uint8_t kinds[] = {SPOOL_ENTER, SPOOL_EXIT, SPOOL_MATCH, SPOOL_REGION_ENTER, SPOOL_REGION};
    *time += random_below(8) ? random_below(1000) : random_below(UINT64_C(1) << 31) << 14;
    if (*time > 50 && random_below(4) == 0) *time -= random_below(50);
    return (struct spool_record){.time = *time,
                                 .kind = kinds[random_below(5)],
                                 .flags = random_below(8) ? 0 : 255,
                                 .call = (uint16_t)random_below(3),
                                 .id = random_below(4) ? 0 : (uint32_t)random_below(1u << 31) * 2 + 1,
                                 .peer = (int32_t)random_below(3) - 2,
                                 .tag = random_below(8) ? 0 : INT32_MIN,
                                 .extra = random_below(8) ? 0 : INT64_MIN};
}

static size_t random_content(char *content, size_t most)
{
    size_t bytes = random_below(4) ? random_below(100) : random_below(most);
    for (size_t i = 0; i < bytes; i++) content[i] = (char)random_below(256);
    return bytes;
}

enum { RECORDS = 20000, CONTENT = 200000 };

/* The same numbers again: what is expected is made anew. */
static void expect_records(struct spool_cursor *cursor, uint64_t begin_seed, char *content)
{
    struct spool_bytes read = {0};
    struct err err = {0};
    uint64_t time = 0;
    bool more;
    seed = begin_seed;
    for (int i = 0; i < RECORDS; i++) {
        struct spool_record expected = random_record(&time);
        expected.bytes = expected.kind == SPOOL_REGION ? (int64_t)random_content(content, CONTENT) : i % 3;
        enum status status = spool_cursor_next(cursor, &more, &err);
        if (status != STATUS_OK) print_message("%d: %s\n", i, err.text);
        assert_int_equal(status, STATUS_OK);
        assert_true(more);
        assert_memory_equal(&cursor->record, &expected, sizeof expected);
        if (expected.kind != SPOOL_REGION) continue;
        assert_int_equal(spool_content(cursor, &read, &err), STATUS_OK);
        assert_int_equal(read.bytes, expected.bytes);
        if (read.bytes > 0) assert_memory_equal(read.data, content, read.bytes);
    }
    assert_int_equal(spool_cursor_next(cursor, &more, &err), STATUS_OK);
    assert_false(more);
    free(read.data);
}

/* What the recorder writes is what is read: records of all kinds in random templates, contents over several chunks. */
static void written_and_read(void **state)
{
    (void)state;
    char *directory = craft_directory(), *content = malloc(CONTENT);
    static struct rec_buffer buffer;
    static struct spool_cursor cursor;
    struct spool spool;
    struct err err = {0};
    uint64_t time = 0, base = 12345;
    struct spool_header header = {.magic = SPOOL_MAGIC,
                                  .version = SPOOL_VERSION,
                                  .unit_bytes = SPOOL_WORD_BYTES,
                                  .chunk_units = SPOOL_CHUNK_WORDS,
                                  .world = 1,
                                  .base_ns = base};
    assert_non_null(content);
    assert_null(rec_buffer_open(&buffer, directory, &header));
    seed = 3;
    for (int i = 0; i < RECORDS; i++) {
        struct spool_record record = random_record(&time);
        size_t half = 0, bytes = 0;
        record.time += base;
        record.bytes = i % 3;
        if (record.kind == SPOOL_REGION) half = (bytes = random_content(content, CONTENT)) / 3;
        if (record.kind == SPOOL_REGION)
            assert_true(rec_buffer_define(&buffer, record, content, half, content + half, bytes - half));
        else
            assert_true(rec_buffer_put_as(&buffer, &record, (unsigned)i * 7 % SPOOL_CONTENT));
    }
    assert_int_equal(spool_open(directory, 0, false, &spool, &err), STATUS_OK);
    spool_cursor_begin(&cursor, &spool.ranks[0]);
    expect_records(&cursor, 3, content);
    spool_close(&spool);
    rec_buffer_close(&buffer);
    free(content);
    craft_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end),
        cmocka_unit_test(chunks),
        cmocka_unit_test(at_a_flush),
        cmocka_unit_test(refused),
        cmocka_unit_test(the_last_words_of_a_chunk),
        cmocka_unit_test(any_byte_wrong),
        cmocka_unit_test(times_beyond_the_heads_bits),
        cmocka_unit_test(extents_of_the_next_call),
        cmocka_unit_test(extents_that_cannot_be),
        cmocka_unit_test(written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
