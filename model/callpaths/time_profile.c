#include "model/callpaths/time_profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void time_profile_clear(struct time_profile *profile)
{
    map_clear(&profile->locations);
    map_clear(&profile->index);
    rank_sums_clear(&profile->ranks);
    free(profile->items);
    profile->items = NULL;
    profile->count = profile->capacity = 0;
}

enum status time_profile_add(struct time_profile *profile, const struct time_activity *of, uint32_t rank,
                             uint32_t thread, wide_ps ps, struct err *err)
{
    uint64_t *location, *item;
    if (ps <= 0) return STATUS_OK;
    TRY(map_put(&profile->locations, map_pair(of->node, of->site), profile->locations.count, &location, err));
    TRY(map_put(&profile->index, *location << 16 | of->activity, profile->count, &item, err));
    size_t index = (size_t)*item;
    struct time_item made = {.of = *of};
    if (index == profile->count) ARRAY_PUSH(profile->items, profile->count, profile->capacity, made, err);
    profile->items[index].total_ps += ps;
    profile->total_ps += ps;
    struct rank_sum more = {(uint32_t)index, rank, thread, .ps = ps};
    return rank_sums_add(&profile->ranks, &more, err);
}

enum status time_profile_add_call(struct time_profile *profile, uint32_t rank, size_t call, int64_t ps, struct err *err)
{
    const struct trace_call *at = &profile->trace->ranks[rank].calls[call];
    struct time_activity of = {.node = callpath_at(profile->paths, rank, call), .site = at->site, .activity = at->call};
    return time_profile_add(profile, &of, rank, trace_call_thread(profile->trace, rank, call), ps, err);
}

enum status time_profile_add_computing(struct time_profile *profile, uint32_t rank, uint32_t thread, size_t after,
                                       int64_t ps, struct err *err)
{
    struct time_activity of = {.node =
                                   after != SHARE_AT_BEGIN ? callpath_at(profile->paths, rank, after) : CALLPATH_ROOT,
                               .site = TRACE_NO_SITE,
                               .activity = ACTIVITY_COMPUTING};
    return time_profile_add(profile, &of, rank, thread, ps, err);
}

static int compare_items(const void *one, const void *other)
{
    const struct result_share *a = one, *b = other;
    if (a->time_s != b->time_s) return a->time_s > b->time_s ? -1 : 1;
    int order = strcmp(a->callpath, b->callpath);
    if (order == 0) order = strcmp(a->activity, b->activity);
    if (order == 0) order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (order == 0) order = (a->line > b->line) - (a->line < b->line);
    return order != 0 ? order : (a->who.rank > b->who.rank) - (a->who.rank < b->who.rank);
}

static enum status report_share(const struct time_profile *profile, const struct time_item *share,
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
        .share = (double)share->total_ps / (double)profile->total_ps,
    };
    made->activity = strdup(computing ? "computing" : call_name((enum mpi_call)share->of.activity));
    if (!made->activity || (site->file && !(made->file = strdup(site->file)))) return err_memory(err);
    TRY(result_who_set(profile->trace, worst.rank, worst.thread, &made->who, err));
    return callpath_regions(profile->trace, profile->paths, share->of.node, &made->callpath, err);
}

enum status time_profile_report(struct time_profile *profile, struct result_shares *list, struct err *err)
{
    rank_sums_sort(&profile->ranks);
    list->items = calloc(profile->count + 1, sizeof *list->items);
    if (!list->items) return err_memory(err);
    list->total_s = wide_s(profile->total_ps);
    for (; list->count < profile->count; list->count++) {
        enum status status = report_share(profile, &profile->items[list->count], &list->items[list->count], err);
        if (status == STATUS_OK) continue;
        list->count++; /* cleared with the others */
        return status;
    }
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, compare_items);
    return STATUS_OK;
}
