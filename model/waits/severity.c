#include "model/waits/severity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/waits/call_times.h"
#include "model/waits/detect.h"
#include "model/waits/disturbance.h"

enum status severity_init(struct severity *severity, const struct trace *trace, const struct analyze_options *options,
                          struct err *err)
{
    *severity = (struct severity){.options = options};
    if (options->not_inferred)
        memcpy(severity->provisional.refuted + DOUBT_PROGRESS, options->not_inferred, sizeof(bool[MPI_CALL_COUNT]));
    TRY(in_flight_init(&severity->in_flight, trace->rank_count, err));
    TRY(totals_init(&severity->totals, trace->rank_count, err));
    severity->inside = calloc((size_t)trace->rank_count + 1, sizeof *severity->inside);
    severity->request_makers = calloc((size_t)trace->rank_count + 1, sizeof *severity->request_makers);
    severity->calls = (struct time_profile){.trace = trace, .paths = &severity->profile.paths};
    if (!severity->inside || !severity->request_makers) return err_memory(err);
    if (options->over_time > 0) TRY(over_time_new(trace->rank_count, options, &severity->over_time, err));
    return callpaths_open(trace, &severity->profile.paths, err);
}

void severity_clear(struct severity *severity)
{
    struct map *makers = severity->request_makers;
    for (uint32_t r = 0; makers && r < severity->calls.trace->rank_count; r++) map_clear(&makers[r]);
    free(severity->request_makers);
    totals_clear(&severity->totals);
    free(severity->inside);
    wait_profile_clear(&severity->profile);
    time_profile_clear(&severity->calls);
    rates_clear(&severity->rates);
    notes_clear(&severity->notes);
    provisional_clear(&severity->provisional);
    window_creations_clear(&severity->creations);
    in_flight_clear(&severity->in_flight);
    over_time_free(severity->over_time);
}

static enum status add_transfers(struct severity *severity, const struct relations *relations, struct transfers *wanted,
                                 struct err *err)
{
    struct transfers transfers;
    TRY(bounds_from_relations(relations, &transfers, err));
    enum status status = rates_add(&severity->rates, relations->trace, &severity->profile.paths,
                                   &severity->options->filter, &transfers, severity->options->transfers,
                                   severity->over_time, err);
    if (status == STATUS_OK && wanted)
        *wanted = transfers;
    else
        transfers_clear(&transfers);
    return status;
}

static struct in_flight_options flight_options(const struct severity *severity)
{
    const struct analyze_options *options = severity->options;
    return (struct in_flight_options){&options->filter, &options->limits, options->network_known, options->latency_s,
                                      options->bandwidth_Bps};
}

void severity_vote(struct severity *severity)
{
    group_votes_count(&severity->behaviour, &severity->provisional.votes);
}

enum status severity_add(struct severity *severity, const struct relations *relations, struct waits *waits,
                         struct transfers *transfers, struct err *err)
{
    struct detection detection = {.relations = relations,
                                  .options = severity->options,
                                  .totals = &severity->totals,
                                  .profile = &severity->profile,
                                  .waits = waits,
                                  .over_time = severity->over_time,
                                  .provisional = &severity->provisional,
                                  .refuted = severity->provisional.refuted,
                                  .err = err};
    if (severity->over_time) TRY(over_time_go_on(severity->over_time, relations->trace, severity->options->filter.section, err));
    TRY(behaviour_add(&severity->behaviour, relations, err));
    TRY(detect_all(&detection));
    TRY(fence_pairs_count(relations, &severity->fence_pairs, err));
    TRY(window_creations_add(&severity->creations, relations->trace, err));
    const struct in_flight_options flights = flight_options(severity);
    TRY(in_flight_add(&severity->in_flight, relations->trace, &severity->profile.paths, &flights, err));
    TRY(notes_add(&severity->notes, relations, err));
    TRY(properties_add(relations->trace, severity->request_makers, severity->times_ps, err));
    disturbance_add(relations->trace, severity->inside);
    TRY(call_times_add(&severity->calls, &severity->options->filter, relations->trace, severity->over_time, err));
    return add_transfers(severity, relations, transfers, err);
}

static enum status copy_text(const char *text, char **copy, struct err *err)
{
    if (!text) return STATUS_OK;
    *copy = strdup(text);
    return *copy ? STATUS_OK : err_memory(err);
}

static enum status describe_trace(const struct trace *trace, const struct analyze_options *options,
                                  struct result *result, struct err *err)
{
    TRY(copy_text(trace->name, &result->trace, err));
    TRY(copy_text(trace->provenance.platform, &result->platform, err));
    TRY(copy_text(trace->provenance.semantics, &result->semantics, err));
    TRY(copy_text(trace->provenance.engine, &result->engine, err));
    TRY(copy_text(trace->provenance.library, &result->library, err));
    TRY(copy_text(trace->provenance.transport, &result->transport, err));
    result->origin = trace_origin(trace);
    if (result->origin == TRACE_GENERATED || result->origin == TRACE_DESCRIBED)
        TRY(result_add_note(result, err, "%s: its calls take no time; rmacast simulate says what they would take",
                            trace_origin_name(result->origin)));
    uint32_t shared = 0;
    for (size_t w = 0; w < trace->definitions.window_count; w++) shared += trace->definitions.windows[w].flavor == 's';
    if (shared > 0 && result->origin == TRACE_RECORDED)
        TRY(result_add_note(result, err,
                            "%" PRIu32 " window%s of shared memory (MPI_Win_allocate_shared): loads and stores in %s are not in "
                            "the trace",
                            shared, units_plural(shared), shared == 1 ? "it" : "them"));
    result->epsilon_s = units_s(options->epsilon_ps);
    snprintf(result->late_post, sizeof result->late_post, "%s",
             options->late_post == LATE_POST_EARLIEST ? "earliest" : "latest");
    int64_t begin_ps = trace_begin_ps(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        if (trace->ranks[r].incomplete) result->incomplete = true;
        if (trace->ranks[r].count > 0) result->rank_time_s[r] = units_s(trace_rank_end_ps(trace, r) - begin_ps);
        if (result->rank_time_s[r] > result->run_time_s) result->run_time_s = result->rank_time_s[r];
    }
    return STATUS_OK;
}

enum status model_report_faults(const struct trace *trace, struct result *result, struct err *err)
{
    for (size_t i = 0; i < trace->provenance.fault_count; i++) {
        const struct trace_fault *fault = &trace->provenance.faults[i];
        bool known = fault->time_ps != TRACE_UNKNOWN_PS;
        struct result_left_out made = {.rank = fault->rank == TRACE_FAULT_NO_RANK ? -1 : (int64_t)fault->rank,
                                       .event = fault->event + 1,
                                       .time_known = known,
                                       .time_s = known ? units_s(fault->time_ps) : 0,
                                       .calls = fault->left_out,
                                       .reason = fault->text};
        TRY(result_add_left_out(result, &made, err));
    }
    return STATUS_OK;
}

static void report_totals(const struct totals *totals, struct result *result)
{
    for (int p = 0; p < PATTERN_COUNT; p++) {
        struct result_pattern *pattern = &result->patterns[p];
        pattern->severity_s = wide_s(totals_severity_ps(totals, (enum pattern)p));
        pattern->count = totals_count(totals, (enum pattern)p);
        for (uint32_t r = 0; r < totals->rank_count; r++)
            pattern->rank_severity_s[r] = units_s(totals->severity_ps[p][r]);
    }
}

static void report_fence_pairs(const struct fence_pairs *pairs, struct result *result)
{
    result->fences_known = true;
    result->fence_pairs = pairs->pairs;
    result->unneeded_fence_pairs = pairs->unneeded;
    result->fence_saved_s = wide_s(pairs->saved_ps);
    result->empty_fences = pairs->empty;
    result->empty_fence_s = wide_s(pairs->empty_ps);
}

enum status severity_end(struct severity *severity, const struct relations *relations, struct err *err)
{
    return notes_end(&severity->notes, relations, err);
}

static enum status report_profile(struct severity *severity, const struct timelines *timelines, struct result *result,
                                  struct err *err)
{
    const struct trace *trace = timelines->trace;
    double *without_core = calloc((size_t)trace->rank_count + 1, sizeof *without_core);
    if (!without_core) return err_memory(err);
    disturbance_shares(timelines, severity->inside, without_core);
    enum status status =
        wait_profile_report(&severity->profile, trace, without_core, severity->options->per_rank, result, err);
    free(without_core);
    return status;
}

static enum status report_over_time(struct severity *severity, const struct timelines *timelines, struct result *result,
                                    struct err *err)
{
    const struct filter *filter = &severity->options->filter;
    struct filter others = *filter;
    others.section = NULL;
    return over_time_report(severity->over_time, severity->provisional.refuted, timelines, filter->section,
                            !filter_is_set(&others), result, err);
}

enum status severity_report(struct severity *severity, const struct timelines *timelines, struct result *result,
                            struct err *err)
{
    const struct trace *trace = timelines->trace;
    TRY(provisional_end(&severity->provisional, &severity->totals, &severity->profile, err));
    TRY(describe_trace(trace, severity->options, result, err));
    TRY(model_report_faults(trace, result, err));
    memcpy(result->not_inferred, severity->provisional.refuted + DOUBT_PROGRESS, sizeof result->not_inferred);
    report_totals(&severity->totals, result);
    report_fence_pairs(&severity->fence_pairs, result);
    struct result_pattern *progress = &result->patterns[PATTERN_WAIT_FOR_PROGRESS]; /* docs/patterns.md: assumed transfers */
    progress->at_most = progress->count > 0 && !trace->provenance.simulated && !severity->options->network_known;
    user_code_report(timelines, severity->inside, result);
    TRY(report_profile(severity, timelines, result, err));
    TRY(properties_report(timelines, severity->times_ps, &severity->totals, result, err));
    TRY(call_times_report(&severity->calls, &severity->profile, result, err));
    disturbance_report(timelines, severity->inside, &result->disturbance);
    if (severity->over_time) TRY(report_over_time(severity, timelines, result, err));
    TRY(rates_report(&severity->rates, trace, &severity->profile.paths, result, err));
    TRY(behaviour_report(&severity->behaviour, result, err));
    TRY(window_creations_report(&severity->creations, trace, result, err));
    const struct in_flight_options flights = flight_options(severity);
    TRY(in_flight_report(&severity->in_flight, trace, &severity->profile.paths, &flights, severity->options->per_rank, result,
                         err));
    if (severity->options->filter.section)
        TRY(result_add_note(result, err,
                            "run time, rank times, calls, wait states, root causes and transfers are those of the section; "
                            "other times are of the whole trace"));
    else if (filter_is_set(&severity->options->filter))
        TRY(result_add_note(
            result, err,
            "calls, wait states, root causes and transfers are those that the options select; times are of the whole trace"));
    return notes_report(&severity->notes, trace, result, err);
}
