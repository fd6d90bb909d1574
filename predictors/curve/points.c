#include "predictors/curve/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/scramble.h"
#include "model/waits/section.h"
#include "predictors/prediction.h"
#include "predictors/curve/noise.h"
#include "predictors/curve/replicate.h"
#include "predictors/curve/totals.h"

/* The outcome of one row at one number of ranks. */
struct row {
    struct result *result; /* owned */
    cJSON *rewrites;       /* owned; NULL: nothing was rewritten */
    double low_s, high_s;
    struct curve_noise noise;
};

static void clear_rows(const struct points_options *options, struct row *rows)
{
    for (size_t i = 0; i < options->rows; i++) {
        result_free(rows[i].result);
        cJSON_Delete(rows[i].rewrites);
        rows[i].result = NULL;
        rows[i].rewrites = NULL;
    }
}

enum status points_make(const struct points_origin *origin, const struct points_options *options, uint32_t ranks,
                        struct trace **trace, struct err *err)
{
    const struct program_model_options run = {.ranks = ranks, .compute = 1, .seed = options->seed};
    if (!origin->model) return scale_replicate(origin->replicated, ranks, trace, err);
    return program_model_make(origin->model, &run, trace, err);
}

/* The mean computing of a rank; 0: the model has no run of so many ranks. */
static enum status find_computing(const struct program_model *model, uint32_t ranks, double *computing_s, struct err *err)
{
    struct program_survey survey = {.computings_s = NULL};
    struct err why;
    const struct program_model_options run = {.ranks = ranks, .compute = 1};
    enum status status = program_source_survey(model, &run, &survey, &why);
    *computing_s = status == STATUS_OK ? survey.computing_s : 0;
    if (status != STATUS_SYSTEM) return STATUS_OK;
    if (err) *err = why;
    return status;
}

/* A model that nobody recorded shows its work at the least numbers of ranks, where what is divided is largest. */
static enum status find_strong_by_doubling(const struct program_model *model, bool *strong, struct err *err)
{
    enum { LAST = 1024 };
    *strong = false;
    for (uint32_t ranks = 1; ranks <= LAST; ranks *= 2) {
        double few_s, many_s = 0;
        TRY(find_computing(model, ranks, &few_s, err));
        if (few_s > 0) TRY(find_computing(model, 2 * ranks, &many_s, err));
        if (many_s <= 0) continue;
        *strong = curve_is_strong(few_s, many_s);
        break;
    }
    return STATUS_OK;
}

enum status points_find_strong(const struct points_origin *origin, bool *strong, struct err *err)
{
    const struct program_model *model = origin->model;
    *strong = false;
    if (!model) return STATUS_OK;
    uint32_t few = model->observed.ranks, many = few;
    for (size_t i = 0; i < model->recorded_count; i++) {
        few = model->recorded[i].ranks < few ? model->recorded[i].ranks : few;
        many = model->recorded[i].ranks > many ? model->recorded[i].ranks : many;
    }
    if (few == many) return find_strong_by_doubling(model, strong, err);
    double few_s, many_s;
    TRY(find_computing(model, few, &few_s, err));
    TRY(find_computing(model, many, &many_s, err));
    *strong = curve_is_strong(few_s, many_s);
    return STATUS_OK;
}

/* --- a run that is kept --- */

static enum status open_scenes(const struct points_options *options, const struct trace *trace, struct scene *scenes,
                               struct comparison_row *rows, struct err *err)
{
    for (size_t i = 0; i < options->rows; i++) {
        scenes[i] = (struct scene){.spec_count = 0};
        snprintf(scenes[i].name, sizeof scenes[i].name, "%s", options->semantics[i]);
        snprintf(scenes[i].text, sizeof scenes[i].text, "%s", options->semantics[i]);
        TRY(scene_open(&options->scenes, trace, &scenes[i], err));
        rows[i] = scene_row(&options->scenes, &scenes[i]);
    }
    return STATUS_OK;
}

static enum status replay_whole(const struct points_options *options, const struct trace *trace, struct row *made,
                                struct err *err)
{
    struct scene *scenes = calloc(options->rows + 1, sizeof *scenes);
    struct comparison_row rows[POINTS_ROWS_MAX];
    struct comparison comparison = {.count = 0};
    if (!scenes) return err_memory(err);
    enum status status = open_scenes(options, trace, scenes, rows, err);
    if (status == STATUS_OK)
        status = comparison_run(trace, rows, options->rows, options->engine, options->analyze, &comparison, err);
    for (size_t i = 0; status == STATUS_OK && i < options->rows; i++) {
        made[i].result = comparison.results[i];
        made[i].rewrites = comparison.rewrites[i];
        comparison.results[i] = NULL;
        comparison.rewrites[i] = NULL;
    }
    comparison_clear(&comparison);
    for (size_t i = 0; i < options->rows; i++) scene_close(&scenes[i]);
    free(scenes);
    return status;
}

/* --- a run that is replayed while it is made --- */

static enum status replay_row(const struct points_options *options, const struct program_model *model,
                              const struct program_model_options *run, size_t row, struct result **result, struct err *err)
{
    struct program_source source;
    struct program_survey survey = {.computings_s = NULL};
    struct platform *platform;
    TRY(program_source_survey(model, run, &survey, err));
    TRY(program_source_open(model, run, &source, err));
    enum status status = options->scenes.open(options->scenes.context, options->semantics[row], NULL, 0, source.run.trace,
                                              &platform, err);
    if (status == STATUS_OK) {
        status = scale_totals(&source, survey.computing_s, platform, options->engine, result, err);
        platform_free(platform);
    }
    program_source_close(&source);
    return status;
}

/* What is worked out of a whole run only; NULL: nothing is asked for. */
static const char *find_need(const struct points_options *options)
{
    const struct analyze_options *analyze = options->analyze;
    return options->scenes.rewrite_count > 0             ? "--rewrite"
           : options->scenes.keep_going                  ? "--keep-going"
           : section_is_set(&analyze->section)           ? "a section of the run"
           : analyze->intervals                          ? "--efficiency"
           : analyze->epsilon_ps > 0                     ? "--epsilon"
           : analyze->late_post != LATE_POST_LATEST      ? "--late-post"
           : analyze->eager_bytes != EAGER_OF_PLATFORM   ? "--eager"
                                                         : NULL;
}

/* A run is kept in memory unless it is long and the engine can run several times in this process. */
static enum status is_kept(const struct points_options *options, const struct program_model *model, double calls,
                           bool *kept, struct err *err)
{
    bool possible = strcmp(options->engine->name, "loggp") == 0 && program_source_possible(model);
    const char *needs_whole = find_need(options);
    *kept = true;
    if (options->totals && !possible)
        return err_set(err, STATUS_USAGE, "--totals", NULL, "needs --engine loggp, and a program without sizes per rank");
    if (options->totals && needs_whole)
        return err_set(err, STATUS_USAGE, "--totals", NULL, "keeps no run, which %s needs", needs_whole);
    if (possible && !needs_whole) *kept = !options->totals && calls <= POINTS_CALLS_KEPT;
    return STATUS_OK;
}

static enum status replay_model(const struct points_options *options, const struct program_model *model,
                                const struct program_model_options *run, bool kept, struct row *rows, struct err *err)
{
    struct trace *trace;
    for (size_t i = 0; !kept && i < options->rows; i++) TRY(replay_row(options, model, run, i, &rows[i].result, err));
    if (!kept) return STATUS_OK;
    TRY(program_model_make(model, run, &trace, err));
    enum status status = replay_whole(options, trace, rows, err);
    trace_free(trace);
    return status;
}

/* --- band and noise --- */

/* The options on the platform that the band needs there. */
static struct points_options shift_platform(const struct points_options *options, double error)
{
    struct points_options made = *options;
    if (error < 0 && options->faster.open) made.scenes = options->faster;
    if (error > 0 && options->slower.open) made.scenes = options->slower;
    return made;
}

/* Run times of the rows with a multiple of its error added to each computing, and to each measured value of the platform. */
static enum status replay_error(const struct points_options *options, const struct program_model *model, uint32_t ranks,
                                double error, bool kept, double *run_time_s, struct err *err)
{
    const struct program_model_options run = {.ranks = ranks, .compute = 1, .error = error, .seed = options->seed};
    const struct points_options there = shift_platform(options, error);
    struct row rows[POINTS_ROWS_MAX] = {{NULL}};
    enum status status = replay_model(&there, model, &run, kept, rows, err);
    for (size_t i = 0; status == STATUS_OK && i < options->rows; i++) run_time_s[i] = rows[i].result->run_time_s;
    clear_rows(options, rows);
    return status;
}

/* Statistics of runs with noise per row. */
static enum status replay_noise(const struct points_options *options, struct program_model *model, uint32_t ranks,
                                bool kept, struct row *rows, struct err *err)
{
    struct noise noise;
    size_t runs = options->noisy_runs;
    double *run_times_s = calloc(runs * options->rows + 1, sizeof *run_times_s), of_rows_s[POINTS_ROWS_MAX];
    if (!run_times_s) return err_memory(err);
    enum status status = noise_open(model, &noise, err);
    for (size_t run = 0; status == STATUS_OK && run < runs; run++) {
        noise_draw(&noise, scramble_bits(options->noise_seed) + run); /* similar seeds share no run */
        status = replay_error(options, model, ranks, 0, kept, of_rows_s, err);
        for (size_t i = 0; status == STATUS_OK && i < options->rows; i++) run_times_s[i * runs + run] = of_rows_s[i];
    }
    noise_close(&noise);
    for (size_t i = 0; status == STATUS_OK && i < options->rows; i++)
        rows[i].noise = curve_noise_of(run_times_s + i * runs, runs);
    free(run_times_s);
    return status;
}

static enum status replay_band(const struct points_options *options, struct program_model *model, uint32_t ranks,
                               struct row *rows, struct err *err)
{
    const struct program_model_options run = {.ranks = ranks, .compute = 1, .seed = options->seed};
    double low_s[POINTS_ROWS_MAX], high_s[POINTS_ROWS_MAX];
    struct program_survey survey = {.computings_s = NULL};
    bool kept;
    TRY(program_source_survey(model, &run, &survey, err));
    TRY(is_kept(options, model, survey.calls, &kept, err));
    TRY(replay_model(options, model, &run, kept, rows, err));
    for (size_t i = 0; i < options->rows; i++) low_s[i] = high_s[i] = rows[i].result->run_time_s;
    if (survey.error > 0 || options->slower.open) {
        TRY(replay_error(options, model, ranks, -1, kept, low_s, err));
        TRY(replay_error(options, model, ranks, 1, kept, high_s, err));
    }
    for (size_t i = 0; i < options->rows; i++) {
        /* Where ranks race, a run of longer computing may be shorter. */
        const double run_time_s = rows[i].result->run_time_s;
        rows[i].low_s = fmin(run_time_s, fmin(low_s[i], high_s[i]));
        rows[i].high_s = fmax(run_time_s, fmax(low_s[i], high_s[i]));
        if (survey.error > 0) uncertainty_record(&rows[i].result->uncertainty, (rows[i].high_s - rows[i].low_s) / 2);
    }
    return options->noisy_runs > 0 ? replay_noise(options, model, ranks, kept, rows, err) : STATUS_OK;
}

/* The run times of the copies on the platform that differs by its stated errors. */
static enum status replay_copies_error(const struct points_options *options, const struct trace *trace, double error,
                                       struct row *made, struct err *err)
{
    const struct points_options there = shift_platform(options, error);
    struct row rows[POINTS_ROWS_MAX] = {{NULL}};
    enum status status = replay_whole(&there, trace, rows, err);
    for (size_t i = 0; status == STATUS_OK && i < options->rows; i++)
        *(error < 0 ? &made[i].low_s : &made[i].high_s) = rows[i].result->run_time_s;
    clear_rows(options, rows);
    return status;
}

static enum status replay_copies(const struct points_origin *origin, const struct points_options *options, uint32_t ranks,
                                 struct row *rows, struct err *err)
{
    struct trace *trace;
    TRY(points_make(origin, options, ranks, &trace, err));
    enum status status = replay_whole(options, trace, rows, err);
    for (size_t i = 0; status == STATUS_OK && i < options->rows; i++) rows[i].low_s = rows[i].high_s = rows[i].result->run_time_s;
    if (status == STATUS_OK && options->slower.open) {
        status = replay_copies_error(options, trace, -1, rows, err);
        if (status == STATUS_OK) status = replay_copies_error(options, trace, 1, rows, err);
    }
    /* Without a second run the error of the function is the whole value, at the distance of a doubling. */
    double unknown = 1 + log2((double)ranks / origin->replicated->rank_count);
    for (size_t i = 0; status == STATUS_OK && unknown > 1 && i < options->rows; i++) {
        rows[i].low_s /= unknown;
        rows[i].high_s *= unknown;
        uncertainty_record(&rows[i].result->uncertainty, (rows[i].high_s - rows[i].low_s) / 2);
    }
    trace_free(trace);
    return status;
}

static enum status add_rows(const struct points_options *options, uint32_t ranks, struct row *rows, struct curve *curve,
                            struct err *err)
{
    const struct replay_error error = replay_error_at(curve->runs, curve->run_count, ranks);
    for (size_t i = 0; i < options->rows; i++) {
        struct curve_point point = {ranks, rows[i].low_s * error.low, rows[i].high_s * error.high, error, rows[i].noise,
                                    rows[i].result, rows[i].rewrites};
        ARRAY_PUSH(curve->points, curve->count, curve->capacity, point, err);
        point.result->wall_s = 0;
        point.result->peak_bytes = 0; /* the same seed gives the same bytes */
        rows[i].result = NULL;
        rows[i].rewrites = NULL;
    }
    return STATUS_OK;
}

enum status points_add(const struct points_origin *origin, const struct points_options *options, uint32_t ranks,
                       struct curve *curve, struct err *err)
{
    struct row rows[POINTS_ROWS_MAX] = {{NULL}};
    enum status status = origin->model ? replay_band(options, origin->model, ranks, rows, err)
                                       : replay_copies(origin, options, ranks, rows, err);
    if (status == STATUS_OK) status = add_rows(options, ranks, rows, curve, err);
    clear_rows(options, rows);
    return status;
}
