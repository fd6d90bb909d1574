/* rmacast predict TRACE...|MODEL --ranks N,... --platform FILE: the same program at other numbers of ranks. */
#include <stdlib.h>
#include <string.h>

#include "cli/output_set.h"
#include "cli/prediction_options.h"
#include "cli/scale/measured_runs.h"
#include "cli/scale/model_options.h"
#include "common/array.h"
#include "common/memory_text.h"
#include "common/text/text.h"
#include "common/units.h"
#include "predictors/prediction.h"
#include "predictors/scale/extrap.h"
#include "predictors/curve/points.h"
#include "predictors/curve/why.h"
#include "predictors/scale/scale.h"
#include "trace/limits.h"
#include "trace/open.h"
#include "trace/program_model/ranks.h"

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
    KEY_MEASURED,
    KEY_SCALING,
    KEY_THREADS,
    SCALES_MAX = 64,
    NAME_BYTES = 64,
    RUNS = 20,
    RUNS_MAX = 100000,
};

static const struct argp_option rows[] = {
    PREDICTION_OPTIONS,
    {"ranks", KEY_RANKS, "N,...", 0, "the numbers of ranks to predict (needed)", 0},
    {"threads", KEY_THREADS, "N,...", 0,
     "the numbers of threads of each rank, whose parallel regions are shared among so many", 0},
    MODEL_OPTIONS,
    {"semantics", KEY_SEMANTICS, "LIST", 0,
     "the rows, as a,b,c,d (default). " SEMANTICS_HELP "; platform: as the platform says", 0},
    {"scaling", KEY_SCALING, "strong|weak", 0,
     "strong: the ranks share the work, weak: each rank has as much at any number (by the computing of the recorded runs)", 0},
    {"json", KEY_JSON, "FILE", 0, "write all results as JSON; - is standard output, without the table", 0},
    {"csv", KEY_CSV, "FILE", 0, "write a row per point as comma-separated values; - is standard output, without the table", 0},
    {"svg", KEY_SVG, "FILE", 0, "draw run time and speed-up against ranks, with the runs of --measured", 0},
    {"program", KEY_PROGRAM, NULL, 0, "show the program that the traces have in common, too", 0},
    {"totals", KEY_TOTALS, NULL, 0,
     "replay runs while they are made, and give wait states in all only; long runs are replayed so in any case", 0},
    {"seed", KEY_SEED, "SEED", 0, "of the choice among recorded executions (1)", 0},
    {"noise", KEY_NOISE, "SEED", 0,
     "run each point with noise, too: computing times drawn from the distribution fitted to the recorded ones", 0},
    {"runs", KEY_RUNS, "N", 0, "how many runs with noise (20)", 0},
    {"replicate", KEY_REPLICATE, NULL, 0,
     "of one trace: weak scaling by copies of it, whose collective calls are of all ranks", 0},
    {"measured", KEY_MEASURED, "TRACE", 0,
     "a recording of the program made on the platform: its replay's error widens the band; of two or more numbers of ranks, "
     "repeatable",
     0},
    {"extrap", KEY_EXTRAP, "FILE", 0, "write the measured computing times, and the functions found, in Extra-P's text format", 0},
    {"extrap-points", KEY_EXTRAP_POINTS, "FILE", 0,
     "no prediction: fit functions to the measurements of a file in Extra-P's text format, with values at --ranks", 0},
    {"output", 'o', "TRACE", 0, "write the run at the largest number of ranks, before it is replayed", 0},
    ANALYZE_OPTIONS,
    {0}};

struct settings {
    struct model_options model;
    struct cli_strings measured;
    const char *json, *csv, *svg, *output, *extrap, *points;
    const char *scaling; /* NULL: not given */
    uint32_t ranks[SCALES_MAX];
    size_t rank_count;
    uint32_t threads[SCALES_MAX];
    size_t thread_count;
    char names[POINTS_ROWS_MAX][NAME_BYTES];
    const char *semantics[POINTS_ROWS_MAX];
    size_t row_count;
    bool program, noise, replicate, totals;
    uint64_t seed, noise_seed;
    int64_t runs; /* 0: not given */
    struct prediction_options prediction;
    struct analyze_options analyze;
};

/* Keeps the numbers in rising order. */
static error_t add_ranks(const struct argp_state *state, uint32_t ranks, struct settings *settings)
{
    size_t at = settings->rank_count;
    for (; at > 0 && settings->ranks[at - 1] >= ranks; at--)
        if (settings->ranks[at - 1] == ranks) return cli_usage(state, "--ranks has %u twice, expected each once", ranks);
    memmove(&settings->ranks[at + 1], &settings->ranks[at], (settings->rank_count - at) * sizeof settings->ranks[0]);
    settings->ranks[at] = ranks;
    settings->rank_count++;
    return 0;
}

static error_t parse_ranks(const struct argp_state *state, const char *list, struct settings *settings)
{
    char item[NAME_BYTES];
    settings->rank_count = 0;
    while (cli_next_item(&list, item, sizeof item)) {
        int64_t value;
        if (settings->rank_count == SCALES_MAX) return cli_usage(state, "--ranks has more than %d numbers", SCALES_MAX);
        error_t failed = cli_count(state, "--ranks", item, 1, TRACE_RANKS_MAX, &value);
        if (!failed) failed = add_ranks(state, (uint32_t)value, settings);
        if (failed) return failed;
    }
    return 0;
}

static error_t parse_threads(const struct argp_state *state, const char *list, struct settings *settings)
{
    char item[NAME_BYTES];
    settings->thread_count = 0;
    while (cli_next_item(&list, item, sizeof item)) {
        int64_t value;
        if (settings->thread_count == SCALES_MAX) return cli_usage(state, "--threads has more than %d numbers", SCALES_MAX);
        error_t failed = cli_count(state, "--threads", item, 1, TRACE_THREADS_MAX, &value);
        if (failed) return failed;
        settings->threads[settings->thread_count++] = (uint32_t)value;
    }
    return 0;
}

static error_t check_threads(const struct argp_state *state, const struct settings *settings)
{
    const char *const files[] = {settings->json, settings->csv, settings->svg, settings->output, settings->extrap};
    if (settings->thread_count > 0 && settings->replicate)
        return cli_usage(state, "--threads is of traces of several numbers of ranks, not with --replicate");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] && settings->thread_count > 1)
            return cli_usage(state, "%s has one number of threads, expected one in --threads", files[i]);
    return 0;
}

static error_t parse_rows(const struct argp_state *state, const char *list, struct settings *settings)
{
    settings->row_count = 0;
    char item[NAME_BYTES];
    while (cli_next_item(&list, item, sizeof item)) {
        if (settings->row_count == POINTS_ROWS_MAX) return cli_usage(state, "--semantics has more than %d rows", POINTS_ROWS_MAX);
        for (size_t i = 0; i < settings->row_count; i++)
            if (strcmp(settings->names[i], item) == 0)
                return cli_usage(state, "--semantics has the row %s twice, expected each once", item);
        error_t failed = prediction_semantics_check(state, "--semantics", item);
        if (failed) return failed;
        strcpy(settings->names[settings->row_count++], item);
    }
    return 0;
}

static error_t check_replicate(const struct argp_state *state, struct settings *settings)
{
    if (settings->replicate && settings->model.traces.count > 1)
        return cli_usage(state, "--replicate is of one trace, several say themselves how they scale");
    return prediction_options_end(state, &settings->prediction);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (shared == ARGP_ERR_UNKNOWN) shared = analyze_options_parse(key, argument, state, &settings->analyze);
    if (shared == ARGP_ERR_UNKNOWN) shared = model_options_parse(key, argument, state, &settings->model);
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    int64_t seed;
    switch (key) {
    case KEY_RANKS: return parse_ranks(state, argument, settings);
    case KEY_THREADS: return parse_threads(state, argument, settings);
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
    case KEY_SCALING:
        settings->scaling = argument;
        if (strcmp(argument, "strong") == 0 || strcmp(argument, "weak") == 0) return 0;
        return cli_usage(state, "--scaling %s, expected strong or weak", argument);
    case KEY_MEASURED: return cli_add_string(state, &settings->measured, argument);
    case 'o': settings->output = argument; return 0;
    case ARGP_KEY_END:
        if (settings->points && settings->model.traces.count > 0)
            return cli_usage(state, "--extrap-points takes the place of traces, expected one of the two");
        if (settings->points)
            return cli_given_only(state, "--extrap-points",
                                  (const int[]){KEY_EXTRAP_POINTS, KEY_RANKS, MODEL_OPTION_PARAMETER, 0});
        shared = model_options_end(state, &settings->model);
        if (shared) return shared;
        if (settings->rank_count == 0) return cli_usage(state, "--ranks N,... is missing");
        if ((shared = check_threads(state, settings)) != 0) return shared;
        return check_replicate(state, settings);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum status write_file(const struct curve *curve, const char *file, void (*write)(const struct curve *, FILE *),
                              struct err *err)
{
    FILE *out;
    if (!file) return STATUS_OK;
    TRY(output_set_open(file, &out, err));
    write(curve, out);
    return output_set_close(file, out, STATUS_OK, err);
}

static enum status write_files(const struct settings *settings, const struct curve *curve, struct err *err)
{
    if (settings->json) TRY(cli_write_fields(curve_fields, curve, 0, settings->json, err));
    TRY(write_file(curve, settings->csv, curve_write_csv, err));
    return write_file(curve, settings->svg, curve_write_svg, err);
}

static enum status write_outputs(const struct settings *settings, const struct curve *curve, struct err *err)
{
    enum status files = write_files(settings, curve, err);
    if (cli_is_output(settings->json) || cli_is_output(settings->csv) || cli_is_output(settings->svg))
        return cli_flush_behind(files, err);
    if (settings->program && curve->program) fputs(curve->program, stdout);
    curve_print(curve, cli_table());
    return cli_flush_behind(files, err);
}

/* Rank by rank: the run may be larger than memory. */
static enum status save_archive(const struct settings *settings, const struct program_model *model, uint32_t count,
                                struct err *err)
{
    const struct program_model_options run = {.ranks = count, .compute = 1, .seed = settings->seed};
    struct program_ranks ranks;
    TRY(program_ranks_open(model, &run, &ranks, err));
    enum status status = otf2_write_ranks(ranks.run.trace, program_ranks_make, &ranks, settings->output, err);
    program_ranks_close(&ranks);
    return status;
}

static enum status save_run(const struct settings *settings, const struct points_origin *origin,
                            const struct points_options *options, struct err *err)
{
    struct trace *trace;
    uint32_t last = settings->ranks[settings->rank_count - 1];
    if (!settings->output) return STATUS_OK;
    if (origin->model && !trace_is_text_name(settings->output)) return save_archive(settings, origin->model, last, err);
    TRY(points_make(origin, options, last, &trace, err));
    enum status status = cli_save_trace(trace, settings->output, err);
    trace_free(trace);
    return status;
}

/* Texts printed with the predictions; owned, NULL: none. */
struct about {
    char *program, *parameters, *doubts;
    const char *statistics; /* borrowed */
};

static void clear_about(struct about *about)
{
    FREE_ALL(about->program, about->parameters, about->doubts);
}

/* Others are compared with the smallest of few and --ranks: a curve's numbers of ranks rise. */
static enum status predict_beside(const struct settings *settings, const struct points_origin *origin,
                                  const struct about *about, uint32_t few, const struct measured_run *runs, struct err *err)
{
    struct prediction_options faster = settings->prediction, slower = settings->prediction; /* they own nothing */
    const struct scene_options none = {.open = NULL};
    size_t measured;
    TRY(prediction_options_measured(&settings->prediction, &measured, err));
    faster.errors = PLATFORM_FASTER;
    slower.errors = PLATFORM_SLOWER;
    const struct points_options options = {.semantics = settings->semantics,
                                           .rows = settings->row_count,
                                           .scenes = prediction_options_scenes(&settings->prediction),
                                           .faster = measured > 0 ? prediction_options_scenes(&faster) : none,
                                           .slower = measured > 0 ? prediction_options_scenes(&slower) : none,
                                           .engine = settings->prediction.engine,
                                           .analyze = &settings->analyze,
                                           .totals = settings->totals,
                                           .seed = settings->seed,
                                           .noise_seed = settings->noise_seed,
                                           .noisy_runs = !settings->noise  ? 0
                                                         : settings->runs ? (size_t)settings->runs
                                                                          : RUNS};
    struct curve curve = {.program = about->program,
                          .parameters = about->parameters,
                          .doubts = about->doubts,
                          .statistics = about->statistics,
                          .semantics = settings->semantics,
                          .rows = settings->row_count,
                          .measured = measured,
                          .runs = runs,
                          .run_count = settings->measured.count,
                          .strong = settings->scaling && strcmp(settings->scaling, "strong") == 0,
                          .noisy_runs = options.noisy_runs};
    if (!settings->scaling) TRY(points_find_strong(origin, &curve.strong, err));
    enum status status = STATUS_OK;
    TRY(save_run(settings, origin, &options, err));
    if (settings->ranks[0] > few) status = points_add(origin, &options, few, &curve, err);
    for (size_t i = 0; status == STATUS_OK && i < settings->rank_count; i++)
        status = points_add(origin, &options, settings->ranks[i], &curve, err);
    char *why = NULL;
    if (status == STATUS_OK) status = curve_why(&curve, origin->model, &why, err);
    curve.why = why && *why ? why : NULL;
    if (status == STATUS_OK) status = write_outputs(settings, &curve, err);
    curve_clear(&curve);
    free(why);
    return status;
}

static enum status predict_ranks(const struct settings *settings, const struct points_origin *origin,
                                 const struct about *about, uint32_t few, struct err *err)
{
    struct measured_run *runs;
    TRY(measured_runs_replay(&settings->measured, &settings->prediction, &settings->analyze, &runs, err));
    enum status status = predict_beside(settings, origin, about, few, runs, err);
    free(runs);
    return status;
}

static enum status write_extrap(const struct program *program, const char *file, struct err *err)
{
    FILE *out;
    if (!file) return STATUS_OK;
    TRY(output_set_open(file, &out, err));
    extrap_write(program, out);
    return output_set_close(file, out, STATUS_OK, err);
}

static enum status run_replicated(const struct settings *settings, struct err *err)
{
    struct trace *trace;
    TRY(prediction_options_trace(&settings->prediction, settings->model.traces.items[0], &trace, NULL, err));
    const struct points_origin origin = {.replicated = trace};
    enum status status =
        predict_ranks(settings, &origin, &(struct about){.program = NULL}, trace->rank_count, err);
    trace_free(trace);
    return status;
}

/* The output of write as text, which the caller frees. */
static enum status text_of(void (*write)(const void *, FILE *), const void *of, char **text, struct err *err)
{
    struct memory_text made;
    TRY(memory_text_open(&made, err));
    write(of, made.out);
    TRY(memory_text_close(&made, STATUS_OK, err));
    *text = made.text;
    return STATUS_OK;
}

static void write_model(const void *model, FILE *out)
{
    program_model_write(model, out);
}

static void write_program(const void *program, FILE *out)
{
    program_print(program, out);
}

static void write_parameters(const void *of, FILE *out)
{
    const struct program_model *model = of;
    for (size_t i = 0; i < model->line_count; i++)
        if (strncmp(model->lines[i].text, "parameter ", strlen("parameter ")) == 0)
            text_print(out, ", %s", model->lines[i].text + strlen("parameter "));
}

static enum status state_memory(struct trace_memory *memory, const struct settings *settings, struct err *err)
{
    ARRAY_PUSH(memory->shares, memory->count, memory->capacity, settings->prediction.memory_bound, err);
    return STATUS_OK;
}

/* The first of --ranks is what others are compared with: a model has no runs. */
static enum status run_model(const struct settings *settings, struct err *err)
{
    struct points_origin origin = {.model = NULL};
    struct about about = {NULL};
    const char *file = settings->model.traces.items[0];
    const char *of_recordings = settings->prediction.computing != COMPUTING_DEFAULT ? "--compute"
                                : settings->extrap                                  ? "--extrap"
                                : settings->thread_count > 0                        ? "--threads"
                                                                                    : settings->model.parameter;
    if (of_recordings)
        return err_set(err, STATUS_USAGE, of_recordings, NULL, "is of recordings, and %s is a program model", file);
    TRY(program_model_open(file, &origin.model, err));
    struct trace_memory *memory = &origin.model->memory;
    enum status status = STATUS_OK;
    if (settings->prediction.memory_stated && memory->count == 0) status = state_memory(memory, settings, err);
    if (status == STATUS_OK) status = model_options_apply(&settings->model, origin.model, err);
    if (status == STATUS_OK) status = text_of(write_model, origin.model, &about.program, err);
    if (status == STATUS_OK) status = text_of(write_parameters, origin.model, &about.parameters, err);
    if (status == STATUS_OK)
        status = predict_ranks(settings, &origin, &about, settings->ranks[0], err);
    clear_about(&about);
    program_model_free(origin.model);
    return status;
}

/* What a program is learned from. */
struct learned {
    struct program *program; /* owned */
    uint32_t few;            /* ranks of the smallest run */
    uint32_t threads, cores; /* of each rank; threads 0: as recorded; cores: the fewest */
    bool cores_differ;
};

/* Beside the program's own parameters. */
static enum status add_threads(const struct learned *learned, char **parameters, struct err *err)
{
    char on[64] = "", *made;
    if (learned->threads == 0) return STATUS_OK;
    if (learned->cores < learned->threads)
        snprintf(on, sizeof on, " on %u core%s%s", learned->cores, units_plural(learned->cores),
                 learned->cores_differ ? ", the fewest of a rank" : "");
    if (asprintf(&made, "%s, threads = %u%s", *parameters ? *parameters : "", learned->threads, on) < 0) return err_memory(err);
    free(*parameters);
    *parameters = made;
    return STATUS_OK;
}

static enum status run_program(const struct settings *settings, const struct learned *learned, struct err *err)
{
    const struct program *program = learned->program;
    struct points_origin origin = {.model = NULL};
    struct about about = {.statistics = program->statistics};
    TRY(program_to_model(program, &origin.model, err));
    enum status status = model_options_apply(&settings->model, origin.model, err);
    if (status == STATUS_OK) status = text_of(write_program, program, &about.program, err);
    if (status == STATUS_OK) status = text_of(write_parameters, origin.model, &about.parameters, err);
    if (status == STATUS_OK) status = add_threads(learned, &about.parameters, err);
    if (status == STATUS_OK)
        status = model_options_doubts(program, origin.model, settings->ranks, settings->rank_count, &about.doubts, err);
    if (status == STATUS_OK) status = predict_ranks(settings, &origin, &about, learned->few, err);
    if (status == STATUS_OK) status = write_extrap(program, settings->extrap, err); /* when all is read */
    clear_about(&about);
    program_model_free(origin.model);
    return status;
}

/* A run replayed on the platform under its own semantics takes the place of the recording. */
static enum status replay_recorded(const struct settings *settings, struct trace **trace, struct err *err)
{
    struct platform *platform;
    struct prediction prediction = {.trace = *trace, .engine = engine_by_name("loggp"), .keep_trace = true};
    TRY(prediction_options_open(&settings->prediction, NULL, *trace, &platform, err));
    prediction.platform = platform;
    enum status status = prediction_run(&prediction, err);
    if (status == STATUS_OK) {
        trace_free(*trace);
        *trace = prediction.outcome.trace;
        prediction.outcome.trace = NULL;
        prediction_clear(&prediction);
    }
    platform_free(platform);
    return status;
}

/* Statistical steps have the times of their calls, with their waits. So they are learned from the runs as the platform replays
 * them, if it replays all. */
static enum status learn_replayed(const struct settings *settings, struct trace **traces, struct program **program,
                                  struct err *err)
{
    const struct scale_runs runs = model_options_runs(&settings->model, traces);
    struct program *replayed;
    struct err none;
    TRY(scale_learn(&runs, program, err));
    if (!(*program)->has_statistical_steps) return STATUS_OK;
    for (size_t i = 0; i < runs.count; i++)
        if (replay_recorded(settings, &traces[i], &none) != STATUS_OK) return STATUS_OK;
    if (scale_learn(&runs, &replayed, &none) != STATUS_OK) return STATUS_OK;
    program_free(*program);
    *program = replayed;
    return STATUS_OK;
}

static enum status check_count(const struct settings *settings, struct err *err)
{
    const char *first = settings->model.traces.items[0];
    if (settings->model.traces.count == 1)
        return err_set(err, STATUS_DATA, first, NULL,
                       "one run can be replayed, but says nothing of other scales; expected traces of two or more numbers of "
                       "ranks, or --replicate: weak scaling by copies of it");
    for (size_t i = 0; i < settings->model.traces.count; i++) {
        enum trace_form form;
        TRY(trace_recognise(settings->model.traces.items[i], &form, err));
        if (form == TRACE_FORM_MODEL)
            return err_set(err, STATUS_DATA, settings->model.traces.items[i], NULL,
                           "a program model is predicted alone, expected one model or traces only");
    }
    return STATUS_OK;
}

/* The cores that a rank has of a node with so many ranks. A node that others fill later is shared as if they were there. */
static uint32_t cores_of(const struct platform *platform, const struct node_group *group, uint32_t ranks)
{
    const int32_t share = platform->rank_nodes ? (int32_t)ranks : platform->ranks_per_node;
    const int32_t cores = share == RANKS_BY_CORES ? 1 : platform_rank_cores(platform, group) / share;
    return cores > 1 ? (uint32_t)cores : 1;
}

/* The cores of a rank at the largest scale; where the platform has no room yet, at any. */
static enum status count_cores(const struct platform *platform, uint32_t rank_count, struct learned *learned, struct err *err)
{
    struct err none;
    const bool room = platform_check_ranks(platform, rank_count, &none) == STATUS_OK;
    uint32_t *ranks = calloc((size_t)platform->node_count + 1, sizeof *ranks), most = 0;
    if (!ranks) return err_memory(err);
    for (uint32_t rank = 0; room && rank < rank_count; rank++) ranks[platform_node_of(platform, rank)]++;
    learned->cores = UINT32_MAX;
    for (int32_t node = 0; node < platform->node_count; node++) {
        if (room && ranks[node] == 0) continue;
        const uint32_t cores = cores_of(platform, platform_group_of(platform, node), room ? ranks[node] : 1);
        if (cores < learned->cores) learned->cores = cores;
        if (cores > most) most = cores;
    }
    learned->cores_differ = most > learned->cores;
    free(ranks);
    return STATUS_OK;
}

static enum status find_cores(const struct settings *settings, const struct trace *trace, struct learned *learned,
                              struct err *err)
{
    struct platform *platform;
    TRY(prediction_options_open(&settings->prediction, NULL, trace, &platform, err));
    enum status status = count_cores(platform, settings->ranks[settings->rank_count - 1], learned, err);
    platform_free(platform);
    return status;
}

/* As many threads as have a core run at once. */
static enum status fold_threads(const struct settings *settings, struct learned *learned, struct trace **trace, struct err *err)
{
    if (learned->threads == 0) return STATUS_OK;
    TRY(find_cores(settings, *trace, learned, err));
    return model_options_fold(learned->threads, learned->cores, trace, err);
}

static enum status open_run(const void *context, const char *file, enum trace_computing computing, struct trace **trace,
                            struct err *err)
{
    struct prediction_options options = *(const struct prediction_options *)context;
    options.computing = computing;
    return prediction_options_trace(&options, file, trace, NULL, err);
}

static enum status predict_recorded(const struct settings *settings, uint32_t threads, struct err *err)
{
    size_t count = settings->model.traces.count;
    struct trace **traces = calloc(count, sizeof *traces);
    struct learned learned = {.few = UINT32_MAX, .threads = threads};
    enum status status = traces ? model_options_open_runs(&settings->model, settings->prediction.computing, open_run,
                                                          &settings->prediction, traces, err)
                                : err_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        status = fold_threads(settings, &learned, &traces[i], err);
        if (status == STATUS_OK && traces[i]->rank_count < learned.few) learned.few = traces[i]->rank_count;
    }
    if (status == STATUS_OK) status = learn_replayed(settings, traces, &learned.program, err);
    for (size_t i = 0; traces && i < count; i++) trace_free(traces[i]);
    free(traces);
    if (status == STATUS_OK) status = run_program(settings, &learned, err);
    program_free(learned.program);
    return status;
}

static enum status run_predict(const struct settings *settings, struct err *err)
{
    enum trace_form form = TRACE_FORM_TRACE;
    if (settings->model.traces.count == 1) TRY(trace_recognise(settings->model.traces.items[0], &form, err));
    if (form == TRACE_FORM_MODEL) return run_model(settings, err);
    TRY(check_count(settings, err));
    if (settings->thread_count == 0) return predict_recorded(settings, 0, err);
    for (size_t i = 0; i < settings->thread_count; i++) {
        if (i > 0) fputc('\n', cli_table());
        TRY(predict_recorded(settings, settings->threads[i], err));
    }
    return STATUS_OK;
}

/* The second parameter's value: that of --parameter, or the largest one of the file. */
static enum status second_value(const struct settings *settings, const struct extrap *extrap, int64_t *n, struct err *err)
{
    *n = extrap->largest;
    for (size_t i = 0; i < settings->model.set_count; i++) {
        const char *name = settings->model.set[i].name, *value = settings->model.set[i].value;
        char *end;
        if (!extrap->second || strcmp(name, extrap->second) != 0)
            return err_set(err, STATUS_USAGE, "--parameter", name, "is not the second parameter of %s%s%s", settings->points,
                           extrap->second ? ", expected " : ", which has none", extrap->second ? extrap->second : "");
        long long number = strtoll(value, &end, 10);
        if (end == value || *end || number < 1 || number > SCALE_PARAMETER_MAX)
            return err_set(err, STATUS_USAGE, "--parameter", name, "has the value %s, expected a whole number from 1 on", value);
        *n = number;
    }
    return STATUS_OK;
}

static enum status fit_points(const struct settings *settings, struct err *err)
{
    struct extrap extrap;
    int64_t n;
    TRY(extrap_read(settings->points, &extrap, err));
    enum status status = second_value(settings, &extrap, &n, err);
    if (status == STATUS_OK) extrap_print(&extrap, settings->ranks, settings->rank_count, n, cli_table());
    extrap_clear(&extrap);
    return status == STATUS_OK ? cli_flush(err) : status;
}

static enum status claim_outputs(struct settings *settings, struct err *err)
{
    settings->prediction.outputs[0] = (struct cli_output){CLI_WRITES, "--json", settings->json};
    settings->prediction.outputs[1] = (struct cli_output){CLI_WRITES_TRACE, "-o", settings->output};
    settings->prediction.outputs[2] = (struct cli_output){CLI_WRITES, "--csv", settings->csv};
    settings->prediction.outputs[4] = (struct cli_output){CLI_WRITES, "--extrap", settings->extrap};
    settings->prediction.outputs[3] = (struct cli_output){CLI_WRITES, "--svg", settings->svg};
    return prediction_options_claim_outputs(&settings->prediction, err);
}

enum status cmd_predict(int argc, char **argv, struct err *err)
{
    struct settings settings = {
        .analyze = ANALYZE_DEFAULTS, .names = {"a", "b", "c", "d"}, .row_count = 4, .seed = 1};
    settings.analyze.eager_bytes = EAGER_OF_PLATFORM;
    for (size_t i = 0; i < POINTS_ROWS_MAX; i++) settings.semantics[i] = settings.names[i];
    const struct argp argp = {
        rows,
        parse_option,
        "TRACE[:NAME=VALUE]...|MODEL",
        "Finds the program that runs at several numbers of ranks have in common, and predicts it at "
        "other numbers; or predicts a program model.",
        NULL,
        NULL,
        NULL};
    enum status status = cli_parse(&argp, argc, argv, 0, &settings, err);
    if (status == STATUS_OK) status = claim_outputs(&settings, err);
    if (status == STATUS_OK)
        status = (settings.points ? fit_points : settings.replicate ? run_replicated : run_predict)(&settings, err);
    prediction_options_clear(&settings.prediction);
    model_options_clear(&settings.model);
    free(settings.measured.items);
    return status;
}
