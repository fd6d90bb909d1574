#include "model/waits/severity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/waits/detect.h"

enum status tally_init(struct tally *tally, const struct trace *trace, const struct analyze_options *options,
                       struct err *err)
{
    *tally = (struct tally){.options = options};
    TRY(account_init(&tally->account, trace->rank_count, err));
    enum status status = places_init(trace, &tally->places, err);
    if (status != STATUS_OK) account_clear(&tally->account);
    return status;
}

void tally_clear(struct tally *tally)
{
    account_clear(&tally->account);
    places_clear(&tally->places);
    rates_clear(&tally->rates);
    notes_clear(&tally->notes);
    provisional_clear(&tally->provisional);
    several_clear(&tally->several);
    window_creations_clear(&tally->creations);
}

static enum status add_transfers(struct tally *tally, const struct relations *relations, struct transfers *wanted,
                                 struct err *err)
{
    struct transfers transfers;
    TRY(bounds_from_relations(relations, &transfers, err));
    enum status status = rates_add(&tally->rates, relations->trace, &tally->places.paths,
                                   &tally->options->filter, &transfers, tally->options->transfers, err);
    if (status == STATUS_OK && wanted)
        *wanted = transfers;
    else
        transfers_clear(&transfers);
    return status;
}

enum status tally_add(struct tally *tally, const struct relations *relations, struct waits *waits,
                      struct transfers *transfers, struct err *err)
{
    struct detection detection = {.relations = relations,
                                  .options = tally->options,
                                  .account = &tally->account,
                                  .places = &tally->places,
                                  .waits = waits,
                                  .provisional = relations->settlement ? &tally->provisional : NULL,
                                  .several = tally->parted ? &tally->several : NULL,
                                  .err = err};
    TRY(detect_all(&detection));
    TRY(fence_pairs_count(relations, &tally->fence_pairs, err));
    TRY(behaviour_add(&tally->behaviour, relations, err));
    TRY(window_creations_add(&tally->creations, relations->trace, err));
    TRY(notes_add(&tally->notes, relations, err));
    properties_add(relations->trace, tally->times_ps);
    return add_transfers(tally, relations, transfers, err);
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

enum status model_report_faults(const struct trace *trace, struct result *result, struct err *err)
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

static void report_account(const struct account *account, struct result *result)
{
    for (int p = 0; p < PATTERN_COUNT; p++) {
        struct result_pattern *pattern = &result->patterns[p];
        pattern->severity_s = wide_s(account_total_ps(account, (enum pattern)p));
        pattern->count = account_total_count(account, (enum pattern)p);
        for (uint32_t r = 0; r < account->rank_count; r++)
            pattern->rank_severity_s[r] = units_s(account->severity_ps[p][r]);
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

enum status tally_end(struct tally *tally, const struct relations *relations, struct err *err)
{
    return notes_end(&tally->notes, relations, err);
}

enum status tally_report(struct tally *tally, const struct lanes *lanes, struct result *result, struct err *err)
{
    const struct trace *trace = lanes->trace;
    provisional_withdraw(&tally->provisional, &tally->account, &tally->places);
    TRY(describe_trace(trace, tally->options, result, err));
    TRY(model_report_faults(trace, result, err));
    report_account(&tally->account, result);
    TRY(places_report(&tally->places, trace, tally->options->per_rank, result, err));
    TRY(properties_report(lanes, tally->times_ps, &tally->account, result, err));
    TRY(rates_report(&tally->rates, trace, &tally->places.paths, result, err));
    report_fence_pairs(&tally->fence_pairs, result);
    TRY(behaviour_report(&tally->behaviour, result, err));
    TRY(window_creations_report(&tally->creations, trace, result, err));
    if (filter_is_set(&tally->options->filter))
        TRY(result_add_note(
            result, err,
            "wait states, root causes and transfers are those that the options select; times are of the whole trace"));
    return notes_report(&tally->notes, trace, result, err);
}
