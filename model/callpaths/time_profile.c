#include "model/callpaths/time_profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void time_profile_clear(struct time_profile *profile)
{
    map_clear(&profile->locations);
    map_clear(&profile->index);
    rank_sums_clear(&profile->ranks);
    free(profile->items);
    profile->items = NULL;
    profile->count = profile->capacity = 0;
}

enum status time_profile_add(struct time_profile *profile, const struct time_activity *of, const struct rank_sum *more,
                             struct err *err)
{
    uint64_t *location, *item;
    if (more->ps <= 0 && more->count == 0) return STATUS_OK;
    TRY(map_put(&profile->locations, map_pair(of->node, of->site), profile->locations.count, &location, err));
    TRY(map_put(&profile->index, *location << 16 | of->activity, profile->count, &item, err));
    size_t index = (size_t)*item;
    struct time_item made = {.of = *of};
    if (index == profile->count) ARRAY_PUSH(profile->items, profile->count, profile->capacity, made, err);
    profile->items[index].total_ps += more->ps;
    profile->total_ps += more->ps;
    struct rank_sum sum = *more;
    sum.item = (uint32_t)index;
    return rank_sums_add(&profile->ranks, &sum, err);
}

ORDER(compare_items, struct result_share, DOWN(time_s) BY_TEXT(callpath) BY_TEXT(activity) BY_TEXT(file) UP(line) UP(who.rank))

static enum status report_share(const struct time_profile *profile, const struct time_item *share, bool of_calls,
                                struct result_share *made, struct err *err)
{
    const struct trace_site *site = &profile->trace->definitions.sites[share->of.site];
    bool computing = share->of.activity == ACTIVITY_COMPUTING;
    size_t count;
    const struct rank_sum *sums = rank_sums_of(&profile->ranks, (uint32_t)(share - profile->items), &count);
    const struct rank_sum worst = rank_sums_worst(sums, count);
    *made = (struct result_share){
        .line = site->line,
        .time_s = wide_s(share->total_ps),
        .share = profile->total_ps > 0 ? (double)share->total_ps / (double)profile->total_ps : 0,
        .stands_out = rank_sums_stand_out(sums, count, profile->trace->rank_count),
    };
    wide_ps without_core_ps = 0;
    for (size_t i = 0; i < count; i++) {
        made->count += sums[i].count;
        without_core_ps += sums[i].without_core_ps;
    }
    made->without_core_s = wide_s(without_core_ps);
    made->activity = strdup(computing ? "computing" : call_name((enum mpi_call)share->of.activity));
    if (!made->activity || (site->file && !(made->file = strdup(site->file)))) return err_memory(err);
    TRY(result_who_set(profile->trace, worst.rank, worst.thread, &made->who, err));
    if (!of_calls) return callpath_regions(profile->trace, profile->paths, share->of.node, &made->callpath, err);
    return callpath_text(profile->trace, profile->paths, share->of.node, share->of.site, (enum mpi_call)share->of.activity,
                         &made->callpath, err);
}

static void report_call(const double *waits_s, wide_ps function_ps, struct result_share *made)
{
    made->function_s = wide_s(function_ps);
    memcpy(made->waits_s, waits_s, sizeof made->waits_s);
    for (int p = 0; p < PATTERN_COUNT; p++) made->wait_s += waits_s[p];
}

enum status time_profile_report(struct time_profile *profile, const double *waits_s, struct result_shares *list,
                                struct err *err)
{
    wide_ps of_activity_ps[ACTIVITY_COMPUTING + 1] = {0};
    for (size_t i = 0; i < profile->count; i++) of_activity_ps[profile->items[i].of.activity] += profile->items[i].total_ps;
    rank_sums_sort(&profile->ranks);
    list->items = calloc(profile->count + 1, sizeof *list->items);
    if (!list->items) return err_memory(err);
    list->total_s = wide_s(profile->total_ps);
    for (; list->count < profile->count; list->count++) {
        const struct time_item *item = &profile->items[list->count];
        struct result_share *made = &list->items[list->count];
        enum status status = report_share(profile, item, waits_s != NULL, made, err);
        if (waits_s) report_call(&waits_s[list->count * PATTERN_COUNT], of_activity_ps[item->of.activity], made);
        if (status == STATUS_OK) continue;
        list->count++; /* cleared with the others */
        return status;
    }
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, compare_items);
    return STATUS_OK;
}
