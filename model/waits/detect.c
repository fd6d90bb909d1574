#include "model/waits/detect.h"

/* Whether a wait found in a slice is counted in this round. The detectors of locks and of progress decide
 * themselves. */
static bool is_final(const struct relations *relations, const struct finding *finding)
{
    const struct slice_state *state = relations->state;
    const unsigned undecided = SLICE_OPEN | SLICE_UNDECIDED | SLICE_ORDERED;
    if (!state) return true;
    if (finding->pattern == PATTERN_LOCK_CONTENTION || finding->pattern == PATTERN_WAIT_FOR_PROGRESS) return true;
    switch (finding->pattern) {
    case PATTERN_WRONG_ORDER: return !(state->flags[finding->rank][finding->call] & undecided);
    case PATTERN_CLOSE_SEND_RECEIVE: return finding->call >= relations->trace->ranks[finding->rank].kept_count;
    default: return slice_state_counts(state, finding->rank, finding->call);
    }
}

/* The list of waits also has the waits that the filter leaves out, since chains of causes lead through them. */
enum status detect_counted(struct detection *detection, const struct finding *finding)
{
    const struct trace *trace = detection->relations->trace;
    const struct callpaths *paths = detection->profile ? &detection->profile->paths : NULL;
    bool passes;
    if (!is_final(detection->relations, finding)) return STATUS_OK;
    TRY(filter_passes(&detection->options->filter, trace, paths, finding, &passes, detection->err));
    if (detection->waits && finding->severity_ps > 0 && pattern_whole(finding->pattern) == finding->pattern)
        TRY(waits_add(detection->waits, trace, finding, passes, detection->err));
    if (!passes) return STATUS_OK;
    if (detection->observer) detection->observer(detection->observer_context, finding);
    if (detection->over_time && finding->severity_ps >= 0)
        TRY(over_time_add_wait(detection->over_time, trace, finding, detection->err));
    if (finding->doubt != FINDING_CERTAIN) {
        TRY(provisional_add(detection->provisional, trace, finding, detection->err));
        return wait_profile_add(detection->profile, trace, finding, detection->err);
    }
    if (finding->severity_ps == 0) detection->totals->count[finding->pattern][finding->rank]++;
    totals_add(detection->totals, finding->pattern, finding->rank, finding->severity_ps);
    if (finding->severity_ps > 0 && pattern_whole(finding->pattern) == finding->pattern)
        totals_add_in_kind(detection->totals, call_kind(trace_function(trace, finding->rank, finding->call)), finding->pattern,
                           finding->severity_ps);
    return detection->profile ? wait_profile_add(detection->profile, trace, finding, detection->err) : STATUS_OK;
}

enum status detect_found(struct detection *detection, const struct finding *finding)
{
    if (finding->severity_ps <= 0 || finding->severity_ps < detection->options->epsilon_ps) return STATUS_OK;
    return detect_counted(detection, finding);
}

enum status detect_occurrence(struct detection *detection, const struct finding *finding)
{
    return finding->severity_ps < detection->options->epsilon_ps ? STATUS_OK : detect_counted(detection, finding);
}

struct finding finding_of_enter(const struct relations *relations, enum pattern pattern, uint32_t rank, size_t call,
                                uint32_t cause_rank, size_t cause_call)
{
    const struct trace_call *waiting = relations_call(relations, rank, call);
    int64_t until_ps = relations_call(relations, cause_rank, cause_call)->enter_ps;
    int64_t severity_ps = wait_until(waiting, until_ps);
    /* A simulated call that has returned did not wait for it; recorded clocks may differ. */
    if (relations->trace->ranks[rank].sim && until_ps > waiting->exit_ps) severity_ps = 0;
    return (struct finding){.pattern = pattern,
                            .rank = rank,
                            .call = call,
                            .severity_ps = severity_ps,
                            .cause_rank = cause_rank,
                            .cause_call = cause_call,
                            .from_ps = INT64_MIN,
                            .until_ps = until_ps,
                            .earlier_ps = severity_ps};
}
