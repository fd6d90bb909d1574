#include "common/memory_text.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static void holds_what_is_written(void **state)
{
    (void)state;
    struct memory_text text;
    assert_int_equal(memory_text_open(&text, NULL), STATUS_OK);
    for (int i = 0; i < 10000; i++) fputs("0123456789", text.out);
    assert_int_equal(memory_text_close(&text, STATUS_OK, NULL), STATUS_OK);
    assert_int_equal(text.bytes, 100000);
    assert_int_equal(strlen(text.text), 100000);
    assert_memory_equal(text.text + 99990, "0123456789", 11);
    free(text.text);
}

static void keeps_the_status_of_writing(void **state)
{
    (void)state;
    struct memory_text text;
    assert_int_equal(memory_text_open(&text, NULL), STATUS_OK);
    fputs("half", text.out);
    assert_int_equal(memory_text_close(&text, STATUS_DATA, NULL), STATUS_DATA);
    assert_null(text.text);
}

/* More than the address space has. */
static void tells_that_it_could_not_grow(void **state)
{
    (void)state;
    static char block[1 << 20];
    struct memory_text text;
    struct err err;
    struct rlimit before, limit;
    memset(block, 'x', sizeof block);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)1 << 28;
    assert_int_equal(memory_text_open(&text, &err), STATUS_OK);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    for (int i = 0; i < 512; i++) fwrite(block, 1, sizeof block, text.out);
    enum status status = memory_text_close(&text, STATUS_OK, &err);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, STATUS_SYSTEM);
    assert_string_equal(err.text, "out of memory");
    assert_null(text.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_what_is_written),
        cmocka_unit_test(keeps_the_status_of_writing),
        cmocka_unit_test(tells_that_it_could_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
