/* The calls of the predicted trace, while a replay makes them.
 *
 * Without a sink the predicted trace holds every call from the begin on. With a sink a rank holds its calls from the first
 * that may still change: one that has not returned, or whose data have not arrived. Those before it are appended to the
 * predicted trace, which the sink empties as it likes (model/slices/slices.h). One thread per rank then. */
#ifndef SIMULATE_PREDICTED_CALLS_H
#define SIMULATE_PREDICTED_CALLS_H

#include "platforms/platform.h"
#include "simulate/predicted/trace_bounds.h"
#include "trace/trace.h"

struct predicted_sink {
    void *context;
    /* Called once: the trace has its definitions, and no calls. It is the sink's to free, once the replay has ended. */
    enum status (*begin)(void *context, struct trace *predicted, struct err *err);
    /* Called when *more calls have been appended, and sets *more anew; it may remove calls. ended, by rank: no call follows. */
    enum status (*filled)(void *context, const bool *ended, size_t *more, struct err *err);
};

struct predicted_rank {
    struct trace_call *calls; /* owned with a sink, else of the trace; likewise sim */
    struct trace_sim *sim;
    bool *moves;    /* with a sink: the call moves data */
    uint32_t **lists; /* with a sink: its list of requests, behind their number, owned; NULL: it has none */
    size_t first;   /* number of calls[0] among the rank's calls */
    size_t at, end; /* with a sink: first call that was not appended yet; behind the last one that returned */
    size_t capacity;
};

struct predicted {
    struct trace *trace;
    bool given; /* the trace is not owned: it is the sink's, or the replay's outcome has it */
    const struct trace *of;  /* the trace that is replayed, borrowed */
    struct predicted_rank *ranks;
    const struct predicted_sink *sink; /* borrowed; NULL: none */
    struct least_ends least;
    bool *ended; /* with a sink, by rank */
    size_t more, appended;
    uint64_t endless; /* appended transfers that never end */
};

/* Inits *predicted. It owns the trace, which has the definitions, also on failure. */
enum status predicted_open(struct predicted *predicted, struct trace *trace, const struct trace *of,
                           const struct platform *platform, const struct predicted_sink *sink, struct err *err);
void predicted_clear(struct predicted *predicted);

/* The facts of a call that a rank holds, to be changed. */
static inline struct trace_sim *predicted_sim(const struct predicted *predicted, uint32_t rank, size_t call)
{
    const struct predicted_rank *of = &predicted->ranks[rank];
    return &of->sim[call - of->first];
}

/* The call that the rank makes now moves data: it stays until these have arrived. */
static inline void predicted_moves(struct predicted *predicted, uint32_t rank, size_t call)
{
    struct predicted_rank *of = &predicted->ranks[rank];
    if (of->moves) of->moves[call - of->first] = true;
}

/* The rank makes `count` calls at least; without a sink before it enters the first of the new ones. */
enum status predicted_grow(struct predicted *predicted, uint32_t rank, size_t count, struct err *err);
/* The call has returned. */
static inline void predicted_return(struct predicted *predicted, uint32_t rank, size_t number, const struct trace_call *call)
{
    struct predicted_rank *of = &predicted->ranks[rank];
    of->calls[number - of->first] = *call;
    of->end = number + 1;
}

/* With a sink, after predicted_return() and once all facts of the call but those of its data are set. The replayed trace still
 * has the call's list of requests. */
enum status predicted_append(struct predicted *predicted, uint32_t rank, struct err *err);
/* The rank makes no further call. */
void predicted_end(struct predicted *predicted, uint32_t rank);
/* The replay has ended: with a sink appends what is left. */
enum status predicted_finish(struct predicted *predicted, struct err *err);

#endif
