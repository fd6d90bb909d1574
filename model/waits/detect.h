/* Detectors of wait states: one row per pattern, each a pure function of the relations of a trace. Formulas:
 * docs/patterns.md. */
#ifndef MODEL_WAITS_DETECT_H
#define MODEL_WAITS_DETECT_H

#include "model/waits/totals.h"
#include "model/analyze.h"
#include "model/waits/finding.h"
#include "model/waits/wait_profile.h"
#include "model/waits/provisional.h"
#include "model/match/relations.h"
#include "model/shards/several.h"
#include "model/waits/waits.h"

struct detection {
    const struct relations *relations;
    const struct analyze_options *options;
    struct totals *totals;
    struct wait_profile *profile; /* NULL: not wanted */
    struct waits *waits;   /* NULL: not wanted */
    struct provisional *provisional; /* of a trace in slices, else NULL */
    const bool *for_group;           /* of a whole trace, by group_votes_class(), else NULL */
    struct several *several; /* of one shard of several, else NULL: waits that other shards may have longer ones of */
    void (*observer)(void *context, const struct finding *finding); /* receives every wait counted; may be NULL */
    void *observer_context;
    struct err *err;
};

typedef enum status detector_function(struct detection *detection);

/* Runs every detector. */
enum status detect_all(struct detection *detection);

/* Counts one wait; a severity of 0 or below the threshold is none. */
enum status detect_found(struct detection *detection, const struct finding *finding);
/* The same, but an occurrence that costs no time counts, too, unless there is a threshold. */
enum status detect_occurrence(struct detection *detection, const struct finding *finding);
/* One that counts whatever the threshold is. */
enum status detect_counted(struct detection *detection, const struct finding *finding);

/* One found where the call's target is: of a call that means several targets other shards of the analysis may find
 * another one, and which counts shows at the end (model/shards/several.h). */
enum status detect_for_target(struct detection *detection, const struct finding *finding);

/* The wait of a rank in one of its calls for the enter of another rank's call: severity min(exit, enter of cause) -
 * enter. That call is of use earlier by as much. */
struct finding finding_of_enter(const struct relations *relations, enum pattern pattern, uint32_t rank, size_t call,
                                uint32_t cause_rank, size_t cause_call);

/* Wait for Progress of a simulated trace, which says it (struct trace_sim). */
enum status detect_known_progress(struct detection *detection);

/* Time of a call until `until`, cut to the call; never negative: min(exit, until) - enter. */
static inline int64_t wait_until(const struct trace_call *call, int64_t until)
{
    int64_t end = call->exit_ps < until ? call->exit_ps : until;
    return end > call->enter_ps ? end - call->enter_ps : 0;
}

#define DETECTOR(ID, FUNCTION) detector_function FUNCTION;
#include "model/waits/detectors.def"
#undef DETECTOR

#endif
