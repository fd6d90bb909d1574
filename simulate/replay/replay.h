/* Replaying a trace on a platform: every rank walks its calls as a state machine, the engine moves the
 * messages. Source of the semantics: docs/simulation.md. */
#ifndef SIMULATE_REPLAY_REPLAY_H
#define SIMULATE_REPLAY_REPLAY_H

#include "common/wide.h"
#include "model/waits/totals.h"
#include "platforms/platform.h"
#include "simulate/predicted/calls.h"
#include "simulate/engine/engine.h"
#include "trace/trace.h"

/* Calls that the trace does not hold yet. */
struct replay_source {
    /* Puts the calls of a rank behind those that the trace holds of it into their place; none: the rank has ended. Their times
     * go on behind those of the calls before, and first_event counts these. */
    enum status (*next)(void *context, uint32_t rank, struct err *err);
    void *context;
    bool initializes, finalizes; /* all ranks call MPI_Init, MPI_Finalize; the trace's first calls may show the former, too */
    bool sleeps;              /* ranks may sleep before calls that the trace does not hold yet */
    const bool *sleeps_by_rank; /* which ones; NULL: any */
    uint64_t calls;           /* of all ranks; 0: not known */
};
static inline bool replay_source_sleeps(const struct replay_source *source, uint32_t rank)
{
    return source->sleeps && (!source->sleeps_by_rank || source->sleeps_by_rank[rank]);
}

struct replay_options {
    /* NULL: the trace holds all calls. Without keep_trace, stopped, a platform file of SimGrid; with progress if calls are
     * known; one thread per rank, no sizes per rank (trace_call_counts()), and no claims of tasks that are decided again. An
     * error may name what it waits for less precisely. */
    const struct replay_source *source;
    const struct engine_descriptor *engine;
    bool keep_trace; /* make the predicted trace */
    /* Instead of keep_trace: gets the calls of the predicted trace as they are made; borrowed; NULL: none. One thread per
     * rank. The sink's functions run within the engine. */
    const struct predicted_sink *sink;
    bool in_step;    /* every rank advances in the order of time; slower, for tests: the result is the same */
    bool eager;      /* every message is delivered at its moment (simulate/mailbox/mailbox.h), for tests as well */
    /* Called now and then with the number of calls that have returned, to show progress; NULL: not called. */
    void (*progress)(void *context, uint64_t calls, uint64_t all_calls);
    void *progress_context;
    /* Called when the replay fails because something never happens, for each rank that waits for it: with the first
     * call that does not return, or whose data do not leave (index in the rank's calls), and the reason, such as "never
     * returns: it waits for MPI_Win_post of rank 1". NULL: not called. The callback may cut the trace from that call
     * on. */
    void (*stopped)(void *context, uint32_t rank, size_t call, const char *why);
    void *stopped_context;
};

/* Use of the limited buffers of semantics d, over all origins. */
struct buffer_use {
    uint64_t waits; /* puts that waited for buffer memory */
    wide_ps waited_ps;
    int64_t peak_bytes; /* largest amount that one origin held */
};

struct replay_outcome {
    struct trace *trace;    /* the predicted trace, owned; NULL unless asked for */
    struct relations *relations; /* of the predicted trace, owned; NULL: nobody has built them */
    struct trace_bounds bounds;  /* of the predicted trace */
    struct trace *decided;  /* owned: the recorded calls, each at the rank that makes it here, where tasks were decided again. A
                               replay of it that decides nothing has the same outcome. NULL without a predicted trace, too */
    struct totals totals;   /* wait states as the simulator itself measures them */
    double run_time_s;
    int64_t run_time_ps;
    double *rank_time_s; /* owned, rank_count */
    struct engine_stats stats;
    struct buffer_use buffer;
    uint64_t transfers, transfer_bytes;
    double wall_s;
    double core_wait_s; /* by which gaps took longer than on cores of their own, where the share of a core changes */
    uint64_t peak_bytes;
};

/* Borrows trace and platform. Where platform.decide says so, the tasks of queues go to the ranks whose claims are granted first
 * (simulate/tasks/decide.h), but not with options.source or options.stopped. STATUS_DATA if the trace cannot be replayed (unknown
 * operation, deadlock, unmatched epoch). The error names rank, event and call; for a deadlock it says who waits for whom. */
enum status replay_run(const struct trace *trace, const struct platform *platform, const struct replay_options *options,
                       struct replay_outcome *outcome, struct err *err);
/* Whether all ranks that the call names are on the caller's node: its target or peer, else the members of its window or
 * communicator, else all ranks. */
bool replay_stays_on_node(const struct trace *trace, const struct platform *platform, uint32_t rank,
                          const struct trace_call *call);
void replay_outcome_clear(struct replay_outcome *outcome);

#endif
