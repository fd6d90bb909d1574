/* The recorder's own parts: the output stream and the table of handles. */
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

#include "trace/record/stream.h"
#include "trace/record/table.h"

static void remove_both(const char *directory)
{
    char path[256];
    snprintf(path, sizeof path, "%s/rank-000000.spool", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/rank-000000.tail", directory);
    unlink(path);
    rmdir(directory);
}

/* 2 * 6553 + 5 records: two chunks of 262120 bytes behind the header of 64, five records of lap 3 in the tail. */
static void chunks_and_tail(void **state)
{
    (void)state;
    char directory[] = "/tmp/rmacast-test-XXXXXX", path[256];
    struct rec_stream stream;
    struct stat about;
    struct spool_header header = {.magic = SPOOL_MAGIC, .version = SPOOL_VERSION, .world = 1, .base_ns = 1000};
    assert_non_null(mkdtemp(directory));
    assert_null(rec_stream_open(&stream, directory, &header));
    for (uint64_t i = 0; i < 2 * 6553 + 5; i++) {
        struct spool_record record = {.kind = SPOOL_ENTER, .time = 1000 + i, .bytes = (int64_t)i};
        assert_true(rec_stream_put(&stream, &record));
    }
    assert_int_equal(fstat(stream.file, &about), 0);
    assert_int_equal(about.st_size, 64 + 2 * 262120);
    assert_int_equal(stream.tail->records[4].time, UINT64_C(3) << 56 | (2 * 6553 + 4));
    assert_int_equal(stream.tail->records[5].time, UINT64_C(2) << 56 | (6553 + 5));
    assert_int_equal(stream.tail->records[4].bytes, 2 * 6553 + 4);
    assert_non_null(rec_stream_open(&stream, directory, &header)); /* a second program of the job */
    assert_int_equal(errno, EEXIST);
    snprintf(path, sizeof path, "%s/none", directory);
    assert_non_null(rec_stream_open(&stream, path, &header));
    assert_int_equal(errno, ENOENT);
    remove_both(directory);
}

/* The write fails when the tail is full; what is in the tail stays. */
static void disk_full(void **state)
{
    (void)state;
    struct spool_tail *tail = calloc(1, sizeof *tail);
    assert_non_null(tail);
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    struct rec_stream stream = {.file = full,
                                .tail = tail,
                                .next = tail->records,
                                .end = tail->records + SPOOL_CHUNK_RECORDS,
                                .lap = SPOOL_LAP(0)};
    struct spool_record record = {.kind = SPOOL_ENTER, .time = 1};
    for (int i = 0; i < SPOOL_CHUNK_RECORDS; i++) assert_true(rec_stream_put(&stream, &record));
    assert_false(rec_stream_put(&stream, &record));
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(tail->records[SPOOL_CHUNK_RECORDS - 1].time, UINT64_C(1) << 56 | 1);
    close(full);
    free(tail);
}

/* ulimit -f: the write is refused, the process is not ended by SIGXFSZ. */
static void file_size_limit(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct spool_tail *tail = calloc(1, sizeof *tail);
        char path[] = "/tmp/rmacast-limit-XXXXXX";
        int file = mkstemp(path);
        struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
        if (!tail || file < 0 || unlink(path) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
        struct rec_stream stream = {
            .file = file, .tail = tail, .next = tail->records, .end = tail->records + SPOOL_CHUNK_RECORDS};
        _exit(!rec_stream_flush(&stream) && errno == EFBIG ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void definitions(void **state)
{
    (void)state;
    struct spool_tail *tail = calloc(1, sizeof *tail);
    assert_non_null(tail);
    struct rec_stream stream = {
        .file = -1, .tail = tail, .next = tail->records, .end = tail->records + SPOOL_CHUNK_RECORDS};
    static const char first[] = "0123456789012345678901234567890123456789", second[] = "abcdefghijklmnopqrstuvwxyz";
    assert_true(rec_stream_define(&stream, (struct spool_record){.kind = SPOOL_REGION}, first, 40, second, 26));
    assert_int_equal(stream.next - tail->records, 1 + 3); /* 66 bytes in parts of 32 */
    assert_int_equal(tail->records[0].bytes, 66);
    assert_memory_equal((char *)&tail->records[1] + 8, first, 32);
    assert_memory_equal((char *)&tail->records[2] + 8, first + 32, 8);
    assert_memory_equal((char *)&tail->records[2] + 16, second, 24);
    assert_memory_equal((char *)&tail->records[3] + 8, second + 24, 2);
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
            model[key] = 0;
            rec_table_remove(&handles, key * 4);
        }
        size_t other = (size_t)(seed >> 20) % KEYS;
        const uintptr_t *found = rec_table_find(&handles, other * 4);
        assert_int_equal(found ? *found : 0, model[other]);
    }
    free(handles.slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_and_tail), cmocka_unit_test(disk_full),
                                       cmocka_unit_test(file_size_limit), cmocka_unit_test(definitions),
                                       cmocka_unit_test(table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
