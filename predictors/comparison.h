/* The same trace predicted under several semantics, as it is or rewritten. Each row runs in a child process (SimGrid
 * simulates once per process), as many at once as there are processors. */
#ifndef PREDICTORS_COMPARISON_H
#define PREDICTORS_COMPARISON_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "model/analyze.h"
#include "platforms/platform.h"
#include "predictors/transforms/transform.h"
#include "predictors/warnings.h"
#include "simulate/engine/engine.h"
#include "trace/trace.h"

/* Borrowed during comparison_run only. */
struct comparison_row {
    const char *name; /* "a", "a+post-early" */
    const struct platform *platform;
    const struct rewrite *rewrite; /* of the trace, for this row; NULL: none */
    const struct err *refused;     /* if its status is set, the trace cannot be made, and the row fails */
    /* Called in the row's process with the progress of its replay (simulate/replay/replay.h), or NULL. */
    void (*progress)(void *context, uint64_t calls, uint64_t all_calls);
    void *progress_context;
    bool keep_going; /* what ranks wait for in vain is left out */
};

struct comparison {
    struct result **results; /* owned, in the order of the rows; NULL where the row failed */
    char **failures;         /* one line for each row that failed; else NULL */
    char **names;            /* of the rows */
    cJSON **rewrites;        /* of the rows: what rewrite_to_json gives; NULL where nothing was rewritten */
    size_t count;
    const struct warnings *warnings; /* borrowed: shown and written, too; NULL: none are known */
    int columns;                     /* of what shows the table; 0: as many as it takes */
};

/* If rows fail, or their processes die, the error is "semantics NAME: ..." of the first such row. The other rows'
 * results are in *comparison all the same. The caller clears it in any case. */
enum status comparison_run(const struct trace *trace, const struct comparison_row *rows, size_t row_count,
                           const struct engine_descriptor *engine, const struct analyze_options *analyze,
                           struct comparison *comparison, struct err *err);
void comparison_clear(struct comparison *comparison);

/* Some row has a result. */
bool comparison_has_results(const struct comparison *comparison);

/* Schema rmacast.comparison/1; each result has its row's name and rewrites. Rows that failed are in "failed", and
 * "incomplete" is true. "contradictions" and "semantics_matter" say what there is to warn of. The caller owns the tree.
 */
enum status comparison_to_json(const struct comparison *comparison, cJSON **json, struct err *err);

/* A line per row, in as many blocks as the columns need: run time, every wait state that occurs in any row (seconds
 * over all ranks), median bandwidth bounds of the transfers that have one ("unbounded" where most have none); below,
 * which is fastest and how each differs from the first, and which rows failed. */
void comparison_print(const struct comparison *comparison, FILE *out);

#endif
