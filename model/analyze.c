#include "model/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/bounds.h"
#include "model/causes.h"
#include "model/checks.h"
#include "model/detect.h"
#include "model/fences.h"
#include "model/notes.h"
#include "model/places.h"
#include "model/properties.h"
#include "model/rates.h"
#include "model/relations.h"

static const struct analyze_options defaults = ANALYZE_DEFAULTS;

enum status model_account(const struct trace *trace, const struct analyze_options *options, struct account *account,
                          struct err *err)
{
    struct relations relations;
    struct account made;
    TRY(relations_build(trace, &relations, err));
    enum status status = account_init(&made, trace->rank_count, err);
    if (status == STATUS_OK) {
        struct detection detection = {
            .relations = &relations, .options = options ? options : &defaults, .account = &made, .err = err};
        status = detect_all(&detection);
        if (status == STATUS_OK)
            *account = made;
        else
            account_clear(&made);
    }
    relations_clear(&relations);
    return status;
}

static enum status copy_text(const char *text, char **copy, struct err *err)
{
    if (!text) return STATUS_OK;
    *copy = strdup(text);
    return *copy ? STATUS_OK : err_memory(err);
}

static enum status report_left_out(const struct trace *trace, struct result *result, struct err *err)
{
    for (size_t i = 0; i < trace->fault_count; i++) {
        const struct trace_fault *fault = &trace->faults[i];
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

static enum status describe_trace(const struct trace *trace, const struct analyze_options *options,
                                  struct result *result, struct err *err)
{
    TRY(copy_text(trace->name, &result->trace, err));
    TRY(copy_text(trace->platform, &result->platform, err));
    TRY(copy_text(trace->semantics, &result->semantics, err));
    TRY(copy_text(trace->engine, &result->engine, err));
    result->simulated = trace->simulated;
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

static void report_account(const struct account *account, struct result *result)
{
    for (int p = 0; p < PATTERN_COUNT; p++) {
        struct result_pattern *pattern = &result->patterns[p];
        pattern->severity_s = units_s(account_total_ps(account, (enum pattern)p));
        pattern->count = account_total_count(account, (enum pattern)p);
        for (uint32_t r = 0; r < account->rank_count; r++)
            pattern->rank_severity_s[r] = units_s(account->severity_ps[p][r]);
    }
}

static enum status report_fence_pairs(const struct relations *relations, struct result *result, struct err *err)
{
    struct fence_pairs pairs;
    TRY(fence_pairs_count(relations, &pairs, err));
    result->fences_known = true;
    result->fence_pairs = pairs.pairs;
    result->unneeded_fence_pairs = pairs.unneeded;
    result->fence_saved_s = units_s(pairs.saved_ps);
    return STATUS_OK;
}

static enum status report_intervals(const struct detection *detection, const struct transfers *transfers,
                                    struct result *result)
{
    const struct relations *relations = detection->relations;
    TRY(waits_sort(detection->waits, relations->trace->rank_count, detection->err));
    if (lanes_several(&relations->lanes))
        return result_add_note(result, detection->err,
                               "efficiency by interval is not computed: ranks have several threads");
    TRY(efficiency_new(relations, detection->waits, transfers, &result->efficiency, detection->err));
    result->per_rank = detection->options->per_rank;
    result->efficiency->ideal_run_time_s = detection->options->ideal_run_time_s;
    result->efficiency->reference_user_s = detection->options->reference_user_s;
    return STATUS_OK;
}

static enum status report_causes(const struct detection *detection, struct result *result)
{
    struct shares causes = {.trace = detection->relations->trace, .paths = &detection->places->paths};
    struct shares path = causes;
    const struct lanes *lanes = &detection->relations->lanes;
    enum status status = causes_find(detection->waits, lanes, &causes, detection->err);
    if (status == STATUS_OK) status = shares_report(&causes, &result->causes, detection->err);
    if (status == STATUS_OK) status = critical_path_find(detection->waits, lanes, &path, detection->err);
    if (status == STATUS_OK) status = shares_report(&path, &result->critical_path, detection->err);
    result->causes_known = status == STATUS_OK;
    shares_clear(&causes);
    shares_clear(&path);
    return status;
}

static enum status report_transfers(const struct detection *detection, struct result *result)
{
    const struct relations *relations = detection->relations;
    struct transfers transfers;
    TRY(bounds_from_relations(relations, &transfers, detection->err));
    enum status status = rates_report(relations->trace, &transfers, result, detection->err);
    if (status == STATUS_OK && detection->waits) status = report_intervals(detection, &transfers, result);
    if (status == STATUS_OK && detection->waits) status = report_causes(detection, result);
    transfers_clear(&transfers);
    return status;
}

/* Everything that is found, while relations, account and places live. */
static enum status analyze(struct detection *detection, struct result *result)
{
    const struct trace *trace = detection->relations->trace;
    TRY(detect_all(detection));
    TRY(describe_trace(trace, detection->options, result, detection->err));
    TRY(report_left_out(trace, result, detection->err));
    report_account(detection->account, result);
    TRY(places_report(detection->places, trace, result, detection->err));
    TRY(properties_report(&detection->relations->lanes, detection->account, result, detection->err));
    TRY(report_transfers(detection, result));
    TRY(report_fence_pairs(detection->relations, result, detection->err));
    if (detection->options->verify && detection->waits)
        checks_run(detection->relations, detection->account, detection->waits, result);
    if (filter_is_set(&detection->options->filter))
        TRY(result_add_note(
            result, detection->err,
            "wait states and root causes are those that the options select; times are of the whole trace"));
    return notes_report(detection->relations, result, detection->err);
}

enum status model_analyze(const struct trace *trace, const struct analyze_options *options, struct result **result,
                          struct err *err)
{
    struct relations relations = {0};
    struct account account = {0};
    struct places places = {0};
    struct waits waits = {0};
    struct result *made = NULL;
    struct detection detection = {.relations = &relations,
                                  .options = options ? options : &defaults,
                                  .account = &account,
                                  .places = &places,
                                  .waits = options && options->intervals ? &waits : NULL,
                                  .err = err};
    enum status status = relations_build(trace, &relations, err);
    if (status == STATUS_OK) status = account_init(&account, trace->rank_count, err);
    if (status == STATUS_OK) status = places_init(trace, &places, err);
    if (status == STATUS_OK) status = result_new(trace->rank_count, &made, err);
    if (status == STATUS_OK) status = analyze(&detection, made);
    places_clear(&places);
    waits_clear(&waits);
    account_clear(&account);
    relations_clear(&relations);
    if (status == STATUS_OK)
        *result = made;
    else
        result_free(made);
    return status;
}
