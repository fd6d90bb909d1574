#include "predictors/predictor_replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/verify_apart.h"

static enum status replace_text(char **text, const char *with, struct err *err)
{
    char *copy = strdup(with);
    if (!copy) return err_memory(err);
    free(*text);
    *text = copy;
    return STATUS_OK;
}

static bool buffer_limited(const struct platform *platform)
{
    bool limited = semantics_limited(&platform->semantics);
    for (size_t i = 0; i < platform->window_rule_count; i++)
        limited = limited || semantics_limited(&platform->window_rules[i].semantics);
    return limited;
}

static void describe_buffer(const struct prediction *prediction, struct result_buffer *buffer)
{
    const struct buffer_use *use = &prediction->outcome.buffer;
    if (!buffer_limited(prediction->platform)) return;
    buffer->known = true;
    buffer->limit_bytes = (uint64_t)prediction->platform->semantics.buffer_bytes;
    buffer->waits = use->waits;
    buffer->wait_s = units_s(use->waited_ps);
    buffer->peak_bytes = (uint64_t)use->peak_bytes;
}

/* What the analysis of the predicted trace alone cannot know. */
static enum status describe(struct prediction *prediction, struct err *err)
{
    struct result *result = prediction->result;
    const struct replay_outcome *outcome = &prediction->outcome;
    TRY(replace_text(&result->trace, prediction->trace->name, err));
    TRY(replace_text(&result->platform, prediction->platform->name, err));
    char semantics[PLATFORM_SEMANTICS_BYTES];
    platform_semantics_name(prediction->platform, semantics);
    TRY(replace_text(&result->semantics, semantics, err));
    TRY(replace_text(&result->engine, prediction->engine->name, err));
    result->simulated = true;
    result->events = outcome->stats.events;
    result->wall_ns = (uint64_t)(outcome->wall_s * 1e9);
    result->peak_bytes = outcome->peak_bytes;
    describe_buffer(prediction, &result->buffer);
    return STATUS_OK;
}

static enum status predict(struct prediction *prediction, struct err *err)
{
    const struct replay_options options = {.engine = prediction->engine,
                                           .keep_trace = true,
                                           .progress = prediction->progress,
                                           .progress_context = prediction->progress_context};
    TRY((prediction->apart ? apart_replay : replay_run)(prediction->trace, prediction->platform, &options,
                                                        &prediction->outcome, err));
    TRY(model_analyze(prediction->outcome.trace, prediction->analyze, &prediction->result, err));
    return describe(prediction, err);
}

const struct predictor predictor_replay = {
    .name = "replay",
    .summary = "run time, rank times and wait states from a replay on the platform",
    .predict = predict,
};
