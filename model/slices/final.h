/* Decides in each round of an analysis which calls of the slice are final.
 *
 * A slice holds, for every rank, the calls that earlier rounds have kept and the next ones. Epochs, messages and
 * collective instances are found in it as in a whole trace. An epoch, message or instance is open while later calls may
 * belong to it: its calls are kept, and its waits are not counted yet. Everything else is counted once and released. So
 * memory holds the calls of open epochs, unmatched messages and unfinished collectives, and for each window and lock
 * the calls that the next epochs refer to.
 *
 * Calls are released in any order, with one rule: calls that are matched by counting are released together. These are
 * the n-th post and the n-th start, a send and its receive, the fences of all ranks. */
#ifndef MODEL_SLICES_FINAL_H
#define MODEL_SLICES_FINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "model/waits/totals.h"
#include "trace/trace.h"

struct relations;

enum slice_flag {
    SLICE_KEEP = 1,      /* is kept for later calls */
    SLICE_OPEN = 2,      /* is kept; its waits are counted in a later round */
    SLICE_UNDECIDED = 4, /* a receive: a message sent earlier may be received after it */
    SLICE_SENT = 8,      /* the message that it sends is received */
    SLICE_RECEIVED = 16, /* the receive is matched with its message */
    SLICE_HOLD = 32,     /* both sides of its message are kept */
    SLICE_TIMES = 64,    /* its times are kept */
    SLICE_COUNTED = 128, /* its waits, and its transfer, were counted in an earlier round */
    SLICE_ORDERED = 256, /* a receive: whether it is out of order was decided in an earlier round */
    SLICE_DONE = 512,    /* its request was completed in an earlier round */
    SLICE_LATE = 1024,   /* simulated traces: who served it is not known yet */
    SLICE_LASTING = SLICE_COUNTED | SLICE_ORDERED | SLICE_DONE
};

struct slice_state {
    uint16_t **flags; /* per rank, then call */
    size_t *capacity; /* per rank */
    uint32_t rank_count;
    /* Per window, the number of its fences in the slice whose pairs were counted in earlier rounds, and are after this
     * one. */
    size_t *pairs_before, *pairs_now;
    size_t *pairs_next; /* the value of pairs_before in the next round */
    size_t window_count;
    bool last; /* no calls follow: everything is final */
};

struct slice_limits {
    int64_t time_ps; /* the watermark: no later call ends earlier */
    int64_t eager_bytes;
};

/* All-zero is empty. */
void slice_state_clear(struct slice_state *state);

/* Reduces a call to its times and its function, so that nothing is matched with it. Regions do not change. */
void slice_leave_times(struct trace_call *call);

/* Sets the flags of every call of the slice that relations were built from. */
enum status mark_final(struct slice_state *state, const struct relations *relations, struct slice_limits limits,
                       bool last, struct err *err);
/* The same where nothing but messages is matched. */
enum status mark_final_alone(struct slice_state *state, const struct relations *relations, int64_t eager_bytes, bool last,
                             struct err *err);

/* The rest is for final_*.c. */
static inline void slice_state_mark(struct slice_state *state, uint32_t rank, size_t call, unsigned flags)
{
    state->flags[rank][call] |= (uint16_t)flags;
}
enum status mark_final_epochs(struct slice_state *state, const struct relations *relations, int64_t watermark_ps,
                              struct err *err);
enum status mark_final_fences(struct slice_state *state, const struct relations *relations, struct err *err);
enum status mark_final_locks(struct slice_state *state, const struct relations *relations, int64_t watermark_ps,
                             struct err *err);
enum status mark_final_shmem(struct slice_state *state, const struct relations *relations, int64_t watermark_ps,
                             struct err *err);
enum status mark_final_messages(struct slice_state *state, const struct relations *relations, int64_t eager_bytes,
                                struct err *err);

/* Whether the waits of a call are counted in this round; always in a whole trace (state NULL). */
static inline bool slice_state_counts(const struct slice_state *state, uint32_t rank, size_t call)
{
    return !state || !(state->flags[rank][call] & (SLICE_OPEN | SLICE_COUNTED));
}

/* Whether Wait for Progress in a call of a simulated trace is counted in this round. */
static inline bool slice_state_served(const struct slice_state *state, const struct trace *trace, uint32_t rank,
                                      size_t call)
{
    const struct trace_rank *process = &trace->ranks[rank];
    if (state && state->flags[rank][call] & SLICE_LATE) return false;
    return call >= process->kept_count || process->kept[call].flags & SLICE_LATE;
}

/* Whether the lock epoch that this call ends is over, and all earlier releases of the lock are known. */
static inline bool slice_state_released(const struct slice_state *state, uint32_t rank, size_t unlock)
{
    return !state || !(state->flags[rank][unlock] & SLICE_OPEN);
}

#endif
