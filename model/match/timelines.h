/* The calls of each thread: what needs calls that do not overlap (times between calls, chains of waits) walks a lane,
 * the calls of one thread of a rank in their order. */
#ifndef MODEL_MATCH_TIMELINES_H
#define MODEL_MATCH_TIMELINES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct lane {
    const struct trace_call *calls; /* of the rank */
    const size_t *indexes;          /* of the thread's calls, NULL: all of the rank */
    size_t count;
    size_t creator; /* index of the rank's pthread_create that made the thread, LANE_NO_CREATOR unknown or none */
};
#define LANE_NO_CREATOR SIZE_MAX

struct lanes {
    const struct trace *trace; /* borrowed until lanes_clear */
    size_t **indexes;          /* per rank with several threads: by thread, then call; else NULL */
    size_t **first;            /* per such rank: thread_count + 1 places in indexes */
    size_t **creators;         /* per such rank and thread */
};

/* trace has passed trace_check(). Inits *lanes. */
enum status lanes_build(const struct trace *trace, struct lanes *lanes, struct err *err);
void lanes_clear(struct lanes *lanes);

/* Some rank has several threads. */
static inline bool lanes_several(const struct lanes *lanes)
{
    return lanes->indexes != NULL;
}

/* The lane of a thread; the k-th call of a lane, as index into the rank's calls. */
struct lane lane_of(const struct lanes *lanes, uint32_t rank, uint32_t thread);
static inline size_t lane_index(const struct lane *lane, size_t k)
{
    return lane->indexes ? lane->indexes[k] : k;
}
static inline const struct trace_call *lane_call(const struct lane *lane, size_t k)
{
    return &lane->calls[lane_index(lane, k)];
}

/* The first call of a lane that ends after time_ps (or_at: at it or later), as place in the lane; count: none. */
size_t lane_first_ending(const struct lane *lane, int64_t time_ps, bool or_at);

/* The thread of a rank on whose line something that a synchronisation there completes ends: the lowest that leaves a
 * synchronising or completing call just then. 0 where none does: what no call of the rank shows stands on the line of
 * thread 0, which stands for the rank in communicators. */
uint32_t lanes_thread_ending(const struct lanes *lanes, uint32_t rank, int64_t time_ps);

/* A call that may complete one-sided operations: from fence to sync, and waits for requests. */
bool lane_completes(const struct trace_call *call);

/* A call of MPI or OpenSHMEM: neither user region nor thread primitive. */
bool lane_is_mpi(const struct trace_call *call);

#endif
