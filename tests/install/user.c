/* A program of somebody who uses the installed library: prints a trace's run time. */
#include <stdio.h>

#include "model/analyze.h"
#include "trace/open.h"

int main(int argc, char **argv)
{
    struct err err = {0};
    struct trace *trace;
    struct result *result;
    if (argc != 2) return 2;
    if (trace_open(argv[1], &trace, &err) != STATUS_OK || model_analyze(trace, NULL, &result, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%g s\n", result->run_time_s);
    result_free(result);
    trace_free(trace);
    return 0;
}
