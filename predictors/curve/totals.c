#include "predictors/curve/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "predictors/prediction.h"
#include "simulate/replay/replay.h"

static enum status set_names(struct result *result, const struct trace *trace, const struct platform *platform,
                             const struct engine_descriptor *engine, struct err *err)
{
    char semantics[PLATFORM_SEMANTICS_BYTES];
    platform_semantics_name(platform, semantics);
    const char *const texts[] = {trace->name, platform->name, semantics, engine->name};
    char **const places[] = {&result->trace, &result->platform, &result->semantics, &result->engine};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        free(*places[i]);
        *places[i] = strdup(texts[i]);
        if (!*places[i]) return err_memory(err);
    }
    return STATUS_OK;
}

static void set_pattern(struct result *result, const struct totals *totals, enum pattern pattern)
{
    struct result_pattern *made = &result->patterns[pattern];
    made->severity_s = wide_s(totals_severity_ps(totals, pattern));
    made->count = totals_count(totals, pattern);
    for (uint32_t rank = 0; rank < result->rank_count; rank++)
        made->rank_severity_s[rank] = units_s(totals->severity_ps[pattern][rank]);
}

static enum status describe_outcome(const struct replay_outcome *outcome, struct result *result, struct err *err)
{
    result->origin = TRACE_SIMULATED;
    result->run_time_s = outcome->run_time_s;
    result->transfer_count = outcome->transfers;
    result->transfer_bytes = outcome->transfer_bytes;
    result->events = outcome->stats.events;
    memcpy(result->rank_time_s, outcome->rank_time_s, result->rank_count * sizeof *result->rank_time_s);
    for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern++)
        set_pattern(result, &outcome->totals, pattern);
    return result_add_note(result, err, "wait states are the replay's own totals, of one-sided calls only: the run was not kept");
}

static double mean_s(const double *values_s, uint32_t count)
{
    double sum_s = 0;
    for (uint32_t i = 0; i < count; i++) sum_s += values_s[i];
    return count > 0 ? sum_s / count : 0;
}

enum status scale_totals(struct program_source *source, double computing_s, const struct platform *platform,
                         const struct engine_descriptor *engine, struct result **result, struct err *err)
{
    const struct replay_source calls = {
        .next = program_source_next, .context = source, .finalizes = source->finalizes, .sleeps = source->sleeps};
    const struct replay_options options = {.source = &calls, .engine = engine};
    const struct trace *trace = source->run.trace;
    struct replay_outcome outcome;
    struct result *made;
    TRY(replay_run(trace, platform, &options, &outcome, err));
    enum status status = result_new(trace->rank_count, &made, err);
    if (status == STATUS_OK) {
        status = set_names(made, trace, platform, engine, err);
        if (status == STATUS_OK) status = describe_outcome(&outcome, made, err);
        if (status == STATUS_OK) status = prediction_note_platform(trace, platform, engine, made, err);
        computing_s *= platform_slowness(platform, trace->rank_count);
        double in_mpi_s = fmax(0, mean_s(made->rank_time_s, made->rank_count) - computing_s);
        made->uncertainty = uncertainty_of_run(NAN, NULL, CLASS_UNDRAWN, in_mpi_s);
        if (status == STATUS_OK) *result = made;
        else result_free(made);
    }
    replay_outcome_clear(&outcome);
    return status;
}
