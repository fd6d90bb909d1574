#include "cli/prediction_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text/text.h"
#include "model/slices/slices.h"
#include "platforms/fit/range.h"
#include "platforms/grow.h"
#include "platforms/platform_file.h"
#include "platforms/semantics_text.h"
#include "predictors/prediction.h"
#include "simulate/windows/window_modes.h"
#include "trace/memory.h"
#include "trace/open.h"
#include "trace/recordings.h"

enum { ENGINES_MAX = 8 };

/* An option that stands for a key of the platform file. */
struct key_option {
    int option;
    const char *name, *key;
    const char *values[5];
};
static const struct key_option key_options[] = {
    {OPTION_LOCK, "--lock", "mpi.rma.lock", {"blocking", "lazy"}},
    {OPTION_PROGRESS, "--progress", "mpi.rma.progress", {"hardware", "thread", "call", "ranks:K"}},
    {OPTION_FENCE, "--fence", "mpi.rma.fence", {"barrier", "notify"}},
    {OPTION_DECIDE, "--decide", "engine.decide", {"again", "recorded"}},
};

static enum status add_override(struct prediction_options *options, char *override, struct err *err)
{
    ARRAY_PUSH(options->overrides, options->override_count, options->override_capacity, override, err);
    return STATUS_OK;
}

static error_t add_owned(struct prediction_options *options, char *override)
{
    if (override && add_override(options, override, NULL) == STATUS_OK) return 0;
    free(override);
    return ENOMEM;
}

static error_t set_key(struct prediction_options *options, const char *key, const char *value)
{
    char *override;
    return add_owned(options, asprintf(&override, "%s=%s", key, value) < 0 ? NULL : override);
}

/* Prints the list of rewrites and exits, like --help. */
static void list_rewrites(void)
{
    struct err err;
    cli_table();
    for (const struct transform *const *row = transforms(); *row; row++) {
        char form[64];
        const char *argument = (*row)->argument ? (*row)->argument : "";
        snprintf(form, sizeof form,
                 (*row)->fallback ? "%s[:%s]"
                 : *argument      ? "%s:%s"
                                  : "%s%s",
                 (*row)->name, argument);
        text_print(stdout, "%-24s %s\n", form, (*row)->summary);
    }
    if (cli_flush(&err) == STATUS_OK) exit(EXIT_SUCCESS);
    text_print(stderr, "rmacast: %s\n", err.text);
    exit(EXIT_FAILURE);
}

static error_t add_rewrite(const struct argp_state *state, struct prediction_options *options, char *spec)
{
    struct err err;
    if (!spec) return ENOMEM;
    enum status status = transform_check(spec, &err);
    if (status == STATUS_OK)
        status = array_reserve((void **)&options->rewrites, &options->rewrite_capacity, options->rewrite_count + 1,
                               sizeof spec, &err);
    if (status != STATUS_OK) {
        free(spec);
        return status == STATUS_USAGE ? cli_usage(state, "%s", err.text) : ENOMEM;
    }
    options->rewrites[options->rewrite_count++] = spec;
    return 0;
}

error_t prediction_semantics_check(const struct argp_state *state, const char *option, const char *text)
{
    struct err err;
    return semantics_text_check(text, &err) == STATUS_OK ? 0 : cli_usage(state, "%s %s", option, err.text);
}

static error_t parse_engine(const struct argp_state *state, const char *name, struct prediction_options *options)
{
    const struct engine_descriptor *const *engines = engine_descriptors();
    const char *names[ENGINES_MAX + 1] = {NULL};
    for (size_t i = 0; engines[i] && i < ENGINES_MAX; i++) names[i] = engines[i]->name;
    size_t index;
    error_t failed = cli_choice(state, "--engine", name, names, &index);
    if (!failed) options->engine = engines[index];
    return failed;
}

error_t prediction_options_parse(int key, char *argument, const struct argp_state *state,
                                 struct prediction_options *options)
{
    for (size_t i = 0; i < sizeof key_options / sizeof *key_options; i++) {
        const struct key_option *row = &key_options[i];
        size_t index;
        if (row->option != key) continue;
        int32_t ranks;
        if (key == OPTION_PROGRESS && strncmp(argument, "ranks:", 6) == 0)
            return progress_ranks_parse(argument, &ranks)
                       ? set_key(options, row->key, argument)
                       : cli_usage(state, "--progress %s, expected ranks:K, K from 1 to %d", argument, CORES_MAX);
        error_t failed = cli_choice(state, row->name, argument, row->values, &index);
        return failed ? failed : set_key(options, row->key, argument);
    }
    switch (key) {
    case OPTION_PLATFORM: options->platform = argument; return 0;
    case OPTION_ENGINE: return parse_engine(state, argument, options);
    case OPTION_SET:
        if (!strchr(argument, '=') || *argument == '=')
            return cli_usage(state, "--set %s, expected KEY=VALUE", argument);
        return add_owned(options, strdup(argument));
    case OPTION_COMPUTE: {
        const char *times[COMPUTING_COUNT] = {NULL}; /* but the default */
        size_t index;
        for (int c = COMPUTING_WALL; c < COMPUTING_COUNT; c++) times[c - 1] = trace_computing_name((enum trace_computing)c);
        error_t failed = cli_choice(state, "--compute", argument, times, &index);
        if (!failed) options->computing = (enum trace_computing)(COMPUTING_WALL + (int)index);
        return failed;
    }
    case OPTION_MEMORY_BOUND:
        options->memory_stated = true;
        return cli_share(state, "--memory-bound", argument, &options->memory_bound);
    case OPTION_KEEP_GOING: options->keep_going = true; return 0;
    case OPTION_GROW: options->grow = true; return 0;
    case OPTION_MEMORY: {
        error_t failed = cli_size(state, "--memory", argument, &options->memory);
        return failed || options->memory > 0 ? failed : cli_usage(state, "--memory %s, expected more than 0", argument);
    }
    case OPTION_REWRITE:
        if (strcmp(argument, "list") == 0) list_rewrites();
        return add_rewrite(state, options, strdup(argument));
    case OPTION_SCALE: {
        char *spec;
        return add_rewrite(state, options, asprintf(&spec, "scale:%s", argument) < 0 ? NULL : spec);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

error_t analyze_options_parse(int key, char *argument, const struct argp_state *state, struct analyze_options *options)
{
    static const char *const names[] = {"latest", "earliest", NULL};
    static const enum late_post_mode modes[] = {LATE_POST_LATEST, LATE_POST_EARLIEST};
    size_t index;
    error_t failed;
    switch (key) {
    case OPTION_EPSILON: return cli_duration_ps(state, "--epsilon", argument, &options->epsilon_ps);
    case OPTION_EAGER: return cli_size(state, "--eager", argument, &options->eager_bytes);
    case OPTION_EFFICIENCY: options->intervals = true; return intervals_option_parse(state, argument, options);
    case OPTION_PER_RANK: options->intervals = options->per_rank = true; return 0;
    case OPTION_LOST: return lost_option_parse(state, argument, options);
    case OPTION_CALLPATH: options->section.callpath = argument; return 0;
    case OPTION_FROM: options->section.from = argument; return 0;
    case OPTION_TO: options->section.to = argument; return 0;
    case OPTION_WITHOUT_INIT: options->section.without_init = true; return 0;
    case OPTION_LATE_POST:
        failed = cli_choice(state, "--late-post", argument, names, &index);
        if (!failed) options->late_post = modes[index];
        return failed;
    default: return ARGP_ERR_UNKNOWN;
    }
}

error_t prediction_options_end(const struct argp_state *state, struct prediction_options *options)
{
    if (!options->engine) options->engine = engine_descriptors()[0];
    if (options->platform && *options->platform) return 0;
    return cli_usage(state, "--platform is missing, expected a file, the name of an installed one as four-nodes, or ideal");
}

void prediction_options_clear(struct prediction_options *options)
{
    for (size_t i = 0; i < options->override_count; i++) free(options->overrides[i]);
    free(options->overrides);
    options->overrides = NULL;
    options->override_count = options->override_capacity = 0;
    for (size_t i = 0; i < options->rewrite_count; i++) free(options->rewrites[i]);
    free(options->rewrites);
    options->rewrites = NULL;
    free(options->again.items);
    options->again = (struct cli_strings){NULL};
    options->rewrite_count = options->rewrite_capacity = 0;
}

enum status prediction_options_claim_outputs(const struct prediction_options *options, struct err *err)
{
    char file[PLATFORM_PATH_BYTES];
    TRY(cli_claim_outputs(options->outputs, PREDICTION_OUTPUTS, err));
    if (!options->platform) return STATUS_OK;
    return platform_file_find(options->platform, file, err); /* here, since child processes may open the platform */
}

static size_t add_overrides_of(const char *const *specs, size_t count, const char **overrides, size_t used)
{
    for (size_t i = 0; i < count; i++) {
        const char *override = transform_override(specs[i]);
        if (override) overrides[used++] = override;
    }
    return used;
}

/* "a@3=c" says something of window 3. */
static bool semantics_names(const char *semantics, const char *window)
{
    semantics_override texts[SEMANTICS_TEXT_PARTS], path;
    size_t parts = semantics_text_overrides(semantics, texts);
    int length = snprintf(path, sizeof path, "mpi.rma.windows.\"%s\".semantics=", window);
    for (size_t i = 0; i < parts; i++)
        if (strncmp(texts[i], path, (size_t)length) == 0) return true;
    return false;
}

/* "mpi.rma.windows.3.calls.lock=ask" does; so may all windows at once. */
static bool override_names(const char *override, const char *window)
{
    static const char section[] = "mpi.rma.windows";
    size_t length = strlen(window);
    if (strncmp(override, section, sizeof section - 1) != 0) return false;
    override += sizeof section - 1;
    if (*override == '=') return true;
    override += override[0] == '.' && override[1] == '"' ? 2 : 1;
    return strncmp(override, window, length) == 0 && strchr(".=\"", override[length]);
}

enum status prediction_options_check_windows(const struct prediction_options *options, const char *semantics,
                                             const struct trace *trace, const struct platform *platform, struct err *err)
{
    const struct window_rule *rule = window_modes_unknown(trace, platform);
    if (!rule) return STATUS_OK;
    const char *option = options->semantics_option ? options->semantics_option : "--semantics";
    if (semantics && semantics_names(semantics, rule->window))
        return err_set(err, STATUS_USAGE, option, semantics, WINDOW_MODES_UNKNOWN, rule->window, trace->name,
                       trace->definitions.window_count);
    for (size_t i = 0; i < options->override_count; i++)
        if (override_names(options->overrides[i], rule->window))
            return err_set(err, STATUS_USAGE, "--set", options->overrides[i], WINDOW_MODES_UNKNOWN, rule->window,
                           trace->name, trace->definitions.window_count);
    return STATUS_OK;
}

/* The platform with room for all ranks. The error of one that has too little says how many ranks its nodes have cores for,
 * and what --grow would make of it. */
static enum status open_with_room(const struct prediction_options *options, const char *file, const char **overrides,
                                  size_t count, uint32_t ranks, struct platform **platform, struct err *err)
{
    struct platform_growth growth = {.count = 0};
    struct platform *opened;
    struct err why, cannot;
    if (options->grow) TRY(platform_grow(file, overrides, count, ranks, &growth, err));
    for (size_t i = 0; i < growth.count; i++) overrides[count + i] = growth.overrides[i];
    TRY(platform_open(file, overrides, count + growth.count, &opened, err));
    if (platform_check_ranks(opened, ranks, &why) == STATUS_OK) {
        *platform = opened;
        return STATUS_OK;
    }
    char denser[64] = "";
    int64_t nodes = opened->node_count, per_node = ((int64_t)ranks + nodes - 1) / nodes;
    if (!opened->rank_nodes && opened->ranks_per_node != RANKS_BY_CORES && per_node <= platform_least_cores(opened))
        snprintf(denser, sizeof denser, "; --set mapping.ranks_per_node=%" PRId64 " uses its cores", per_node);
    else if (!opened->rank_nodes && opened->ranks_per_node != RANKS_BY_CORES && ranks <= platform_all_cores(opened))
        snprintf(denser, sizeof denser, "; --set mapping.ranks_per_node=cores uses all its cores");
    platform_free(opened);
    if (platform_grow(file, overrides, count, ranks, &growth, &cannot) == STATUS_OK && growth.count > 0)
        return err_set(err, why.status, NULL, NULL, "%s%s; --grow makes it a %s", why.text, denser, growth.text);
    return err_set(err, why.status, NULL, NULL, "%s%s", why.text, denser);
}

/* The platform takes all settings as those of --set: an error of one that is a spec's names the spec's option. */
static void name_option(const char *const *specs, size_t count, const char *option, struct err *err)
{
    char text[ERR_TEXT_BYTES], set[ERR_TEXT_BYTES];
    snprintf(text, sizeof text, "%s", err->text);
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(set, sizeof set, "--set:%s: ", specs[i]);
        if (length < ERR_TEXT_BYTES && strncmp(text, set, (size_t)length) == 0)
            err_set(err, err->status, option, specs[i], "%s", text + length);
    }
}

static enum status open_rewritten(const void *context, const char *semantics, const char *const *specs, size_t spec_count,
                                  const struct trace *trace, struct platform **platform, struct err *err)
{
    const struct prediction_options *options = context;
    semantics_override texts[SEMANTICS_TEXT_PARTS];
    char file[PLATFORM_PATH_BYTES];
    size_t count = options->override_count;
    TRY(platform_file_find(options->platform, file, err));
    const char **overrides =
        calloc(count + options->rewrite_count + spec_count + SEMANTICS_TEXT_PARTS + ERROR_SECTIONS + GROWTH_MAX,
               sizeof *overrides);
    if (!overrides) return err_memory(err);
    for (size_t i = 0; i < count; i++) overrides[i] = options->overrides[i];
    count = add_overrides_of((const char *const *)options->rewrites, options->rewrite_count, overrides, count);
    count = add_overrides_of(specs, spec_count, overrides, count);
    size_t parts = semantics ? semantics_text_overrides(semantics, texts) : 0;
    for (size_t i = 0; i < parts; i++) overrides[count++] = texts[i];
    struct platform *opened = NULL;
    struct platform_shift shift = {.count = 0};
    enum status status = STATUS_OK;
    if (options->errors != PLATFORM_AS_STATED)
        status = platform_shift_make(file, overrides, count, options->errors, &shift, err);
    for (size_t i = 0; i < shift.count; i++) overrides[count++] = shift.overrides[i];
    if (status == STATUS_OK) status = open_with_room(options, file, overrides, count, trace->rank_count, &opened, err);
    platform_shift_clear(&shift);
    free(overrides);
    if (status != STATUS_OK) {
        name_option((const char *const *)options->rewrites, options->rewrite_count, "--rewrite", err);
        name_option(specs, spec_count, options->semantics_option ? options->semantics_option : "--rows", err);
        return status;
    }
    status = prediction_options_check_windows(options, semantics, trace, opened, err);
    GIVE(status, *platform = opened, platform_free(opened));
}

enum status prediction_options_measured(const struct prediction_options *options, size_t *values, struct err *err)
{
    char file[PLATFORM_PATH_BYTES];
    struct platform_shift shift;
    TRY(platform_file_find(options->platform, file, err));
    TRY(platform_shift_make(file, (const char *const *)options->overrides, options->override_count, PLATFORM_AS_STATED, &shift,
                            err));
    *values = shift.values;
    platform_shift_clear(&shift);
    return STATUS_OK;
}

enum status prediction_options_open(const struct prediction_options *options, const char *semantics,
                                    const struct trace *trace, struct platform **platform, struct err *err)
{
    return open_rewritten(options, semantics, NULL, 0, trace, platform, err);
}

struct scene_options prediction_options_scenes(const struct prediction_options *options)
{
    return (struct scene_options){.open = open_rewritten,
                                  .context = options,
                                  .rewrites = (const char *const *)options->rewrites,
                                  .rewrite_count = options->rewrite_count,
                                  .keep_going = options->keep_going};
}

/* The largest transfer that the platform was measured for; INT64_MAX: it was not measured. */
static enum status find_largest(const struct platform *platform, int64_t *most, struct err *err)
{
    struct json_document document;
    *most = INT64_MAX;
    enum status status = json_open(platform->file, &document, err);
    if (status != STATUS_OK) return status == STATUS_SYSTEM ? status : STATUS_OK; /* "ideal" */
    if (!calibration_largest(document.root, most)) *most = INT64_MAX;
    json_close(&document);
    return STATUS_OK;
}

static void tell_extrapolation(uint64_t count, int64_t most, const struct platform *platform)
{
    if (count > 0)
        cli_note("note: %" PRIu64 " transfers are larger than the %" PRId64
                 " bytes up to which %s was measured: their times are extrapolated",
                 count, most, platform->file);
}

static enum status note_extrapolation(const struct trace *trace, const struct platform *platform, struct err *err)
{
    int64_t most;
    uint64_t count = 0;
    TRY(find_largest(platform, &most, err));
    for (uint32_t rank = 0; most < INT64_MAX && rank < trace->rank_count; rank++)
        for (size_t i = 0; i < trace->ranks[rank].count; i++)
            count += trace->ranks[rank].calls[i].bytes > most && trace->ranks[rank].calls[i].peer != TRACE_NONE;
    tell_extrapolation(count, most, platform);
    return STATUS_OK;
}

/* Nothing, where the platform does not fit: who replays on it says why. */
static enum status find_warnings(const struct prediction_options *options, const struct trace *trace,
                                 struct warnings *warnings, struct err *err)
{
    struct platform *platform;
    struct err fault;
    enum status status = prediction_options_open(options, NULL, trace, &platform, &fault);
    if (status == STATUS_SYSTEM && err) *err = fault;
    if (status != STATUS_OK) return status == STATUS_SYSTEM ? status : STATUS_OK;
    status = note_extrapolation(trace, platform, err);
    if (status == STATUS_OK) status = warnings_find(trace, platform, warnings, err);
    platform_free(platform);
    return status;
}

error_t prediction_options_argument(const struct argp_state *state, char *argument, const char **trace,
                                    struct prediction_options *options)
{
    if (options->again.count == RECORDINGS_MAX - 1)
        return cli_usage(state, "more than %d recordings of one program", RECORDINGS_MAX);
    if (*trace) return cli_add_string(state, &options->again, argument);
    *trace = argument;
    return 0;
}

static enum status use_recordings(const struct prediction_options *options, struct trace *trace, struct err *err)
{
    struct trace *recordings[RECORDINGS_MAX] = {trace};
    size_t count = 1;
    enum status status = STATUS_OK;
    for (; status == STATUS_OK && count <= options->again.count; count++) {
        status = trace_open(options->again.items[count - 1], &recordings[count], err);
        if (status != STATUS_OK) break;
        status = trace_use_computing(recordings[count], options->computing, err);
    }
    if (status == STATUS_OK) status = trace_use_recordings(recordings, count, err);
    for (size_t i = 1; i < count; i++) trace_free(recordings[i]);
    return status;
}

/* Archives with fewer records are held in memory. */
enum { RECORDING_FROM_RECORDS = 1 << 20 };

/* *platform is NULL unless the file is an archive that is read in slices and is long. The caller closes *source if it has a
 * close, and frees *platform. */
static enum status open_long(const struct prediction_options *options, const char *semantics, const char *file,
                             struct trace_source *source, struct platform **platform, struct err *err)
{
    uint64_t records = 0;
    bool possible = false;
    *source = (struct trace_source){0};
    *platform = NULL;
    TRY(trace_open_source(file, source, &possible, &records, err));
    if (!possible || records < RECORDING_FROM_RECORDS) return STATUS_OK;
    return prediction_options_open(options, semantics, source->trace, platform, err);
}

enum status prediction_options_check(const struct prediction_options *options, const char *semantics, const char *file,
                                     struct err *err)
{
    struct trace_source source;
    struct platform *platform;
    struct err fault;
    enum status status = open_long(options, semantics, file, &source, &platform, &fault);
    const bool opened = source.close;
    platform_free(platform);
    if (opened) source_close(&source);
    if (status == STATUS_OK || !opened) return STATUS_OK;
    *err = fault;
    return status;
}

/* The contradictions that an analysis in slices finds, which reads the archive once more. */
static enum status find_contradictions(const char *file, const struct platform *platform, struct warnings *warnings,
                                       struct err *err)
{
    struct trace_source source;
    struct result *result;
    uint64_t records;
    bool possible;
    TRY(trace_open_source(file, &source, &possible, &records, err));
    if (!possible) return err_set(err, STATUS_DATA, file, NULL, "has changed");
    enum status status = model_analyze_slices(&source, NULL, slice_calls(&source), &result, err);
    source_close(&source);
    TRY(status);
    status = warnings_add_contradictions(result, platform, warnings, err);
    result_free(result);
    return status;
}

static enum status read_recording(const struct prediction_options *options, const char *file, const struct platform *platform,
                                  struct trace_source *source, struct recording **recording, struct warnings *warnings,
                                  struct err *err)
{
    struct recording_options reading = {.computing = options->computing, .decides_again = platform->decide == DECIDE_AGAIN};
    struct recording *made;
    bool wanted;
    TRY(find_largest(platform, &reading.most_bytes, err));
    TRY(recording_open(source, &reading, &made, err));
    if (!made) return STATUS_OK;
    tell_extrapolation(made->large, reading.most_bytes, platform);
    warnings_begin(made->trace, &made->synchronisation, platform, warnings, &wanted);
    enum status status = wanted ? find_contradictions(file, platform, warnings, err) : STATUS_OK;
    if (options->recorded_time) *options->recorded_time = made->time;
    if (status == STATUS_OK && options->memory_stated)
        status = trace_assume_memory_bound(made->trace, options->memory_bound, err);
    GIVE(status, *recording = made, recording_close(made));
}

enum status prediction_options_recording(const struct prediction_options *options, const char *file,
                                         const struct analyze_options *analyze, struct recording **recording,
                                         struct warnings *warnings, struct err *err)
{
    const struct prediction prediction = {.engine = options->engine, .analyze = analyze};
    struct trace_source source;
    struct platform *platform;
    struct err fault;
    *recording = NULL;
    if (options->keep_going || options->rewrite_count > 0 || options->recorded || options->again.count > 0) return STATUS_OK;
    if (!prediction_forgets(&prediction)) return STATUS_OK;
    enum status status = open_long(options, NULL, file, &source, &platform, &fault);
    if (platform) status = read_recording(options, file, platform, &source, recording, warnings, &fault);
    platform_free(platform);
    if (source.close) source_close(&source);
    if (status != STATUS_OK) warnings_clear(warnings);
    if (status == STATUS_SYSTEM && err) *err = fault;
    return status == STATUS_SYSTEM ? status : STATUS_OK; /* who opens the whole trace says what is wrong */
}

enum status prediction_options_trace_behind(const struct prediction_options *options, const char *file, enum status failed,
                                            struct trace **trace, struct warnings *warnings, struct err *err)
{
    struct err why;
    enum status status = prediction_options_trace(options, file, trace, warnings, &why);
    if (status != STATUS_OK && failed != STATUS_OK) return failed;
    if (status != STATUS_OK && err) *err = why;
    return status;
}

enum status prediction_options_trace(const struct prediction_options *options, const char *file, struct trace **trace,
                                     struct warnings *warnings, struct err *err)
{
    struct trace *opened;
    const bool keeps = options->keeps || options->rewrite_count > 0 || (options->engine && options->engine->once_per_process);
    TRY(trace_memory_prepare(file, options->memory, keeps, err));
    TRY((options->keep_going ? analysis_open_partly : trace_open)(file, &opened, err));
    enum status status = STATUS_OK;
    if (warnings) {
        *warnings = (struct warnings){.choice = CHOICE_WAITS};
        status = find_warnings(options, opened, warnings, err);
    }
    if (status == STATUS_OK && options->memory_stated) status = trace_assume_memory_bound(opened, options->memory_bound, err);
    if (status == STATUS_OK && options->recorded_time) status = recorded_time_find(opened, options->recorded_time, err);
    if (status == STATUS_OK && options->recorded) status = model_analyze(opened, NULL, options->recorded, err);
    if (status == STATUS_OK) status = trace_use_computing(opened, options->computing, err);
    if (status == STATUS_OK) status = use_recordings(options, opened, err);
    if (status == STATUS_OK) {
        *trace = opened;
        return STATUS_OK;
    }
    if (warnings) warnings_clear(warnings);
    if (options->recorded) result_free(*options->recorded);
    trace_free(opened);
    return status;
}
