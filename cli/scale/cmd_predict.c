/* rmacast predict TRACE... --ranks N,... --platform FILE: the same program at other numbers of ranks. */
#include <stdlib.h>
#include <string.h>

#include "cli/prediction_options.h"
#include "common/array.h"
#include "common/scramble.h"
#include "common/files/output_file.h"
#include "predictors/comparison.h"
#include "predictors/prediction.h"
#include "predictors/scale/curve.h"
#include "predictors/scale/extrap.h"
#include "predictors/scale/noise.h"
#include "predictors/scale/replicate.h"
#include "predictors/scale/scale.h"
#include "predictors/scale/totals.h"
#include "trace/limits.h"
#include "trace/open.h"

enum {
    KEY_RANKS = 1000,
    KEY_SEMANTICS,
    KEY_JSON,
    KEY_CSV,
    KEY_SVG,
    KEY_PROGRAM,
    KEY_TOTALS,
    KEY_SEED,
    KEY_NOISE,
    KEY_RUNS,
    KEY_REPLICATE,
    KEY_EXTRAP,
    KEY_EXTRAP_POINTS,
    ROWS_MAX = 8,
    SCALES_MAX = 64,
    NAME_BYTES = 64,
    RUNS = 20,
    RUNS_MAX = 100000,
    CALLS_KEPT = 1 << 22, /* of a run that is held in memory: some hundred MB a row */
};

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"ranks", KEY_RANKS, "N,...", 0, "the numbers of ranks to predict (needed)", 0},
    {"semantics", KEY_SEMANTICS, "LIST", 0, "the rows, as a,b,c,d (default); platform is what the platform file says", 0},
    {"json", KEY_JSON, "FILE", 0, "write all results as JSON; - is standard output, without the table", 0},
    {"csv", KEY_CSV, "FILE", 0, "write a row per point as comma-separated values; - is standard output, without the table", 0},
    {"svg", KEY_SVG, "FILE", 0, "draw run time against ranks", 0},
    {"program", KEY_PROGRAM, NULL, 0, "show the program that the traces have in common, too", 0},
    {"totals", KEY_TOTALS, NULL, 0,
     "replay runs while they are made, and give wait states in all only; long runs are replayed so in any case", 0},
    {"seed", KEY_SEED, "SEED", 0, "of which recorded execution's time is taken (1)", 0},
    {"noise", KEY_NOISE, "SEED", 0,
     "run each point with noise, too: computing times drawn from the distribution fitted to the recorded ones", 0},
    {"runs", KEY_RUNS, "N", 0, "how many runs with noise (20)", 0},
    {"replicate", KEY_REPLICATE, NULL, 0,
     "of one trace: weak scaling by copies of it, whose collective calls are of all ranks", 0},
    {"extrap", KEY_EXTRAP, "FILE", 0, "write the measured computing times, and the functions found, in Extra-P's text format", 0},
    {"extrap-points", KEY_EXTRAP_POINTS, "FILE", 0,
     "no prediction: fit functions to the measurements of a file in Extra-P's text format, with values at --ranks", 0},
    {"output", 'o', "TRACE", 0, "write the run at the last number of ranks, before it is replayed", 0},
    ANALYZE_OPTIONS,
    {0}};

struct settings {
    struct cli_strings traces;
    const char *json, *csv, *svg, *output, *extrap, *points;
    uint32_t ranks[SCALES_MAX];
    size_t rank_count;
    char names[ROWS_MAX][NAME_BYTES];
    const char *semantics[ROWS_MAX];
    size_t row_count;
    bool program, noise, replicate, totals;
    uint64_t seed, noise_seed;
    int64_t runs; /* 0: not given */
    struct prediction_options prediction;
    struct analyze_options analyze;
};

static error_t parse_ranks(const struct argp_state *state, const char *list, struct settings *settings)
{
    char item[NAME_BYTES];
    settings->rank_count = 0;
    while (cli_next_item(&list, item, sizeof item)) {
        int64_t value;
        if (settings->rank_count == SCALES_MAX) return cli_usage(state, "--ranks has more than %d numbers", SCALES_MAX);
        error_t failed = cli_count(state, "--ranks", item, 1, TRACE_RANKS_MAX, &value);
        if (failed) return failed;
        if (settings->rank_count && settings->ranks[settings->rank_count - 1] >= (uint32_t)value)
            return cli_usage(state, "--ranks %s behind %u, expected rising numbers", item,
                             settings->ranks[settings->rank_count - 1]);
        settings->ranks[settings->rank_count++] = (uint32_t)value;
    }
    return 0;
}

static error_t parse_rows(const struct argp_state *state, const char *list, struct settings *settings)
{
    settings->row_count = 0;
    char item[NAME_BYTES];
    while (cli_next_item(&list, item, sizeof item)) {
        if (settings->row_count == ROWS_MAX) return cli_usage(state, "--semantics has more than %d rows", ROWS_MAX);
        error_t failed = prediction_semantics_check(state, item);
        if (failed) return failed;
        strcpy(settings->names[settings->row_count++], item);
    }
    return 0;
}

static error_t check_replicate(const struct argp_state *state, struct settings *settings)
{
    if (settings->replicate && settings->traces.count > 1)
        return cli_usage(state, "--replicate is of one trace, several say themselves how they scale");
    if (settings->replicate && (settings->noise || settings->program || settings->extrap))
        return cli_usage(state, "--replicate finds no program, so there is no %s",
                         settings->noise ? "--noise" : settings->program ? "--program" : "--extrap");
    return prediction_options_end(state, &settings->prediction);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (shared == ARGP_ERR_UNKNOWN) shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    int64_t seed;
    switch (key) {
    case KEY_RANKS: return parse_ranks(state, argument, settings);
    case KEY_SEMANTICS: return parse_rows(state, argument, settings);
    case KEY_JSON: settings->json = argument; return 0;
    case KEY_PROGRAM: settings->program = true; return 0;
    case KEY_TOTALS: settings->totals = true; return 0;
    case KEY_SEED:
        shared = cli_count(state, "--seed", argument, 0, INT64_MAX, &seed);
        if (!shared) settings->seed = (uint64_t)seed;
        return shared;
    case KEY_CSV: settings->csv = argument; return 0;
    case KEY_SVG: settings->svg = argument; return 0;
    case KEY_NOISE:
        shared = cli_count(state, "--noise", argument, 0, INT64_MAX, &seed);
        if (!shared) settings->noise_seed = (uint64_t)seed;
        settings->noise = true;
        return shared;
    case KEY_RUNS: return cli_count(state, "--runs", argument, 1, RUNS_MAX, &settings->runs);
    case KEY_REPLICATE: settings->replicate = true; return 0;
    case KEY_EXTRAP: settings->extrap = argument; return 0;
    case KEY_EXTRAP_POINTS: settings->points = argument; return 0;
    case 'o': settings->output = argument; return 0;
    case ARGP_KEY_ARG: return cli_add_string(state, &settings->traces, argument);
    case ARGP_KEY_END:
        if (settings->points && settings->traces.count > 0)
            return cli_usage(state, "--extrap-points takes the place of traces, expected one of the two");
        if (settings->points) return 0;
        if (settings->traces.count == 0) return cli_usage(state, "TRACE... is missing");
        if (settings->rank_count == 0) return cli_usage(state, "--ranks N,... is missing");
        if (settings->runs && !settings->noise)
            return cli_usage(state, "--runs is of runs with noise, expected --noise SEED, too");
        return check_replicate(state, settings);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Replays a run under all rows. */
static enum status replay_whole(const struct settings *settings, const struct trace *trace, struct result **results,
                                struct err *err)
{
    struct comparison_row rows[ROWS_MAX];
    struct platform *platforms[ROWS_MAX] = {NULL};
    struct comparison comparison = {.count = 0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) {
        status = prediction_options_open(&settings->prediction, settings->names[i], trace, &platforms[i], err);
        rows[i] = (struct comparison_row){.name = settings->names[i],
                                          .platform = platforms[i],
                                          .keep_going = settings->prediction.keep_going};
    }
    if (status == STATUS_OK)
        status = comparison_run(trace, rows, settings->row_count, settings->prediction.engine, &settings->analyze,
                                &comparison, err);
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) {
        results[i] = comparison.results[i];
        comparison.results[i] = NULL;
    }
    comparison_clear(&comparison);
    for (size_t i = 0; i < settings->row_count; i++) platform_free(platforms[i]);
    return status;
}

static enum status replay_row(const struct settings *settings, const struct program_model *model,
                              const struct program_model_options *run, size_t row, struct result **result, struct err *err)
{
    struct program_source source;
    struct platform *platform;
    TRY(program_source_open(model, run, &source, err));
    enum status status =
        prediction_options_open(&settings->prediction, settings->names[row], source.run.trace, &platform, err);
    if (status == STATUS_OK) {
        status = scale_totals(&source, platform, settings->prediction.engine, result, err);
        platform_free(platform);
    }
    program_source_close(&source);
    return status;
}

/* Long runs are replayed while they are made, where the engine can run several times in this process. */
static enum status is_kept(const struct settings *settings, const struct program_model *model,
                           const struct program_model_options *run, bool *kept, struct err *err)
{
    double calls = 0;
    bool possible = strcmp(settings->prediction.engine->name, "loggp") == 0 && program_source_possible(model);
    *kept = true;
    if (settings->totals && !possible)
        return err_set(err, STATUS_USAGE, "--totals", NULL, "needs --engine loggp, and a program without sizes per rank");
    if (!possible) return STATUS_OK;
    if (!settings->totals) TRY(program_source_calls(model, run, &calls, err));
    *kept = !settings->totals && calls <= CALLS_KEPT;
    return STATUS_OK;
}

/* The results of all rows, which the caller frees in any case, with all computing by a factor. */
static enum status replay_rows(const struct settings *settings, const struct program_model *model, uint32_t ranks, double factor,
                               struct result **results, struct err *err)
{
    const struct program_model_options run = {.ranks = ranks, .compute = factor, .seed = settings->seed};
    struct trace *trace;
    bool kept;
    TRY(is_kept(settings, model, &run, &kept, err));
    for (size_t i = 0; !kept && i < settings->row_count; i++) TRY(replay_row(settings, model, &run, i, &results[i], err));
    if (!kept) return STATUS_OK;
    TRY(program_model_make(model, &run, &trace, err));
    enum status status = replay_whole(settings, trace, results, err);
    trace_free(trace);
    return status;
}

/* The run times of the rows with all computing by a factor. */
static enum status replay_factor(const struct settings *settings, const struct program *program, uint32_t ranks,
                                 double factor, double *run_time_s, struct err *err)
{
    struct result *results[ROWS_MAX] = {NULL};
    struct program_model *model;
    TRY(program_to_model(program, &model, err));
    enum status status = replay_rows(settings, model, ranks, factor, results, err);
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) run_time_s[i] = results[i]->run_time_s;
    for (size_t i = 0; i < settings->row_count; i++) result_free(results[i]);
    program_model_free(model);
    return status;
}

/* What runs with noise of one number of ranks give, per row. */
static enum status replay_noise(const struct settings *settings, struct program *program, uint32_t ranks, size_t runs,
                                struct curve_noise *found, struct err *err)
{
    struct noise noise;
    double *run_times_s = calloc(runs * settings->row_count + 1, sizeof *run_times_s), of_rows_s[ROWS_MAX];
    if (!run_times_s) return err_memory(err);
    enum status status = noise_open(program, &noise, err);
    for (size_t run = 0; status == STATUS_OK && run < runs; run++) {
        status = noise_draw(&noise, scramble(settings->noise_seed) + run, err); /* near seeds share no run */
        if (status == STATUS_OK) status = replay_factor(settings, program, ranks, 1, of_rows_s, err);
        for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) run_times_s[i * runs + run] = of_rows_s[i];
    }
    noise_close(&noise);
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++)
        found[i] = curve_noise_of(run_times_s + i * runs, runs);
    free(run_times_s);
    return status;
}

static enum status add_points(const struct settings *settings, uint32_t ranks, struct result **results,
                              const double *low_s, const double *high_s, const struct curve_noise *noise, struct curve *curve,
                              struct err *err)
{
    for (size_t i = 0; i < settings->row_count; i++) {
        struct curve_point point = {ranks, low_s[i], high_s[i], noise[i], results[i]};
        ARRAY_PUSH(curve->points, curve->count, curve->capacity, point, err);
        point.result->wall_ns = point.result->peak_bytes = 0; /* the same seed gives the same bytes */
        results[i] = NULL;
    }
    return STATUS_OK;
}

/* Of what points are made: a program, or one trace that is replicated. */
struct origin {
    struct program *program;
    const struct trace *replicated;
};

static enum status save_run(const struct settings *settings, const struct trace *trace, bool last, struct err *err)
{
    return last && settings->output ? trace_save(trace, settings->output, err) : STATUS_OK;
}

static enum status replay_copies(const struct settings *settings, const struct trace *replicated, uint32_t ranks, bool last,
                                 struct result **results, struct err *err)
{
    struct trace *trace;
    TRY(scale_replicate(replicated, ranks, &trace, err));
    enum status status = save_run(settings, trace, last, err);
    if (status == STATUS_OK) status = replay_whole(settings, trace, results, err);
    trace_free(trace);
    return status;
}

static enum status replay_program(const struct settings *settings, const struct program *program, uint32_t ranks, bool last,
                                  struct result **results, struct err *err)
{
    const struct scale_options run = {.ranks = ranks, .compute = 1, .seed = settings->seed};
    struct program_model *model;
    struct trace *trace = NULL;
    enum status status = last && settings->output ? scale_make(program, &run, &trace, err) : STATUS_OK;
    if (trace) status = save_run(settings, trace, last, err);
    trace_free(trace);
    TRY(status);
    TRY(program_to_model(program, &model, err));
    status = replay_rows(settings, model, ranks, 1, results, err);
    program_model_free(model);
    return status;
}

static enum status predict_scale(const struct settings *settings, const struct origin *origin, uint32_t ranks, bool last,
                                 struct curve *curve, struct err *err)
{
    struct curve_noise noise[ROWS_MAX] = {{0}};
    struct program *program = origin->program;
    double error = program ? scale_error(program, ranks) : 0, low_s[ROWS_MAX], high_s[ROWS_MAX];
    struct result *results[ROWS_MAX] = {NULL};
    enum status status = program ? replay_program(settings, program, ranks, last, results, err)
                                 : replay_copies(settings, origin->replicated, ranks, last, results, err);
    for (size_t i = 0; status == STATUS_OK && i < settings->row_count; i++) low_s[i] = high_s[i] = results[i]->run_time_s;
    if (status == STATUS_OK && error > 0)
        status = replay_factor(settings, program, ranks, error < 1 ? 1 - error : 0, low_s, err);
    if (status == STATUS_OK && error > 0) status = replay_factor(settings, program, ranks, 1 + error, high_s, err);
    if (status == STATUS_OK && curve->noisy_runs > 0)
        status = replay_noise(settings, program, ranks, curve->noisy_runs, noise, err);
    if (status == STATUS_OK) status = add_points(settings, ranks, results, low_s, high_s, noise, curve, err);
    for (size_t i = 0; i < settings->row_count; i++) result_free(results[i]);
    return status;
}

static enum status write_file(const struct curve *curve, const char *file, void (*write)(const struct curve *, FILE *),
                              struct err *err)
{
    FILE *out;
    if (!file) return STATUS_OK;
    TRY(output_file_open(file, &out, err));
    write(curve, out);
    return output_file_close(file, out, STATUS_OK, err);
}

static enum status write_outputs(const struct settings *settings, const struct curve *curve, struct err *err)
{
    if (settings->json) {
        cJSON *json;
        TRY(curve_to_json(curve, &json, err));
        enum status status = cli_write_json(json, settings->json, err);
        cJSON_Delete(json);
        TRY(status);
    }
    TRY(write_file(curve, settings->csv, curve_write_csv, err));
    TRY(write_file(curve, settings->svg, curve_write_svg, err));
    if (cli_is_output(settings->json) || cli_is_output(settings->csv) || cli_is_output(settings->svg)) return STATUS_OK;
    if (settings->program) program_print(curve->program, stdout);
    curve_print(curve, stdout);
    return cli_flush(err);
}

static enum status predict(const struct settings *settings, const struct origin *origin, uint32_t few, uint32_t many,
                           struct err *err)
{
    struct curve curve = {.program = origin->program, .semantics = settings->semantics, .rows = settings->row_count};
    if (settings->noise) curve.noisy_runs = settings->runs ? (size_t)settings->runs : RUNS;
    if (origin->program) curve_choose_scaling(&curve, few, many);
    enum status status = settings->ranks[0] == few ? STATUS_OK : predict_scale(settings, origin, few, false, &curve, err);
    for (size_t i = 0; status == STATUS_OK && i < settings->rank_count; i++)
        status = predict_scale(settings, origin, settings->ranks[i], i + 1 == settings->rank_count, &curve, err);
    if (status == STATUS_OK) status = write_outputs(settings, &curve, err);
    curve_clear(&curve);
    return status;
}

static enum status write_extrap(const struct program *program, const char *file, struct err *err)
{
    FILE *out;
    if (!file) return STATUS_OK;
    TRY(output_file_open(file, &out, err));
    extrap_write(program, out);
    return output_file_close(file, out, STATUS_OK, err);
}

static enum status run_replicated(const struct settings *settings, struct err *err)
{
    struct trace *trace;
    TRY(prediction_options_trace(&settings->prediction, settings->traces.items[0], &trace, err));
    const struct origin origin = {.replicated = trace};
    enum status status = predict(settings, &origin, trace->rank_count, trace->rank_count, err);
    trace_free(trace);
    return status;
}

static enum status run(const struct settings *settings, struct err *err)
{
    size_t count = settings->traces.count;
    if (count == 1)
        return err_set(err, STATUS_DATA, settings->traces.items[0], NULL,
                       "one run can be replayed, but says nothing of other scales; expected traces of two or more numbers of "
                       "ranks, or --replicate: weak scaling by copies of it");
    struct trace **traces = calloc(count, sizeof *traces);
    struct origin origin = {.program = NULL};
    enum status status = traces ? STATUS_OK : err_memory(err);
    uint32_t few = UINT32_MAX, many = 0;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        status = prediction_options_trace(&settings->prediction, settings->traces.items[i], &traces[i], err);
        if (status != STATUS_OK) break;
        if (traces[i]->rank_count < few) few = traces[i]->rank_count;
        if (traces[i]->rank_count > many) many = traces[i]->rank_count;
    }
    if (status == STATUS_OK) status = scale_learn((const struct trace *const *)traces, count, &origin.program, err);
    for (size_t i = 0; traces && i < count; i++) trace_free(traces[i]);
    free(traces);
    if (status == STATUS_OK) status = write_extrap(origin.program, settings->extrap, err);
    if (status == STATUS_OK) status = predict(settings, &origin, few, many, err);
    program_free(origin.program);
    return status;
}

static enum status fit_points(const struct settings *settings, struct err *err)
{
    struct extrap extrap;
    TRY(extrap_read(settings->points, &extrap, err));
    extrap_print(&extrap, settings->ranks, settings->rank_count, stdout);
    extrap_clear(&extrap);
    return cli_flush(err);
}

static enum status check_files(struct settings *settings, struct err *err)
{
    settings->prediction.outputs[0] = (struct cli_file){CLI_WRITES, "--json", settings->json};
    settings->prediction.outputs[1] = (struct cli_file){CLI_WRITES_TRACE, "-o", settings->output};
    settings->prediction.outputs[2] = (struct cli_file){CLI_WRITES, "--csv", settings->csv};
    settings->prediction.outputs[4] = (struct cli_file){CLI_WRITES, "--extrap", settings->extrap};
    settings->prediction.outputs[3] = (struct cli_file){CLI_WRITES, "--svg", settings->svg};
    for (size_t i = 0; i < settings->traces.count; i++)
        TRY(prediction_options_check_files(&settings->prediction, settings->traces.items[i], err));
    return STATUS_OK;
}

enum status cmd_predict(int argc, char **argv, struct err *err)
{
    struct settings settings = {
        .analyze = ANALYZE_DEFAULTS, .names = {"a", "b", "c", "d"}, .row_count = 4, .seed = 1};
    settings.analyze.eager_bytes = EAGER_OF_PLATFORM;
    for (size_t i = 0; i < ROWS_MAX; i++) settings.semantics[i] = settings.names[i];
    const struct argp argp = {options, parse, "TRACE...",
                              "Finds the program that runs at several numbers of ranks have in common, and predicts it at "
                              "other numbers.",
                              NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, 0, &settings, err);
    if (status == STATUS_OK && !settings.points) status = check_files(&settings, err);
    if (status == STATUS_OK)
        status = (settings.points ? fit_points : settings.replicate ? run_replicated : run)(&settings, err);
    prediction_options_clear(&settings.prediction);
    free(settings.traces.items);
    return status;
}
