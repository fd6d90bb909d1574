/* Predicts a run: replays one trace on one platform, and analyses the predicted trace like a recorded one: run time, rank
 * times, wait states, transfer bounds.
 *
 * Order of calls: fill a zeroed struct prediction's inputs, prediction_run, read its outputs, prediction_clear. */
#ifndef PREDICTORS_PREDICTION_H
#define PREDICTORS_PREDICTION_H

#include "model/analyze.h"
#include "platforms/platform.h"
#include "predictors/recording.h"
#include "predictors/replayable_prefix.h"
#include "simulate/replay/replay.h"
#include "trace/trace.h"

/* Value of analyze_options.eager_bytes that stands for the platform's mpi.eager_bytes, which the replay used. */
enum { EAGER_OF_PLATFORM = -1 };

struct prediction {
    /* inputs, borrowed */
    const struct trace *trace;
    struct recording *recording; /* whose trace it is, and which the replay reads; NULL: the trace has its calls. Without
                                    keep_going, keep_trace, apart, an analysis of the whole trace (prediction_forgets()) */
    const struct platform *platform;
    const struct engine_descriptor *engine;
    const struct analyze_options *analyze; /* NULL: defaults */
    bool keep_going;                       /* leave out the calls of ranks that wait for ever */
    bool keep_trace;                       /* outcome.trace is wanted; else it may be NULL */
    size_t slice_calls;                    /* without keep_trace: calls that the analysis takes up at a time; 0: as many as
                                              are fast */
    bool apart;                            /* replay in a child process, so that this process can still run the
                                              engine */
    void (*progress)(void *context, uint64_t calls, uint64_t all_calls); /* of the replay; NULL: none */
    void *progress_context;
    /* outputs, owned */
    struct replayable_prefix *prefix; /* the part of the trace that keep_going left, to which `trace` then points; NULL:
                                         the whole trace */
    struct replay_outcome outcome; /* its trace: the predicted one, or NULL (keep_trace) */
    struct result *result;         /* names the given trace */
};

/* Whether nobody needs the whole predicted trace, whatever the recording is. */
bool prediction_forgets(const struct prediction *prediction);

/* Gives a replay of the prediction's trace what it reads. */
enum status prediction_begin_calls(const struct prediction *prediction, struct replay_options *options, struct err *err);

/* Adds notes of what the platform and the engine leave out or assume for this trace. */
enum status prediction_note_platform(const struct trace *trace, const struct platform *platform,
                                     const struct engine_descriptor *engine, struct result *result, struct err *err);

/* The run time on a variant of the platform, by the engine loggp, which can run several times in a process; NAN if the trace does
 * not end on it (an order of locks may differ). */
enum status prediction_run_time_on(const struct prediction *prediction, const struct platform *platform, double *run_time_s,
                                   struct err *err);

/* On failure prediction has no outputs. With a recording an error may say less than that of a prediction of the whole trace. */
enum status prediction_run(struct prediction *prediction, struct err *err);
void prediction_clear(struct prediction *prediction);

#endif
