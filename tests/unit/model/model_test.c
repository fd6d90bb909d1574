#include "model_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/text/text.h"

static void read_text(const char *text, struct trace **trace)
{
    struct err err;
    char path[] = "/tmp/rmacast-model-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fprintf(file, "rmacast-trace 1\n%s", text);
    fclose(file);
    enum status status = text_read_by(0, path, false, trace, &err);
    unlink(path);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    if (trace_check(*trace, &err) != STATUS_OK) fail_msg("%s", err.text);
}

struct trace *trace_of(const char *text)
{
    struct trace *trace;
    read_text(text, &trace);
    return trace;
}

struct totals account_of(const char *text, const struct analyze_options *options)
{
    struct err err;
    struct totals totals;
    struct trace *trace = trace_of(text);
    if (model_totals(trace, options, &totals, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return totals;
}

int64_t severity_ps(const char *text, const struct analyze_options *options, enum pattern pattern, uint32_t rank)
{
    struct totals totals = account_of(text, options);
    int64_t found_ps = totals.severity_ps[pattern][rank];
    totals_clear(&totals);
    return found_ps;
}

void expect_fault(const char *text, const char *const *words)
{
    struct err err;
    struct totals totals;
    struct trace *trace = trace_of(text);
    assert_int_equal(model_totals(trace, NULL, &totals, &err), STATUS_DATA);
    for (; *words; words++)
        if (!strstr(err.text, *words)) fail_msg("\"%s\" does not hold \"%s\"", err.text, *words);
    trace_free(trace);
}
