/* Predicts one trace several times, each time with other latencies of single messages: each is drawn around the stated one
 * (platform.jitter_s; simulate/engine/loggp/jitter.h). In a program that races, a request arrives just before or just after
 * its target leaves MPI. One replay knows one order; the draws show which run times there may be, and how often.
 *
 * Order of calls: draws_check if an error shall come before other work, draws_run, draws_print or draws_to_json, draws_clear. */
#ifndef PREDICTORS_DRAWS_H
#define PREDICTORS_DRAWS_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "model/analyze.h"
#include "platforms/platform.h"
#include "simulate/engine/engine.h"
#include "trace/trace.h"

enum { DRAWS_MAX = 1000 };

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
};

/* STATUS_USAGE if the engine does not draw, STATUS_DATA if the platform has no jitter_s. */
enum status draws_check(const struct platform *platform, const struct engine_descriptor *engine, struct err *err);

/* Borrows all arguments during the call. The result depends on trace, platform, seed and count alone; the first draws of a
 * larger count are those of a smaller one. The errors of draws_check, and STATUS_DATA if a draw cannot be replayed. The caller
 * owns *draws. */
enum status draws_run(const struct trace *trace, const struct platform *platform, const struct engine_descriptor *engine,
                      const struct analyze_options *analyze, bool keep_going, size_t count, uint64_t seed,
                      struct draws *draws, struct err *err);
void draws_clear(struct draws *draws);

/* Run time and each wait state that occurs in a draw; result: the prediction without draws, which is shown beside them. */
void draws_print(const struct draws *draws, const struct result *result, FILE *out);
/* The value of the key "draws" (docs/results.md). The caller owns the tree. */
enum status draws_to_json(const struct draws *draws, cJSON **json, struct err *err);

#endif
