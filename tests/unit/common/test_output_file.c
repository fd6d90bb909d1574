/* Files appear as a whole or not at all. */
#include "common/output_file.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "common/remove_tree.h"

static char directory[64];

static int enter(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/rmacast-output-XXXXXX");
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    remove_tree(directory);
    return chdir("/");
}

static int count_entries(void)
{
    DIR *here = opendir(".");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(here));) count += entry->d_name[0] != '.';
    closedir(here);
    return count;
}

static void put(const char *path, const char *text, enum status written, enum status expected)
{
    FILE *out;
    struct err err;
    assert_int_equal(output_file_open(path, &out, &err), STATUS_OK);
    fputs(text, out);
    assert_int_equal(output_file_close(path, out, written, &err), expected);
}

static void assert_holds(const char *path, const char *text)
{
    char held[64] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    held[fread(held, 1, sizeof held - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(held, text);
}

static void test_appears_when_closed(void **state)
{
    FILE *out;
    struct err err;
    (void)state;
    assert_int_equal(output_file_open("new.txt", &out, &err), STATUS_OK);
    fputs("some", out);
    fflush(out);
    assert_int_equal(count_entries(), 0);
    fputs(" text", out);
    assert_int_equal(output_file_close("new.txt", out, STATUS_OK, &err), STATUS_OK);
    assert_holds("new.txt", "some text");
    assert_int_equal(count_entries(), 1);
}

static void test_replaces_whole(void **state)
{
    struct stat of;
    (void)state;
    put("old.txt", "a longer text than the next", STATUS_OK, STATUS_OK);
    assert_int_equal(chmod("old.txt", 0640), 0);
    assert_int_equal(symlink("old.txt", "link.txt"), 0);
    put("old.txt", "dropped", STATUS_DATA, STATUS_DATA);
    assert_holds("old.txt", "a longer text than the next");
    put("link.txt", "new", STATUS_OK, STATUS_OK);
    assert_holds("old.txt", "new");
    assert_int_equal(lstat("link.txt", &of), 0);
    assert_true(S_ISLNK(of.st_mode));
    assert_int_equal(stat("old.txt", &of), 0);
    assert_int_equal(of.st_mode & 07777, 0640);
    assert_int_equal(count_entries(), 2);
}

static void test_killed_writer_leaves_nothing(void **state)
{
    FILE *out;
    int status;
    (void)state;
    put("old.txt", "old", STATUS_OK, STATUS_OK);
    pid_t child = fork();
    if (child == 0) {
        if (output_file_open("old.txt", &out, NULL) != STATUS_OK) _exit(1);
        fputs("half", out);
        fflush(out);
        if (output_file_open("new.txt", &out, NULL) != STATUS_OK) _exit(1);
        fputs("half", out);
        fflush(out);
        raise(SIGKILL);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_holds("old.txt", "old");
    assert_int_equal(count_entries(), 1);
}

static void test_faults(void **state)
{
    FILE *out;
    struct err err;
    (void)state;
    assert_int_equal(output_file_open("missing/new.txt", &out, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "missing/new.txt: cannot be written: No such file or directory");
    assert_int_equal(output_file_open(".", &out, &err), STATUS_SYSTEM);
    assert_int_equal(output_file_open("/dev/full", &out, &err), STATUS_OK);
    fputs("text", out);
    assert_int_equal(output_file_close("/dev/full", out, STATUS_OK, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "/dev/full: cannot be written: No space left on device");
    put("/dev/null", "text", STATUS_OK, STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_appears_when_closed, enter, leave),
        cmocka_unit_test_setup_teardown(test_replaces_whole, enter, leave),
        cmocka_unit_test_setup_teardown(test_killed_writer_leaves_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(test_faults, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
