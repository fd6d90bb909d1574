#include "model/analyze.h"

#include <stdlib.h>

#include "model/causes/causes.h"
#include "model/result/checks.h"
#include "model/waits/detect.h"
#include "model/waits/severity.h"
#include "trace/steps.h"

static const struct analyze_options defaults = ANALYZE_DEFAULTS;

static enum status detect_totals(const struct relations *relations, const struct analyze_options *options,
                                 struct totals *totals, struct err *err)
{
    struct group_votes votes;
    bool for_group[GROUP_VOTE_CLASSES];
    struct detection detection = {
        .relations = relations, .options = options, .totals = totals, .for_group = for_group, .err = err};
    struct behaviour *behaviour = calloc(1, sizeof *behaviour);
    enum status status = behaviour ? behaviour_add(behaviour, relations, err) : err_memory(err);
    if (status == STATUS_OK) group_votes_count(behaviour, &votes);
    free(behaviour);
    TRY(status);
    group_votes_decide(&votes, for_group);
    return detect_all(&detection);
}

enum status model_totals(const struct trace *trace, const struct analyze_options *options, struct totals *totals,
                         struct err *err)
{
    struct relations relations;
    struct totals made;
    TRY(relations_build(trace, &relations, err));
    enum status status = totals_init(&made, trace->rank_count, err);
    if (status == STATUS_OK) {
        status = detect_totals(&relations, options ? options : &defaults, &made, err);
        if (status == STATUS_OK)
            *totals = made;
        else
            totals_clear(&made);
    }
    relations_clear(&relations);
    return status;
}

void analyze_found_clear(struct analyze_found *found)
{
    waits_clear(&found->waits);
    transfers_clear(&found->transfers);
    wait_profile_clear(&found->profile);
}

/* State of an analysis that needs all waits and transfers at once. */
struct whole {
    const struct relations *relations;
    struct severity *severity;
    struct analyze_found found;
    struct result *result;
    struct err *err;
};

static enum status report_intervals(struct whole *whole)
{
    const struct analyze_options *options = whole->severity->options;
    struct result *result = whole->result;
    TRY(waits_sort(&whole->found.waits, whole->relations->trace->rank_count, whole->err));
    TRY(efficiency_new(whole->relations, &whole->found.waits, &whole->found.transfers, options->interval_source,
                       options->lost_all, &result->efficiency, whole->err));
    result->per_rank = options->per_rank;
    result->efficiency->ideal_run_time_s = options->ideal_run_time_s;
    result->efficiency->reference_user_s = options->reference_user_s;
    return STATUS_OK;
}

static enum status report_causes(const struct whole *whole)
{
    struct result *result = whole->result;
    struct time_profile causes = {.trace = whole->relations->trace, .paths = &whole->severity->profile.paths};
    struct time_profile path = causes;
    const struct timelines *timelines = &whole->relations->timelines;
    enum status status = causes_find(&whole->found.waits, timelines, &causes, whole->err);
    if (status == STATUS_OK) status = time_profile_report(&causes, NULL, &result->causes, whole->err);
    if (status == STATUS_OK) status = critical_path_find(&whole->found.waits, timelines, &path, whole->err);
    if (status == STATUS_OK) status = time_profile_report(&path, NULL, &result->critical_path, whole->err);
    result->causes_known = status == STATUS_OK;
    time_profile_clear(&causes);
    time_profile_clear(&path);
    return status;
}

static enum status verify_whole(struct whole *whole)
{
    struct checks checks = {0};
    wide_ps waited_ps = 0;
    for (size_t w = 0; w < whole->found.waits.count; w++) {
        const struct wait *wait = &whole->found.waits.items[w];
        if (wait->counted) waited_ps += wait->until_ps - wait->from_ps;
    }
    enum status status = checks_add(&checks, whole->relations, &whole->found.waits, whole->err);
    if (status == STATUS_OK) checks_report(&checks, &whole->severity->totals, NULL, waited_ps, whole->result);
    checks_clear(&checks);
    return status;
}

static enum status analyze_rounds(struct whole *whole)
{
    struct severity *severity = whole->severity;
    if (!severity->options->intervals) {
        TRY(severity_add(severity, whole->relations, NULL, NULL, whole->err));
        TRY(severity_end(severity, whole->relations, whole->err));
        return severity_report(severity, &whole->relations->timelines, whole->result, whole->err);
    }
    TRY(severity_add(severity, whole->relations, &whole->found.waits, &whole->found.transfers, whole->err));
    TRY(report_intervals(whole));
    TRY(report_causes(whole));
    TRY(severity_end(severity, whole->relations, whole->err));
    TRY(severity_report(severity, &whole->relations->timelines, whole->result, whole->err));
    return severity->options->verify ? verify_whole(whole) : STATUS_OK;
}

static enum status note_steps(const struct trace *trace, struct result *result, struct err *err)
{
    struct trace_steps steps;
    char text[TRACE_STEPS_BYTES];
    TRY(trace_steps_find(trace, &steps, err));
    if (!steps.notable) return STATUS_OK;
    return result_add_note(result, err, "%s: " TRACE_STEPS_ADVICE, trace_steps_text(trace, &steps, text));
}

static enum status analyze_whole(const struct trace *trace, const struct analyze_options *options,
                                 struct result **result, struct err *err)
{
    struct relations own = {0};
    struct severity severity = {0};
    struct whole whole = {.relations = options->relations ? options->relations : &own, .severity = &severity, .err = err};
    if (!options->relations) TRY(relations_build(trace, &own, err));
    enum status status = severity_init(&severity, trace, options, err);
    if (status == STATUS_OK) status = result_new(trace->rank_count, &whole.result, err);
    if (status == STATUS_OK) status = analyze_rounds(&whole);
    if (status == STATUS_OK) status = note_steps(trace, whole.result, err);
    if (status == STATUS_OK && options->filter.section)
        status = section_report(trace, &severity.profile.paths, &options->section, options->filter.section, whole.result,
                                err);
    whole.found.profile = severity.profile; /* from here on it is in found */
    severity.profile = (struct wait_profile){.count = 0};
    if (status == STATUS_OK && options->found)
        *options->found = whole.found;
    else
        analyze_found_clear(&whole.found);
    severity_clear(&severity);
    relations_clear(&own);
    if (status == STATUS_OK)
        *result = whole.result;
    else
        result_free(whole.result);
    return status;
}

enum status model_analyze(const struct trace *trace, const struct analyze_options *options, struct result **result,
                          struct err *err)
{
    if (!options || !section_is_set(&options->section))
        return analyze_whole(trace, options ? options : &defaults, result, err);
    struct section section;
    struct analyze_options narrowed = *options;
    TRY(section_find(trace, &options->section, &section, err));
    narrowed.filter.section = &section;
    narrowed.filter.callpath = options->section.callpath;
    enum status status = analyze_whole(trace, &narrowed, result, err);
    section_clear(&section);
    return status;
}
