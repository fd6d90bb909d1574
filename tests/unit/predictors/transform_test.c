#include "transform_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms/platform.h"
#include "simulate/replay/replay.h"
#include "trace/text/text.h"

struct trace *test_read(const char *text)
{
    char path[] = "/tmp/test_transform_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "rmacast-trace 1\n%s", text);
    fclose(file);
    struct trace *trace;
    struct err err;
    enum status status = text_read_by(0, path, false, &trace, &err);
    unlink(path);
    if (status == STATUS_OK) status = trace_check(trace, &err);
    if (status != STATUS_OK) fail_msg("%s", err.text);
    return trace;
}

char *test_calls(const struct trace *trace)
{
    char *text = NULL;
    size_t bytes = 0;
    struct err err;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    if (text_write(trace, NULL, out, &err) != STATUS_OK) fail_msg("%s", err.text);
    fclose(out);
    char *to = text;
    for (char *line = text, *next; *line; line = next) { /* only lines of calls begin with a digit */
        next = strchr(line, '\n') + 1;
        if (*line < '0' || *line > '9') continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = '\0';
    return text;
}

void test_gives(const char *spec, const char *text, const char *expected)
{
    struct trace *trace = test_read(text);
    struct rewrite rewrite;
    struct err err;
    if (transform_check(spec, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (rewrite_run(trace, &spec, 1, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    char *got = test_calls(rewrite.trace);
    assert_string_equal(got, expected);
    free(got);
    rewrite_clear(&rewrite);
    trace_free(trace);
}

void test_refuses(const char *spec, const char *text, const char *what)
{
    struct trace *trace = test_read(text);
    struct rewrite rewrite;
    struct err err;
    assert_int_equal(rewrite_run(trace, &spec, 1, &rewrite, &err), STATUS_DATA);
    if (!strstr(err.text, what)) fail_msg("'%s' does not hold '%s'", err.text, what);
    trace_free(trace);
}

static double run_us(const struct trace *trace, const char *semantics, bool contention)
{
    char override[40];
    const char *overrides[] = {override, "nodes.count=16", "nodes.cores=2",
                               contention ? "engine.contention=true" : "engine.contention=false"};
    struct platform *platform;
    struct replay_outcome outcome;
    struct err err;
    snprintf(override, sizeof override, "mpi.rma.semantics=%s", semantics);
    const struct replay_options options = {.engine = engine_by_name("loggp")};
    if (platform_open("tests/cases/base.json", overrides, 4, &platform, &err) != STATUS_OK ||
        replay_run(trace, platform, &options, &outcome, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    double time_us = outcome.run_time_s * 1e6;
    replay_outcome_clear(&outcome);
    platform_free(platform);
    return time_us;
}

double test_run_us(const struct trace *trace, const char *semantics)
{
    return run_us(trace, semantics, true);
}

double test_run_apart_us(const struct trace *trace, const char *semantics)
{
    return run_us(trace, semantics, false);
}

double test_run_rewritten_us(const char *text, const char *semantics, const char *const *specs)
{
    size_t count = 0;
    while (specs[count]) count++;
    struct trace *trace = test_read(text);
    struct rewrite rewrite;
    struct err err;
    if (rewrite_run(trace, specs, count, &rewrite, &err) != STATUS_OK) fail_msg("%s", err.text);
    double time_us = test_run_us(rewrite.trace ? rewrite.trace : trace, semantics);
    rewrite_clear(&rewrite);
    trace_free(trace);
    return time_us;
}
