/* Libraries of the build tree, seen from this program: it is in the directory tests, and they are in lib beside that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/installed.h"

static void assert_ends(const char *path, const char *end)
{
    assert_true(strlen(path) >= strlen(end));
    assert_string_equal(path + strlen(path) - strlen(end), end);
}

static void program_directory(void **state)
{
    char directory[INSTALLED_PATH_BYTES];
    struct err err;
    (void)state;
    assert_int_equal(installed_program_directory(directory, &err), STATUS_OK);
    assert_true(directory[0] == '/');
    assert_ends(directory, "/tests");
}

static void library(void **state)
{
    char path[INSTALLED_PATH_BYTES], moved[INSTALLED_PATH_BYTES];
    struct err err;
    (void)state;
    assert_int_equal(installed_library_find("librmacast.so", path, &err), STATUS_OK);
    assert_true(path[0] == '/' && !strstr(path, ".."));
    assert_int_equal(installed_program_directory(moved, &err), STATUS_OK);
    strcpy(strrchr(moved, '/'), "/lib/librmacast.so");
    char *expected = realpath(moved, NULL);
    assert_string_equal(path, expected);
    free(expected);
}

static void none(void **state)
{
    char path[INSTALLED_PATH_BYTES];
    struct err err;
    (void)state;
    assert_int_equal(installed_library_find("librmacast-nothing.so", path, &err), STATUS_OK);
    assert_string_equal(path, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_directory),
        cmocka_unit_test(library),
        cmocka_unit_test(none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
