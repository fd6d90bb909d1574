/* The calls of one thread of a rank in the form that transforms change: each call has the computing before it instead
 * of times.
 *
 * Moving or removing calls does not change the sum of a thread's computing. */
#ifndef PREDICTORS_TRANSFORMS_TIMELINE_H
#define PREDICTORS_TRANSFORMS_TIMELINE_H

#include "trace/trace.h"

struct timeline_item {
    int64_t compute_ps; /* before the call, without the recorder's own cost; sleep is part of it */
    int64_t slept_ps;   /* of that; a replay computes first and then sleeps */
    struct trace_call call;
    struct trace_extents extents; /* valid whatever call.flags says about gaps */
    size_t index;                 /* of the call in its rank; TIMELINE_NEW: a new call */
    bool moved;
};
#define TIMELINE_NEW SIZE_MAX

struct timeline_edit {
    uint32_t thread;
    const bool *shared; /* per window: several threads of the rank work on it; NULL: the rank has one thread */
    struct timeline_item *items;
    size_t count, capacity;
    int64_t tail_ps, tail_slept_ps; /* computing after the last call, with sleep, and its sleep */
};

/* Changes one thread's calls. It is called rank by rank, thread by thread. Definitions that new calls need are added to
 * made. */
typedef enum status timeline_change(void *context, uint32_t rank, struct timeline_edit *timeline, struct trace *made,
                                    struct err *err);

/* Makes a trace of the changed timelines with the definitions and properties of the given one: calls follow each other
 * after their computing, each as long as recorded; time zero does not change. An empty user region keeps the computing
 * after the last call, and the begin of a rank whose first call was removed. In a rank with threads calls keep their
 * times, since these state the order of calls of different threads. Their computing is in trace_rank.compute_ps, and
 * new or moved calls take no time after the call before them. The caller owns *made. */
enum status timeline_each(const struct trace *trace, timeline_change *change, void *context, struct trace **made,
                          struct err *err);

/* The item's computing and sleep come after the last call, and before the call that is pushed next. */
void timeline_defer(struct timeline_edit *timeline, struct timeline_item *item);
/* Appends a call. The computing in tail_ps is moved before it. */
enum status timeline_push(struct timeline_edit *timeline, struct timeline_item item, struct err *err);
/* Appends a call in the place of the item's, for which several may be pushed: the first one has its computing and its time. The
 * item keeps its call, without what the first one has taken. */
enum status timeline_push_in_place(struct timeline_edit *timeline, struct timeline_item *item, const struct trace_call *call,
                                   struct err *err);
/* Ends a change: replaces the old items by the new ones if status is STATUS_OK, and clears the others, so that *with is
 * empty. Returns status. */
enum status timeline_replace(struct timeline_edit *timeline, struct timeline_edit *with, enum status status);

/* Moves call `from` in front of call `before`. TIMELINE_EARLY: it enters right after the call before that, without
 * computing. TIMELINE_LATE: all computing before `before` comes first. */
struct timeline_move {
    size_t from, before;
};
enum timeline_end { TIMELINE_EARLY, TIMELINE_LATE };
/* Applies the moves, and sorts them. Each `from` occurs once; early moves have before <= from, late ones before >
 * from. */
enum status timeline_rearrange(struct timeline_edit *timeline, struct timeline_move *moves, size_t count,
                               enum timeline_end end, struct err *err);

/* Whether several threads of the rank use the call's window. */
bool timeline_shares(const struct timeline_edit *timeline, const struct trace_call *call);

/* Whether the call uses a window: all one-sided calls except local ones such as MPI_Win_get_group. */
bool timeline_on_window(const struct trace_call *call);
/* From this number on no request of the rank is in use. */
uint32_t timeline_free_request(const struct trace_rank *rank);
/* From this number on no message of the trace has the tag. */
int32_t timeline_free_tag(const struct trace *trace);
/* The heap of OpenSHMEM on which calls of signals work: that of the trace, which an earlier transform made, or TRACE_NONE. */
int32_t timeline_heap(const struct trace *trace);
/* From this place on no signal of the heap is in use. */
int64_t timeline_free_place(const struct trace *trace);
/* Makes *heap if it is TRACE_NONE: a trace has one at most. */
enum status timeline_use_heap(struct trace *made, int32_t *heap, struct err *err);
/* Whether it is put, get, accumulate, get_accumulate or a variant of these. */
bool timeline_is_operation(const struct trace_call *call);

#endif
