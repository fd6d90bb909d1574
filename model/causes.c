#include "model/causes.h"

/* Chains of waits are cut here: time stamps that contradict each other could make them circles. */
enum { MOST_HOPS = 64 };

struct search {
    const struct waits *waits;
    const struct trace *trace;
    struct shares *shares;
    bool follow; /* waits lead to the rank that is waited for; else they are part of their call */
    struct err *err;
};

static enum status walk(const struct search *search, uint32_t rank, int64_t from_ps, int64_t to_ps, int hops);

/* The first call of a rank that ends after a time. */
static size_t first_call(const struct trace_rank *stream, int64_t time_ps)
{
    size_t low = 0, high = stream->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stream->calls[middle].exit_ps <= time_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first wait of a rank in this call or a later one. */
static size_t first_wait(const struct waits *waits, uint32_t rank, size_t call)
{
    size_t low = waits->rank_first[rank], high = waits->rank_first[rank + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (waits->items[middle].call < call)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The part from..to of one call. */
static enum status walk_call(const struct search *search, uint32_t rank, size_t call, int64_t from_ps, int64_t to_ps,
                             int hops)
{
    const struct waits *waits = search->waits;
    int64_t own_ps = to_ps - from_ps;
    size_t end = waits->rank_first[rank + 1];
    if (search->follow && hops < MOST_HOPS)
        for (size_t w = first_wait(waits, rank, call); w < end && waits->items[w].call == call; w++) {
            int64_t low_ps = larger(from_ps, waits->items[w].from_ps),
                    high_ps = smaller(to_ps, waits->items[w].until_ps);
            if (low_ps >= high_ps) continue;
            own_ps -= high_ps - low_ps;
            TRY(walk(search, waits->items[w].cause_rank, low_ps, high_ps, hops + 1));
        }
    enum call_kind kind = call_kind(search->trace->ranks[rank].calls[call].call);
    if (kind == CALL_REGION_ENTER || kind == CALL_REGION_LEAVE)
        return shares_add_computing(search->shares, rank, call, own_ps, search->err);
    return shares_add_call(search->shares, rank, call, own_ps, search->err);
}

/* What a rank does between two times. */
static enum status walk(const struct search *search, uint32_t rank, int64_t from_ps, int64_t to_ps, int hops)
{
    const struct trace_rank *stream = &search->trace->ranks[rank];
    size_t call = first_call(stream, from_ps);
    for (; from_ps < to_ps && call < stream->count; call++) {
        const struct trace_call *at = &stream->calls[call];
        int64_t computing_ps = smaller(at->enter_ps, to_ps) - from_ps;
        if (computing_ps > 0) {
            TRY(shares_add_computing(search->shares, rank, call, computing_ps, search->err));
            from_ps += computing_ps;
        }
        int64_t end_ps = smaller(at->exit_ps, to_ps);
        if (end_ps <= from_ps) continue;
        TRY(walk_call(search, rank, call, from_ps, end_ps, hops));
        from_ps = end_ps;
    }
    return shares_add_computing(search->shares, rank, stream->count, to_ps - from_ps, search->err);
}

enum status causes_find(const struct waits *waits, struct shares *shares, struct err *err)
{
    struct search search = {waits, shares->trace, shares, true, err};
    for (size_t w = 0; w < waits->count; w++)
        if (waits->items[w].counted)
            TRY(walk(&search, waits->items[w].cause_rank, waits->items[w].from_ps, waits->items[w].until_ps, 0));
    return STATUS_OK;
}

/* The last wait of a rank that had ended by a time; NULL if there is none. */
static const struct wait *last_wait(const struct waits *waits, uint32_t rank, int64_t time_ps)
{
    size_t low = waits->rank_first[rank], high = waits->rank_first[rank + 1], first = low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (waits->items[middle].until_ps <= time_ps)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > first && waits->items[low - 1].until_ps <= waits->items[low - 1].from_ps) low--;
    return low > first ? &waits->items[low - 1] : NULL;
}

enum status critical_path_find(const struct waits *waits, struct shares *shares, struct err *err)
{
    const struct trace *trace = shares->trace;
    struct search search = {waits, trace, shares, false, err};
    int64_t begin_ps = trace_begin_ps(trace), now_ps = begin_ps;
    uint32_t rank = 0, hops = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0 && trace_rank_end_ps(trace, r) > now_ps) {
            rank = r;
            now_ps = trace_rank_end_ps(trace, r);
        }
    while (now_ps > begin_ps) {
        /* At one moment the path visits no rank twice: more hops than ranks go in a circle. */
        const struct wait *wait = last_wait(waits, rank, hops < trace->rank_count ? now_ps : now_ps - 1);
        int64_t from_ps = wait ? wait->until_ps : begin_ps;
        hops = from_ps == now_ps ? hops + 1 : 0;
        TRY(walk(&search, rank, from_ps, now_ps, 0));
        if (!wait) return STATUS_OK;
        rank = wait->cause_rank;
        now_ps = from_ps;
    }
    return STATUS_OK;
}
