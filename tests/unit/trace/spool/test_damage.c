/* Spools that a crash left, and files that are no spool: whatever is there is read, or refused in one line with the
 * place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "craft.h"
#include "trace/spool/read.h"

enum { BARRIERS = 20, MANY = 1000, PROLOGUE = 4 }; /* names, two parts of their content (34 bytes), the world */

/* One rank: MPI_Init, barriers of 1 us every 2 us. */
static void craft_run(struct craft *craft, uint32_t rank, uint32_t world, uint64_t barriers)
{
    craft_begin(craft, rank, world, 1000000);
    craft_prologue(craft);
    assert_int_equal(craft->count, PROLOGUE);
    craft_call(craft, CRAFT_INIT, 0, 500);
    for (uint64_t i = 0; i < barriers; i++) craft_call(craft, CRAFT_BARRIER, 1000 + 2000 * i, 2000 + 2000 * i);
}

/* The error is "DIRECTORY<place>: ..." in one line. */
static void expect_refused(const char *directory, const char *place)
{
    struct trace *trace;
    struct err err = {0};
    char begin[512];
    assert_int_equal(spool_read(directory, &trace, &err), STATUS_DATA);
    snprintf(begin, sizeof begin, "%s%s", directory, place);
    if (strncmp(err.text, begin, strlen(begin)) != 0) print_message("%s\n", err.text);
    assert_memory_equal(err.text, begin, strlen(begin));
    assert_null(strchr(err.text, '\n'));
}

/* A buffer may end after any record: calls whose exit is there are whole, one whose entry is there is marked. */
static void every_end(void **state)
{
    (void)state;
    struct craft craft;
    char *directory = craft_directory();
    craft_run(&craft, 0, 1, BARRIERS);
    for (size_t count = 0; count <= craft.count; count++) {
        craft_write(&craft, directory, count, 0);
        struct trace *trace = craft_read(directory);
        size_t events = count < PROLOGUE ? 0 : count - PROLOGUE;
        assert_int_equal(trace->ranks[0].count, (events + 1) / 2);
        assert_true(trace->ranks[0].incomplete);
        if (events > 0) {
            const struct trace_call *last = &trace->ranks[0].calls[trace->ranks[0].count - 1];
            assert_int_equal(last->flags, events % 2 == 1 ? TRACE_BREAK : 0);
        }
        trace_free(trace);
    }
    craft_remove(directory);
    craft_free(&craft);
}

/* Rank 0's files of MANY barriers: 2006 items of five words are a chunk of 8192 words and a part. A file is cut to `at` bytes,
 * or has `bytes` other bytes from there on. */
struct damage {
    const char *file;
    size_t at, bytes;
    const char *data;
};

static void do_damage(const char *directory, const struct damage *damage)
{
    if (damage->data)
        craft_patch(directory, damage->file, damage->at, damage->data, damage->bytes);
    else if (damage->file)
        craft_cut(directory, damage->file, damage->at);
}

#define SPOOL "rank-000000.spool"
#define TAIL  "rank-000000.tail"
/* Before item 50 are the mark, the names' five words, their content's 5 and 2, and 47 items of five: it is at word 248. */
enum { RECORD_50 = 65536 + 8 * 248 };

static void missing_ranks(void **state)
{
    (void)state;
    struct craft craft;
    char *directory = craft_directory();
    craft_run(&craft, 1, 3, BARRIERS);
    craft_write(&craft, directory, craft.count, SPOOL_CLOSED);
    struct trace *trace = craft_read(directory);
    assert_int_equal(trace->rank_count, 3);
    assert_int_equal(trace->ranks[1].count, BARRIERS + 1);
    assert_false(trace->ranks[1].incomplete);
    assert_true(trace->ranks[0].incomplete && trace->ranks[2].incomplete);
    assert_string_equal(trace->ranks[2].incomplete_why, "no recording of this rank was found");
    trace_free(trace);
    char path[512];
    snprintf(path, sizeof path, "%s/rank-000001.tail", directory);
    assert_int_equal(unlink(path), 0);
    trace = craft_read(directory);
    assert_string_equal(trace->ranks[1].incomplete_why, "its tail file is missing");
    trace_free(trace);
    craft_remove(directory);
    craft_free(&craft);
}

static void states(void **state)
{
    (void)state;
    struct craft craft;
    char *directory = craft_directory();
    craft_run(&craft, 0, 1, 1);
    craft_write(&craft, directory, craft.count, SPOOL_STOPPED | 28u << 16); /* ENOSPC */
    struct trace *trace = craft_read(directory);
    assert_string_equal(trace->ranks[0].incomplete_why, "recording stopped: No space left on device");
    trace_free(trace);
    craft_write(&craft, directory, craft.count, SPOOL_CLOSED | SPOOL_OTHER_THREADS | SPOOL_UNKNOWN_REQUESTS);
    trace = craft_read(directory);
    assert_string_equal(trace->ranks[0].incomplete_why,
                        "there were more threads than are recorded; requests of calls that are not recorded");
    trace_free(trace);
    craft_remove(directory);
    craft_free(&craft);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        struct damage damage;
        const char *place;
    } rows[] = {
        /* The tail is chunk 1. */
        {{SPOOL, 65536 + 1000, 0, NULL}, "/rank-000000.spool:66536: the file ends here"},
        {{SPOOL, 30, 0, NULL}, "/rank-000000.spool:30: the file ends in its header"},
        {{SPOOL, 0, 0, NULL}, ": the recorder ended before it wrote anything"},
        {{SPOOL, 65536, 1, "\x05"}, "/rank-000000.spool:65536: the record is not of chunk 0"},
        {{SPOOL, RECORD_50 + 8, 1, "\xee"}, "/rank-000000.spool:67520: record of unknown kind 238"},
        {{SPOOL, 0, 10, "#!/bin/sh\n"}, "/rank-000000.spool:0: not a spool file"},
        {{TAIL, 1000, 0, NULL}, "/rank-000000.tail:1000: the file ends here"},
        {{TAIL, 16, 1, "\x01"}, "/rank-000000.tail:8: the tail belongs to another main file"},
        /* 2^24 ranks, little-endian. */
        {{SPOOL, 24, 4, "\x00\x00\x00\x01"},
         "/rank-000000.spool:24: more ranks than an analysis takes, expected at most 1048576"},
    };
    struct craft craft;
    char *directory = craft_directory();
    expect_refused(directory, ": no spool");
    craft_run(&craft, 0, 1, MANY);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        craft_write(&craft, directory, craft.count, SPOOL_CLOSED);
        do_damage(directory, &rows[i].damage);
        expect_refused(directory, rows[i].place);
    }
    craft_remove(directory);
    craft_free(&craft);
}

static void read_with(const struct craft *craft, const char *directory, const char *file, size_t at, int bit)
{
    char path[512];
    struct trace *trace;
    struct err err = {0};
    craft_write(craft, directory, craft->count, SPOOL_CLOSED);
    snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *is = fopen(path, "r");
    assert_non_null(is);
    fseek(is, (long)at, SEEK_SET);
    char wrong = (char)(fgetc(is) ^ (1 << bit));
    fclose(is);
    craft_patch(directory, file, at, &wrong, 1);
    if (spool_read(directory, &trace, &err) == STATUS_OK)
        trace_free(trace);
    else
        assert_null(strchr(err.text, '\n'));
}

/* Whatever byte of a header is wrong, the reader neither crashes nor loops (run with sanitizers, too). test_words.c does the
 * same with the words. */
static void any_byte_wrong(void **state)
{
    (void)state;
    struct craft craft;
    char *directory = craft_directory();
    craft_run(&craft, 0, 1, 3);
    for (size_t at = 0; at < sizeof(struct spool_header); at++)
        for (int bit = 0; bit < 8; bit += 7) {
            read_with(&craft, directory, SPOOL, at, bit);
            if (at < 36) read_with(&craft, directory, TAIL, at, bit);
        }
    craft_remove(directory);
    craft_free(&craft);
}

static struct trace *read_partly(const char *directory)
{
    struct trace *trace;
    struct err err = {0};
    enum status status = spool_read_by(0, directory, true, &trace, &err);
    if (status != STATUS_OK) print_message("%s\n", err.text);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(trace_check(trace, &err), STATUS_OK);
    return trace;
}

static void expect_fault(const struct trace *trace, size_t calls, const char *text)
{
    assert_int_equal(trace->provenance.fault_count, 1);
    assert_int_equal(trace->provenance.faults[0].rank, 0);
    assert_int_equal(trace->provenance.faults[0].event, calls);
    assert_non_null(strstr(trace->provenance.faults[0].text, text));
    assert_int_equal(trace->ranks[0].count, calls);
    assert_true(trace->ranks[0].incomplete);
    assert_int_equal(trace->ranks[1].count, 1 + BARRIERS);
}

/* Who keeps going has what stands before the damage, and the other rank. */
static void goes_on(void **state)
{
    (void)state;
    static const struct {
        struct damage damage;
        size_t calls;
        const char *fault;
    } rows[] = {
        /* Record 50 is the entry of call 24. */
        {{SPOOL, RECORD_50 + 8, 1, "\xee"}, (50 - PROLOGUE) / 2, "/rank-000000.spool:67520: record of unknown kind 238"},
        {{SPOOL, 65536, 1, "\x05"}, 0, "/rank-000000.spool:65536: the record is not of chunk 0"},
        {{SPOOL, 30, 0, NULL}, 0, "/rank-000000.spool:30: the file ends in its header"},
    };
    struct craft craft, other;
    char *directory = craft_directory();
    craft_run(&craft, 0, 2, MANY);
    craft_run(&other, 1, 2, BARRIERS);
    craft_write(&other, directory, other.count, SPOOL_CLOSED);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        craft_write(&craft, directory, craft.count, SPOOL_CLOSED);
        do_damage(directory, &rows[i].damage);
        struct trace *trace = read_partly(directory);
        expect_fault(trace, rows[i].calls, rows[i].fault);
        trace_free(trace);
    }
    craft_remove(directory);
    craft_free(&craft);
    craft_free(&other);
}

/* A line is two names, and its number counts up: a site that has none under its number has no place. */
static void lines_of_an_interpreter(void **state)
{
    (void)state;
    static const struct {
        uint32_t id;
        const char *content;
        size_t bytes;
        const char *why; /* NULL: it is read */
    } rows[] = {
        {0, "step\0a.py", 9, NULL},
        {1, "step\0a.py", 9, "line 1, expected 0: they count up"},
        {0, "step", 4, "a line without file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct craft craft;
        char *directory = craft_directory();
        struct trace *trace;
        struct err err = {0};
        craft_begin(&craft, 0, 1, 1000000);
        craft_prologue(&craft);
        craft_define(&craft, SPOOL_LINE, (struct spool_record){.id = rows[i].id, .tag = 42}, rows[i].content, rows[i].bytes);
        craft_call(&craft, CRAFT_INIT, 0, 500);
        craft.items[craft.count - 1].record.extra = (int64_t)SPOOL_LINE_SITE(0);
        craft_call(&craft, CRAFT_FINALIZE, 1000, 2000);
        craft.items[craft.count - 1].record.extra = (int64_t)SPOOL_LINE_SITE(1);
        craft_write(&craft, directory, craft.count, SPOOL_CLOSED);
        assert_int_equal(spool_read(directory, &trace, &err), rows[i].why ? STATUS_DATA : STATUS_OK);
        if (rows[i].why) {
            assert_non_null(strstr(err.text, rows[i].why));
        } else {
            const struct trace_site *site = &trace->definitions.sites[trace->ranks[0].calls[0].site];
            assert_string_equal(site->function, "step");
            assert_string_equal(site->file, "a.py");
            assert_int_equal(site->line, 42);
            assert_int_equal(trace->ranks[0].calls[1].site, TRACE_NO_SITE);
            trace_free(trace);
        }
        craft_remove(directory);
        craft_free(&craft);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end),
        cmocka_unit_test(missing_ranks),
        cmocka_unit_test(states),
        cmocka_unit_test(refused),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(any_byte_wrong),
        cmocka_unit_test(lines_of_an_interpreter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
