/* Predicts a run: one trace on one platform. Each predictor computes one part of the prediction. All work on one struct
 * prediction, in the order of predictors().
 *
 * Order of calls: fill a zeroed struct prediction's inputs, prediction_run, read its outputs, prediction_clear. */
#ifndef PREDICTORS_PREDICTION_H
#define PREDICTORS_PREDICTION_H

#include "model/analyze.h"
#include "platforms/platform.h"
#include "predictors/replayable_prefix.h"
#include "simulate/replay/replay.h"
#include "trace/trace.h"

/* One transfer of the predicted run: the bounds of its rate by analysis, and its true interval. */
struct transfer_bound {
    uint32_t origin, target;
    enum call_kind kind;
    int64_t bytes;
    double start_s, end_s;         /* the true interval */
    double lower_end_s, upper_end_s; /* bounds of end_s by the base and the extended model; upper NAN: unknown */
    double lower_Bps, upper_Bps;   /* bytes / (upper or lower end - enter of the call): NAN unknown, INFINITY no time */
    bool within;                   /* lower_end_s <= end_s <= upper_end_s, as far as known */
};

/* Value of analyze_options.eager_bytes that stands for the platform's mpi.eager_bytes, which the replay used. */
enum { EAGER_OF_PLATFORM = -1 };

struct prediction {
    /* inputs, borrowed */
    const struct trace *trace;
    const struct platform *platform;
    const struct engine_descriptor *engine;
    const struct analyze_options *analyze; /* NULL: defaults */
    bool keep_going;                       /* leave out the calls of ranks that wait for ever */
    bool apart;                            /* replay in a child process, so that this process can still run the
                                              engine */
    void (*progress)(void *context, uint64_t calls, uint64_t all_calls); /* of the replay; NULL: none */
    void *progress_context;
    /* outputs, owned */
    struct replayable_prefix *prefix; /* the part of the trace that keep_going left, to which `trace` then points; NULL:
                                         the whole trace */
    struct replay_outcome outcome; /* of `replay`, with the predicted trace */
    struct result *result;         /* of `replay`; names the given trace */
    struct transfer_bound *bounds; /* of `bounds`, by origin, then call */
    size_t bound_count;
};

struct predictor {
    const char *name, *summary;
    enum status (*predict)(struct prediction *prediction, struct err *err);
};

/* The list of predictors, NULL-terminated. A predictor needs the outputs of those before it. */
const struct predictor *const *predictors(void);

/* Runs all predictors. On failure prediction has no outputs. */
enum status prediction_run(struct prediction *prediction, struct err *err);
void prediction_clear(struct prediction *prediction);

#endif
