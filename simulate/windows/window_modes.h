/* The settings of each window of a trace: the platform's semantics, locks and fences, or those of the rule
 * (mpi.rma.windows) that names the window by number or name. */
#ifndef SIMULATE_WINDOWS_WINDOW_MODES_H
#define SIMULATE_WINDOWS_WINDOW_MODES_H

#include "platforms/platform.h"
#include "trace/trace.h"

struct window_mode {
    const struct rma_semantics *semantics; /* borrowed from the platform */
    struct call_steps lock, fence;
    struct steps_list steps[STEPS_CALL_COUNT]; /* of a flush with `left` behind its list: flush_local that asks nobody */
    bool complete_waits_all; /* complete waits for every target's post (c) */
    bool waits_for_group;    /* some operations wait for the posts of all targets */
    bool queues_for_group;   /* some operations leave only when the posts of all targets have arrived */
    bool wait_confirms;      /* MPI_Win_wait says so to its origins, and waits for what its own targets wait for */
    bool accumulates;        /* its puts and gets go by the rules of accumulates (protocol.dynamic_put) */
    bool gaps_accumulate;    /* those with gaps do (protocol.noncontiguous_put) */
    int64_t epochs_ahead;    /* complete waits for the post of that many epochs before; INT64_MAX: for none */
};

/* Sets *modes to an array with one element per window of the trace, which the caller frees. Returns STATUS_DATA if a
 * rule names no window of the trace. */
enum status window_modes_new(const struct trace *trace, const struct platform *platform, struct window_mode **modes,
                             struct err *err);

/* Whether the put or get of MPI has gaps by which alone it goes by the rules of accumulates (protocol.noncontiguous_put). */
bool window_mode_gaps(const struct window_mode *mode, const struct trace *trace, uint32_t rank, size_t index);

/* Whether the put or get goes by the rules of accumulates, for whatever reason. */
static inline bool window_mode_accumulates(const struct window_mode *mode, const struct trace *trace, uint32_t rank, size_t index)
{
    return mode->accumulates || (mode->gaps_accumulate && window_mode_gaps(mode, trace, rank, index));
}

/* Whether its fences exchange counts before their barrier, which then says that puts and accumulates are complete. */
static inline bool window_mode_counts(const struct window_mode *mode)
{
    return mode->fence.form == FORM_FENCE_COUNTS;
}

/* Finds a rule of the platform that names no window of the trace. NULL: there is none. */
const struct window_rule *window_modes_unknown(const struct trace *trace, const struct platform *platform);
/* The error text for such a rule. */
#define WINDOW_MODES_UNKNOWN "'%s' is no window of %s, expected a number below %zu or the name of a window"

/* A rule with a number as text means the window of that number. Any other text means the windows of that name. */
bool window_modes_number(const char *text, size_t *number);

#endif
