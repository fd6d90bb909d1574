/* What is read is noted, and is not written; read errors are no end of a file. Reading /proc/self/mem fails. */
#include "common/files/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "common/files/file_claims.h"
#include "common/files/output_file.h"
#include "common/files/remove_tree.h"

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/rmacast-input-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    if (chdir("/") != 0) return -1;
    remove_tree(directory);
    return 0;
}

/* A directory of its own. It stays until all tests have ended, since a new file may have the inode of one that is gone. */
static int enter(void **state)
{
    static int count;
    char name[96];
    (void)state;
    snprintf(name, sizeof name, "%s/%d", directory, count++);
    return mkdir(name, 0777) == 0 && chdir(name) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    return chdir("/");
}

static void make_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void read_file(const char *path)
{
    struct input_file in;
    struct err err;
    if (input_file_open(path, &in, &err) != STATUS_OK) fail_msg("%s", err.text);
    while (input_file_line(&in)) continue;
    assert_int_equal(input_file_close(&in, STATUS_OK, &err), STATUS_OK);
}

static void assert_refused_input(const char *path, const char *text)
{
    struct input_file in;
    struct err err;
    assert_int_equal(input_file_open(path, &in, &err), STATUS_USAGE);
    assert_string_equal(err.text, text);
}

/* Nothing is changed under this name. */
static void assert_refused_output(const char *path, const char *text)
{
    FILE *out;
    struct err err;
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(output_file_open(path, &out, &err), STATUS_USAGE);
    assert_string_equal(err.text, text);
    assert_int_equal(output_file_open_growing(path, &out, &err), STATUS_USAGE);
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

static void write_file(const char *path, enum status expected)
{
    FILE *out;
    struct err err;
    enum status status = output_file_open(path, &out, &err);
    if (status == STATUS_OK) {
        fputs("new", out);
        status = output_file_close(path, out, STATUS_OK, &err);
    }
    if (status != expected) fail_msg("%s: status %d, expected %d: %s", path, status, expected, err.text);
}

/* A library's caller may write what it has read. Comes first: what is begun does not end. */
static void nothing_is_noted_in_a_library(void **state)
{
    struct err err;
    (void)state;
    make_file("t.txt", "text\n");
    read_file("t.txt");
    write_file("t.txt", STATUS_OK);
    write_file("t.txt", STATUS_OK);
    assert_int_equal(file_claims_end(STATUS_DATA, &err), STATUS_DATA);
    assert_int_equal(file_claims_begin(&err), STATUS_OK);
}

static void inputs_are_not_written(void **state)
{
    (void)state;
    make_file("t.txt", "text\n");
    assert_int_equal(link("t.txt", "hard.txt"), 0);
    assert_int_equal(symlink("t.txt", "soft.txt"), 0);
    write_file("t.txt", STATUS_OK); /* is another file from now on; hard.txt is the old one */
    make_file("u.txt", "text\n");
    assert_int_equal(link("u.txt", "v.txt"), 0);
    read_file("u.txt");
    read_file("hard.txt");
    assert_refused_output("u.txt", "u.txt would replace u.txt that is read, expected another name");
    assert_refused_output("v.txt", "v.txt would replace u.txt that is read, expected another name");
    assert_refused_output("./v.txt", "./v.txt would replace u.txt that is read, expected another name");
    assert_int_equal(symlink("../u.txt", "s"), 0);
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(rename("s", "d/s"), 0);
    assert_refused_output("d/s", "d/s would replace u.txt that is read, expected another name");
    write_file("w.txt", STATUS_OK);
}

/* A file that has gone gives its inode to the next one: until some file system has done so, files are made and removed. With a
 * second name the file is still there. */
static void what_has_gone_is_forgotten(void **state)
{
    struct stat read, made = {.st_ino = 0};
    (void)state;
    make_file("gone.txt", "text\n");
    read_file("gone.txt");
    assert_int_equal(stat("gone.txt", &read), 0);
    assert_int_equal(file_claims_remove(AT_FDCWD, "gone.txt", 0), 0);
    for (int i = 0; i < 50 && made.st_ino != read.st_ino; i++) {
        unlink("new.txt");
        make_file("new.txt", "text\n");
        assert_int_equal(stat("new.txt", &made), 0);
    }
    write_file("new.txt", STATUS_OK);
    make_file("kept.txt", "text\n");
    assert_int_equal(link("kept.txt", "second.txt"), 0);
    read_file("kept.txt");
    assert_int_equal(file_claims_remove(AT_FDCWD, "kept.txt", 0), 0);
    assert_refused_output("second.txt", "second.txt would replace kept.txt that is read, expected another name");
}

/* A platform that was measured is checked by what is in its file. */
static void what_was_written_is_read_back(void **state)
{
    struct err err;
    (void)state;
    assert_int_equal(file_claim_output("-o", "own.json", "own.json", false, &err), STATUS_OK);
    write_file("own.json", STATUS_OK);
    read_file("own.json");
}

/* Also what is read after the output was opened, and before it is closed. */
static void inputs_are_not_replaced_at_the_end(void **state)
{
    FILE *out;
    struct err err;
    (void)state;
    make_file("t.txt", "text\n");
    assert_int_equal(output_file_open("t.txt", &out, &err), STATUS_OK);
    read_file("t.txt");
    assert_int_equal(output_file_close("t.txt", out, STATUS_OK, &err), STATUS_USAGE);
    assert_string_equal(err.text, "t.txt would replace t.txt that is read, expected another name");
    assert_int_equal(file_claims_end(STATUS_OK, &err), STATUS_USAGE);
}

static void outputs_are_not_read(void **state)
{
    struct err err;
    (void)state;
    make_file("old.json", "{}\n");
    assert_int_equal(link("old.json", "hard.json"), 0);
    assert_int_equal(file_claim_output("--json", "old.json", "old.json", false, &err), STATUS_OK);
    assert_int_equal(file_claim_output("-o", "missing/new.txt", "missing/new.txt", false, &err), STATUS_OK);
    assert_refused_input("old.json", "--json old.json would replace old.json that is read, expected another name");
    assert_refused_input("hard.json", "--json old.json would replace hard.json that is read, expected another name");
    assert_int_equal(mkdir("missing", 0777), 0);
    make_file("missing/new.txt", "by another process\n");
    assert_refused_input("missing/../missing/new.txt",
                         "-o missing/new.txt would replace missing/../missing/new.txt that is read, expected another name");
}

static void two_outputs_are_two_files(void **state)
{
    struct err err;
    (void)state;
    assert_int_equal(file_claim_output("--csv", "none/a.csv", "none/a.csv", false, &err), STATUS_OK);
    assert_int_equal(file_claim_output("--svg", "./none/./a.csv", "./none/./a.csv", false, &err), STATUS_USAGE);
    assert_int_equal(file_claim_output("--csv", "a.csv", "a.csv", false, &err), STATUS_OK);
    assert_int_equal(symlink("a.csv", "link"), 0);
    assert_int_equal(file_claim_output("-o", "link", "link", false, &err), STATUS_USAGE);
    assert_string_equal(err.text, "--csv and -o both write link, expected two files");
    assert_int_equal(file_claim_output("--svg", "run", "run/traces", true, &err), STATUS_OK);
    assert_int_equal(file_claim_output("--json", "run/traces/1.evt", "run/traces/1.evt", false, &err), STATUS_USAGE);
    write_file("w.txt", STATUS_OK);
    assert_int_equal(link("w.txt", "x.txt"), 0);
    write_file("x.txt", STATUS_USAGE);
    write_file("w.txt", STATUS_USAGE);
    FILE *out;
    assert_int_equal(output_file_open_again("w.txt", &out, &err), STATUS_OK);
    assert_int_equal(output_file_close("w.txt", out, STATUS_OK, &err), STATUS_OK);
}

/* A directory that is read counts with all that is in it. */
static void directories_count_as_a_whole(void **state)
{
    struct err err;
    (void)state;
    assert_int_equal(mkdir("spool", 0777), 0);
    assert_int_equal(mkdir("spool/below", 0777), 0);
    assert_int_equal(symlink("spool", "other"), 0);
    assert_int_equal(file_claim_input_path("spool", &err), STATUS_OK);
    write_file("spool/new", STATUS_USAGE);
    write_file("other/below/new", STATUS_USAGE);
    write_file("beside", STATUS_OK);
    assert_int_equal(file_claim_output("--json", "run/x.json", "run/x.json", false, &err), STATUS_OK);
    assert_int_equal(mkdir("run", 0777), 0);
    assert_int_equal(file_claim_input_path("run", &err), STATUS_USAGE);
    assert_int_equal(file_claim_input_path("nowhere", &err), STATUS_OK);
}

/* A child reads, its parent writes. */
static void children_note_for_their_parent(void **state)
{
    int how;
    (void)state;
    make_file("t.txt", "text\n");
    pid_t child = fork();
    if (child == 0) {
        struct input_file in;
        _exit(input_file_open("t.txt", &in, NULL) == STATUS_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    assert_refused_output("t.txt", "t.txt would replace t.txt that is read, expected another name");
}

/* Enough files for slots of the index to be taken. */
static void many_files(void **state)
{
    char name[32];
    struct stat about;
    struct err err;
    (void)state;
    make_file("first", "");
    read_file("first");
    assert_int_equal(stat("first", &about), 0);
    for (ino_t i = 1; i < 300000; i++) {
        struct stat other = about;
        other.st_ino = i << 20;
        snprintf(name, sizeof name, "%lu", (unsigned long)i);
        assert_int_equal(file_claim_input(name, &other, &err), STATUS_OK);
    }
    for (ino_t i = 1; i < 300000; i += 1000) {
        struct stat other = about;
        other.st_ino = i << 20;
        assert_int_equal(file_claims_check_open(&other, "out", false, &err), STATUS_USAGE);
        other.st_ino++;
        assert_int_equal(file_claims_check_open(&other, "out", false, &err), STATUS_OK);
    }
    assert_refused_output("first", "first would replace first that is read, expected another name");
}

static ssize_t read_some(void *cookie, char *to, size_t bytes)
{
    int *left = cookie;
    if (*left == 0) {
        errno = EIO;
        return -1;
    }
    if (bytes > (size_t)*left) bytes = (size_t)*left;
    memset(to, '\n', bytes);
    *left -= (int)bytes;
    return (ssize_t)bytes;
}

/* Lines, bytes, all: an error in the middle is reported, whatever the reader has made of what came before. */
static void read_errors_are_no_end(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        int left = 3;
        size_t bytes;
        char text[64];
        struct err err = {.text = ""};
        struct input_file in = {.path = "t.txt", .file = fopencookie(&left, "r", (cookie_io_functions_t){.read = read_some})};
        assert_non_null(in.file);
        if (how == 0) {
            for (int i = 0; i < 3; i++) assert_string_equal(input_file_line(&in), "\n");
            assert_null(input_file_line(&in));
        } else if (how == 1) {
            assert_true(input_file_read(&in, text, sizeof text) < sizeof text);
        } else {
            assert_null(input_file_all(&in, &bytes));
        }
        enum status read = how == 1 ? err_set(&err, STATUS_DATA, "t.txt", "4", "the file ends") : STATUS_OK;
        assert_int_equal(input_file_close(&in, read, &err), STATUS_SYSTEM);
        assert_string_equal(err.text, "t.txt: cannot be read: Input/output error");
    }
}

static void faults(void **state)
{
    struct input_file in;
    struct err err;
    (void)state;
    assert_int_equal(input_file_open("nowhere", &in, &err), STATUS_DATA);
    assert_string_equal(err.text, "nowhere: cannot be opened: No such file or directory");
    assert_int_equal(input_file_open(".", &in, &err), STATUS_DATA);
    assert_string_equal(err.text, ".: is a directory, expected a file");
    assert_int_equal(input_file_open("/proc/self/mem", &in, &err), STATUS_OK);
    assert_null(input_file_line(&in));
    assert_int_equal(input_file_close(&in, STATUS_OK, &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "/proc/self/mem: cannot be read: Input/output error");
    assert_int_equal(input_file_open("-", &in, &err), STATUS_OK);
    assert_int_equal(input_file_close(&in, STATUS_OK, &err), STATUS_OK);
    assert_refused_input("-", "two inputs are standard input, expected a file for one of them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_noted_in_a_library, enter, leave),
        cmocka_unit_test_setup_teardown(inputs_are_not_written, enter, leave),
        cmocka_unit_test_setup_teardown(what_has_gone_is_forgotten, enter, leave),
        cmocka_unit_test_setup_teardown(what_was_written_is_read_back, enter, leave),
        cmocka_unit_test_setup_teardown(inputs_are_not_replaced_at_the_end, enter, leave),
        cmocka_unit_test_setup_teardown(outputs_are_not_read, enter, leave),
        cmocka_unit_test_setup_teardown(two_outputs_are_two_files, enter, leave),
        cmocka_unit_test_setup_teardown(directories_count_as_a_whole, enter, leave),
        cmocka_unit_test_setup_teardown(children_note_for_their_parent, enter, leave),
        cmocka_unit_test_setup_teardown(many_files, enter, leave),
        cmocka_unit_test_setup_teardown(read_errors_are_no_end, enter, leave),
        cmocka_unit_test_setup_teardown(faults, enter, leave),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
