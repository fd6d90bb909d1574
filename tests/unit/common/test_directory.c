/* Directories of outputs: made, found, locked, refused with path and cause. */
#include "common/files/directory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files/remove_tree.h"

static char place[64];

static int enter(void **state)
{
    (void)state;
    strcpy(place, "/tmp/rmacast-directory-XXXXXX");
    return mkdtemp(place) && chdir(place) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    remove_tree(place);
    return chdir("/");
}

static void one_that_is_there_is_as_good(void **state)
{
    (void)state;
    struct stat about;
    assert_int_equal(directory_make("tables", NULL), STATUS_OK);
    assert_int_equal(directory_make("tables", NULL), STATUS_OK);
    assert_int_equal(symlink("tables", "link"), 0);
    assert_int_equal(directory_make("link", NULL), STATUS_OK);
    assert_true(stat("tables", &about) == 0 && S_ISDIR(about.st_mode));
}

static void what_cannot_be_made_is_named_with_the_cause(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
    } rows[] = {{"missing/tables", "missing/tables: cannot be made: No such file or directory"},
                {"/dev/null", "/dev/null: cannot be made: Not a directory"},
                {"nowhere", "nowhere: cannot be made: File exists"}};
    assert_int_equal(symlink("missing", "nowhere"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        assert_int_equal(directory_make(rows[i].path, &err), STATUS_SYSTEM);
        assert_string_equal(err.text, rows[i].text);
    }
}

static void one_descriptor_at_a_time_has_the_lock(void **state)
{
    (void)state;
    assert_int_equal(directory_make("used", NULL), STATUS_OK);
    int first = directory_lock("used", LOCK_EX | LOCK_NB);
    assert_true(first >= 0);
    assert_int_equal(directory_lock("used", LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    /* The lock is of the directory, not of its name: another one of that name is free. */
    assert_int_equal(rename("used", "before"), 0);
    assert_int_equal(directory_lock("used", LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(directory_make("used", NULL), STATUS_OK);
    int second = directory_lock("used", LOCK_EX | LOCK_NB);
    assert_true(second >= 0);
    close(first);
    close(second);
    int third = directory_lock("before", LOCK_EX | LOCK_NB);
    assert_true(third >= 0);
    close(third);
    assert_int_equal(symlink("used", "link"), 0);
    assert_int_equal(directory_lock("link", LOCK_EX | LOCK_NB), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_is_there_is_as_good, enter, leave),
        cmocka_unit_test_setup_teardown(what_cannot_be_made_is_named_with_the_cause, enter, leave),
        cmocka_unit_test_setup_teardown(one_descriptor_at_a_time_has_the_lock, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
