/* A program of somebody who uses the installed library: prints a trace's run time, and walks its events in the extended
 * model for the longest time that a transfer was under way. */
#include <stdio.h>

#include "model/analyze.h"
#include "model/walk.h"
#include "trace/open.h"

static enum status longest_transfer(const struct trace *trace, int64_t *longest_ps, struct err *err)
{
    struct relations relations;
    struct walk *walk = NULL;
    struct walk_event event;
    TRY(relations_build(trace, &relations, err));
    enum status status = walk_open(&relations, WALK_EXTENDED, &walk, err);
    *longest_ps = 0;
    while (status == STATUS_OK && walk_next(walk, &event)) {
        if (event.kind != WALK_END || event.startptr == WALK_NONE) continue;
        int64_t time_ps = event.time_ps - walk_transfers(walk)->items[event.transfer].start_ps;
        if (time_ps > *longest_ps) *longest_ps = time_ps;
    }
    walk_close(walk);
    relations_clear(&relations);
    return status;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct trace *trace;
    struct result *result;
    int64_t longest_ps;
    if (argc != 2) return 2;
    if (trace_open(argv[1], &trace, &err) != STATUS_OK || model_analyze(trace, NULL, &result, &err) != STATUS_OK ||
        longest_transfer(trace, &longest_ps, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%g s, longest transfer at most %g s\n", result->run_time_s, (double)longest_ps * 1e-12);
    result_free(result);
    trace_free(trace);
    return 0;
}
