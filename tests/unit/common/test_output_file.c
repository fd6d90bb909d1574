/* Files appear as a whole or not at all. */
#include "common/files/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "common/files/remove_tree.h"

static char directory[64];
static bool knows_nameless = true;

/* In place of the C library's: a file system that may know no files without a name. */
int openat(int at, const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode = 0;
    bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (nameless && !knows_nameless) {
        errno = EOPNOTSUPP;
        return -1;
    }
    va_start(rest, flags);
    if (nameless || (flags & O_CREAT)) mode = va_arg(rest, mode_t);
    va_end(rest);
    return (int)syscall(SYS_openat, at, path, flags, mode);
}

static int fstats_left = -1; /* this many succeed, the next one fails; -1: all succeed */

int fstat(int file, struct stat *about)
{
    if (fstats_left > 0) fstats_left--;
    if (fstats_left == 0) {
        fstats_left = -1;
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_newfstatat, file, "", about, AT_EMPTY_PATH);
}

static int enter(void **state)
{
    (void)state;
    knows_nameless = true;
    strcpy(directory, "/tmp/rmacast-output-XXXXXX");
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int enter_without_nameless(void **state)
{
    int entered = enter(state);
    knows_nameless = false;
    return entered;
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

static int count_aside(void)
{
    DIR *here = opendir(".");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(here));)
        count += entry->d_name[0] == '.' && strstr(entry->d_name, ".rmacast-") != NULL;
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

static void appears_when_closed(void **state)
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

static void replaces_whole(void **state)
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
    assert_int_equal(count_aside(), 0);
    assert_int_equal(lstat("link.txt", &of), 0);
    assert_true(S_ISLNK(of.st_mode));
    assert_int_equal(stat("old.txt", &of), 0);
    assert_int_equal(of.st_mode & 07777, 0640);
    assert_int_equal(count_entries(), 2);
}

/* A process that has written half of each file when it is killed. */
static void kill_writer(const char *const *names, int count)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < count; i++) {
            FILE *out;
            if (output_file_open(names[i], &out, NULL) != STATUS_OK) _exit(1);
            fputs("half", out);
            fflush(out);
        }
        raise(SIGKILL);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void killed_writer_leaves_nothing(void **state)
{
    (void)state;
    put("old.txt", "old", STATUS_OK, STATUS_OK);
    kill_writer((const char *[]){"old.txt", "new.txt"}, 2);
    assert_holds("old.txt", "old");
    assert_int_equal(count_entries(), 1);
}

static void make_file(const char *path)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("left", out);
    fclose(out);
}

/* Where files need a name: the killed writer leaves it, the next one of the same file removes it. */
static void killed_writer_leaves_a_name(void **state)
{
    (void)state;
    put("old.txt", "old", STATUS_OK, STATUS_OK);
    kill_writer((const char *[]){"old.txt"}, 1);
    assert_holds("old.txt", "old");
    assert_int_equal(count_aside(), 1);
    put("other.txt", "some", STATUS_OK, STATUS_OK);
    assert_int_equal(count_aside(), 1);
    put("old.txt", "new", STATUS_OK, STATUS_OK);
    assert_holds("old.txt", "new");
    assert_int_equal(count_aside(), 0);
    assert_int_equal(count_entries(), 2);
}

/* Two at the same time: the last one that is closed stays. */
static void two_writers(void **state)
{
    FILE *first, *second;
    struct err err;
    (void)state;
    assert_int_equal(output_file_open("new.txt", &first, &err), STATUS_OK);
    assert_int_equal(output_file_open("new.txt", &second, &err), STATUS_OK);
    fputs("second", second);
    fputs("first", first);
    assert_int_equal(output_file_close("new.txt", second, STATUS_OK, &err), STATUS_OK);
    assert_holds("new.txt", "second");
    assert_int_equal(output_file_close("new.txt", first, STATUS_OK, &err), STATUS_OK);
    assert_holds("new.txt", "first");
    assert_int_equal(count_aside(), 0);
}

/* What has such a name itself is a file as others. */
static void odd_names(void **state)
{
    char longest[256];
    (void)state;
    put(".x.rmacast-AbCd09", "some", STATUS_OK, STATUS_OK);
    put(".x.rmacast-AbCd09", "dropped", STATUS_DATA, STATUS_DATA);
    assert_holds(".x.rmacast-AbCd09", "some");
    memset(longest, 'n', 255);
    longest[255] = '\0';
    put(longest, "some", STATUS_OK, STATUS_OK);
    put(longest, "new", STATUS_OK, STATUS_OK);
    assert_holds(longest, "new");
    assert_int_equal(count_aside(), 1);
}

/* A writer that is killed between its two names leaves the other one; the next writer of the same file removes it. */
static void removes_what_is_left(void **state)
{
    (void)state;
    make_file(".old.txt.rmacast-AbCd09");
    make_file(".old.txt.rmacast-living");
    make_file(".other.txt.rmacast-AbCd09");
    make_file(".old.txt.rmacast-longer.");
    make_file("old.txt.1234");
    int living = open(".old.txt.rmacast-living", O_RDONLY);
    assert_int_equal(flock(living, LOCK_EX), 0);
    put("old.txt", "some", STATUS_OK, STATUS_OK);
    put("old.txt", "new", STATUS_OK, STATUS_OK);
    close(living);
    assert_holds("old.txt", "new");
    assert_int_not_equal(access(".old.txt.rmacast-AbCd09", F_OK), 0);
    assert_holds(".old.txt.rmacast-living", "left");
    assert_holds(".other.txt.rmacast-AbCd09", "left");
    assert_holds(".old.txt.rmacast-longer.", "left");
    assert_holds("old.txt.1234", "left");
}

/* In a directory for all, as /tmp, somebody has put a link to a file of ours under a name that we are about to write.
 */
static void follows_no_link_of_others(void **state)
{
    FILE *out;
    struct err err;
    (void)state;
    if (geteuid() != 0) skip();
    assert_int_equal(mkdir("all", 0777), 0);
    assert_int_equal(chmod("all", 01777), 0);
    make_file("ours.txt");
    assert_int_equal(symlink("../ours.txt", "all/theirs.json"), 0);
    assert_int_equal(lchown("all/theirs.json", 12345, 12345), 0);
    assert_int_equal(output_file_open("all/theirs.json", &out, &err), STATUS_SYSTEM);
    assert_string_equal(err.text,
                        "all/theirs.json: cannot be written: a link of another user's in a directory that all "
                        "may write to");
    assert_holds("ours.txt", "left");
    /* Put there after the file was opened: the link is what is replaced. */
    assert_int_equal(output_file_open("all/new.json", &out, &err), STATUS_OK);
    assert_int_equal(symlink("../ours.txt", "all/new.json"), 0);
    assert_int_equal(lchown("all/new.json", 12345, 12345), 0);
    fputs("new", out);
    assert_int_equal(output_file_close("all/new.json", out, STATUS_OK, &err), STATUS_OK);
    assert_holds("all/new.json", "new");
    assert_holds("ours.txt", "left");
    assert_int_equal(symlink("../ours.txt", "all/mine.json"), 0);
    put("all/mine.json", "new", STATUS_OK, STATUS_OK);
    assert_holds("ours.txt", "new");
}

/* Each fstat() fails once: the output is whole, or there is an error and the old file. Nothing is left beside it. */
static void no_fstat(void **state)
{
    (void)state;
    for (int calls = 1; calls < 12; calls++) {
        FILE *out;
        struct err err = {.text = ""};
        make_file("out.txt");
        fstats_left = calls;
        enum status status = output_file_open("out.txt", &out, &err);
        if (status == STATUS_OK) {
            fputs("new", out);
            status = output_file_close("out.txt", out, STATUS_OK, &err);
        }
        bool failed = fstats_left < 0;
        fstats_left = -1;
        if (!failed) assert_int_equal(status, STATUS_OK);
        assert_holds("out.txt", status == STATUS_OK ? "new" : "left");
        if (status != STATUS_OK) assert_string_equal(err.text, "out.txt: cannot be written: Input/output error");
        assert_int_equal(count_aside(), 0);
    }
}

static void faults(void **state)
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
        cmocka_unit_test_setup_teardown(appears_when_closed, enter, leave),
        cmocka_unit_test_setup_teardown(replaces_whole, enter, leave),
        cmocka_unit_test_setup_teardown(killed_writer_leaves_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(removes_what_is_left, enter, leave),
        cmocka_unit_test_setup_teardown(two_writers, enter, leave),
        cmocka_unit_test_setup_teardown(odd_names, enter, leave),
        cmocka_unit_test_setup_teardown(follows_no_link_of_others, enter, leave),
        cmocka_unit_test_setup_teardown(no_fstat, enter, leave),
        cmocka_unit_test_setup_teardown(no_fstat, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(faults, enter, leave),
        cmocka_unit_test_setup_teardown(appears_when_closed, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(replaces_whole, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(killed_writer_leaves_a_name, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(removes_what_is_left, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(two_writers, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(odd_names, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(follows_no_link_of_others, enter_without_nameless, leave),
        cmocka_unit_test_setup_teardown(faults, enter_without_nameless, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
