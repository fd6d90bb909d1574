/* Blocks are worked on once each, and of several that fail the first one's error is told, however many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/parallel.h"

enum { BLOCKS = 1000 };

struct task {
    unsigned char worked[BLOCKS]; /* times */
    size_t fails_from, fails_each;
};

static enum status work(void *context, size_t block, struct err *err)
{
    struct task *task = context;
    task->worked[block]++;
    if (block < task->fails_from || block % task->fails_each != 0) return STATUS_OK;
    return err_set(err, block == task->fails_from ? STATUS_DATA : STATUS_SYSTEM, NULL, NULL, "block %zu", block);
}

static const unsigned thread_counts[] = {0, 1, 2, 3, 7, 2000};
enum { COUNTS = sizeof thread_counts / sizeof *thread_counts };

static void all_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        struct task task = {.fails_from = BLOCKS, .fails_each = 1};
        assert_int_equal(parallel_run(BLOCKS, thread_counts[i], work, &task, NULL), STATUS_OK);
        for (size_t b = 0; b < BLOCKS; b++) assert_int_equal(task.worked[b], 1);
    }
}

static void first_failure(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) {
        struct task task = {.fails_from = 300, .fails_each = 10};
        struct err err = {.text = ""};
        assert_int_equal(parallel_run(BLOCKS, thread_counts[i], work, &task, &err), STATUS_DATA);
        assert_string_equal(err.text, "block 300");
        for (size_t b = 0; b <= 300; b++) assert_int_equal(task.worked[b], 1);
        assert_int_equal(parallel_run(BLOCKS, thread_counts[i], work, &task, NULL), STATUS_DATA);
    }
}

static void none(void **state)
{
    (void)state;
    assert_int_equal(parallel_run(0, 3, work, NULL, NULL), STATUS_OK);
    assert_true(parallel_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_once), cmocka_unit_test(first_failure), cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
