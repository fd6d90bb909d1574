/* rmacast advise TRACE --platform FILE: which change of the program or of the semantics gains how much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scenes.h"
#include "common/units.h"
#include "predictors/prediction.h"

enum { KEY_JSON = 1000, KEY_ERROR, SINGLES_MAX = 32, PAIRED = 4, ROWS_MAX = SINGLES_MAX + PAIRED * PAIRED, CONFIRMED = 6 };

static const struct argp_option options[] = {
    PREDICTION_OPTIONS,
    {"error", KEY_ERROR, "SHARE", 0,
     "relative error of predictions on this platform, as validate says it (6%: the largest in docs/accuracy.md)", 0},
    {"json", KEY_JSON, "FILE", 0, "write the changes as JSON; - is standard output, without the table", 0},
    {0}};

/* A change: a row that is compared with the first one, the platform as it is. */
struct proposal {
    struct scene scene;
    bool applies, confirmed;
    const struct proposal *alone[2]; /* of a pair: its changes, each by itself; else NULL */
    char *why; /* owned: why it does not apply, or fails */
    double run_time_s;    /* by the fast engine */
    double gain_s;        /* by the engine that confirmed it, else by the fast one */
    double error_s;       /* of the gain */
};

struct settings {
    const char *trace, *json;
    double error;
    bool one_engine; /* the user chose it */
    struct prediction_options prediction;
};

struct advisor {
    const struct settings *settings;
    const struct trace *trace;
    struct proposal changes[ROWS_MAX]; /* the first one is no change */
    size_t count;
    double reference_s; /* its run time by the engine that confirms */
    struct err *err;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    error_t shared = prediction_options_parse(key, argument, state, &settings->prediction);
    if (key == OPTION_ENGINE) settings->one_engine = true;
    if (shared != ARGP_ERR_UNKNOWN) return shared;
    switch (key) {
    case KEY_ERROR: return cli_fraction(state, "--error", argument, &settings->error);
    case KEY_JSON: settings->json = argument; return 0;
    case ARGP_KEY_ARG: return cli_one_argument(state, argument, &settings->trace);
    case ARGP_KEY_END: {
        error_t failed = cli_needs_argument(state, settings->trace, "TRACE");
        return failed ? failed : prediction_options_end(state, &settings->prediction);
    }
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Rows that cannot be made stay with their reason. */
static enum status add_change(struct advisor *advisor, const char *name)
{
    if (advisor->count == ROWS_MAX) return STATUS_OK;
    struct proposal *change = &advisor->changes[advisor->count++];
    *change = (struct proposal){.applies = false};
    scene_name(&change->scene, name);
    TRY(scene_open(&advisor->settings->prediction, advisor->trace, &change->scene, advisor->err));
    change->applies = change->scene.refused.status == STATUS_OK;
    if (!change->applies) change->why = strdup(change->scene.refused.text);
    return STATUS_OK;
}

/* Replays changes from first on; of those with confirm those that are set. */
static enum status replay(struct advisor *advisor, size_t first, const struct engine_descriptor *engine, bool confirm,
                          double *run_times_s)
{
    struct comparison_row rows[ROWS_MAX];
    size_t of[ROWS_MAX], count = 0;
    struct comparison comparison = {.count = 0};
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    struct err err = {.status = STATUS_OK};
    analyze.eager_bytes = EAGER_OF_PLATFORM;
    for (size_t i = first; i < advisor->count; i++) {
        const struct proposal *change = &advisor->changes[i];
        run_times_s[i] = NAN;
        if (!change->applies || (confirm && !change->confirmed)) continue;
        of[count] = i;
        rows[count++] = scene_row(&advisor->settings->prediction, &change->scene);
    }
    enum status status =
        count > 0 ? comparison_run(advisor->trace, rows, count, engine, &analyze, &comparison, &err) : STATUS_OK;
    for (size_t i = 0; i < comparison.count; i++) {
        struct proposal *change = &advisor->changes[of[i]];
        if (comparison.results[i]) run_times_s[of[i]] = comparison.results[i]->run_time_s;
        else {
            change->applies = false;
            if (!change->why) change->why = strdup(comparison.failures[i] ? comparison.failures[i] : err.text);
        }
    }
    comparison_clear(&comparison);
    if (status == STATUS_OK || (status == STATUS_DATA && advisor->changes[0].applies)) return STATUS_OK;
    if (advisor->err) *advisor->err = err;
    return status;
}

static enum status replay_fast(struct advisor *advisor, size_t first, const struct engine_descriptor *engine)
{
    double run_times_s[ROWS_MAX];
    TRY(replay(advisor, first, engine, false, run_times_s));
    for (size_t i = first; i < advisor->count; i++) {
        struct proposal *change = &advisor->changes[i];
        change->run_time_s = run_times_s[i];
        change->gain_s = advisor->changes[0].run_time_s - run_times_s[i];
        change->error_s = advisor->settings->error * fabs(change->gain_s);
    }
    return STATUS_OK;
}

static double gain_of(const struct proposal *change)
{
    return change->applies && !isnan(change->gain_s) ? change->gain_s : -INFINITY;
}

/* Changes but the first one, the greatest gain first. Scenes point into themselves: their order is one of indices. */
static void rank(const struct advisor *advisor, size_t *order)
{
    for (size_t i = 1; i < advisor->count; i++) {
        size_t at = i - 1;
        for (; at > 0 && gain_of(&advisor->changes[order[at - 1]]) < gain_of(&advisor->changes[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static enum status add_singles(struct advisor *advisor)
{
    char name[SCENE_NAME_BYTES];
    TRY(add_change(advisor, "platform"));
    if (!advisor->changes[0].applies)
        return err_set(advisor->err, STATUS_DATA, NULL, NULL, "%s", advisor->changes[0].scene.refused.text);
    for (char letter = 'a'; letter <= 'd'; letter++) TRY(add_change(advisor, (const char[]){letter, '\0'}));
    for (const struct transform *const *row = transforms(); *row; row++) {
        if ((*row)->argument && !(*row)->fallback) continue; /* nobody says which */
        snprintf(name, sizeof name, "platform+%s", (*row)->name);
        TRY(add_change(advisor, name));
    }
    return STATUS_OK;
}

/* What stands behind the semantics: "+post-early"; "" for a letter alone. */
static const char *rewrites_of(const struct scene *scene)
{
    const char *plus = strchr(scene->name, '+');
    return plus ? plus : "";
}

/* Both changes in one row; false: they are two letters, or do the same. */
static bool pair_name(const struct scene *a, const struct scene *b, char name[SCENE_NAME_BYTES])
{
    bool a_letter = strcmp(a->text, "platform") != 0, b_letter = strcmp(b->text, "platform") != 0;
    if (a_letter && b_letter) return false;
    int length = snprintf(name, SCENE_NAME_BYTES, "%s%s%s", b_letter ? b->text : a->text, rewrites_of(a), rewrites_of(b));
    return length < SCENE_NAME_BYTES;
}

static enum status add_pair(struct advisor *advisor, const struct proposal *a, const struct proposal *b)
{
    char name[SCENE_NAME_BYTES];
    if (advisor->count == ROWS_MAX || !pair_name(&a->scene, &b->scene, name)) return STATUS_OK;
    TRY(add_change(advisor, name));
    advisor->changes[advisor->count - 1].alone[0] = a;
    advisor->changes[advisor->count - 1].alone[1] = b;
    return STATUS_OK;
}

/* Pairs of the changes that gain most by themselves. */
static enum status add_pairs(struct advisor *advisor)
{
    size_t order[ROWS_MAX], singles = advisor->count - 1, best = 0;
    rank(advisor, order);
    while (best < PAIRED && best < singles && gain_of(&advisor->changes[order[best]]) > 0) best++;
    for (size_t i = 0; i < best; i++)
        for (size_t j = i + 1; j < best; j++)
            TRY(add_pair(advisor, &advisor->changes[order[i]], &advisor->changes[order[j]]));
    return STATUS_OK;
}

/* The best by the other engine, too: by how much the two differ is part of the error. */
static enum status confirm(struct advisor *advisor, const struct engine_descriptor *engine)
{
    size_t order[ROWS_MAX];
    double run_times_s[ROWS_MAX];
    rank(advisor, order);
    advisor->changes[0].confirmed = true;
    for (size_t i = 0; i < CONFIRMED && i + 1 < advisor->count; i++) {
        struct proposal *change = &advisor->changes[order[i]];
        change->confirmed = gain_of(change) > change->error_s;
    }
    TRY(replay(advisor, 0, engine, true, run_times_s));
    advisor->reference_s = run_times_s[0];
    for (size_t i = 1; i < advisor->count; i++) {
        struct proposal *change = &advisor->changes[i];
        if (!change->confirmed || isnan(run_times_s[i])) continue;
        double gain_s = run_times_s[0] - run_times_s[i];
        change->error_s = advisor->settings->error * fabs(gain_s) + fabs(gain_s - change->gain_s);
        change->gain_s = gain_s;
    }
    return STATUS_OK;
}

/* A pair must gain more than either of its changes alone, too. */
static bool is_advised(const struct proposal *change)
{
    double least_s = change->error_s;
    for (int i = 0; i < 2; i++)
        if (change->alone[i]) least_s = fmax(least_s, gain_of(change->alone[i]) + change->error_s);
    return gain_of(change) > least_s && gain_of(change) > 0;
}

static void print_change(const struct advisor *advisor, const struct proposal *change)
{
    char gain[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES];
    printf("%-40s  %10s +- %-10s %5.1f %%%s\n", change->scene.name, units_format_duration(change->gain_s, gain),
           units_format_duration(change->error_s, error), 100 * change->gain_s / advisor->reference_s,
           change->confirmed ? "" : "  by the fast engine only");
    for (size_t i = 0; i < change->scene.rewrite.count; i++)
        printf("    %s: %s\n", change->scene.rewrite.reports[i].spec, change->scene.rewrite.reports[i].summary);
}

static void print_all(const struct advisor *advisor, const size_t *order)
{
    char text[UNITS_TEXT_BYTES];
    size_t advised = 0;
    printf("run time %s as the platform is\n\n", units_format_duration(advisor->reference_s, text));
    for (size_t i = 0; i + 1 < advisor->count; i++) {
        const struct proposal *change = &advisor->changes[order[i]];
        if (!is_advised(change)) continue;
        if (advised++ == 0) printf("%-40s  %10s    %-10s %7s\n", "change", "gain", "error", "of run");
        print_change(advisor, change);
    }
    if (advised == 0) puts("No change gains more than the error of its prediction.");
    puts("");
    for (size_t i = 0; i + 1 < advisor->count; i++) {
        const struct proposal *change = &advisor->changes[order[i]];
        if (change->why) printf("%s does not apply: %s\n", change->scene.name, change->why);
        else if (!is_advised(change) && !change->alone[0])
            printf("%s: no gain beyond its error (%s)\n", change->scene.name,
                   change->applies ? units_format_duration(change->gain_s, text) : "not replayed");
    }
}

static enum status add_json(const struct advisor *advisor, const struct proposal *change, cJSON *list)
{
    cJSON *item = cJSON_CreateObject(), *rewrites = NULL;
    if (!item || !cJSON_AddItemToArray(list, item)) return err_memory(advisor->err);
    bool known = change->applies && !isnan(change->gain_s);
    if (!cJSON_AddStringToObject(item, "row", change->scene.name) ||
        !cJSON_AddBoolToObject(item, "advised", is_advised(change)) ||
        !cJSON_AddBoolToObject(item, "confirmed", change->confirmed) ||
        !(known ? cJSON_AddNumberToObject(item, "gain_s", change->gain_s) : cJSON_AddNullToObject(item, "gain_s")) ||
        !(known ? cJSON_AddNumberToObject(item, "error_s", change->error_s) : cJSON_AddNullToObject(item, "error_s")) ||
        !(change->why ? cJSON_AddStringToObject(item, "reason", change->why) : cJSON_AddNullToObject(item, "reason")))
        return err_memory(advisor->err);
    TRY(rewrite_to_json(&change->scene.rewrite, &rewrites, advisor->err));
    return cJSON_AddItemToObject(item, "rewrites", rewrites) ? STATUS_OK : err_memory(advisor->err);
}

static enum status fill_json(const struct advisor *advisor, const size_t *order, cJSON *json)
{
    if (!cJSON_AddStringToObject(json, "schema", "rmacast.advice/1") ||
        !cJSON_AddStringToObject(json, "trace", advisor->trace->name) ||
        !cJSON_AddNumberToObject(json, "run_time_s", advisor->reference_s) ||
        !cJSON_AddNumberToObject(json, "error", advisor->settings->error))
        return err_memory(advisor->err);
    cJSON *list = cJSON_AddArrayToObject(json, "changes");
    if (!list) return err_memory(advisor->err);
    for (size_t i = 0; i + 1 < advisor->count; i++) TRY(add_json(advisor, &advisor->changes[order[i]], list));
    return STATUS_OK;
}

static enum status write_outputs(const struct advisor *advisor)
{
    size_t order[ROWS_MAX];
    const char *file = advisor->settings->json;
    rank(advisor, order);
    if (file) {
        cJSON *json = cJSON_CreateObject();
        enum status status = json ? fill_json(advisor, order, json) : err_memory(advisor->err);
        if (status == STATUS_OK) status = cli_write_json(json, file, advisor->err);
        cJSON_Delete(json);
        TRY(status);
    }
    if (cli_is_output(file)) return STATUS_OK;
    print_all(advisor, order);
    return cli_flush(advisor->err);
}

static enum status advise(struct advisor *advisor)
{
    const struct settings *settings = advisor->settings;
    const struct engine_descriptor *fast = settings->one_engine ? settings->prediction.engine : engine_by_name("loggp");
    TRY(add_singles(advisor));
    TRY(replay_fast(advisor, 0, fast));
    size_t singles = advisor->count;
    TRY(add_pairs(advisor));
    TRY(replay_fast(advisor, singles, fast));
    advisor->reference_s = advisor->changes[0].run_time_s;
    if (!settings->one_engine) TRY(confirm(advisor, settings->prediction.engine));
    return write_outputs(advisor);
}

static enum status run(const struct settings *settings, struct err *err)
{
    struct trace *trace;
    TRY(prediction_options_trace(&settings->prediction, settings->trace, &trace, err));
    struct advisor *advisor = calloc(1, sizeof *advisor);
    enum status status = advisor ? STATUS_OK : err_memory(err);
    if (advisor) {
        advisor->settings = settings;
        advisor->trace = trace;
        advisor->err = err;
        status = advise(advisor);
        for (size_t i = 0; i < advisor->count; i++) {
            scene_close(&advisor->changes[i].scene);
            free(advisor->changes[i].why);
        }
    }
    free(advisor);
    trace_free(trace);
    return status;
}

enum status cmd_advise(int argc, char **argv, struct err *err)
{
    struct settings settings = {.error = 0.06};
    const struct argp argp = {options, parse, "TRACE",
                              "Tries every semantics and every rewriting that applies, alone and the best in pairs, and says which "
                              "gains more than the error of its prediction.",
                              NULL, NULL, NULL};
    enum status status = cli_parse(&argp, argc, argv, CLI_READS_TRACES, &settings, err);
    settings.prediction.outputs[0] = (struct cli_file){CLI_WRITES, "--json", settings.json};
    if (status == STATUS_OK) status = prediction_options_check_files(&settings.prediction, settings.trace, err);
    if (status == STATUS_OK) status = run(&settings, err);
    prediction_options_clear(&settings.prediction);
    return status;
}
