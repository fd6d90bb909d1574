/* All event abstractions of one trace, built once: epochs, instances, messages, timelines. Detectors and transfer
 * bounds use nothing else. */
#ifndef MODEL_MATCH_RELATIONS_H
#define MODEL_MATCH_RELATIONS_H

#include "model/match/epochs.h"
#include "model/match/instances.h"
#include "model/match/timelines.h"
#include "model/match/messages.h"
#include "model/slices/final.h"

struct relations {
    const struct trace *trace; /* borrowed until relations_clear */
    const struct slice_state *state; /* in a slice: what this round counts; NULL: everything. Borrowed */
    struct epochs epochs;
    struct instances instances;
    struct messages messages;
    struct timelines timelines;
};

/* Inits *relations from a trace that has passed trace_check(). Returns the errors of epochs_build(), instances_build()
 * and messages_build(). */
enum status relations_build(const struct trace *trace, struct relations *relations, struct err *err);
/* The same for the next slice of a trace; *uses is of all slices before. */
enum status relations_build_slice(const struct trace *trace, struct window_uses *uses, struct relations *relations,
                                  struct err *err);
/* Cuts ranks (trace/faults.h) where their calls contradict each other or other ranks', until the relations can be
 * built: an operation outside any epoch, a closing call without epoch, different collectives at one turn. */
enum status relations_keep_going(struct trace *trace, struct err *err);
void relations_clear(struct relations *relations);

static inline const struct trace_call *relations_call(const struct relations *relations, uint32_t rank, size_t call)
{
    return &relations->trace->ranks[rank].calls[call];
}

/* When the lock that the unlock closes was released: when the call returned. In a simulated trace whose unlock waits
 * for the target's answer, it was before. */
static inline int64_t relations_release_ps(const struct relations *relations, uint32_t rank, size_t unlock)
{
    const struct trace_rank *process = &relations->trace->ranks[rank];
    bool known = process->sim && process->sim[unlock].released_ps != TRACE_UNKNOWN_PS;
    return known ? process->sim[unlock].released_ps : process->calls[unlock].exit_ps;
}

#endif
