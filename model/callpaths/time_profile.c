#include "model/callpaths/time_profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void shares_clear(struct shares *shares)
{
    map_clear(&shares->locations);
    map_clear(&shares->index);
    rank_sums_clear(&shares->ranks);
    free(shares->items);
    shares->items = NULL;
    shares->count = shares->capacity = 0;
}

enum status shares_add(struct shares *shares, const struct share_of *of, uint32_t rank, uint32_t thread, wide_ps ps,
                       struct err *err)
{
    uint64_t *location, *item;
    if (ps <= 0) return STATUS_OK;
    TRY(map_put(&shares->locations, (uint64_t)of->node << 32 | of->site, shares->locations.count, &location, err));
    TRY(map_put(&shares->index, *location << 16 | of->activity, shares->count, &item, err));
    size_t index = (size_t)*item;
    struct share made = {.of = *of};
    if (index == shares->count) ARRAY_PUSH(shares->items, shares->count, shares->capacity, made, err);
    shares->items[index].total_ps += ps;
    shares->total_ps += ps;
    struct rank_sum more = {(uint32_t)index, rank, thread, .ps = ps};
    return rank_sums_add(&shares->ranks, &more, err);
}

enum status shares_add_call(struct shares *shares, uint32_t rank, size_t call, int64_t ps, struct err *err)
{
    const struct trace_call *at = &shares->trace->ranks[rank].calls[call];
    struct share_of of = {.node = callpath_at(shares->paths, rank, call), .site = at->site, .activity = at->call};
    return shares_add(shares, &of, rank, trace_call_thread(shares->trace, rank, call), ps, err);
}

enum status shares_add_computing(struct shares *shares, uint32_t rank, uint32_t thread, size_t after, int64_t ps,
                                 struct err *err)
{
    struct share_of of = {.node = after != SHARE_AT_BEGIN ? callpath_at(shares->paths, rank, after) : CALLPATH_ROOT,
                          .site = TRACE_NO_SITE,
                          .activity = SHARE_COMPUTING};
    return shares_add(shares, &of, rank, thread, ps, err);
}

static int compare(const void *one, const void *other)
{
    const struct result_share *a = one, *b = other;
    if (a->time_s != b->time_s) return a->time_s > b->time_s ? -1 : 1;
    int order = strcmp(a->callpath, b->callpath);
    if (order == 0) order = strcmp(a->activity, b->activity);
    if (order == 0) order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (order == 0) order = (a->line > b->line) - (a->line < b->line);
    return order != 0 ? order : (a->who.rank > b->who.rank) - (a->who.rank < b->who.rank);
}

static enum status report_share(const struct shares *shares, const struct share *share, struct result_share *made,
                                struct err *err)
{
    const struct trace_site *site = &shares->trace->sites[share->of.site];
    bool computing = share->of.activity == SHARE_COMPUTING;
    size_t count;
    const struct rank_sum *sums = rank_sums_of(&shares->ranks, (uint32_t)(share - shares->items), &count);
    const struct rank_sum worst = rank_sums_worst(sums, count);
    *made = (struct result_share){
        .line = site->line,
        .time_s = wide_s(share->total_ps),
        .share = (double)share->total_ps / (double)shares->total_ps,
    };
    made->activity = strdup(computing ? "computing" : call_name((enum mpi_call)share->of.activity));
    if (!made->activity || (site->file && !(made->file = strdup(site->file)))) return err_memory(err);
    TRY(result_who_set(shares->trace, worst.rank, worst.thread, &made->who, err));
    return callpath_regions(shares->trace, shares->paths, share->of.node, &made->callpath, err);
}

enum status shares_report(struct shares *shares, struct result_shares *list, struct err *err)
{
    rank_sums_sort(&shares->ranks);
    list->items = calloc(shares->count + 1, sizeof *list->items);
    if (!list->items) return err_memory(err);
    list->total_s = wide_s(shares->total_ps);
    for (; list->count < shares->count; list->count++) {
        enum status status = report_share(shares, &shares->items[list->count], &list->items[list->count], err);
        if (status == STATUS_OK) continue;
        list->count++; /* cleared with the others */
        return status;
    }
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, compare);
    return STATUS_OK;
}
