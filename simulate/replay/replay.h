/* Replaying a trace on a platform: every rank walks its calls as a state machine, the engine moves the
 * messages. Source of the semantics: docs/simulation.md. */
#ifndef SIMULATE_REPLAY_REPLAY_H
#define SIMULATE_REPLAY_REPLAY_H

#include "common/wide.h"
#include "model/waits/totals.h"
#include "platforms/platform.h"
#include "simulate/engine/engine.h"
#include "trace/trace.h"

struct replay_options {
    const struct engine_descriptor *engine;
    bool keep_trace; /* make the predicted trace */
    bool in_step;    /* every rank walks in the order of time; slower, and the result is the same: for tests */
    bool eager;      /* every message is told at its moment (simulate/mailbox/mailbox.h); the same */
    /* Told now and then how many of the trace's calls have returned, for people who wait; NULL: nobody. */
    void (*progress)(void *context, uint64_t calls, uint64_t all_calls);
    void *progress_context;
    /* Of a replay that fails because of what never comes: told for each rank that waits for it the first call that does
     * not return, or whose data do not leave (index in the rank's calls), and why, as "never returns: it waits for
     * MPI_Win_post of rank 1"; NULL: nobody. The trace's calls may be cut from there on. */
    void (*stopped)(void *context, uint32_t rank, size_t call, const char *why);
    void *stopped_context;
};

/* Of the limited buffers of semantics d, over all origins. */
struct buffer_use {
    uint64_t waits; /* puts that waited for room */
    wide_ps waited_ps;
    int64_t peak_bytes; /* most that one origin held */
};

struct replay_outcome {
    struct trace *trace;    /* the predicted trace, owned; NULL unless asked for */
    struct totals totals;   /* wait states as the simulator itself knows them */
    double run_time_s;
    double *rank_time_s; /* owned, rank_count */
    struct engine_stats stats;
    struct buffer_use buffer;
    uint64_t transfers, transfer_bytes;
    double wall_s;
    uint64_t peak_bytes;
};

/* Borrows trace and platform. A trace that cannot be replayed (unknown operation, deadlock, unmatched epoch) is
 * STATUS_DATA naming rank, event and call, for a deadlock who waits for whom. */
enum status replay_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       struct replay_outcome *outcome, struct err *err);
void replay_outcome_clear(struct replay_outcome *outcome);

#endif
