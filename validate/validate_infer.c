/* What is inferred of the wait states, alike of all runs. */
#include <string.h>

#include "validate/as_recorded.h"
#include "validate/validate.h"

static enum status analyze_as_recorded(const struct trace *predicted, const struct analyze_options *options,
                                       struct result **result, struct err *err)
{
    struct trace view;
    TRY(as_recorded_init(&view, predicted, err));
    enum status status = model_analyze(&view, options, result, err);
    as_recorded_clear(&view);
    return status;
}

/* Whether the result counts waits of a function that is refuted elsewhere. */
static bool infers_more(const struct result *result, const bool refuted[MPI_CALL_COUNT])
{
    return memcmp(result->not_inferred, refuted, sizeof result->not_inferred) != 0;
}

static void replace_result(struct result **result, struct result *made)
{
    result_free(*result);
    *result = made;
}

static enum status infer_again(struct trace *const *traces, struct result **results, size_t count,
                               const struct analyze_options *options, struct result **inferred, struct err *err)
{
    struct result *made;
    for (size_t i = 0; i < count; i++) {
        if (!traces[i] || results[i]->origin == TRACE_SIMULATED || !infers_more(results[i], options->not_inferred)) continue;
        TRY(model_analyze(traces[i], options, &made, err));
        replace_result(&results[i], made);
    }
    if (!*inferred || !infers_more(*inferred, options->not_inferred)) return STATUS_OK;
    TRY(analyze_as_recorded(traces[0], options, &made, err));
    replace_result(inferred, made);
    return STATUS_OK;
}

void validate_add_refuted(const struct result *result, bool refuted[MPI_CALL_COUNT])
{
    for (int f = 0; f < MPI_CALL_COUNT; f++) refuted[f] = refuted[f] || result->not_inferred[f];
}

enum status validate_infer(struct trace *const *traces, struct result **results, size_t count,
                           const struct analyze_options *options, struct result **inferred, struct err *err)
{
    bool refuted[MPI_CALL_COUNT] = {false}, recorded = false;
    struct analyze_options alike = options ? *options : (struct analyze_options)ANALYZE_DEFAULTS;
    struct result *found = NULL;
    for (size_t i = 1; i < count; i++) recorded = recorded || results[i]->origin != TRACE_SIMULATED;
    if (recorded && traces[0] && results[0]->origin == TRACE_SIMULATED) TRY(analyze_as_recorded(traces[0], options, &found, err));
    for (size_t i = 0; i < count; i++) validate_add_refuted(results[i], refuted);
    if (found) validate_add_refuted(found, refuted);
    alike.not_inferred = refuted;
    enum status status = infer_again(traces, results, count, &alike, &found, err);
    GIVE(status, *inferred = found, result_free(found));
}
