/* Whether traces give the same result in slices as in memory: run_slices DIRECTORY TRACE... Each is read from memory, and from an
 * archive that is written into the directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/match/relations.h"
#include "model/slices/slices.h"
#include "tests/slices/same_result.h"
#include "trace/open.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/slices.h"

static enum status differs(const char *path, const char *what, struct err *err)
{
    return err_set(err, STATUS_DATA, path, NULL, "%s", what);
}

static enum status run_archive(const char *path, const struct analyze_options *options, struct err *err)
{
    static const size_t sizes[] = {1, 20};
    char what[SAME_RESULT_BYTES], *text;
    struct trace *trace;
    bool same = true, possible = true;
    TRY(trace_open(path, &trace, err));
    enum status status = whole_result(trace, options, &text, err);
    trace_free(trace);
    TRY(status);
    for (size_t i = 0; status == STATUS_OK && same && i < sizeof sizes / sizeof *sizes; i++) {
        struct trace_source source;
        uint64_t events;
        status = otf2_slices_open(path, &source, &possible, &events, err);
        if (status == STATUS_OK && !possible) status = differs(path, "cannot be read in slices", err);
        if (status == STATUS_OK) status = same_result(&source, options, sizes[i], text, &same, what, err);
    }
    free(text);
    TRY(status);
    return same ? STATUS_OK : differs(path, what, err);
}

static enum status open_cut(const char *path, const struct source_cuts *cuts, struct trace_source *source, struct err *err)
{
    uint64_t events;
    bool possible;
    TRY(otf2_slices_open(path, source, &possible, &events, err));
    return source_cut_ranks(source, cuts, err);
}

/* Leaves out what is refused, by reading again, until an analysis in slices takes the rest. */
static enum status find_cuts(const char *path, size_t calls, struct source_cuts *cuts, struct err *err)
{
    for (bool again = true; again;) {
        struct trace_source source;
        struct result *result = NULL;
        struct err cause;
        TRY(open_cut(path, cuts, &source, err));
        enum status status = model_analyze_slices(&source, &same_options, calls, &result, &cause);
        again = status == STATUS_DATA;
        source_close(&source);
        if (status == STATUS_OK) result_free(result);
        if (again) TRY(source_cuts_add(cuts, &cause, &again, err));
        if (status == STATUS_DATA && !again) return differs(path, cause.text, err);
    }
    return STATUS_OK;
}

static enum status compare_cut(const char *path, size_t calls, const char *text, struct err *err)
{
    char what[SAME_RESULT_BYTES];
    struct trace_source source;
    struct source_cuts cuts = {.count = 0};
    bool same = true;
    enum status status = find_cuts(path, calls, &cuts, err);
    if (status == STATUS_OK) status = open_cut(path, &cuts, &source, err);
    if (status == STATUS_OK) status = same_result(&source, &same_options, calls, text, &same, what, err);
    source_cuts_clear(&cuts);
    return status == STATUS_OK && !same ? differs(path, what, err) : status;
}

/* What --keep-going leaves of an archive that is refused. *faults: in how many ranks; which one is told first depends on the
 * slices. */
static enum status run_refused(const char *path, size_t *faults, struct err *err)
{
    static const size_t sizes[] = {1, 20, 300};
    char *text = NULL;
    struct trace *trace;
    TRY(trace_open(path, &trace, err));
    enum status status = relations_keep_going(trace, err);
    bool refused = status == STATUS_OK && trace->provenance.fault_count > 0;
    *faults = trace->provenance.fault_count;
    if (refused) status = whole_result(trace, &same_options, &text, err);
    trace_free(trace);
    for (size_t i = 0; refused && status == STATUS_OK && i < sizeof sizes / sizeof *sizes; i++)
        status = compare_cut(path, sizes[i], text, err);
    free(text);
    return status;
}

static bool has_threads(const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace_thread_count(trace, r) > 1) return true;
    return false;
}

static enum status run_trace(const char *path, const struct trace *trace, const char *archive, struct err *err)
{
    char what[SAME_RESULT_BYTES];
    bool same;
    size_t faults;
    if (has_threads(trace)) return STATUS_OK; /* are analysed as a whole */
    TRY(otf2_write(trace, archive, err));
    TRY(run_refused(archive, &faults, err));
    if (faults > 1) return STATUS_OK;
    TRY(same_in_slices(trace, &same, what, err));
    if (!same) return differs(path, what, err);
    TRY(run_archive(archive, &same_options, err));
    return run_archive(archive, &same_by_callpath, err);
}

static enum status run(const char *path, const char *archive, struct err *err)
{
    struct trace *trace;
    TRY(trace_open(path, &trace, err));
    enum status status = run_trace(path, trace, archive, err);
    trace_free(trace);
    return status;
}

int main(int argc, char **argv)
{
    char archive[4096];
    int failed = argc < 3;
    if (!failed) snprintf(archive, sizeof archive, "%s/slices.rma", argv[1]);
    for (int i = 2; i < argc; i++) {
        struct err err;
        if (run(argv[i], archive, &err) == STATUS_OK) continue;
        fprintf(stderr, "%s: %s\n", argv[i], err.text);
        failed = 1;
    }
    return failed;
}
