#include "predictors/sensitivity/places.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/analyze.h"
#include "model/callpaths/time_profile.h"
#include "model/match/relations.h"

#define AT_BEGIN SIZE_MAX /* of a thread: no call is before */

/* A part that a call, or computing after it, loses. */
struct part {
    uint32_t rank, thread;
    size_t call;
    bool computing;
    uint32_t site; /* of computing: of the call behind it */
};

/* A walk along the path, from its end. */
struct walk {
    const struct timelines *timelines;
    const struct messages *messages;
    const struct waits *waits; /* by rank, thread, call */
    const struct platform *platform;
    const struct trace *before, *after; /* predicted at the platform's value and a step further; before: NULL: of one replay */
    int64_t grain;                      /* of that one: the rest of each time is its rise */
    struct time_profile *profile;
    struct places *places;
    int64_t left; /* rise of the time at which the walk is: first the run time's; of ranks that end together one may rise more */
    bool begun;
    struct part open; /* not counted yet */
    struct err *err;
};

static int64_t rise_of(const struct walk *walk, uint32_t rank, size_t call, bool exit)
{
    const struct trace_call *b = &walk->after->ranks[rank].calls[call];
    if (!walk->before) return (exit ? b->exit_ps : b->enter_ps) % walk->grain;
    const struct trace_call *a = &walk->before->ranks[rank].calls[call];
    return exit ? b->exit_ps - a->exit_ps : b->enter_ps - a->enter_ps;
}

static const struct trace_call *call_of(const struct walk *walk, uint32_t rank, size_t call)
{
    return call == AT_BEGIN ? NULL : &walk->after->ranks[rank].calls[call];
}

static enum status add_share(const struct walk *walk, enum place_split split, int64_t a, int64_t b, int64_t part)
{
    struct place_shares *shares = &walk->places->splits[split];
    size_t i = 0;
    while (i < shares->count && (shares->items[i].a != a || shares->items[i].b != b)) i++;
    const struct place_share made = {a, b, 0};
    if (i == shares->count) ARRAY_PUSH(shares->items, shares->count, shares->capacity, made, walk->err);
    shares->items[i].slope += (double)part;
    return STATUS_OK;
}

static enum status add_pair(const struct walk *walk, int64_t from, int64_t to, int64_t part)
{
    const int64_t from_node = platform_node_of(walk->platform, (uint32_t)from),
                  to_node = platform_node_of(walk->platform, (uint32_t)to);
    if (from != to) TRY(add_share(walk, SPLIT_PAIR, from, to, part));
    return from_node != to_node ? add_share(walk, SPLIT_LINK, from_node, to_node, part) : STATUS_OK;
}

/* The wait of a call that ends then; NULL: there is none. */
static const struct wait *find_wait(const struct walk *walk, const struct part *of, int64_t until_ps)
{
    const struct waits *waits = walk->waits;
    size_t low = 0, high = waits->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct wait *wait = &waits->items[middle];
        bool before = wait->rank != of->rank       ? wait->rank < of->rank
                      : wait->thread != of->thread ? wait->thread < of->thread
                                                   : wait->call < of->call;
        if (before) low = middle + 1;
        else high = middle;
    }
    for (; low < waits->count && waits->items[low].rank == of->rank && waits->items[low].call == of->call; low++)
        if (waits->items[low].until_ps == until_ps && until_ps > waits->items[low].from_ps) return &waits->items[low];
    return NULL;
}

/* The message that a call received; NULL: there is none. */
static const struct message *find_message(const struct messages *messages, uint32_t rank, size_t call)
{
    size_t low = 0, high = messages->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct message *message = &messages->items[middle];
        if (message->receiver < rank || (message->receiver == rank && message->receive_call < call)) low = middle + 1;
        else high = middle;
    }
    const struct message *found = low < messages->count ? &messages->items[low] : NULL;
    return found && found->receiver == rank && found->receive_call == call ? found : NULL;
}

static enum status add_part(struct walk *walk, const struct part *of, int64_t part)
{
    const struct trace_call *call = call_of(walk, of->rank, of->call);
    const struct time_activity activity = {
        .node = call ? callpath_at(walk->profile->paths, of->rank, of->call) : CALLPATH_ROOT,
        .site = of->computing ? of->site : call->site,
        .activity = of->computing ? (uint32_t)ACTIVITY_COMPUTING : call->call};
    const enum call_arm arm = of->computing ? ARM_PLAIN : call_arm(call_kind((enum mpi_call)call->call));
    walk->places->rank_parts[of->rank] += (double)part;
    if (arm == ARM_RMA || arm == ARM_SYNC || arm == ARM_WINDOW) TRY(add_share(walk, SPLIT_WINDOW, call->handle, 0, part));
    return time_profile_add(walk->profile, &activity, &(struct rank_sum){.rank = of->rank, .thread = of->thread, .ps = part},
                            walk->err);
}

/* How much longer the call that ended a wait, or sent a message, lasts: none if it outlasts the one that it ended. */
static int64_t rise_within(const struct walk *walk, uint32_t rank, size_t call, int64_t until_ps, int64_t most)
{
    if (walk->after->ranks[rank].calls[call].exit_ps > until_ps) return 0;
    return units_max_ps(0, units_min_ps(most, rise_of(walk, rank, call, true) - rise_of(walk, rank, call, false)));
}

/* A part of a call without a wait: with the rank that the call names. */
static enum status add_named(struct walk *walk, const struct part *of, int64_t part)
{
    const struct trace_call *call = of->computing ? NULL : call_of(walk, of->rank, of->call);
    const struct message *message = call ? find_message(walk->messages, of->rank, of->call) : NULL;
    if (message) {
        const struct trace_sim *sim = walk->after->ranks[of->rank].sim;
        const struct part sends = {.rank = message->sender, .call = message->send_call,
                                   .thread = trace_call_thread(walk->after, message->sender, message->send_call)};
        const int64_t own = sim && sim[of->call].blocked_ps > 0 /* else it was there */
                                ? rise_within(walk, message->sender, message->send_call, call->exit_ps, part)
                                : 0;
        TRY(add_pair(walk, message->sender, of->rank, part));
        if (own > 0) TRY(add_part(walk, &sends, own));
        return part > own ? add_part(walk, of, part - own) : STATUS_OK;
    }
    const enum call_arm arm = call ? call_arm(call_kind((enum mpi_call)call->call)) : ARM_PLAIN;
    if (call && call->peer >= 0 && (arm == ARM_RMA || arm == ARM_SYNC || arm == ARM_MESSAGE))
        TRY(add_pair(walk, of->rank, call->peer, part));
    return add_part(walk, of, part);
}

/* A part behind a wait. */
static enum status add_waited(struct walk *walk, const struct part *of, const struct wait *wait, int64_t part)
{
    const struct part cause = {wait->cause_rank, wait->cause_thread, wait->cause_call, false, TRACE_NO_SITE};
    const int64_t own = rise_within(walk, cause.rank, cause.call, walk->after->ranks[of->rank].calls[of->call].exit_ps, part);
    TRY(add_share(walk, SPLIT_WAIT, wait->pattern, 0, part));
    TRY(add_pair(walk, wait->cause_rank, of->rank, part));
    if (own > 0) TRY(add_part(walk, &cause, own));
    return part > own ? add_part(walk, of, part - own) : STATUS_OK;
}

/* The open part begins at a time with this rise, behind a wait unless NULL. One that rises more than what comes after it is on
 * another path, and what comes earlier than before comes in another order. */
static enum status count_part(struct walk *walk, int64_t rise, const struct wait *wait)
{
    if (!walk->begun || rise >= walk->left) return STATUS_OK;
    const int64_t from = units_max_ps(rise, 0), part = walk->left - from;
    walk->left = from;
    return wait ? add_waited(walk, &walk->open, wait, part) : add_named(walk, &walk->open, part);
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

static uint32_t site_at(const struct timeline *timeline, size_t k)
{
    return k < timeline->count ? timeline_call(timeline, k)->site : TRACE_NO_SITE;
}

static enum status visit_part(struct walk *walk, uint32_t rank, uint32_t thread, const struct path_part *on)
{
    const struct timeline timeline = timeline_of(walk->timelines, rank, thread);
    size_t k;
    bool inside, at_exit;
    if (!enter_thread(&timeline, on->to_ps, &k, &inside, &at_exit)) return STATUS_OK;
    int64_t rise = rise_of(walk, rank, timeline_index(&timeline, k), at_exit);
    TRY(count_part(walk, rise, walk->begun && !walk->open.computing ? find_wait(walk, &walk->open, on->to_ps) : NULL));
    walk->begun = true;
    walk->open = (struct part){rank, thread, timeline_index(&timeline, k), !inside, site_at(&timeline, k + 1)};
    for (;; inside = !inside) {
        const struct trace_call *call = timeline_call(&timeline, k);
        if ((inside ? call->enter_ps : call->exit_ps) < on->from_ps) return STATUS_OK;
        TRY(count_part(walk, rise_of(walk, rank, timeline_index(&timeline, k), !inside), NULL));
        if (inside && k-- == 0) break;
        walk->open = (struct part){rank, thread, timeline_index(&timeline, k), inside, site_at(&timeline, k + 1)};
    }
    walk->open = (struct part){rank, thread, AT_BEGIN, true, site_at(&timeline, 0)};
    return STATUS_OK;
}

static enum status walk_path(struct walk *walk, const struct critical_path *path)
{
    struct locations locations;
    enum status status = STATUS_OK;
    TRY(locations_build(walk->after, &locations, walk->err));
    for (size_t i = 0; status == STATUS_OK && i < path->count; i++) {
        uint32_t rank = 0, high = walk->after->rank_count;
        while (high - rank > 1) {
            uint32_t middle = rank + (high - rank) / 2;
            *(locations.first[middle] <= path->parts[i].location ? &rank : &high) = middle;
        }
        status = visit_part(walk, rank, path->parts[i].location - locations.first[rank], &path->parts[i]);
    }
    locations_clear(&locations);
    return status == STATUS_OK ? count_part(walk, 0, NULL) : status;
}

ORDER(by_slope, struct place_share, DOWN(slope) UP(a) UP(b))

/* Slopes are in picoseconds by steps so far. */
static enum status report_places(struct walk *walk, double unit)
{
    struct places *places = walk->places;
    TRY(time_profile_report(walk->profile, NULL, &places->calls, walk->err));
    for (size_t i = 0; i < places->calls.count; i++) places->calls.items[i].time_s *= (double)UNITS_PS_PER_S * unit;
    for (uint32_t r = 0; r < walk->after->rank_count; r++) places->rank_parts[r] *= unit;
    for (int split = 0; split < SPLITS; split++) {
        struct place_shares *shares = &places->splits[split];
        for (size_t i = 0; i < shares->count; i++) shares->items[i].slope *= unit;
        if (shares->count > 1) qsort(shares->items, shares->count, sizeof *shares->items, by_slope);
    }
    return STATUS_OK;
}

static enum status analyze_walk(struct walk *walk, double unit)
{
    struct analyze_found found = {.waits = {.count = 0}};
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct relations relations;
    struct result *result;
    options.intervals = true;
    options.eager_bytes = walk->platform->eager_bytes;
    options.found = &found;
    TRY(relations_build(walk->after, &relations, walk->err));
    options.relations = &relations;
    struct time_profile profile = {.trace = walk->after, .paths = &found.profile.paths};
    walk->timelines = &relations.timelines;
    walk->messages = &relations.messages;
    walk->waits = &found.waits;
    walk->profile = &profile;
    enum status status = model_analyze(walk->after, &options, &result, walk->err);
    if (status == STATUS_OK) {
        result_free(result);
        status = walk_path(walk, &found.path);
        if (status == STATUS_OK) status = report_places(walk, unit);
        analyze_found_clear(&found);
    }
    time_profile_clear(&profile);
    relations_clear(&relations);
    return status;
}

enum status places_find(const struct run_time *of, bool jumps, double unit, struct places *places, struct err *err)
{
    struct trace *before = NULL, *after = NULL;
    const int64_t from = of->x + (jumps ? of->step : 0);
    int64_t t = 0, then = 0;
    *places = (struct places){.rank_parts = calloc((size_t)of->replays->trace->rank_count + 1, sizeof *places->rank_parts)};
    if (!places->rank_parts) return err_memory(err);
    const bool at_once = run_time_has_slope(of, of->x);
    double slope = 0;
    enum status status = at_once ? run_time_slope(of, of->x, false, &t, &slope, &after, err)
                                 : run_time_at(of, from, &t, &before, err);
    if (status == STATUS_OK && !at_once) status = run_time_at(of, from + of->step, &then, &after, err);
    struct walk walk = {.before = before, .after = after, .grain = of->grain, .platform = of->replays->platform,
                        .places = places, .err = err};
    walk.left = at_once ? (int64_t)slope : then - t;
    if (status == STATUS_OK) status = analyze_walk(&walk, unit / (double)of->step);
    trace_free(before);
    trace_free(after);
    return status;
}
