/* A timeline has the calls of one thread of a rank in their order. Code that needs calls without overlap walks
 * timelines: times between calls, chains of waits. */
#ifndef MODEL_MATCH_TIMELINES_H
#define MODEL_MATCH_TIMELINES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct timeline {
    const struct trace_call *calls; /* of the rank */
    const size_t *indexes;          /* of the thread's calls; NULL: all calls of the rank */
    size_t count;
    size_t creator; /* index of the rank's pthread_create that made the thread; TIMELINE_NO_CREATOR: unknown or none */
};
#define TIMELINE_NO_CREATOR SIZE_MAX

struct timelines {
    const struct trace *trace; /* borrowed until timelines_clear */
    size_t **indexes;          /* per rank with several threads: by thread, then call; else NULL */
    size_t **first;            /* per such rank: thread_count + 1 places in indexes */
    size_t **creators;         /* per such rank and thread */
};

/* Numbers the threads of all ranks, by rank, then thread. Where each rank has one thread, a location is a rank. */
struct locations {
    uint32_t *first; /* rank_count + 1: the location of each rank's thread 0 */
    uint32_t count;
};

/* Inits *locations. */
enum status locations_build(const struct trace *trace, struct locations *locations, struct err *err);
void locations_clear(struct locations *locations);

static inline uint32_t location_of_call(const struct locations *locations, const struct trace *trace, uint32_t rank, size_t call)
{
    return locations->first[rank] + trace_call_thread(trace, rank, call);
}

/* Inits *timelines from a trace that has passed trace_check(). */
enum status timelines_build(const struct trace *trace, struct timelines *timelines, struct err *err);
void timelines_clear(struct timelines *timelines);

/* The timeline of a thread; the k-th call of a timeline, as index into the rank's calls. */
struct timeline timeline_of(const struct timelines *timelines, uint32_t rank, uint32_t thread);
static inline size_t timeline_index(const struct timeline *timeline, size_t k)
{
    return timeline->indexes ? timeline->indexes[k] : k;
}
static inline const struct trace_call *timeline_call(const struct timeline *timeline, size_t k)
{
    return &timeline->calls[timeline_index(timeline, k)];
}

/* The position in the timeline of the first call that ends after time_ps (or_at: at time_ps or later); count if there
 * is none. */
size_t timeline_first_ending(const struct timeline *timeline, int64_t time_ps, bool or_at);

/* The thread of a rank on whose timeline an end at time_ps is shown: the lowest thread that leaves a synchronising or
 * completing call at that time. It is 0 if no thread does, since thread 0 stands for the rank in communicators. */
uint32_t timelines_thread_ending(const struct timelines *timelines, uint32_t rank, int64_t time_ps);

#endif
