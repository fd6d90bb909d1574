#include "validate/calls.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/search.h"
#include "common/units.h"
#include "model/callpaths/callpath.h"
#include "trace/spins.h"

/* The state of one run during matching. */
struct run {
    const struct trace *trace;
    struct callpaths paths;
    bool paths_built;
    struct map texts; /* (node, site, function) to place + 1 */
    size_t next;      /* call */
    int64_t before_ps; /* exit of the thread's previous call, or the begin of the run */
    uint32_t place;   /* of the call at next */
};

struct matcher {
    struct validate_calls *calls;
    struct map places; /* hash of a place's words to its number + 1, probed by 1 */
    struct map occurrences; /* place to the number of occurrences on the thread */
    struct run *runs;  /* the prediction, then the measured ones */
    size_t run_count;
    double *samples; /* memory for one per measured run */
    const struct section *section; /* of the prediction; NULL: all of it */
    const char *callpath; /* pattern; NULL: any */
    bool differ;          /* the runs make other calls */
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++) hash = map_mix(hash, (unsigned char)*text);
    return hash;
}

static enum status add_place(struct validate_calls *calls, const char *path, const char *function, struct err *err)
{
    struct validate_place place = {.callpath = strdup(path), .function = function};
    struct validate_call_group group = {.count = 0};
    if (!place.callpath) return err_memory(err);
    if (calls->place_count == calls->place_capacity) {
        enum status status =
            array_reserve((void **)&calls->places, &calls->place_capacity, calls->place_count + 1, sizeof place, err);
        if (status != STATUS_OK) {
            free(place.callpath);
            return status;
        }
    }
    calls->places[calls->place_count++] = place;
    size_t groups = calls->place_count - 1;
    ARRAY_PUSH(calls->groups, groups, calls->group_capacity, group, err);
    return STATUS_OK;
}

/* Each call path and function has two places: its calls, and the computing before them. */
static enum status find_place(struct matcher *matcher, const char *path, const char *function, uint32_t *found,
                              struct err *err)
{
    struct validate_calls *calls = matcher->calls;
    uint64_t hash = hash_text(hash_text(1, path), function), *slot;
    for (;; hash++) {
        TRY(map_put(&matcher->places, hash, 0, &slot, err));
        if (*slot == 0) break;
        const struct validate_place *place = &calls->places[*slot - 1];
        if (place->function == function && strcmp(place->callpath, path) == 0) {
            *found = (uint32_t)(*slot - 1);
            return STATUS_OK;
        }
    }
    *slot = calls->place_count + 1;
    *found = (uint32_t)calls->place_count;
    TRY(add_place(calls, path, function, err));
    return add_place(calls, path, "computing", err);
}

/* The source location is that of the first run that has it. */
static enum status note_site(struct validate_place *place, const struct trace_site *site, struct err *err)
{
    if (place->file || !site->file) return STATUS_OK;
    place->file = strdup(site->file);
    place->line = site->line;
    return place->file ? STATUS_OK : err_memory(err);
}

static enum status place_of(struct matcher *matcher, struct run *run, uint32_t rank, size_t index, uint32_t *place,
                            struct err *err)
{
    const struct trace_call *call = &run->trace->ranks[rank].calls[index];
    uint32_t node = callpath_at(&run->paths, rank, index);
    uint64_t *slot;
    TRY(map_put(&run->texts, map_mix(map_mix(node, call->site), call->call), 0, &slot, err));
    if (*slot == 0) {
        char *text;
        TRY(callpath_text(run->trace, &run->paths, node, call->site, call->call, &text, err));
        enum status status = find_place(matcher, text, call_name(call->call), place, err);
        free(text);
        TRY(status);
        const struct trace_site *site = &run->trace->definitions.sites[call->site];
        TRY(note_site(&matcher->calls->places[*place], site, err));
        TRY(note_site(&matcher->calls->places[*place + 1], site, err));
        *slot = *place + 1;
    }
    *place = (uint32_t)(*slot - 1);
    return STATUS_OK;
}

/* A failed test is computing. */
static bool is_matched(const struct trace_call *call)
{
    return !call_is_region(call->call) && !trace_is_failed_test(call);
}

/* Advances to the thread's next matched call, from run->next on. False: there is none. */
static bool find_next(struct run *run, uint32_t rank, uint32_t thread)
{
    const struct trace_rank *of = &run->trace->ranks[rank];
    while (run->next < of->count &&
           (trace_call_thread(run->trace, rank, run->next) != thread || !is_matched(&of->calls[run->next])))
        run->next++;
    return run->next < of->count;
}

static enum status add_call(struct matcher *matcher, struct validate_call call, double predicted_s, struct err *err)
{
    size_t repetitions = matcher->run_count - 1;
    call.predicted_s = predicted_s;
    call.measured_s = samples_median(matcher->samples, repetitions);
    call.measured_min_s = matcher->samples[0];
    call.measured_max_s = matcher->samples[repetitions - 1];
    call.two_groups = samples_two_groups(matcher->samples, repetitions);
    struct validate_calls *calls = matcher->calls;
    ARRAY_PUSH(calls->calls, calls->count, calls->capacity, call, err);
    return STATUS_OK;
}

static const struct trace_call *call_at(const struct run *run, uint32_t rank)
{
    return &run->trace->ranks[rank].calls[run->next];
}

static bool is_kept(const struct matcher *matcher, uint32_t rank)
{
    const struct run *predicted = &matcher->runs[0];
    if (matcher->section && !section_has(matcher->section, rank, call_at(predicted, rank))) return false;
    return !matcher->callpath || fnmatch(matcher->callpath, matcher->calls->places[predicted->place].callpath, 0) == 0;
}

/* All runs are at the same call: notes those that make it with other bytes or another partner. */
static void note_others(struct matcher *matcher, uint32_t rank)
{
    const struct trace_call *predicted = call_at(&matcher->runs[0], rank);
    for (size_t i = 1; i < matcher->run_count; i++) {
        const struct run *run = &matcher->runs[i];
        const struct trace_call *call = call_at(run, rank);
        if (call->bytes == predicted->bytes && call->peer == predicted->peer) continue;
        if (matcher->calls->other_count++ > 0) continue;
        matcher->calls->other = (struct validate_other){.run = i - 1,
                                                        .rank = rank,
                                                        .place = run->place,
                                                        .event = run->next + 1,
                                                        .bytes = call->bytes,
                                                        .predicted_bytes = predicted->bytes,
                                                        .peer = call->peer,
                                                        .predicted_peer = predicted->peer};
    }
}

/* All runs are at the same call: adds the computing before it, and the call. */
static enum status add_both(struct matcher *matcher, uint32_t rank, uint32_t thread, struct err *err)
{
    struct run *runs = matcher->runs;
    uint64_t *occurrence;
    TRY(map_put(&matcher->occurrences, runs[0].place, 0, &occurrence, err));
    struct validate_call call = {.rank = rank, .thread = thread, .occurrence = (uint32_t)++*occurrence};
    int kinds = is_kept(matcher, rank) ? 2 : 0;
    if (kinds > 0) note_others(matcher, rank);
    for (int what = 0; what < kinds; what++) {
        double times_s[2] = {0, 0};
        for (size_t i = 0; i < matcher->run_count; i++) {
            const struct trace_call *at = call_at(&runs[i], rank);
            times_s[i > 0] = units_s(what == 0 ? at->exit_ps - at->enter_ps : at->enter_ps - runs[i].before_ps);
            if (i > 0) matcher->samples[i - 1] = times_s[1];
        }
        call.place = runs[0].place + (uint32_t)what;
        TRY(add_call(matcher, call, times_s[0], err));
    }
    for (size_t i = 0; i < matcher->run_count; i++) {
        runs[i].before_ps = call_at(&runs[i], rank)->exit_ps;
        runs[i].next++;
    }
    return STATUS_OK;
}

enum { CALL_TEXT = 400 };

/* Function, call path and line of the run's next call. */
static void describe_call(const struct matcher *matcher, const struct run *run, uint32_t rank, char text[CALL_TEXT])
{
    const struct validate_place *place = &matcher->calls->places[run->place];
    const struct trace_site *site = &run->trace->definitions.sites[call_at(run, rank)->site];
    bool alone = strcmp(place->function, place->callpath) == 0; /* not inside a known function or region */
    int used = snprintf(text, CALL_TEXT, "%s%s%s", place->function, alone ? "" : " in ", alone ? "" : place->callpath);
    if (site->file && used < CALL_TEXT)
        snprintf(text + used, (size_t)(CALL_TEXT - used), " (%s:%" PRId32 ")", site->file, site->line);
}

static enum status tell_difference(struct matcher *matcher, size_t other, uint32_t rank, const bool *there,
                                   struct err *err)
{
    const struct run *of[2] = {&matcher->runs[0], &matcher->runs[other]};
    char texts[2][CALL_TEXT] = {"no further call", "no further call"};
    matcher->differ = true;
    for (int i = 0; i < 2; i++)
        if (there[i]) describe_call(matcher, of[i], rank, texts[i]);
    return err_set(err, STATUS_DATA, of[1]->trace->name, NULL,
                   "rank %" PRIu32 ", event %zu: has %s, expected %s as in the prediction %s", rank, of[1]->next + 1,
                   texts[1], texts[0], of[0]->trace->name);
}

static enum status match_thread(struct matcher *matcher, uint32_t rank, uint32_t thread, struct err *err)
{
    map_empty(&matcher->occurrences);
    for (size_t i = 0; i < matcher->run_count; i++) {
        matcher->runs[i].next = 0;
        matcher->runs[i].before_ps = trace_begin_ps(matcher->runs[i].trace);
    }
    for (;;) {
        bool there[2] = {false, false};
        for (size_t i = 0; i < matcher->run_count; i++) {
            struct run *run = &matcher->runs[i];
            there[i > 0] = find_next(run, rank, thread);
            if (there[i > 0]) TRY(place_of(matcher, run, rank, run->next, &run->place, err));
            if (there[i > 0] != there[0] || (there[0] && run->place != matcher->runs[0].place))
                return i == 0 ? STATUS_OK : tell_difference(matcher, i, rank, there, err);
        }
        if (!there[0]) return STATUS_OK;
        TRY(add_both(matcher, rank, thread, err));
    }
}

static enum status open_runs(struct matcher *matcher, const struct trace *predicted, const struct trace *const *measured,
                             struct err *err)
{
    for (size_t i = 0; i < matcher->run_count; i++) {
        struct run *run = &matcher->runs[i];
        run->trace = i == 0 ? predicted : measured[i - 1];
        if (run->trace->rank_count != predicted->rank_count)
            return err_set(err, STATUS_DATA, run->trace->name, NULL,
                           "has %" PRIu32 " rank%s, expected %" PRIu32 " as in the prediction %s", run->trace->rank_count,
                           units_plural(run->trace->rank_count), predicted->rank_count, predicted->name);
        TRY(callpaths_build(run->trace, &run->paths, err));
        run->paths_built = true;
    }
    return STATUS_OK;
}

static enum status match_all(struct matcher *matcher, struct err *err)
{
    const struct trace *predicted = matcher->runs[0].trace;
    for (uint32_t r = 0; r < predicted->rank_count; r++) {
        uint32_t threads = 1;
        for (size_t i = 0; i < matcher->run_count; i++) {
            uint32_t of_run = trace_thread_count(matcher->runs[i].trace, r);
            if (of_run > threads) threads = of_run;
        }
        for (uint32_t t = 0; t < threads; t++) TRY(match_thread(matcher, r, t, err));
    }
    return STATUS_OK;
}

ORDER(compare_by_place, struct validate_call, UP(place) UP(rank) UP(thread) UP(occurrence))

static void sum_group(struct validate_calls *calls, struct validate_call_group *group, const struct validate_call *first,
                      double *samples)
{
    size_t n = 0;
    const struct validate_call *end = calls->calls + calls->count;
    for (const struct validate_call *call = first; call < end && call->place == first->place; call++, n++) {
        double error_s = call->predicted_s - call->measured_s;
        group->predicted_s += call->predicted_s;
        group->measured_s += call->measured_s;
        group->error_s += error_s;
        group->absolute_s += fabs(error_s);
        group->spread_s += call->measured_max_s - call->measured_min_s;
        group->two_groups += call->two_groups;
        if (call->two_groups) group->two_groups_s += fabs(error_s);
        samples[n] = call->predicted_s;
    }
    group->count = n;
    group->predicted_median_s = samples_median(samples, n);
    for (size_t i = 0; i < n; i++) samples[i] = first[i].measured_s;
    group->measured_median_s = samples_median(samples, n);
    bool computing = first->place % 2; /* find_place() */
    group->race = !computing && group->two_groups_s > 0 && group->two_groups_s >= group->absolute_s / 2;
    calls->absolute_s += group->absolute_s;
    *(computing ? &calls->computing_error_s : &calls->calls_error_s) += group->error_s;
}

static void summarize_calls(struct validate_calls *calls, double *samples)
{
    size_t relative = 0;
    double worst_s = -1;
    for (size_t i = 0; i < calls->count; i++) {
        const struct validate_call *call = &calls->calls[i];
        double error_s = fabs(call->predicted_s - call->measured_s);
        if (error_s > worst_s) calls->worst = i;
        if (error_s > worst_s) worst_s = error_s;
        calls->within_spread +=
            call->predicted_s >= call->measured_min_s && call->predicted_s <= call->measured_max_s;
        samples[i] = error_s;
    }
    calls->error_s = samples_summarize(samples, calls->count);
    for (size_t i = 0; i < calls->count; i++) {
        const struct validate_call *call = &calls->calls[i];
        if (call->measured_s > 0) samples[relative++] = fabs(call->predicted_s - call->measured_s) / call->measured_s;
    }
    calls->relative = samples_summarize(samples, relative);
}

static const struct validate_call_group *sorted_groups; /* of compare_groups() */
static int compare_groups(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    double of_x = sorted_groups[x].absolute_s, of_y = sorted_groups[y].absolute_s;
    if (of_x != of_y) return of_x < of_y ? 1 : -1;
    return (x > y) - (x < y);
}

static enum status finish_groups(struct validate_calls *calls, struct err *err)
{
    double *samples = calloc(calls->count + 1, sizeof *samples);
    calls->order = calloc(calls->place_count + 1, sizeof *calls->order);
    if (!samples || !calls->order) {
        free(samples);
        return err_memory(err);
    }
    struct validate_call *in_order = calls->calls;
    if (calls->count > 0) qsort(in_order, calls->count, sizeof *in_order, compare_by_place);
    for (size_t i = 0; i < calls->count; i += calls->groups[in_order[i].place].count)
        sum_group(calls, &calls->groups[in_order[i].place], &in_order[i], samples);
    summarize_calls(calls, samples);
    free(samples);
    for (size_t i = 0; i < calls->place_count; i++) {
        struct validate_call_group *group = &calls->groups[i];
        group->share = calls->absolute_s > 0 ? group->absolute_s / calls->absolute_s : 0;
        calls->order[i] = i;
    }
    sorted_groups = calls->groups;
    if (calls->place_count > 0) qsort(calls->order, calls->place_count, sizeof *calls->order, compare_groups);
    return STATUS_OK;
}

enum status validate_calls_match(const struct trace *predicted, const struct trace *const *measured, size_t repetitions,
                                 const struct section *section, const char *callpath, struct validate_calls **calls,
                                 char **difference, struct err *err)
{
    struct matcher matcher = {.run_count = repetitions + 1, .section = section, .callpath = callpath};
    matcher.calls = calloc(1, sizeof *matcher.calls);
    matcher.runs = calloc(matcher.run_count, sizeof *matcher.runs);
    matcher.samples = calloc(matcher.run_count, sizeof *matcher.samples);
    bool room = matcher.calls && matcher.runs && matcher.samples;
    enum status status = room ? open_runs(&matcher, predicted, measured, err) : err_memory(err);
    struct err fault = {.status = STATUS_OK};
    if (difference) *difference = NULL;
    if (status == STATUS_OK) status = match_all(&matcher, &fault);
    if (matcher.differ && difference) {
        *difference = strdup(fault.text);
        status = *difference ? STATUS_OK : err_memory(err);
    } else if (fault.status != STATUS_OK && err) {
        *err = fault;
    }
    if (status == STATUS_OK && !matcher.differ) status = finish_groups(matcher.calls, err);
    for (size_t i = 0; matcher.runs && i < matcher.run_count; i++) {
        if (matcher.runs[i].paths_built) callpaths_clear(&matcher.runs[i].paths);
        map_clear(&matcher.runs[i].texts);
    }
    map_clear(&matcher.places);
    map_clear(&matcher.occurrences);
    FREE_ALL(matcher.runs, matcher.samples);
    bool matched = status == STATUS_OK && !matcher.differ;
    if (!matched) validate_calls_free(matcher.calls);
    if (status == STATUS_OK) *calls = matched ? matcher.calls : NULL;
    return status;
}

void validate_calls_free(struct validate_calls *calls)
{
    if (!calls) return;
    for (size_t i = 0; i < calls->place_count; i++) {
        FREE_ALL(calls->places[i].callpath, calls->places[i].file);
    }
    FREE_ALL(calls->places, calls->groups, calls->order, calls->calls, calls);
}
