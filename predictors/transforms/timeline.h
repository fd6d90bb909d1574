/* The calls of one thread of a rank as transforms work on them: each with the computing before it instead of times.
 *
 * The sum of all computing of a thread stays what it was whatever is moved or taken out. */
#ifndef PREDICTORS_TRANSFORMS_TIMELINE_H
#define PREDICTORS_TRANSFORMS_TIMELINE_H

#include "trace/trace.h"

struct timeline_item {
    int64_t compute_ps; /* before the call, without the recorder's own cost */
    struct trace_call call;
    struct trace_extents extents; /* whatever call.flags says of gaps */
    size_t index;                 /* of the call in its rank, TIMELINE_NEW: there is none */
    bool moved;
};
#define TIMELINE_NEW SIZE_MAX

struct timeline_edit {
    uint32_t thread;
    const bool *shared; /* per window: several threads of the rank work on it; NULL: the rank has one thread */
    struct timeline_item *items;
    size_t count, capacity;
    int64_t tail_ps; /* computing behind the last call */
};

/* Changes one thread's calls; runs for rank after rank, thread after thread. made takes definitions that the new calls need. */
typedef enum status timeline_change(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                    struct err *err);

/* Makes a trace of the changed timelines with the definitions and properties of the given one: calls follow each other
 * after their computing, each as long as recorded; time zero stays. Computing behind the last call, and the begin of a
 * rank whose first call went, are kept by an empty user region. In a rank with threads calls keep their times, since
 * these say in which order its threads called; their computing is trace_rank.compute_ps, and calls that are new or
 * moved take no time behind those before them. The caller owns *made. */
enum status timeline_each(const struct trace *trace, timeline_change *change, void *context, struct trace **made,
                          struct err *err);

void timeline_clear(struct timeline_edit *timeline);
/* Appends a call; the computing in tail_ps comes to stand before it, too. */
enum status timeline_push(struct timeline_edit *timeline, struct timeline_item item, struct err *err);
/* How a change ends: puts the new items in the place of the old ones if status, which it returns, is STATUS_OK. Clears
 * what is not kept, so that *with is empty. */
enum status timeline_replace(struct timeline_edit *timeline, struct timeline_edit *with, enum status status);

/* Moves call `from` in front of call `before`: early, it enters right behind the call before that one, without
 * computing; late, all computing before `before` comes first. */
struct timeline_move {
    size_t from, before;
};
enum timeline_end { TIMELINE_EARLY, TIMELINE_LATE };
/* Sorts moves. Each `from` stands once; early ones have before <= from, late ones before > from. */
enum status timeline_rearrange(struct timeline_edit *timeline, struct timeline_move *moves, size_t count,
                               enum timeline_end end, struct err *err);

/* Several threads of the rank work on the call's window. */
bool timeline_shares(const struct timeline_edit *timeline, const struct trace_call *call);

/* True for a call that works on a window: all one-sided calls but local ones as MPI_Win_get_group. */
bool timeline_on_window(const struct trace_call *call);
/* put, get, accumulate, get_accumulate and their kin */
bool timeline_is_operation(const struct trace_call *call);

#endif
