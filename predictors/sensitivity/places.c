#include "predictors/sensitivity/places.h"

#include "common/units.h"
#include "model/analyze.h"
#include "model/callpaths/time_profile.h"
#include "predictors/sensitivity/path.h"

#define AT_BEGIN SIZE_MAX /* of a thread: no call is before */

/* A walk along the path, from its end. */
struct walk {
    const struct timelines *timelines;
    const struct trace *before, *after; /* predicted at the platform's value and a step further */
    struct time_profile *profile;
    int64_t left; /* rise of the time at which the walk is */
    bool begun;
    uint32_t rank, thread; /* of the part that is not counted yet: in a call, or in computing after it */
    size_t call;
    bool computing;
    double *rank_parts; /* of the slope; NULL: not needed */
};

static int64_t rise_of(const struct walk *walk, uint32_t rank, size_t call, bool exit)
{
    const struct trace_call *a = &walk->before->ranks[rank].calls[call], *b = &walk->after->ranks[rank].calls[call];
    return exit ? b->exit_ps - a->exit_ps : b->enter_ps - a->enter_ps;
}

/* The open part begins at a time with this rise. One that rises more than what comes after it is on another path. */
static enum status count_part(struct walk *walk, int64_t rise, struct err *err)
{
    if (!walk->begun || rise >= walk->left) return STATUS_OK;
    int64_t part = walk->left - rise;
    walk->left = rise;
    if (walk->rank_parts) walk->rank_parts[walk->rank] += (double)part;
    const bool begin = walk->call == AT_BEGIN;
    const struct trace_call *call = begin ? NULL : &walk->after->ranks[walk->rank].calls[walk->call];
    const struct time_activity of = {
        .node = begin ? CALLPATH_ROOT : callpath_at(walk->profile->paths, walk->rank, walk->call),
        .site = walk->computing ? TRACE_NO_SITE : call->site,
        .activity = walk->computing ? (uint32_t)ACTIVITY_COMPUTING : call->call};
    return time_profile_add(walk->profile, &of, &(struct rank_sum){.rank = walk->rank, .thread = walk->thread, .ps = part}, err);
}

static void open_part(struct walk *walk, uint32_t rank, uint32_t thread, size_t call, bool computing)
{
    walk->rank = rank;
    walk->thread = thread;
    walk->call = call;
    walk->computing = computing;
}

/* Comes to a thread at a time: to the first of its calls' begins and ends then, else to the last one before. *k becomes the call
 * that lasts then, or after which the thread computes; `inside` tells which. False: the thread has no call before. */
static bool enter_thread(const struct timeline *timeline, int64_t at_ps, size_t *k, bool *inside, bool *at_exit)
{
    *k = timeline_first_ending(timeline, at_ps, true);
    const struct trace_call *call = *k < timeline->count ? timeline_call(timeline, *k) : NULL;
    *at_exit = true;
    *inside = call && call->enter_ps <= at_ps;
    if (*inside) {
        *at_exit = call->exit_ps == at_ps && call->enter_ps < at_ps;
        return true;
    }
    return (*k)-- > 0;
}

static enum status visit_part(void *context, uint32_t rank, uint32_t thread, int64_t from_ps, int64_t to_ps, struct err *err)
{
    struct walk *walk = context;
    const struct timeline timeline = timeline_of(walk->timelines, rank, thread);
    size_t k;
    bool inside, at_exit;
    if (!enter_thread(&timeline, to_ps, &k, &inside, &at_exit)) return STATUS_OK;
    int64_t rise = rise_of(walk, rank, timeline_index(&timeline, k), at_exit);
    TRY(count_part(walk, rise, err));
    if (!walk->begun) walk->left = rise;
    walk->begun = true;
    for (open_part(walk, rank, thread, timeline_index(&timeline, k), !inside);; inside = !inside) {
        const struct trace_call *call = timeline_call(&timeline, k);
        if ((inside ? call->enter_ps : call->exit_ps) < from_ps) return STATUS_OK;
        TRY(count_part(walk, rise_of(walk, rank, timeline_index(&timeline, k), !inside), err));
        if (inside && k-- == 0) break;
        open_part(walk, rank, thread, timeline_index(&timeline, k), inside);
    }
    open_part(walk, rank, thread, AT_BEGIN, true);
    return STATUS_OK;
}

static enum status walk_path(struct walk *walk, int64_t eager_bytes, double unit, struct result_shares *list, struct err *err)
{
    struct analyze_found found = {.waits = {.count = 0}};
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct timelines timelines;
    struct result *result;
    options.intervals = true;
    options.eager_bytes = eager_bytes;
    options.found = &found;
    TRY(timelines_build(walk->after, &timelines, err));
    struct time_profile profile = {.trace = walk->after, .paths = &found.profile.paths};
    walk->timelines = &timelines;
    walk->profile = &profile;
    enum status status = model_analyze(walk->after, &options, &result, err);
    if (status == STATUS_OK) {
        result_free(result);
        status = path_walk(&found.waits, &timelines, visit_part, walk, err);
        if (status == STATUS_OK) status = count_part(walk, 0, err);
        if (status == STATUS_OK) status = time_profile_report(&profile, NULL, list, err);
        analyze_found_clear(&found);
    }
    for (size_t i = 0; i < list->count; i++) list->items[i].time_s *= unit;
    time_profile_clear(&profile);
    timelines_clear(&timelines);
    return status;
}

enum status places_find(const struct run_time *of, bool jumps, struct result_shares *list, double *rank_parts, struct err *err)
{
    struct trace *before, *after = NULL;
    const int64_t from = of->x + (jumps ? of->step : 0);
    int64_t t;
    TRY(run_time_at(of, from, &t, &before, err));
    enum status status = run_time_at(of, from + of->step, &t, &after, err);
    struct walk walk = {.before = before, .after = after, .rank_parts = rank_parts};
    const double unit = (double)UNITS_PS_PER_S / (double)of->step;
    if (status == STATUS_OK) status = walk_path(&walk, of->replays->platform->eager_bytes, unit, list, err);
    for (uint32_t r = 0; rank_parts && r < before->rank_count; r++) rank_parts[r] /= (double)of->step;
    trace_free(before);
    trace_free(after);
    return status;
}
