#include "predictors/advise/advise.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/memory_text.h"
#include "common/text/text.h"
#include "platforms/profile.h"
#include "predictors/draws.h"
#include "predictors/prediction.h"
#include "trace/calls/libraries.h"

enum { CONFIRMED = 6 }; /* so many of the best changes are also drawn, and replayed by the other engine */

struct finder {
    struct advice *advice;
    const struct advice_options *options;
    struct result *unchanged; /* owned: the result of the first row, by the first engine */
    struct err *err;
};

/* Whether the change's own rewriting found nothing, and refused nothing. A setting of the platform rewrites nothing. */
static bool finds_nothing(const struct scene *scene)
{
    const struct transform_report *last = scene->rewrite.count > 0 ? &scene->rewrite.reports[scene->rewrite.count - 1] : NULL;
    return last && scene->spec_count > 0 && strcmp(last->spec, scene->specs[scene->spec_count - 1]) == 0 && last->changed == 0;
}

static enum status set_why(struct proposal *change, struct err *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&change->why, format, arguments);
    va_end(arguments);
    change->applies = false;
    if (length < 0) change->why = NULL;
    return change->why ? STATUS_OK : err_memory(err);
}

/* Adds a row; one that cannot be made is kept with its reason. */
static enum status add_change(struct finder *finder, const char *name)
{
    struct advice *advice = finder->advice;
    if (advice->count == ADVICE_ROWS_MAX) return STATUS_OK;
    struct proposal *change = &advice->changes[advice->count++];
    *change = (struct proposal){.applies = false};
    scene_name(&change->scene, name);
    TRY(scene_open(&finder->options->scenes, advice->trace, &change->scene, finder->err));
    change->applies = change->scene.refused.status == STATUS_OK;
    if (!change->applies) return set_why(change, finder->err, "%s", change->scene.refused.text);
    return finds_nothing(&change->scene) ? set_why(change, finder->err, "the trace has nothing to change") : STATUS_OK;
}

/* Replays changes from `first` on; with confirm only those for which it is set. */
static enum status replay_changes(struct finder *finder, size_t first, const struct engine_descriptor *engine,
                                  bool confirm, double *run_times_s)
{
    struct comparison_row rows[ADVICE_ROWS_MAX];
    size_t of[ADVICE_ROWS_MAX], count = 0;
    struct comparison comparison = {.count = 0};
    struct analyze_options analyze = ANALYZE_DEFAULTS;
    struct err err = {.status = STATUS_OK};
    analyze.eager_bytes = EAGER_OF_PLATFORM;
    for (size_t i = first; i < finder->advice->count; i++) {
        const struct proposal *change = &finder->advice->changes[i];
        run_times_s[i] = NAN;
        if (!change->applies || (confirm && !change->confirmed)) continue;
        of[count] = i;
        rows[count++] = scene_row(&finder->options->scenes, &change->scene);
    }
    enum status status =
        count > 0 ? comparison_run(finder->advice->trace, rows, count, engine, &analyze, &comparison, &err) : STATUS_OK;
    for (size_t i = 0; i < comparison.count; i++) {
        struct proposal *change = &finder->advice->changes[of[i]];
        if (comparison.results[i]) {
            run_times_s[of[i]] = comparison.results[i]->run_time_s;
            change->sure = comparison.results[i]->uncertainty;
        } else {
            change->applies = false;
            const char *failure = comparison.failures[i] ? comparison.failures[i] : err.text;
            if (!change->why && set_why(change, &err, "%s", failure) != STATUS_OK) status = STATUS_SYSTEM;
        }
    }
    if (!finder->unchanged && comparison.count > 0) {
        finder->unchanged = comparison.results[0];
        comparison.results[0] = NULL;
    }
    comparison_clear(&comparison);
    if (status == STATUS_OK || (status == STATUS_DATA && finder->advice->changes[0].applies)) return STATUS_OK;
    if (finder->err) *finder->err = err;
    return status;
}

/* What the engines' gains differ by is an error of the model. */
static void state_error(const struct finder *finder, struct proposal *change, double run_time_s)
{
    const struct proposal *unchanged = &finder->advice->changes[0];
    change->error = uncertainty_of_difference(&unchanged->sure, &change->sure);
    if (change->drawn) change->error.part_s[PART_RACES] = change->races_s;
    if (!isnan(finder->options->error))
        change->error = (struct uncertainty){.known = true, .part_s = {[PART_MODEL] = finder->options->error * run_time_s}};
    change->error.part_s[PART_MODEL] += change->apart_s;
}

static enum status replay_fast(struct finder *finder, size_t first, const struct engine_descriptor *engine)
{
    double run_times_s[ADVICE_ROWS_MAX];
    TRY(replay_changes(finder, first, engine, false, run_times_s));
    for (size_t i = first; i < finder->advice->count; i++) {
        struct proposal *change = &finder->advice->changes[i];
        change->run_time_s = run_times_s[i];
        change->gain_s = finder->advice->changes[0].run_time_s - run_times_s[i];
        if (change->applies) state_error(finder, change, finder->advice->changes[0].run_time_s);
    }
    return STATUS_OK;
}

static double gain_of(const struct proposal *change)
{
    return change->applies && !isnan(change->gain_s) ? change->gain_s : -INFINITY;
}

/* Orders all changes but the first one, the largest gain first. Scenes point into themselves, so the order is one of
 * indices. */
static void order_changes(const struct advice *advice, size_t *order)
{
    for (size_t i = 1; i < advice->count; i++) {
        size_t at = i - 1;
        for (; at > 0 && gain_of(&advice->changes[order[at - 1]]) < gain_of(&advice->changes[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static enum status add_setting(struct finder *finder, const char *key, const char *value)
{
    char name[SCENE_NAME_BYTES];
    if (finder->advice->count == ADVICE_ROWS_MAX) return STATUS_OK;
    if (snprintf(name, sizeof name, "platform+%s=%s", key, value) >= SCENE_NAME_BYTES) return STATUS_OK;
    enum status status = add_change(finder, name);
    if (status == STATUS_OK || status == STATUS_SYSTEM) return status;
    return set_why(&finder->advice->changes[finder->advice->count - 1], finder->err, "the platform does not take it");
}

/* A row that does not apply says why no other library is tried. */
static enum status say_no_profiles(struct finder *finder)
{
    size_t before = finder->advice->count;
    TRY(add_setting(finder, "mpi.profile", "NAME"));
    if (finder->advice->count == before) return STATUS_OK;
    free(finder->advice->changes[before].why); /* NAME is no profile */
    return set_why(&finder->advice->changes[before], finder->err,
                   "the platform's MPI values are measured, not of a profile: another library's are compared by "
                   "compare --profiles");
}

/* Each other profile in place of the platform's. One that is of another transport says nothing of this network. */
static enum status add_profiles(struct finder *finder, const struct platform *platform)
{
    char names[PROFILE_NAMES_BYTES], *rest = names, *name;
    if (!platform->profile) return platform->library ? say_no_profiles(finder) : STATUS_OK;
    TRY(profile_list(platform->file, names, sizeof names, finder->err));
    while ((name = strsep(&rest, ", "))) {
        if (*name == '\0' || strcmp(name, platform->profile) == 0) continue;
        size_t before = finder->advice->count;
        TRY(add_setting(finder, "mpi.profile", name));
        if (finder->advice->count == before) return STATUS_OK;
        struct proposal *change = &finder->advice->changes[before];
        if (change->applies && transport_is_other(platform->transport, change->scene.platform->transport))
            TRY(set_why(change, finder->err, "the platform's profile is not of that transport"));
    }
    return STATUS_OK;
}

/* What users of a platform can set: a progress thread, or rank, where targets' calls serve messages, the other order of ranks
 * where it takes no more nodes, another library. */
static enum status add_settings(struct finder *finder)
{
    const struct platform *platform = finder->advice->changes[0].scene.platform;
    const int64_t ranks = finder->advice->trace->rank_count, per_node = platform->ranks_per_node;
    if (protocol_uses(&platform->protocol, PROGRESS_CALL)) {
        TRY(add_setting(finder, "mpi.rma.progress", "thread"));
        if (platform_least_cores(platform) > 1) TRY(add_setting(finder, "mpi.rma.progress", "ranks:1"));
    }
    if (!platform->rank_nodes && per_node > 1 && platform->node_count > 1 && ranks > (platform->node_count - 1) * per_node)
        TRY(add_setting(finder, "mapping.round_robin", platform->round_robin ? "false" : "true"));
    return add_profiles(finder, platform);
}

static enum status add_singles(struct finder *finder)
{
    char name[SCENE_NAME_BYTES];
    TRY(add_change(finder, "platform"));
    if (!finder->advice->changes[0].applies)
        return err_set(finder->err, STATUS_DATA, NULL, NULL, "%s", finder->advice->changes[0].scene.refused.text);
    for (char letter = 'a'; letter <= 'd'; letter++) TRY(add_change(finder, (const char[]){letter, '\0'}));
    for (const struct transform *const *row = transforms(); *row; row++) {
        if ((*row)->argument && !(*row)->fallback) continue; /* its argument is not known */
        snprintf(name, sizeof name, "platform+%s", (*row)->name);
        TRY(add_change(finder, name));
    }
    return add_settings(finder);
}

bool advice_replaces_messages(const struct scene *scene)
{
    return scene->spec_count > 0 && strncmp(scene->specs[0], "p2p=", 4) == 0;
}

/* The part after the semantics: "+post-early"; "" for a letter alone. */
static const char *rewrites_of(const struct scene *scene)
{
    const char *plus = strchr(scene->name, '+');
    return plus ? plus : "";
}

/* The name of a row with both changes; false if both are letters, values of one key, or replace messages. */
static bool pair_name(const struct scene *a, const struct scene *b, char name[SCENE_NAME_BYTES])
{
    bool a_letter = strcmp(a->text, "platform") != 0, b_letter = strcmp(b->text, "platform") != 0;
    if (a_letter && b_letter) return false;
    if (advice_replaces_messages(a) && advice_replaces_messages(b)) return false;
    if (a->spec_count > 0 && b->spec_count > 0 && transform_override(a->specs[0]) && transform_override(b->specs[0])) {
        size_t key = strcspn(transform_override(a->specs[0]), "=") + 1;
        if (strncmp(transform_override(a->specs[0]), transform_override(b->specs[0]), key) == 0) return false;
    }
    int length =
        snprintf(name, SCENE_NAME_BYTES, "%s%s%s", b_letter ? b->text : a->text, rewrites_of(a), rewrites_of(b));
    return length < SCENE_NAME_BYTES;
}

static enum status add_pair(struct finder *finder, const struct proposal *a, const struct proposal *b)
{
    char name[SCENE_NAME_BYTES];
    if (finder->advice->count == ADVICE_ROWS_MAX || !pair_name(&a->scene, &b->scene, name)) return STATUS_OK;
    TRY(add_change(finder, name));
    finder->advice->changes[finder->advice->count - 1].alone[0] = a;
    finder->advice->changes[finder->advice->count - 1].alone[1] = b;
    return STATUS_OK;
}

/* Adds pairs of the changes with the largest gains. */
static enum status add_pairs(struct finder *finder)
{
    size_t order[ADVICE_ROWS_MAX], singles = finder->advice->count - 1, best = 0;
    order_changes(finder->advice, order);
    while (best < ADVICE_PAIRED && best < singles && gain_of(&finder->advice->changes[order[best]]) > 0) best++;
    for (size_t i = 0; i < best; i++)
        for (size_t j = i + 1; j < best; j++)
            TRY(add_pair(finder, &finder->advice->changes[order[i]], &finder->advice->changes[order[j]]));
    return STATUS_OK;
}

/* Sets `best`: the first one, and the changes with the largest gains beyond their errors. Returns how many. */
static size_t find_best(const struct advice *advice, size_t best[1 + CONFIRMED])
{
    size_t order[ADVICE_ROWS_MAX], count = 1;
    order_changes(advice, order);
    best[0] = 0;
    for (size_t i = 0; i < CONFIRMED && i + 1 < advice->count; i++) {
        const struct proposal *change = &advice->changes[order[i]];
        if (gain_of(change) > 0 && uncertainty_tells(&change->error, change->gain_s)) best[count++] = order[i];
    }
    return count;
}

/* One change's gain by its draws. A change that cannot be drawn stays as it is. */
static enum status draw_change(struct finder *finder, struct proposal *change, const struct draws_request *request,
                               const struct draws *unchanged, struct draws *draws)
{
    struct advice *advice = finder->advice;
    const struct rewrite *rewrite = &change->scene.rewrite;
    struct err err;
    TRY(draws_run(rewrite->trace ? rewrite->trace : advice->trace, change->scene.platform, request, draws, &err));
    const struct draws_range *range = &draws->run_time;
    uncertainty_draw(&change->sure, range->min_s, range->max_s, range->median_s);
    if (draws == unchanged) return STATUS_OK;
    change->drawn = true;
    change->races_s = draws_paired_range_s(draws, unchanged) / 2;
    change->gain_s = unchanged->run_time.median_s - range->median_s;
    state_error(finder, change, unchanged->run_time.median_s);
    return STATUS_OK;
}

/* Draws the best changes: where a microsecond decides which request is served first, one replay shows one of several gains. */
static void draw_best(struct finder *finder, const size_t *best, size_t count)
{
    struct advice *advice = finder->advice;
    const struct analyze_options analyze = ANALYZE_DEFAULTS;
    struct draws draws[1 + CONFIRMED] = {{.count = 0}};
    const struct draws_request request = {.engine = finder->options->fast, .analyze = &analyze, .count = finder->options->draws,
                                          .seed = 1, .keep_going = finder->options->scenes.keep_going};
    struct err err;
    if (count < 2 || request.count == 0) return;
    if (draws_check(&request, advice->changes[0].scene.platform, advice->trace->rank_count, &err) != STATUS_OK) return;
    for (size_t i = 0; i < count; i++)
        if (draw_change(finder, &advice->changes[best[i]], &request, &draws[0], &draws[i]) != STATUS_OK && i == 0) break;
    for (size_t i = 0; i < count; i++) draws_clear(&draws[i]);
}

/* Replays the best changes by the other engine: the difference of the engines is part of the error. */
static enum status confirm_best(struct finder *finder, const size_t *best, size_t count, const struct engine_descriptor *engine)
{
    double run_times_s[ADVICE_ROWS_MAX];
    for (size_t i = 0; i < count; i++) finder->advice->changes[best[i]].confirmed = true;
    TRY(replay_changes(finder, 0, engine, true, run_times_s));
    finder->advice->reference_s = run_times_s[0];
    for (size_t i = 1; i < finder->advice->count; i++) {
        struct proposal *change = &finder->advice->changes[i];
        if (isnan(run_times_s[i])) continue; /* not confirmed, or it failed */
        double gain_s = run_times_s[0] - run_times_s[i];
        change->apart_s = fabs(gain_s - change->gain_s);
        change->gain_s = gain_s;
        state_error(finder, change, run_times_s[0]);
    }
    return STATUS_OK;
}

double advice_error_s(const struct proposal *change)
{
    return uncertainty_total_s(&change->error);
}

bool advice_is_advised(const struct proposal *change)
{
    const double error_s = isnan(advice_error_s(change)) ? 0 : advice_error_s(change);
    double least_s = error_s;
    for (int i = 0; i < 2; i++)
        if (change->alone[i]) least_s = fmax(least_s, gain_of(change->alone[i]) + error_s);
    return gain_of(change) > least_s && gain_of(change) > 0;
}

/* The place with the largest loss whose advice a change follows. The rows of a wait state's advice name the transforms that
 * follow it, as "platform,platform+post-early"; no transform's name is a part of another's. */
static const struct result_place *find_place(const struct result *result, const struct proposal *change)
{
    const struct result_place *found = NULL;
    for (size_t p = 0; p < PATTERN_COUNT; p++)
        for (size_t i = 0; i < result->patterns[p].place_count; i++) {
            const struct result_place *place = &result->patterns[p].places[i];
            if (!place->advice || !place->rows || (found && place->severity_s <= found->severity_s)) continue;
            for (size_t k = 0; k < change->scene.spec_count; k++)
                if (strstr(place->rows, change->scene.specs[k])) found = place;
        }
    return found;
}

/* "main/exchange (halo.c:40): move MPI_Win_post ..." */
static enum status place_text(const struct result_place *place, char **text, struct err *err)
{
    struct memory_text made;
    TRY(memory_text_open(&made, err));
    text_print(made.out, "%s", place->callpath ? place->callpath : "the program");
    if (place->file) text_print(made.out, " (%s:%" PRId32 ")", place->file, place->line);
    text_print(made.out, ": %s", place->advice);
    TRY(memory_text_close(&made, STATUS_OK, err));
    *text = made.text;
    return STATUS_OK;
}

static enum status say_where(struct finder *finder)
{
    for (size_t i = 1; finder->unchanged && i < finder->advice->count; i++) {
        struct proposal *change = &finder->advice->changes[i];
        const struct result_place *place = change->applies ? find_place(finder->unchanged, change) : NULL;
        if (place) TRY(place_text(place, &change->where, finder->err));
    }
    return STATUS_OK;
}

static enum status find_changes(struct finder *finder)
{
    struct advice *advice = finder->advice;
    size_t best[1 + CONFIRMED];
    TRY(add_singles(finder));
    TRY(replay_fast(finder, 0, finder->options->fast));
    size_t singles = advice->count;
    TRY(add_pairs(finder));
    TRY(replay_fast(finder, singles, finder->options->fast));
    advice->reference_s = advice->changes[0].run_time_s;
    const size_t best_count = find_best(advice, best);
    if (finder->options->confirms) TRY(confirm_best(finder, best, best_count, finder->options->confirms));
    draw_best(finder, best, best_count);
    order_changes(advice, advice->order);
    TRY(say_where(finder));
    if (!finder->options->recorded || !finder->unchanged) return STATUS_OK;
    return result_explain(finder->options->recorded, finder->unchanged, NULL, finder->err);
}

enum status advice_find(const struct trace *trace, const struct advice_options *options, struct advice **advice,
                        struct err *err)
{
    struct finder finder = {.advice = calloc(1, sizeof *finder.advice), .options = options, .err = err};
    if (!finder.advice) return err_memory(err);
    finder.advice->options = options;
    finder.advice->trace = trace;
    enum status status = find_changes(&finder);
    if (finder.unchanged) result_give_notes(finder.unchanged, &finder.advice->notes, &finder.advice->note_count);
    result_free(finder.unchanged);
    if (status == STATUS_OK)
        *advice = finder.advice;
    else
        advice_free(finder.advice);
    return status;
}

void advice_free(struct advice *advice)
{
    for (size_t i = 0; advice && i < advice->count; i++) {
        scene_close(&advice->changes[i].scene);
        FREE_ALL(advice->changes[i].why, advice->changes[i].where);
    }
    for (size_t i = 0; advice && i < advice->note_count; i++) free(advice->notes[i]);
    if (advice) free(advice->notes);
    free(advice);
}
