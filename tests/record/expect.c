#include "expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/otf2/otf2.h"
#include "trace/text/text.h"

/* Cuts "0 0.1 0.2 MPI_Put win=0 ... site=f@x.c:3" to "MPI_Put win=0 ..."; a region keeps "enter NAME". How long its rank
 * waited for a core (core_wait=, core_wait_inside=) depends on the machine's load; how long it slept (slept=) is another
 * test's. */
static void cut_line(const char *line, FILE *out)
{
    int skipped = 0;
    const char *region = strstr(line, "enter ") ? strstr(line, "enter ") : strstr(line, "leave ");
    for (int fields = region ? 2 : 3; fields > 0; fields--) skipped += (int)strcspn(line + skipped, " ") + 1;
    int length = (int)strlen(line);
    const char *const cut[] = {" site=", " core_wait=", " slept=", " core_wait_inside="};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        const char *from = strstr(line, cut[i]);
        if (from && from - line < length) length = (int)(from - line);
    }
    fprintf(out, "%.*s\n", length - skipped, line + skipped);
}

char *calls_of(const struct trace *trace, int rank)
{
    char *text, *made;
    size_t bytes, made_bytes;
    struct text_range range = {.rank = rank, .from_ps = INT64_MIN, .to_ps = INT64_MAX};
    struct err err = {.text = ""};
    FILE *out = open_memstream(&text, &bytes), *cut = open_memstream(&made, &made_bytes);
    if (!out || !cut || text_write(trace, &range, out, &err) != STATUS_OK) fail_msg("%s", err.text);
    fclose(out);
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")) != NULL)
        if (*line >= '0' && *line <= '9' && !strstr(line, "flag=0")) cut_line(line, cut);
    fclose(cut);
    free(text);
    return made;
}

/* Long texts: the first line that differs. */
static void expect_same(int rank, const char *found, const char *expected)
{
    for (int line = 1; *found || *expected; line++) {
        int got = (int)strcspn(found, "\n"), wanted = (int)strcspn(expected, "\n");
        if (got != wanted || strncmp(found, expected, (size_t)got) != 0)
            fail_msg("rank %d, call %d: \"%.*s\", expected \"%.*s\"", rank, line, got, found, wanted, expected);
        found += got + (found[got] != '\0');
        expected += wanted + (expected[wanted] != '\0');
    }
}

void expect_calls(const struct trace *trace, int rank, const char *format, ...)
{
    char *expected, *found = calls_of(trace, rank);
    va_list list;
    va_start(list, format);
    assert_true(vasprintf(&expected, format, list) >= 0);
    va_end(list);
    expect_same(rank, found, expected);
    free(found);
    free(expected);
}

struct trace *archived(struct trace *trace)
{
    char directory[] = "/tmp/rmacast-test-XXXXXX", path[64], command[96];
    struct trace *back = NULL;
    struct err err = {.text = ""};
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/trace.rma", directory);
    enum status status = otf2_write(trace, path, &err);
    if (status == STATUS_OK) status = otf2_read(path, &back, &err);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    if (status != STATUS_OK || trace_check(back, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return back;
}

void expect_whole(const struct trace *trace)
{
    assert_int_equal(trace->provenance.clock.violations, 0);
    for (uint32_t i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].incomplete) fail_msg("rank %u: %s", i, trace->ranks[i].incomplete_why);
}
