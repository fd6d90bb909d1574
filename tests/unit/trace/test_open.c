/* Recognising what a path holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/open.h"
#include "trace_test.h"

static char directory[] = "/tmp/rmacast-test-XXXXXX";

static int enter_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void expect_fault(const char *name, const char *message)
{
    struct trace *trace;
    struct err err;
    enum trace_form form;
    assert_true(trace_recognise(name, &form, NULL) != STATUS_OK || form == TRACE_FORM_OTHER);
    assert_int_equal(trace_open(name, &trace, &err), STATUS_DATA);
    assert_string_equal(err.text, message);
}

#define EXPECTED "expected an OTF2 archive, a spool directory, a text trace or a program model"

static void what_is_no_trace_is_named(void **state)
{
    (void)state;
    write_file("empty", "");
    write_file("comments", "# nothing\n\n");
    write_file("result.json", "\n  { \"schema\": \"rmacast.result/1\" }\n");
    write_file("words", "some words\n");
    write_file("rank", "MASPOOL1 and so on");
    assert_int_equal(mkdir("bare", 0700), 0);
    expect_fault("nowhere", "nowhere: cannot be opened: No such file or directory");
    expect_fault("empty", "empty: empty, " EXPECTED);
    expect_fault("comments", "comments: empty, " EXPECTED);
    expect_fault("result.json", "result.json: JSON, as results and platforms are, and no trace; " EXPECTED);
    expect_fault("words", "words: no trace, " EXPECTED);
    expect_fault("rank", "rank: the spool of one rank, expected its directory");
    expect_fault("bare", "bare: a directory without a trace, " EXPECTED);
    const char *const names[] = {"empty", "comments", "result.json", "words", "rank", "bare"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_int_equal(remove(names[i]), 0);
}

static void text_is_read_and_checked(void **state)
{
    (void)state;
    struct trace *trace;
    struct err err;
    write_file("right", "\n# a comment\nrmacast-trace 1\nranks 1\n0 0 0 MPI_Init\n");
    write_file("wrong", "rmacast-trace 1\nranks 1\n0 0 leave r\n");
    enum trace_form form;
    assert_int_equal(trace_recognise("right", &form, &err), STATUS_OK);
    assert_int_equal(form, TRACE_FORM_TRACE);
    assert_int_equal(trace_recognise("wrong", &form, &err), STATUS_OK);
    assert_int_equal(form, TRACE_FORM_TRACE);
    assert_int_equal(trace_open("right", &trace, &err), STATUS_OK);
    assert_int_equal(trace->ranks[0].count, 1);
    assert_string_equal(trace->name, "right");
    trace_free(trace);
    assert_int_equal(trace_open("wrong", &trace, &err), STATUS_DATA);
    assert_string_equal(
        err.text, "wrong:rank 0, event 1 (leave) at 0.000000 s: leave r without enter, expected \"enter r\" before it");
    remove("right");
    remove("wrong");
}

static void text_is_saved_by_name(void **state)
{
    (void)state;
    struct trace *trace = trace_of("rmacast-trace 1\nranks 2\n1 0 0 MPI_Init\n"), *again;
    struct err err;
    assert_int_equal(trace_save(trace, "saved.txt", &err), STATUS_OK);
    assert_int_equal(trace_open("saved.txt", &again, &err), STATUS_OK);
    assert_traces_equal(trace, again);
    assert_int_equal(trace_save(trace, "nowhere/saved.txt", &err), STATUS_SYSTEM);
    assert_string_equal(err.text, "nowhere/saved.txt: cannot be written: No such file or directory");
    trace_free(trace);
    trace_free(again);
    remove("saved.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_trace_is_named),
        cmocka_unit_test(text_is_read_and_checked),
        cmocka_unit_test(text_is_saved_by_name),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
