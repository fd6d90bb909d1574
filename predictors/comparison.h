/* Predicts one trace under several semantics, unchanged or rewritten. Each row runs in a child process, since SimGrid
 * simulates once per process. As many rows run at once as there are processors. */
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

struct draws;
struct recording;

enum { COMPARISON_TITLE_BYTES = 320 }; /* a longer title of a row is cut */

/* One row, borrowed during comparison_run() only. */
struct comparison_row {
    const char *name;  /* "a", "a+post-early" */
    const char *title; /* what errors call the row; NULL: "semantics NAME" */
    const struct platform *platform;
    const struct rewrite *rewrite; /* of the trace, for this row; NULL: none */
    struct recording *recording;   /* whose trace it is (predictors/prediction.h); NULL: the trace has its calls */
    const struct err *refused;     /* if its status is set, the trace cannot be rewritten, and the row fails */
    /* Called in the row's process with the progress of its replay (simulate/replay/replay.h), or NULL. */
    void (*progress)(void *context, uint64_t calls, uint64_t all_calls);
    void *progress_context;
    bool keep_going; /* leave out the calls of ranks that wait for ever */
};

struct comparison {
    struct result **results; /* owned, in the order of the rows; NULL where the row failed */
    char **failures;         /* one line for each row that failed; else NULL */
    char **names;            /* of the rows */
    cJSON **rewrites;        /* of the rows: elements of rewrite_fields; NULL where nothing was rewritten */
    size_t count;
    const struct warnings *warnings; /* borrowed: printed and written with the rows; NULL: none */
    const struct draws *draws;       /* borrowed: of the rows (predictors/comparison_draws.h); NULL: none */
    int columns;                     /* width of the table's output; 0: unlimited */
};

/* Runs all rows. If rows fail, or their processes die, the error is "TITLE: ..." of the first such row, and
 * *comparison has the results of the other rows. The caller clears *comparison in any case. */
enum status comparison_run(const struct trace *trace, const struct comparison_row *rows, size_t row_count,
                           const struct engine_descriptor *engine, const struct analyze_options *analyze,
                           struct comparison *comparison, struct err *err);
void comparison_clear(struct comparison *comparison);

/* The run time of a row with a result, its median where there are draws. */
double comparison_time_s(const struct comparison *comparison, size_t row);
/* How much less time a row takes than another one, and how sure that is. Both have results. */
double comparison_gain(const struct comparison *comparison, size_t row, size_t over, struct uncertainty *error);

/* Whether some row has a result. */
bool comparison_has_results(const struct comparison *comparison);

/* Schema rmacast.comparison/1; each result has its row's name and rewrites. Rows that failed are in "failed", and "incomplete"
 * is true. "differences" are those of each other row from the first one. "contradictions" and "semantics_matter" have the
 * warnings, "draws" the order of the rows by draws and their pairs. The caller owns the tree. */
extern const struct field comparison_fields[];
enum status comparison_to_json(const struct comparison *comparison, cJSON **json, struct err *err);

/* Prints a line per row, in as many blocks as the columns need. Columns: run time; every wait state that occurs in any row, in
 * seconds over all ranks; the median bandwidth bounds of the transfers that have one (if most have no upper one, that of the
 * platform, and "unbounded" where it has none either). Lines below say which row is fastest, how each differs from the first,
 * the notes of the results, and which rows failed. With draws a second table has their median and range, the shortest median
 * first; the fastest row is that of the least median, and lines say in how many draws a row is faster than those below it. */
void comparison_print(const struct comparison *comparison, FILE *out);

#endif
