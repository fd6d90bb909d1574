/* Replays in child processes. So an engine that runs once per process can run again, and one that aborts ends only the
 * child. */
#ifndef SIMULATE_VERIFY_CHILD_REPLAY_H
#define SIMULATE_VERIFY_CHILD_REPLAY_H

#include "simulate/replay/replay.h"

/* As replay_run, in a child process, which sends back the outcome, with its trace if requested. */
enum status child_replay(const struct trace *trace, const struct platform *platform,
                         const struct replay_options *options, struct replay_outcome *outcome, struct err *err);

struct child_replay_job {
    const struct trace *trace;
    const struct platform *platform;
    const struct engine_descriptor *engine;
};
struct child_replay_summary {
    enum status status; /* of this replay; STATUS_OK: the other members are valid, else err is */
    struct err err;
    double run_time_s;
    uint64_t digest; /* verify_digest of the predicted trace */
};

/* Replays every job, as many at once as there are processors. If the engine can run again and the traces are small, it
 * runs them one after another in this process. summaries has room for count. */
enum status child_replay_summaries(const struct child_replay_job *jobs, size_t count,
                                   struct child_replay_summary *summaries, struct err *err);

#endif
