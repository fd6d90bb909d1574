/* Whether traces give the same result in slices as in memory: run_streams TRACE... */
#include <stdio.h>

#include "tests/streams/same_result.h"
#include "trace/open.h"

static enum status run(const char *path, struct err *err)
{
    struct trace *trace;
    char what[SAME_RESULT_BYTES];
    bool same;
    TRY(trace_open(path, &trace, err));
    enum status status = same_in_slices(trace, &same, what, err);
    trace_free(trace);
    TRY(status);
    return same ? STATUS_OK : err_set(err, STATUS_DATA, path, NULL, "%s", what);
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; i++) {
        struct err err;
        if (run(argv[i], &err) == STATUS_OK) continue;
        fprintf(stderr, "%s\n", err.text);
        failed = 1;
    }
    return failed;
}
