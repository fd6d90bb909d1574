/* Detectors of wait states: one row per pattern, each a pure function of the relations of a trace. Formulas:
 * docs/patterns.md. */
#ifndef MODEL_WAITS_DETECT_H
#define MODEL_WAITS_DETECT_H

#include "model/waits/totals.h"
#include "model/analyze.h"
#include "model/waits/finding.h"
#include "model/over_time/over_time.h"
#include "model/waits/wait_profile.h"
#include "model/waits/provisional.h"
#include "model/match/relations.h"
#include "model/waits/waits.h"

struct detection {
    const struct relations *relations;
    const struct analyze_options *options;
    struct totals *totals;
    struct wait_profile *profile; /* NULL: not wanted */
    struct waits *waits;   /* NULL: not wanted */
    struct over_time *over_time;     /* NULL: not wanted */
    struct provisional *provisional; /* NULL: nothing is in doubt */
    bool *refuted; /* by doubt, those of progress (model/waits/provisional.h); NULL: nobody asks */
    void (*observer)(void *context, const struct finding *finding); /* receives every counted wait; may be NULL */
    void *observer_context;
    struct err *err;
};

typedef enum status detector_function(struct detection *detection);

/* Runs every detector. */
enum status detect_all(struct detection *detection);

/* Counts one wait. A severity of 0, or below the threshold, is not counted. */
enum status detect_found(struct detection *detection, const struct finding *finding);
/* As detect_found(), but without a threshold an occurrence of severity 0 counts, too. */
enum status detect_occurrence(struct detection *detection, const struct finding *finding);
/* As detect_found(), but with any severity. */
enum status detect_counted(struct detection *detection, const struct finding *finding);

/* The finding for a call that waits for the enter of another rank's call. Its severity is min(exit, enter of cause) -
 * enter. The other call would help by being earlier by the same time. */
struct finding finding_of_enter(const struct relations *relations, enum pattern pattern, uint32_t rank, size_t call,
                                uint32_t cause_rank, size_t cause_call);

/* Counts Wait for Progress of a simulated trace, which states it (struct trace_sim). */
enum status detect_known_progress(struct detection *detection);

/* Time from a call's enter to `until`, at most to its exit, and at least 0: min(exit, until) - enter. */
static inline int64_t wait_until(const struct trace_call *call, int64_t until)
{
    int64_t end = call->exit_ps < until ? call->exit_ps : until;
    return end > call->enter_ps ? end - call->enter_ps : 0;
}

/* As wait_until(), for a lock that was released between from_ps and until_ps. A call that returned before did not wait
 * for that. */
static inline int64_t wait_for_release(const struct trace_call *call, int64_t from_ps, int64_t until_ps)
{
    return from_ps > call->exit_ps ? 0 : wait_until(call, until_ps);
}

#define DETECTOR(ID, FUNCTION) detector_function FUNCTION;
#include "model/waits/detectors.def"
#undef DETECTOR

#endif
