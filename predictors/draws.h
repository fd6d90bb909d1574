/* Predicts one trace several times, each time with other latencies of single messages: each is drawn around the stated one
 * (platform.jitter_s; simulate/engine/loggp/jitter.h). In a program that races, a request arrives just before or just after
 * its target leaves MPI. One replay knows one order; the draws show which run times there may be, and how often.
 *
 * Order of calls: draws_check if an error shall come before other work, draws_run, draws_predict where a draw shall be the
 * prediction, draws_print or draws_fields, draws_clear. */
#ifndef PREDICTORS_DRAWS_H
#define PREDICTORS_DRAWS_H

#include <stdio.h>

#include "common/json/fields.h"
#include "model/analyze.h"
#include "platforms/platform.h"
#include "predictors/prediction.h"
#include "simulate/engine/engine.h"
#include "trace/trace.h"

enum { DRAWS_MAX = 1000 };
#define DRAWS_SEED_MAX (INT64_C(1) << 53) /* JSON has whole numbers up to here */

/* Which draw becomes the prediction. The median is that of the section's times where the analysis is of a section. Of an even
 * number of draws the lower one of the two in the middle is taken, of equal ones the first. */
enum draw_choice {
    DRAW_NONE,
    DRAW_NUMBER,         /* the draw of this number, from 1 */
    DRAW_MEDIAN,         /* that of the median run time */
    DRAW_MEDIAN_OF_RANK, /* that of the median time of the rank of this number */
};

/* Borrowed during the calls. */
struct draws_request {
    const struct engine_descriptor *engine;
    const struct analyze_options *analyze;
    bool keep_going;
    struct recording *recording; /* as in comparison_row */
    size_t count;
    uint64_t seed;
    enum draw_choice choice;
    size_t number;   /* of the draw or rank that choice names */
    const char *row; /* of a comparison: errors name it; NULL: none */
    /* Called with the progress of a draw's replay (predictors/comparison.h); NULL: not called. Each draw has a context. */
    void (*progress)(void *context, uint64_t calls, uint64_t all_calls);
    void *const *progress_contexts;
};

struct draws_range {
    double median_s, min_s, max_s;
};

struct draws {
    size_t count;
    uint64_t seed;
    double jitter_s;
    uint32_t rank_count;
    double *run_times_s; /* owned: of each draw, in their order */
    struct draws_range run_time, *rank_time; /* rank_time: owned */
    struct draws_range patterns[PATTERN_COUNT]; /* the wait state over all ranks */
    enum draw_choice choice;
    size_t number;          /* of the request */
    size_t taken;           /* number of the draw that was chosen; 0: none */
    struct result *undrawn; /* owned: the prediction without draws, once draws_predict() has replaced it; else NULL */
};

/* STATUS_USAGE if the engine does not draw, or there is no rank of this number; STATUS_DATA if the platform has no jitter_s. */
enum status draws_check(const struct draws_request *request, const struct platform *platform, uint32_t rank_count,
                        struct err *err);

/* Borrows all arguments during the call. The result depends on trace, platform, seed and count alone; the first draws of a
 * larger count are those of a smaller one. The errors of draws_check, and STATUS_DATA if a draw cannot be replayed. The caller
 * owns *draws, which is empty on failure. */
enum status draws_run(const struct trace *trace, const struct platform *platform, const struct draws_request *request,
                      struct draws *draws, struct err *err);

/* Replaces a prediction of the trace, which was made without draws, by that of the draw that was taken. Its result goes to
 * draws->undrawn. *drawn becomes its platform, with the memory of the former one; the caller keeps both as long as the
 * prediction. No progress is shown. On failure prediction has no outputs. */
enum status draws_predict(const struct trace *trace, struct draws *draws, struct platform *drawn,
                          struct prediction *prediction, struct err *err);
void draws_clear(struct draws *draws);

/* The range of the differences of run times, draw by draw: the n-th draws of equal seeds have the same latencies. */
double draws_paired_range_s(const struct draws *a, const struct draws *b);

/* Run time and each wait state that occurs in a draw; result: the prediction, which is shown beside them. The last line says
 * which draw was taken, or where none was and the run times differ by 4 % or more, how one is. */
void draws_print(const struct draws *draws, const struct result *result, FILE *out);
/* The value of the key "draws" (docs/results.md), written with `many` of rank_count. */
extern const struct field draws_fields[];

#endif
