/* Replays in child processes: an engine that runs once per process can be asked again, and one that aborts costs an
 * answer, not the program. */
#ifndef SIMULATE_VERIFY_APART_H
#define SIMULATE_VERIFY_APART_H

#include "simulate/replay/replay.h"

/* As replay_run, in a child process; the outcome, with its trace if asked for, comes back. */
enum status apart_replay(const struct trace *trace, const struct platform *platform,
                         const struct replay_options *options, struct replay_outcome *outcome, struct err *err);

struct apart_job {
    const struct trace *trace;
    const struct platform *platform;
    const struct engine_descriptor *engine;
};
struct apart_summary {
    enum status status; /* of this replay; the rest holds if STATUS_OK, else err */
    struct err err;
    double run_time_s;
    uint64_t digest; /* verify_digest of the predicted trace */
};

/* Replays every job, as many at once as there are processors, or, where the engine can run again and the traces are small,
 * one after another in this process. summaries has room for count. */
enum status apart_summaries(const struct apart_job *jobs, size_t count, struct apart_summary *summaries,
                            struct err *err);

#endif
