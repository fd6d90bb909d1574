/* The recorder's own parts: the output buffer and the table of handles. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/record/output/buffer.h"
#include "trace/record/threads/table.h"

static void remove_both(const char *directory)
{
    char path[256];
    snprintf(path, sizeof path, "%s/rank-000000.spool", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/rank-000000.tail", directory);
    unlink(path);
    rmdir(directory);
}

/* Records whose third word alone is new take two words each, from word 1 of a chunk on; one begins at word 8186 (five
 * words and the 0 behind it fit) or before, so 4093 of them are a chunk. 2 * 4093 + 5: two chunks of 65536 bytes from
 * byte 65536 on, five records in the tail, a 0, and what the second chunk left: the number of its sixth record. A head
 * is 1, bit 3 (the third word follows), template 0, and the time from bit 15 on. */
static void chunks_and_tail(void **state)
{
    (void)state;
    char directory[] = "/tmp/rmacast-test-XXXXXX", path[256];
    static struct rec_buffer buffer, other;
    struct stat about;
    struct spool_header header = {.magic = SPOOL_MAGIC, .version = SPOOL_VERSION, .world = 1, .base_ns = 1000};
    assert_non_null(mkdtemp(directory));
    assert_null(rec_buffer_open(&buffer, directory, &header));
    for (uint64_t i = 0; i < 2 * 4093 + 5; i++) {
        struct spool_record record = {.kind = SPOOL_ENTER, .time = 1000 + i, .bytes = (int64_t)i};
        assert_true(rec_buffer_put(&buffer, &record));
    }
    assert_int_equal(fstat(buffer.file, &about), 0);
    assert_int_equal(about.st_size, 3 * 65536);
    const uint64_t *words = buffer.tail->words;
    assert_int_equal(words[0], UINT64_C(0x4b4e484300000002)); /* "CHNK", 2 */
    assert_int_equal(words[9], (UINT64_C(2) * 4093 + 4) << 15 | 8 | 1);
    assert_int_equal(words[10], 2 * 4093 + 4);
    assert_int_equal(words[11], 0);
    assert_int_equal(words[12], 4093 + 5);
    assert_non_null(rec_buffer_open(&other, directory, &header)); /* a second program of the job */
    assert_int_equal(errno, EEXIST);
    snprintf(path, sizeof path, "%s/none", directory);
    assert_non_null(rec_buffer_open(&other, path, &header));
    assert_int_equal(errno, ENOENT);
    remove_both(directory);
}

static struct spool_tail *tail_new(void)
{
    struct spool_tail *tail = calloc(1, sizeof *tail);
    assert_non_null(tail);
    return tail;
}

/* What is like the record before of its template takes one word: an entry (template 2 * call) and an exit (the next)
 * that alternate are one template each. */
static void repeated(void **state)
{
    (void)state;
    struct spool_tail *tail = tail_new();
    struct spool_header header = {.base_ns = 100};
    static struct rec_buffer buffer;
    rec_buffer_begin(&buffer, tail, &header);
    struct spool_record enter = {
        .kind = SPOOL_ENTER, .call = 3, .id = 7, .peer = -1, .tag = 5, .bytes = 64, .extra = -2};
    struct spool_record leave = {.kind = SPOOL_EXIT, .call = 3, .id = SPOOL_NO_ID};
    for (uint64_t i = 0; i < 3; i++) {
        enter.time = 100 + 2 * i;
        leave.time = 101 + 2 * i;
        assert_true(rec_buffer_put(&buffer, &enter) && rec_buffer_put(&buffer, &leave));
    }
    static const uint64_t expected[] = {UINT64_C(0x4b4e484300000000),
                                        0 << 15 | 6 << 5 | 15 << 1 | 1,
                                        UINT64_C(0x0000000700030001),
                                        UINT64_C(0x00000005ffffffff),
                                        64,
                                        UINT64_MAX - 1,
                                        1 << 15 | 7 << 5 | 1 << 1 | 1,
                                        UINT64_C(0xffffffff00030002),
                                        2 << 15 | 6 << 5 | 1,
                                        3 << 15 | 7 << 5 | 1,
                                        4 << 15 | 6 << 5 | 1,
                                        5 << 15 | 7 << 5 | 1,
                                        0};
    assert_memory_equal(tail->words, expected, sizeof expected);
    free(tail);
}

/* Two calls that would have one template: the second takes that of the other half, 256 further, and from then on both
 * repeat themselves. One whose id alone changes keeps its own. */
static void two_calls_with_one_template(void **state)
{
    (void)state;
    struct spool_tail *tail = tail_new();
    struct spool_header header = {.base_ns = 0};
    static struct rec_buffer buffer;
    rec_buffer_begin(&buffer, tail, &header);
    struct spool_record one = {.kind = SPOOL_ENTER, .call = 1, .extra = 4096};
    struct spool_record other = {.kind = SPOOL_ENTER, .call = 2, .extra = 8192};
    for (int i = 0; i < 2; i++) {
        assert_true(rec_buffer_put_same(&buffer, &one, 8) || rec_buffer_put_as(&buffer, &one, 8));
        assert_true(rec_buffer_put_same(&buffer, &other, 8) || rec_buffer_put_as(&buffer, &other, 8));
    }
    one.id = 1;
    assert_false(rec_buffer_put_same(&buffer, &one, 8));
    assert_true(rec_buffer_put_as(&buffer, &one, 8));
    const uint64_t first = 8 << 5 | 1, second = 264 << 5 | 1;
    const uint64_t expected[] = {UINT64_C(0x4b4e484300000000),
                                 first | 9 << 1,
                                 1 << 16 | 1,
                                 4096,
                                 second | 9 << 1,
                                 2 << 16 | 1,
                                 8192,
                                 first,
                                 second,
                                 first | 1 << 1,
                                 UINT64_C(1) << 32 | 1 << 16 | 1,
                                 0};
    assert_memory_equal(tail->words, expected, sizeof expected);
    free(tail);
}

/* Chunks go to this file, which the buffer knows as its own. */
static void write_to(struct rec_buffer *buffer, int file)
{
    struct stat about;
    if (fstat(file, &about) != 0) _exit(1);
    buffer->file = file;
    buffer->main_file = (struct rec_file){about.st_dev, about.st_ino};
}

/* The write fails when the tail is full; what is in the tail stays. */
static void disk_full(void **state)
{
    (void)state;
    struct spool_tail *tail = tail_new();
    struct spool_header header = {.base_ns = 0};
    static struct rec_buffer buffer;
    rec_buffer_begin(&buffer, tail, &header);
    write_to(&buffer, open("/dev/full", O_WRONLY));
    struct spool_record record = {.kind = SPOOL_ENTER, .time = 1};
    for (int i = 0; i < 4093; i++) {
        record.bytes = i;
        assert_true(rec_buffer_put(&buffer, &record));
    }
    assert_false(rec_buffer_put(&buffer, &record));
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(tail->words[8186], 4092);
    assert_int_equal(tail->words[8187], 0);
    close(buffer.file);
    free(tail);
}

/* The limit is the process's: 3 chunks fit into 200 KB, whichever of two threads writes them, and a fourth does not. */
static void limit_of_all_buffers(void **state)
{
    (void)state;
    struct spool_tail *tails[2] = {tail_new(), tail_new()};
    struct spool_header header = {.base_ns = 0};
    static struct rec_buffer buffers[2];
    for (int i = 0; i < 2; i++) {
        rec_buffer_begin(&buffers[i], tails[i], &header);
        write_to(&buffers[i], open("/dev/null", O_WRONLY));
    }
    rec_size = (struct rec_size){.limit = 200000};
    for (int i = 0; i < 3; i++) assert_true(rec_buffer_flush(&buffers[i % 2]));
    assert_false(rec_buffer_flush(&buffers[1]));
    assert_true(buffers[1].limited);
    assert_false(buffers[0].limited);
    rec_size = (struct rec_size){.limit = 0};
    assert_true(rec_buffer_flush(&buffers[1]));
    for (int i = 0; i < 2; i++) {
        close(buffers[i].file);
        free(tails[i]);
    }
}

/* ulimit -f: the write is refused, the process is not ended by SIGXFSZ. */
static void file_size_limit(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct spool_tail *tail = calloc(1, sizeof *tail);
        struct spool_header header = {.base_ns = 0};
        char path[] = "/tmp/rmacast-limit-XXXXXX";
        int file = mkstemp(path);
        struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
        static struct rec_buffer buffer;
        if (!tail || file < 0 || unlink(path) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
        rec_buffer_begin(&buffer, tail, &header);
        write_to(&buffer, file);
        _exit(!rec_buffer_flush(&buffer) && errno == EFBIG ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Nor by making the files: the first chunk's place is beyond the limit. */
static void file_size_limit_at_the_start(void **state)
{
    (void)state;
    char directory[] = "/tmp/rmacast-test-XXXXXX";
    assert_non_null(mkdtemp(directory));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct spool_header header = {.magic = SPOOL_MAGIC, .version = SPOOL_VERSION, .world = 1};
        struct rlimit limit = {.rlim_cur = 65535, .rlim_max = 65535};
        static struct rec_buffer buffer;
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
        _exit(rec_buffer_open(&buffer, directory, &header) && errno == EFBIG ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    remove_both(directory);
}

/* A region (kind 13, the 14th of the kinds' templates from 512 on) with a content of 66 bytes: the first and the third
 * word; then the content's head with template 1023 and its bytes where times stand, and nine words. */
static void definitions(void **state)
{
    (void)state;
    struct spool_tail *tail = tail_new();
    struct spool_header header = {.base_ns = 0};
    static struct rec_buffer buffer;
    rec_buffer_begin(&buffer, tail, &header);
    static const char first[] = "0123456789012345678901234567890123456789", second[] = "abcdefghijklmnopqrstuvwxyz";
    assert_true(rec_buffer_define(&buffer, (struct spool_record){.kind = SPOOL_REGION}, first, 40, second, 26));
    assert_int_equal(tail->words[1], 525 << 5 | 5 << 1 | 1);
    assert_int_equal(tail->words[2], 13);
    assert_int_equal(tail->words[3], 66);
    assert_int_equal(tail->words[4], 66 << 15 | 1023 << 5 | 1);
    assert_memory_equal(&tail->words[5], first, 40);
    assert_memory_equal(&tail->words[10], second, 26);
    assert_int_equal(tail->words[14], 0);
    assert_ptr_equal(buffer.next, &tail->words[14]);
    free(tail);
}

/* Random insertions and removals against a plain array; the seed is fixed. */
static void table(void **state)
{
    (void)state;
    enum { KEYS = 500, STEPS = 200000 };
    static uintptr_t model[KEYS];
    struct rec_table handles = {0};
    uint64_t seed = 42;
    for (int step = 0; step < STEPS; step++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t key = (size_t)(seed >> 33) % KEYS;
        if (seed >> 63) {
            model[key] = (uintptr_t)step + 1;
            assert_true(rec_table_put(&handles, key * 4, model[key]));
        } else {
            assert_int_equal(rec_table_remove(&handles, key * 4), model[key]);
            model[key] = 0;
        }
        size_t other = (size_t)(seed >> 20) % KEYS;
        const uintptr_t *found = rec_table_find(&handles, other * 4);
        assert_int_equal(found ? *found : 0, model[other]);
    }
    free(handles.slots);
}

/* Lists get ids from 0 on; one that came before has its own, and is in the spool. Also of one length, and of a beginning of
 * another. 4096 are kept: one more gets a new id whenever it comes. */
static void lists_have_ids(void **state)
{
    (void)state;
    enum { KEPT = 4096 };
    static const struct {
        int32_t list[3];
        size_t numbers;
        bool known;
        uint32_t id;
    } rows[] = {
        {{1, 2}, 2, false, 0}, {{1, 3}, 2, false, 1},   {{1}, 1, false, 2},    {{1, 2, 0}, 3, false, 3}, {{0}, 0, false, 4},
        {{1, 2}, 2, true, 0},  {{1, 2, 0}, 3, true, 3}, {{1, 3}, 2, true, 1},  {{1}, 1, true, 2},        {{0}, 0, true, 4},
        {{5, 2}, 2, false, 5},
    };
    struct rec_table known = {0};
    uint32_t count = 0, id;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool kept = rec_list_id(&known, rows[i].list, rows[i].numbers * sizeof(int32_t), &count, &id);
        if (kept != rows[i].known || id != rows[i].id) fail_msg("row %zu: %d, id %u", i, kept, id);
    }
    for (int32_t more = (int32_t)count; more <= KEPT; more++)
        assert_false(rec_list_id(&known, &(int32_t[]){1000, more}, 2 * sizeof more, &count, &id));
    for (int32_t more = KEPT - 1; more <= KEPT; more++)
        for (uint32_t again = 0; again < 2; again++) {
            const bool last = more == KEPT;
            assert_int_equal(rec_list_id(&known, &(int32_t[]){1000, more}, 2 * sizeof more, &count, &id), !last);
            assert_int_equal(id, last ? KEPT + 1 + again : KEPT - 1);
        }
    for (size_t i = 0; i < known.capacity; i++)
        if (known.slots[i].value) free((void *)known.slots[i].value);
    free(known.slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_and_tail),
        cmocka_unit_test(repeated),
        cmocka_unit_test(two_calls_with_one_template),
        cmocka_unit_test(disk_full),
        cmocka_unit_test(limit_of_all_buffers),
        cmocka_unit_test(file_size_limit),
        cmocka_unit_test(file_size_limit_at_the_start),
        cmocka_unit_test(definitions),
        cmocka_unit_test(table),
        cmocka_unit_test(lists_have_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
