#include "model/waits/wait_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "common/units.h"
#include "model/waits/disturbance.h"

void wait_profile_clear(struct wait_profile *profile)
{
    callpaths_clear(&profile->paths);
    map_clear(&profile->locations);
    map_clear(&profile->index);
    free(profile->items);
    rank_sums_clear(&profile->ranks);
    memset(profile, 0, sizeof *profile);
}

static bool is_worse(int64_t severity_ps, int64_t enter_ps, uint32_t rank, const struct advice_facts *worst)
{
    if (severity_ps != worst->severity_ps) return severity_ps > worst->severity_ps;
    if (enter_ps != worst->enter_ps) return enter_ps < worst->enter_ps;
    return rank < worst->rank;
}

/* The item of the wait's pattern and place; a new empty one if there is none. The pointer is valid until the next item
 * is made. */
static enum status item_of(struct wait_profile *profile, struct wait_place made, struct wait_place **found,
                           struct err *err)
{
    uint64_t *location, *item;
    TRY(map_put(&profile->locations, map_pair(made.node, made.site), profile->locations.count, &location, err));
    uint64_t sort = made.doubt == FINDING_CERTAIN ? made.pattern : PATTERN_COUNT + (uint64_t)made.doubt;
    uint64_t key = (*location << 16 | sort) << 16 | made.call;
    TRY(map_put(&profile->index, key, profile->count, &item, err));
    size_t index = *item;
    made.severity_ps = 0;
    made.count = 0;
    made.worst.severity_ps = -1;
    if (index == profile->count) ARRAY_PUSH(profile->items, profile->count, profile->capacity, made, err);
    *found = &profile->items[index];
    return STATUS_OK;
}

static struct wait_place place_of(const struct wait_profile *profile, const struct trace *trace,
                                  const struct finding *finding)
{
    const struct trace_call *at = &trace->ranks[finding->rank].calls[finding->call];
    return (struct wait_place){.node = callpath_at(&profile->paths, finding->rank, finding->call),
                               .site = at->site,
                               .call = (uint16_t)trace_function(trace, finding->rank, finding->call),
                               .pattern = (uint16_t)finding->pattern,
                               .doubt = finding->doubt,
                               .thread = trace_call_thread(trace, finding->rank, finding->call),
                               .severity_ps = finding->severity_ps,
                               .count = 1,
                               .worst = {.enter_ps = at->enter_ps}};
}

enum status wait_profile_add(struct wait_profile *profile, const struct trace *trace, const struct finding *finding,
                             struct err *err)
{
    struct wait_place made = place_of(profile, trace, finding), *item;
    TRY(item_of(profile, made, &item, err));
    item->severity_ps += finding->severity_ps;
    if (is_worse(finding->severity_ps, made.worst.enter_ps, finding->rank, &item->worst))
        item->worst = advice_facts(trace, &profile->paths, finding);
    item->count++;
    struct rank_sum more = {(uint32_t)(item - profile->items), finding->rank, made.thread, .count = 1, .ps = made.severity_ps};
    return rank_sums_add(&profile->ranks, &more, err);
}

/* Adds an item in doubt to the certain item of its place. */
static enum status make_certain(struct wait_profile *profile, uint32_t doubtful, struct err *err)
{
    struct wait_place place = profile->items[doubtful], *certain;
    place.doubt = FINDING_CERTAIN;
    TRY(item_of(profile, place, &certain, err));
    certain->severity_ps += place.severity_ps;
    if (is_worse(place.worst.severity_ps, place.worst.enter_ps, place.worst.rank, &certain->worst)) certain->worst = place.worst;
    certain->count += place.count;
    const uint32_t item = (uint32_t)(certain - profile->items);
    for (size_t s = 0, count = profile->ranks.count; s < count; s++) {
        struct rank_sum sum = profile->ranks.items[s];
        if (sum.item != doubtful) continue;
        sum.item = item;
        TRY(rank_sums_add(&profile->ranks, &sum, err));
    }
    return STATUS_OK;
}

enum status wait_profile_end_doubts(struct wait_profile *profile, const bool *refuted, struct err *err)
{
    for (size_t i = 0, count = profile->count; i < count; i++) {
        uint16_t doubt = profile->items[i].doubt;
        if (doubt == FINDING_CERTAIN) continue;
        if (!refuted[doubt]) TRY(make_certain(profile, (uint32_t)i, err));
        profile->items[i].count = 0;
    }
    return STATUS_OK;
}

ORDER(compare_places, struct result_place, DOWN(severity_s) BY_TEXT(callpath) BY_TEXT(file) UP(line) BY_TEXT(advice)
      DOWN(count) UP(who.rank))

static enum status report_ranks(const struct trace *trace, const struct rank_sum *sums, size_t count, bool per_rank,
                                struct result_place *made, struct err *err)
{
    const struct rank_sum worst = rank_sums_worst(sums, count);
    TRY(result_who_set(trace, worst.rank, worst.thread, &made->who, err));
    if (!per_rank) return STATUS_OK;
    made->ranks = calloc(count, sizeof *made->ranks);
    if (!made->ranks) return err_memory(err);
    for (; made->rank_count < count; made->rank_count++) {
        const struct rank_sum *sum = &sums[made->rank_count];
        struct result_place_rank *rank = &made->ranks[made->rank_count];
        *rank = (struct result_place_rank){.severity_s = wide_s(sum->ps), .count = sum->count};
        TRY(result_who_set(trace, sum->rank, sum->thread, &rank->who, err));
    }
    return STATUS_OK;
}

/* The rank for which the longest wait of a place lasts: the waiting one itself, if no call of another rank ends it. */
static uint32_t waits_for(const struct advice_facts *facts)
{
    return facts->other == ID_none ? facts->rank : facts->other_rank;
}

static enum status report_place(const struct wait_profile *profile, const struct trace *trace,
                                const struct wait_place *place, const double *without_core, bool per_rank,
                                struct result *result, struct err *err)
{
    struct result_pattern *pattern = &result->patterns[place->pattern];
    const struct trace_site *site = &trace->definitions.sites[place->site];
    struct result_place made = {.line = site->line, .severity_s = wide_s(place->severity_ps), .count = place->count};
    size_t sum_count;
    const struct rank_sum *sums = rank_sums_of(&profile->ranks, (uint32_t)(place - profile->items), &sum_count);
    TRY(array_reserve((void **)&pattern->places, &pattern->place_capacity, pattern->place_count + 1,
                      sizeof *pattern->places, err));
    if (site->file && !(made.file = strdup(site->file))) return err_memory(err);
    enum status status =
        callpath_text(trace, &profile->paths, place->node, place->site, place->call, &made.callpath, err);
    if (status == STATUS_OK) status = report_ranks(trace, sums, sum_count, per_rank, &made, err);
    struct advice_facts facts = place->worst;
    facts.fences_save = result->fence_saved_s > 0;
    facts.unbalanced = 2 * result->user.unbalanced_s >= made.severity_s;
    if (status == STATUS_OK && !pattern->at_most && without_core[waits_for(&facts)] <= DISTURBANCE_MOSTLY)
        status = advice_text(trace, &profile->paths, &facts, &made.advice, err);
    if (status == STATUS_OK && made.advice) {
        const struct advice_moves moves = advice_moves(&facts);
        made.moves = (struct result_moves){.other_earlier_s = units_s(moves.earlier_ps),
                                           .own_later_s = units_s(moves.later_ps),
                                           .distance_s = units_s(moves.distance_ps),
                                           .advised_s = units_s(moves.advised_ps)};
        status = advice_rows(&facts, &made.rows, err);
    }
    if (status == STATUS_OK)
        pattern->places[pattern->place_count++] = made;
    else
        result_place_clear(&made);
    return status;
}

/* The sentence that says so of the places without advice; none are there: nothing. */
static enum status note_without_core(const struct wait_profile *profile, const double *without_core, struct result *result,
                                     struct err *err)
{
    double worst_share = DISTURBANCE_MOSTLY;
    uint32_t worst = 0;
    for (size_t i = 0; i < profile->count; i++) {
        uint32_t rank = waits_for(&profile->items[i].worst);
        double share = profile->items[i].count > 0 ? without_core[rank] : 0;
        if (share < worst_share || (share == worst_share && rank >= worst)) continue;
        worst_share = without_core[rank];
        worst = rank;
    }
    if (worst_share == DISTURBANCE_MOSTLY) return STATUS_OK;
    return result_add_note(result, err,
                           "no advice for waits for ranks that were mostly without a core (rank %" PRIu32 " for %.1f %% of its "
                           "time): they are waits for a core; record again while nothing else runs",
                           worst, 100 * worst_share);
}

enum status wait_profile_report(struct wait_profile *profile, const struct trace *trace, const double *without_core,
                                bool per_rank, struct result *result, struct err *err)
{
    rank_sums_sort(&profile->ranks);
    for (size_t i = 0; i < profile->count; i++)
        if (profile->items[i].count > 0)
            TRY(report_place(profile, trace, &profile->items[i], without_core, per_rank, result, err));
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (result->patterns[p].place_count > 1)
            qsort(result->patterns[p].places, result->patterns[p].place_count, sizeof *result->patterns[p].places,
                  compare_places);
    return note_without_core(profile, without_core, result, err);
}
