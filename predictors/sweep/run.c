#include "predictors/sweep/run.h"

#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/children.h"
#include "common/json/json_write.h"
#include "model/result/result_fields.h"
#include "platforms/grow.h"
#include "platforms/platform.h"
#include "platforms/semantics_text.h"
#include "predictors/crowding.h"
#include "predictors/prediction.h"
#include "predictors/scale/scale.h"
#include "predictors/transforms/transform.h"
#include "trace/open.h"

/* --- the input --- */

static enum status learn_traces(const struct sweep_config *config, struct program **program, struct err *err)
{
    struct trace **traces = calloc(config->trace_count, sizeof *traces);
    enum status status = traces ? STATUS_OK : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < config->trace_count; i++)
        status = trace_open(config->traces[i], &traces[i], err);
    const struct scale_runs runs = {.traces = (const struct trace *const *)traces, .count = config->trace_count};
    if (status == STATUS_OK)
        status = scale_learn(&runs, program, err);
    for (size_t i = 0; traces && i < config->trace_count; i++) trace_free(traces[i]);
    free(traces);
    return status;
}

enum status sweep_input_open(const struct sweep *sweep, struct sweep_input *input, struct err *err)
{
    const struct sweep_config *config = &sweep->config;
    *input = (struct sweep_input){.sweep = sweep};
    TRY(engine_load(config->engine, err));
    if (config->model) return STATUS_OK;
    if (config->trace_count > 1) return learn_traces(config, &input->program, err);
    TRY((config->keep_going ? trace_open_partly : trace_open)(config->traces[0], &input->trace, err));
    return config->memory_bound < 0 ? STATUS_OK : trace_assume_memory_bound(input->trace, config->memory_bound, err);
}

void sweep_input_close(struct sweep_input *input)
{
    trace_free(input->trace);
    program_free(input->program);
    *input = (struct sweep_input){.sweep = NULL};
}

/* --- a point --- */

struct point_run {
    const struct sweep_input *input;
    size_t point;
    struct trace *made; /* owned; of a program, or a program model */
    const struct trace *trace;
    struct rewrite rewrite;
    struct platform *platform;
};

static const struct sweep_value *value_of(const struct point_run *run, enum sweep_axis axis)
{
    return sweep_value_of(&run->input->sweep->config, run->point, axis);
}

static enum status make_trace(struct point_run *run, struct err *err)
{
    const struct scale_options scale = {
        .ranks = value_of(run, SWEEP_RANKS)->ranks, .compute = 1, .seed = run->input->sweep->config.seed};
    const struct sweep_value *transforms = value_of(run, SWEEP_TRANSFORMS);
    if (run->input->sweep->config.model) {
        trace_open_models_at(scale.ranks);
        TRY(trace_open(run->input->sweep->config.traces[0], &run->made, err));
    }
    if (run->input->program) TRY(scale_make(run->input->program, &scale, &run->made, err));
    run->trace = run->made ? run->made : run->input->trace;
    TRY(rewrite_run(run->trace, (const char *const *)transforms->texts, transforms->count, &run->rewrite, err));
    if (run->rewrite.trace) run->trace = run->rewrite.trace;
    return STATUS_OK;
}

/* The platform with its own values, then the mapping's, the transforms' and the semantics'. */
static enum status open_platform(struct point_run *run, struct err *err)
{
    const struct sweep_value *platform = value_of(run, SWEEP_PLATFORMS), *mapping = value_of(run, SWEEP_MAPPINGS),
                             *transforms = value_of(run, SWEEP_TRANSFORMS);
    semantics_override semantics[SEMANTICS_TEXT_PARTS];
    struct platform_growth growth = {.count = 0};
    size_t parts = semantics_text_overrides(value_of(run, SWEEP_SEMANTICS)->name, semantics), count = 0;
    size_t most = platform->count + mapping->count + transforms->count + parts + GROWTH_MAX;
    const char **overrides = calloc(most, sizeof *overrides);
    if (!overrides) return err_memory(err);
    for (size_t i = 0; i < platform->count; i++) overrides[count++] = platform->texts[i];
    for (size_t i = 0; i < mapping->count; i++) overrides[count++] = mapping->texts[i];
    for (size_t i = 0; i < transforms->count; i++) {
        const char *override = transform_override(transforms->texts[i]);
        if (override) overrides[count++] = override;
    }
    for (size_t i = 0; i < parts; i++) overrides[count++] = semantics[i];
    enum status status = STATUS_OK;
    if (run->input->sweep->config.grow)
        status = platform_grow(platform->file, overrides, count, run->trace->rank_count, &growth, err);
    for (size_t i = 0; i < growth.count; i++) overrides[count++] = growth.overrides[i];
    if (status == STATUS_OK) status = platform_open(platform->file, overrides, count, &run->platform, err);
    free(overrides);
    if (status == STATUS_OK) status = platform_check_ranks(run->platform, run->trace->rank_count, err);
    char parted[CROWDING_TEXT_BYTES];
    if (status != STATUS_OK || !crowding_parts_window(run->trace, run->platform, parted)) return status;
    return err_set(err, STATUS_DATA, NULL, NULL, "%s", parted);
}

/* The recordings' part of a run that is made from several of them is what their computing leaves open at its ranks; no band is
 * replayed here. */
static enum status write_line(const struct point_run *run, const struct result *result, FILE *out, struct err *err)
{
    struct sweep_figures figures = {.run_time_s = result->run_time_s,
                                    .transfers = result->transfer_count,
                                    .bytes = result->transfer_bytes,
                                    .incomplete = result->incomplete || result->left_out_count > 0,
                                    .error = result->uncertainty,
                                    .notes = result->notes,
                                    .note_count = result->note_count};
    double exclusive_s[PROPERTY_COUNT];
    for (int p = 0; p < PATTERN_COUNT; p++)
        figures.waits_s[p] = result->patterns[p].severity_s > 0 ? result->patterns[p].severity_s : (double)NAN;
    result_property_times(result, figures.properties_s, exclusive_s);
    if (run->input->program) uncertainty_record(&figures.error, NAN);
    cJSON *json = sweep_point_json(run->input->sweep, run->point, run->trace->rank_count);
    json_add_text(json, "state", "done");
    fields_write(sweep_figures_fields, &figures, 0, json);
    enum status status = json_write(json, JSON_LINE, out, err);
    cJSON_Delete(json);
    return status;
}

static enum status run_here(struct point_run *run, FILE *out, struct err *err)
{
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    analyze.eager_bytes = EAGER_OF_PLATFORM;
    TRY(make_trace(run, err));
    TRY(open_platform(run, err));
    struct prediction prediction = {.trace = run->trace,
                                    .platform = run->platform,
                                    .engine = run->input->sweep->config.engine,
                                    .analyze = &analyze,
                                    .keep_going = run->input->sweep->config.keep_going};
    TRY(prediction_run(&prediction, err));
    enum status status = write_line(run, prediction.result, out, err);
    prediction_clear(&prediction);
    return status;
}

static enum status run_point(const struct sweep_input *input, size_t point, FILE *out, struct err *err)
{
    struct point_run run = {.input = input, .point = point};
    enum status status = run_here(&run, out, err);
    platform_free(run.platform);
    rewrite_clear(&run.rewrite);
    trace_free(run.made);
    return status;
}

enum status sweep_run_one(void *context, size_t index, FILE *out, struct err *err)
{
    const struct sweep_one *one = context;
    (void)index;
    return run_point(one->input, one->point, out, err);
}

/* --- all, in child processes --- */

struct local_run {
    struct sweep *sweep;
    struct sweep_input input;
    const struct sweep_observer *observer;
};

static enum status run_in_child(void *context, size_t point, FILE *out, struct err *err)
{
    struct local_run *run = context;
    return run_point(&run->input, point, out, err);
}

static bool give_point(void *context, size_t *point)
{
    struct local_run *run = context;
    return sweep_next(run->sweep, 0, 1, point);
}

static enum status take_answer(void *context, size_t point, struct child_answer *answer, struct err *err)
{
    struct local_run *run = context;
    TRY(sweep_answer(run->sweep, point, answer->status == STATUS_OK ? answer->data : NULL, answer->err.text, err));
    if (run->observer) run->observer->told(run->observer->context, run->sweep);
    return STATUS_OK;
}

enum status sweep_run(struct sweep *sweep, size_t at_once, const struct sweep_observer *observer, struct err *err)
{
    static const struct children_jobs jobs = {give_point, take_answer};
    struct local_run run = {.sweep = sweep, .observer = observer};
    if (sweep_finished(sweep)) return STATUS_OK;
    enum status status = sweep_input_open(sweep, &run.input, err);
    if (status == STATUS_OK) status = children_run_jobs(run_in_child, &jobs, &run, at_once, err);
    sweep_input_close(&run.input);
    return status;
}
