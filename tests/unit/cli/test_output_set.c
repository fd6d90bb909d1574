/* The files of a command get their names together, or not at all. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/output_set.h"
#include "common/files/remove_tree.h"

static char start[4096], directory[] = "/tmp/rmacast-set-XXXXXX";

/* Renames number renames_fail to renames_end fail; a file system may not exchange names. */
static int renames, renames_fail, renames_end;
static bool no_exchange;

static int rename_counted(int from, const char *old, int to, const char *new, unsigned flags)
{
    bool fails = renames >= renames_fail && renames < renames_end;
    renames++;
    errno = flags && no_exchange ? EINVAL : EIO;
    return fails || (flags && no_exchange) ? -1 : (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new)
{
    return rename_counted(from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    return rename_counted(from, old, to, new, flags);
}

/* In a directory of its own, with the old a and b. */
static int enter(void **state)
{
    (void)state;
    renames = renames_fail = renames_end = 0;
    no_exchange = false;
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    if (!getcwd(start, sizeof start) || !mkdtemp(directory) || chdir(directory) != 0) return -1;
    for (const char *name = "ab"; *name; name++) {
        FILE *out = fopen((const char[]){*name, '\0'}, "w");
        if (!out || fputs("old", out) < 0 || fclose(out) != 0) return -1;
    }
    return 0;
}

static int leave(void **state)
{
    (void)state;
    if (chdir(start) != 0) return -1;
    remove_tree(directory);
    return 0;
}

static void expect_file(const char *path, const char *expected)
{
    char text[16] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_true(fgets(text, sizeof text, in) != NULL);
    fclose(in);
    assert_string_equal(text, expected);
}

static void write_one(const char *path, enum status written)
{
    struct err err;
    FILE *out;
    assert_int_equal(output_set_open(path, &out, &err), STATUS_OK);
    fputs("new!", out);
    assert_int_equal(output_set_close(path, out, written, &err), written);
}

static void names_come_together(void **state)
{
    struct err err;
    uint64_t bytes = 0;
    int cause = -1;
    (void)state;
    write_one("a", STATUS_OK);
    write_one("c", STATUS_OK);
    expect_file("a", "old");
    assert_int_not_equal(access("c", F_OK), 0);
    assert_true(output_set_bytes("a", &bytes, &cause));
    assert_int_equal(bytes, 4);
    assert_int_equal(cause, 0);
    assert_false(output_set_bytes("b", &bytes, &cause));
    assert_int_equal(output_set_end(true, &err), STATUS_OK);
    expect_file("a", "new!");
    expect_file("c", "new!");
    assert_false(output_set_bytes("a", &bytes, &cause));
}

static void one_that_fails_takes_all(void **state)
{
    struct err err;
    FILE *out;
    (void)state;
    write_one("a", STATUS_OK);
    write_one("b", STATUS_DATA);
    assert_int_equal(output_set_end(true, &err), STATUS_OK);
    write_one("a", STATUS_OK);
    assert_int_equal(output_set_open("nowhere/c", &out, &err), STATUS_SYSTEM);
    assert_int_equal(output_set_end(true, &err), STATUS_OK);
    write_one("a", STATUS_OK);
    assert_int_equal(output_set_open("/dev/full", &out, &err), STATUS_OK);
    fputs("new!", out);
    assert_int_equal(output_set_close("/dev/full", out, STATUS_OK, &err), STATUS_SYSTEM);
    assert_int_equal(output_set_end(true, &err), STATUS_OK);
    write_one("a", STATUS_OK);
    assert_int_equal(output_set_end(false, &err), STATUS_OK);
    expect_file("a", "old");
    expect_file("b", "old");
    write_one("a", STATUS_OK); /* the next set has not failed */
    assert_int_equal(output_set_end(true, &err), STATUS_OK);
    expect_file("a", "new!");
}

/* A directory has taken the second name meanwhile. */
static void a_refused_name_takes_all(void **state)
{
    struct err err;
    (void)state;
    write_one("a", STATUS_OK);
    write_one("c", STATUS_OK);
    assert_int_equal(mkdir("c", 0777), 0);
    assert_int_equal(output_set_end(true, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "c: cannot be written: Is a directory");
    expect_file("a", "old");
}

/* The exchange of b and its plain rename fail, when c and a have their new names. */
static void earlier_names_are_put_back(void **state)
{
    struct err err;
    (void)state;
    write_one("c", STATUS_OK);
    write_one("a", STATUS_OK);
    write_one("b", STATUS_OK);
    renames_fail = 2;
    renames_end = 4;
    assert_int_equal(output_set_end(true, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "b: cannot be written: Input/output error");
    expect_file("a", "old");
    expect_file("b", "old");
    assert_int_not_equal(access("c", F_OK), 0);
}

/* Renames 0 to 2: of c, the exchange of a, its plain rename. */
static void what_cannot_be_put_back_is_told(void **state)
{
    struct err err;
    (void)state;
    write_one("c", STATUS_OK);
    write_one("a", STATUS_OK);
    write_one("b", STATUS_OK);
    no_exchange = true;
    renames_fail = 4;
    renames_end = 5;
    assert_int_equal(output_set_end(true, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "b: cannot be written: Input/output error; a is the new one already");
    expect_file("a", "new!");
    expect_file("b", "old");
    assert_int_not_equal(access("c", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_come_together, enter, leave),
        cmocka_unit_test_setup_teardown(one_that_fails_takes_all, enter, leave),
        cmocka_unit_test_setup_teardown(a_refused_name_takes_all, enter, leave),
        cmocka_unit_test_setup_teardown(earlier_names_are_put_back, enter, leave),
        cmocka_unit_test_setup_teardown(what_cannot_be_put_back_is_told, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
