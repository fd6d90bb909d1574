/* Every OpenSHMEM row in the text and in an archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/otf2/otf2.h"
#include "trace_test.h"

#define HEAD "rmacast-trace 1\nranks 2\ncomm 1 ranks=1,0\nwindow 0 comm=0 flavor=heap\n"

/* A value for each key; those of one row never stand for the same thing. */
static void put_fields(FILE *out, uint32_t fields)
{
    static const struct {
        uint32_t field;
        const char *text;
    } values[] = {{F_WIN, "win=0"},      {F_COMM, "comm=1"},     {F_TARGET, "target=1"},
                  {F_ROOT, "root=1"},    {F_BYTES, "bytes=24"},  {F_COUNTS, "counts=24,16"},
                  {F_DISP, "disp=4096"}, {F_OP, "op=SUM"},       {F_RESULT_BYTES, "result_bytes=8"},
                  {F_FLAG, "flag=1"},    {F_OBJECT, "object=77"},
                  {F_REQ, "req=1"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (fields & values[i].field) fprintf(out, " %s", values[i].text);
}

static char *all_rows(void)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fputs(HEAD, out);
    for (int call = SHMEM_CALL_FIRST; call < ID_region_enter; call++) {
        const struct call_row *row = call_row((enum mpi_call)call);
        int begin = call - SHMEM_CALL_FIRST;
        fprintf(out, "0 %d.000000 %d.500000 %s", begin, begin, row->name);
        put_fields(out, row->allowed);
        fputs("\n", out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static void rows_keep_what_they_say(void **state)
{
    (void)state;
    char *text = all_rows(), directory[] = "/tmp/rmacast-test-XXXXXX", command[64];
    struct trace *trace = trace_of(text), *again;
    struct err err = {.text = ""};
    char *written = text_of(trace);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) assert_non_null(strstr(written, line));
    assert_non_null(mkdtemp(directory));
    if (otf2_write(trace, directory, &err) != STATUS_OK || otf2_read(directory, &again, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    assert_traces_equal(trace, again);
    trace_free(again);
    trace_free(trace);
    free(written);
    free(text);
}

static void a_lock_has_a_number(void **state)
{
    (void)state;
    struct trace *trace = trace_of(HEAD "0 1 2 shmem_set_lock win=0 object=5\n");
    struct err err;
    trace->ranks[0].calls[0].ref = TRACE_NO_REF;
    assert_int_equal(trace_check(trace, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "no lock, expected object"));
    assert_int_equal(trace_check_no_shmem(trace, "this", &err), STATUS_DATA);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_keep_what_they_say),
                                       cmocka_unit_test(a_lock_has_a_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
