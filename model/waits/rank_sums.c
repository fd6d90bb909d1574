#include "model/waits/rank_sums.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"

void rank_sums_clear(struct rank_sums *sums)
{
    map_clear(&sums->threads);
    map_clear(&sums->index);
    free(sums->items);
    memset(sums, 0, sizeof *sums);
}

enum status rank_sums_add(struct rank_sums *sums, const struct rank_sum *more, struct err *err)
{
    uint64_t *thread, *index;
    struct rank_sum made = {.item = more->item, .rank = more->rank, .thread = more->thread};
    TRY(map_put(&sums->threads, map_pair(more->rank, more->thread), sums->threads.count, &thread, err));
    TRY(map_put(&sums->index, *thread << 32 | more->item, sums->count, &index, err));
    size_t place = (size_t)*index;
    if (place == sums->count) ARRAY_PUSH(sums->items, sums->count, sums->capacity, made, err);
    sums->items[place].count += more->count;
    sums->items[place].ps += more->ps;
    sums->items[place].without_core_ps += more->without_core_ps;
    return STATUS_OK;
}

ORDER(compare_sums, struct rank_sum, UP(item) UP(rank) UP(thread))

void rank_sums_sort(struct rank_sums *sums)
{
    if (sums->count > 1) qsort(sums->items, sums->count, sizeof *sums->items, compare_sums);
}

static size_t first_of(const struct rank_sums *sums, uint64_t item)
{
    size_t low = 0;
    SEARCH_FIRST(low, sums->count, i, sums->items[i].item < item);
    return low;
}

const struct rank_sum *rank_sums_of(const struct rank_sums *sums, uint32_t item, size_t *count)
{
    size_t first = first_of(sums, item);
    *count = first_of(sums, (uint64_t)item + 1) - first;
    return &sums->items[first];
}

static bool is_more(const struct rank_sum *one, const struct rank_sum *other)
{
    return one->ps != other->ps ? one->ps > other->ps : one->count > other->count;
}

void spread_add(struct spread *spread, uint32_t rank, double value_s)
{
    const bool most = spread->count == 0 || value_s > spread->most_s;
    if (most) {
        spread->second_s = spread->most_s;
        spread->most_s = value_s;
        spread->most_rank = rank;
    } else if (value_s > spread->second_s) {
        spread->second_s = value_s;
    }
    if (spread->count == 0 || value_s < spread->least_s) spread->least_s = value_s;
    spread->sum_s += value_s;
    spread->count++;
}

double spread_others_s(const struct spread *spread)
{
    return spread->count > 1 ? (spread->sum_s - spread->most_s) / (double)(spread->count - 1) : 0;
}

bool spread_stands_out(const struct spread *spread)
{
    const double others_s = spread_others_s(spread), more_s = spread->most_s - others_s;
    return spread->count > 1 && more_s > 0.1 * others_s && more_s > spread->second_s - spread->least_s;
}

bool rank_sums_stand_out(const struct rank_sum *sums, size_t count, uint32_t rank_count)
{
    struct spread spread = {0};
    uint32_t ranks = 0;
    for (size_t i = 0; i < count; ranks++) {
        const uint32_t rank = sums[i].rank;
        wide_ps ps = 0;
        for (; i < count && sums[i].rank == rank; i++) ps += sums[i].ps;
        spread_add(&spread, rank, wide_s(ps));
    }
    for (; ranks < rank_count; ranks++) spread_add(&spread, UINT32_MAX, 0);
    return spread_stands_out(&spread);
}

struct rank_sum rank_sums_worst(const struct rank_sum *sums, size_t count)
{
    struct rank_sum worst = sums[0];
    for (size_t i = 0; i < count;) {
        struct rank_sum rank = sums[i], thread = sums[i];
        for (i++; i < count && sums[i].rank == rank.rank; i++) {
            rank.ps += sums[i].ps;
            rank.count += sums[i].count;
            if (is_more(&sums[i], &thread)) thread = sums[i];
        }
        rank.thread = thread.thread;
        if (rank.rank == sums[0].rank || is_more(&rank, &worst)) worst = rank;
    }
    return worst;
}
