/* The calls of a run in a form that can be compared between ranks and runs. Properties that are equal everywhere form a
 * key; those that depend on the rank or the scale are stored beside it. */
#ifndef PREDICTORS_SCALE_OBSERVE_H
#define PREDICTORS_SCALE_OBSERVE_H

#include "common/map.h"
#include "predictors/scale/numbers.h"
#include "predictors/scale/statistics.h"
#include "predictors/scale/tags.h"
#include "predictors/scale/wait_sets.h"
#include "trace/trace.h"

/* Calls with equal keys do the same: function, flags, number of the window or communicator (numbers.h), tag, call site,
 * region; any.second is the tag of what a sendrecv receives. */
struct keys {
    struct trace *names;      /* owned: sites and regions of the keys */
    struct trace_call *items; /* owned */
    size_t count, capacity;
    struct map index; /* hash to number, chained by probing */
    struct wait_sets waits;
    const struct tags *tags; /* borrowed */
    struct misfit *misfit; /* borrowed: gets the call that does not fit, where there is no program; NULL: nobody asks */
};

struct observed {
    uint32_t key;
    uint32_t at; /* its number among the rank's recorded calls */
    int32_t peers[2]; /* target, destination or root; source of a sendrecv; TRACE_NONE */
    uint32_t group;   /* of the run's trace; TRACE_NO_REF */
    int32_t member;   /* the only one of the group; TRACE_NONE: it has more, or none, or there is no group */
    int32_t comm;     /* of the run's trace: that of the call, or of its window; the world where it has none */
    int32_t waits;    /* enum of program.h: WAIT_NONE, WAIT_ALL, WAIT_SOME, or a place among the requests not completed */
    uint32_t completed, left; /* of a wait: the sets of the requests that it completes, and that are open behind it */
    bool turns, partial; /* the root differs between the rank's calls with this key; some ranks are it once more than others */
    bool any_size;       /* bytes or aux differ, and no few values come again */
    int64_t bytes, aux, disp;
    int64_t compute_ps, duration_ps; /* computing with the calls before it that are left out */
    int64_t waited_ps; /* for a core, before the call */
    int64_t slept_ps;  /* in compute_ps */
};

struct observed_rank {
    struct observed *calls; /* owned */
    size_t count, capacity;
};

struct run {
    const struct trace *trace;   /* borrowed */
    struct observed_rank *ranks; /* owned, one per rank */
    int64_t all_ps, step_ps[STATISTICS_MAX]; /* the time of all ranks from their first calls on, and that in each step */
    struct numbers comms, windows;
};

enum status keys_open(struct keys *keys, struct err *err);
void keys_clear(struct keys *keys);

/* A collective call whose sizes may be given per rank. */
bool observe_has_sizes(const struct trace_call *call);
/* The computing before a call, as recorded. */
int64_t observe_computed_ps(const struct trace *trace, uint32_t rank, size_t call);

/* Left out, as computing, are calls that leave nothing but their time: local ones, those of a communicator of the rank alone that
 * no call makes, tests and probes without success. A test with success is the wait that it takes the place of. Where a call
 * completes some of several requests, each is a wait for the first one of its kind that is open: which one it is found is chance.
 *
 * Returns STATUS_DATA with rank, call and reason for calls that programs cannot describe. */
enum status run_observe(const struct trace *trace, const struct statistics *statistics, struct keys *keys, struct run *run,
                        struct err *err);
void run_clear(struct run *run);

#endif
