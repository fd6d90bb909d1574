#include "tests/property/slices.h"

#include <stdlib.h>

#include "model/result/checks.h"
#include "tests/property/random.h"
#include "tests/slices/same_result.h"

static enum status add_sites(struct trace *trace, struct err *err)
{
    static const char *const functions[] = {"one", "one", "other", NULL};
    uint32_t site;
    for (int i = 0; i < 4; i++) TRY(trace_add_site(trace, functions[i], i > 0 ? "program.c" : NULL, i, &site, err));
    return STATUS_OK;
}

/* Pauses and durations are often none, so that calls of different ranks meet; sites change now and then. */
static enum status at_random(const struct trace *trace, uint64_t seed, struct trace **made, struct err *err)
{
    struct random random = {seed};
    TRY(trace_new_like(trace, made, err));
    enum status status = add_sites(*made, err);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        int64_t now_ps = 0;
        uint32_t site = TRACE_NO_SITE;
        for (size_t i = 0; status == STATUS_OK && i < trace->ranks[r].count; i++) {
            struct trace_call call = trace->ranks[r].calls[i];
            call.enter_ps = now_ps + (int64_t)random_below(&random, 2) * (int64_t)random_below(&random, 50);
            call.exit_ps = call.enter_ps + (int64_t)random_below(&random, 2) * (int64_t)random_below(&random, 90);
            now_ps = call.exit_ps;
            if (random_below(&random, 4) == 0) site = (uint32_t)random_below(&random, 5);
            call.site = site;
            if (random_below(&random, 40) == 0) now_ps += 500;
            status = trace_add_call(*made, r, &call, err);
        }
    }
    if (status != STATUS_OK) trace_free(*made);
    return status;
}

/* Every wait of a trace whose times a simulation made: the call returns after the call for which it waited began. */
static enum status check_causes(const struct trace *trace, bool *holds, char *what, struct err *err)
{
    struct analyze_found found = {0};
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct result *result;
    options.intervals = options.verify = true;
    options.found = &found;
    TRY(model_analyze(trace, &options, &result, err));
    for (size_t w = 0; w < found.waits.count && *holds; w++) {
        const struct wait *wait = &found.waits.items[w];
        if (wait->cause_call == FINDING_NO_CALL) continue;
        /* in a recorded trace a collective without data is taken to wait until it returns */
        enum call_kind kind = call_kind(trace->ranks[wait->rank].calls[wait->call].call);
        if (!trace->provenance.simulated && call_arm(kind) == ARM_COLLECTIVE) continue;
        const struct trace_call *cause = &trace->ranks[wait->cause_rank].calls[wait->cause_call];
        *holds = cause->enter_ps <= trace->ranks[wait->rank].calls[wait->call].exit_ps;
        char place[TRACE_PLACE_BYTES];
        if (!*holds)
            snprintf(what, SAME_RESULT_BYTES, "%s: %s for a call that begins after this one returns",
                     trace_place(trace, wait->rank, wait->call, place), pattern_row((enum pattern)wait->pattern)->title);
    }
    analyze_found_clear(&found);
    enum status status = checks_expect(result, err);
    result_free(result);
    return status;
}

enum status slices_check(const struct trace *trace, struct trace *predicted, uint64_t seed, trace_comparer *compare,
                         bool *same, char *what, struct err *err)
{
    struct trace *other;
    TRY(compare(predicted, same, what, err));
    if (*same) TRY(check_causes(predicted, same, what, err));
    if (!*same) return STATUS_OK;
    predicted->provenance.simulated = false;
    for (uint32_t r = 0; r < predicted->rank_count; r++) {
        free(predicted->ranks[r].sim);
        predicted->ranks[r].sim = NULL;
    }
    free(predicted->provenance.lock);
    predicted->provenance.lock = NULL;
    TRY(compare(predicted, same, what, err));
    if (*same) TRY(check_causes(predicted, same, what, err));
    if (!*same) return STATUS_OK;
    TRY(at_random(trace, seed, &other, err));
    enum status status = compare(other, same, what, err);
    trace_free(other);
    return status;
}
