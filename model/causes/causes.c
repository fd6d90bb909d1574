#include "model/causes/causes.h"

#include "common/search.h"
#include "common/units.h"

/* Chains of waits are cut at CAUSES_MOST_HOPS: contradictory time stamps could make them circles. */

struct search {
    const struct waits *waits;
    const struct timelines *timelines;
    struct time_profile *profile;
    bool follow; /* true: waits lead to the thread that is waited for; false: they are part of their call */
    struct err *err;
};

struct at { /* a thread of a rank */
    uint32_t rank, thread;
};

static enum status follow_interval(const struct search *search, struct at at, int64_t from_ps, int64_t to_ps, int hops);

/* Adds the part from..to of one call. */
static enum status walk_call(const struct search *search, struct at at, size_t call, int64_t from_ps, int64_t to_ps,
                             int hops)
{
    const struct waits *waits = search->waits;
    int64_t own_ps = to_ps - from_ps;
    size_t first = 0, end = 0;
    if (search->follow && hops < CAUSES_MOST_HOPS) waits_of_call(waits, at.rank, at.thread, call, &first, &end);
    for (size_t w = first; w < end; w++) {
        const struct wait *wait = &waits->items[w];
        int64_t low_ps = units_max_ps(from_ps, wait->from_ps), high_ps = units_min_ps(to_ps, wait->until_ps);
        struct at cause = {wait->cause_rank, wait->cause_thread};
        if (low_ps >= high_ps) continue;
        own_ps -= high_ps - low_ps;
        TRY(follow_interval(search, cause, low_ps, high_ps, hops + 1));
    }
    return time_profile_add_call(search->profile, at.rank, call, own_ps, search->err);
}

/* Adds the activities of a thread between two times. */
static enum status follow_interval(const struct search *search, struct at at, int64_t from_ps, int64_t to_ps, int hops)
{
    struct timeline timeline = timeline_of(search->timelines, at.rank, at.thread);
    size_t k = timeline_first_ending(&timeline, from_ps, false),
           after = k > 0 ? timeline_index(&timeline, k - 1) : SHARE_AT_BEGIN;
    for (; from_ps < to_ps && k < timeline.count; k++) {
        const struct trace_call *call = timeline_call(&timeline, k);
        int64_t computing_ps = units_min_ps(call->enter_ps, to_ps) - from_ps;
        if (computing_ps > 0) {
            TRY(time_profile_add_computing(search->profile, at.rank, at.thread, after, computing_ps, search->err));
            from_ps += computing_ps;
        }
        after = timeline_index(&timeline, k);
        int64_t end_ps = units_min_ps(call->exit_ps, to_ps);
        if (end_ps <= from_ps) continue;
        TRY(walk_call(search, at, after, from_ps, end_ps, hops));
        from_ps = end_ps;
    }
    return time_profile_add_computing(search->profile, at.rank, at.thread, after, to_ps - from_ps, search->err);
}

enum status causes_find(const struct waits *waits, const struct timelines *timelines, struct time_profile *profile,
                        struct err *err)
{
    struct search search = {waits, timelines, profile, true, err};
    for (size_t w = 0; w < waits->count; w++) {
        const struct wait *wait = &waits->items[w];
        struct at cause = {wait->cause_rank, wait->cause_thread};
        if (wait->counted) TRY(follow_interval(&search, cause, wait->from_ps, wait->until_ps, 0));
    }
    return STATUS_OK;
}

/* The last wait of a thread that had ended by a time; NULL if there is none. */
static const struct wait *last_wait(const struct waits *waits, struct at at, int64_t time_ps)
{
    size_t low, high;
    waits_of_thread(waits, at.rank, at.thread, &low, &high);
    size_t first = low;
    SEARCH_FIRST(low, high, i, waits->items[i].until_ps <= time_ps);
    while (low > first && waits->items[low - 1].until_ps <= waits->items[low - 1].from_ps) low--;
    return low > first ? &waits->items[low - 1] : NULL;
}

/* The thread that ends last, and how many there are. */
static struct at last_thread(const struct timelines *timelines, int64_t *end_ps, size_t *count)
{
    const struct trace *trace = timelines->trace;
    struct at found = {0, 0};
    *count = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (uint32_t t = 0; t < trace_thread_count(trace, r); t++, ++*count) {
            struct timeline timeline = timeline_of(timelines, r, t);
            if (timeline.count == 0 || timeline_call(&timeline, timeline.count - 1)->exit_ps <= *end_ps) continue;
            found = (struct at){r, t};
            *end_ps = timeline_call(&timeline, timeline.count - 1)->exit_ps;
        }
    return found;
}

/* Moves to the thread on which the path continues before *from_ps: the one that the thread waited for last, or its
 * creator. Returns false if there is none. */
static bool step_back(const struct search *search, struct at *at, int64_t time_ps, int64_t *from_ps)
{
    const struct wait *wait = last_wait(search->waits, *at, time_ps);
    struct timeline timeline = timeline_of(search->timelines, at->rank, at->thread);
    if (wait) {
        *from_ps = wait->until_ps;
        *at = (struct at){wait->cause_rank, wait->cause_thread};
    } else if (timeline.creator != TIMELINE_NO_CREATOR && timeline.count > 0) {
        *from_ps = units_min_ps(timeline_call(&timeline, 0)->enter_ps, time_ps);
        at->thread = trace_call_thread(search->timelines->trace, at->rank, timeline.creator);
    } else {
        return false;
    }
    return true;
}

enum status critical_path_find(const struct waits *waits, const struct timelines *timelines,
                               struct time_profile *profile, struct err *err)
{
    struct search search = {waits, timelines, profile, false, err};
    int64_t begin_ps = trace_begin_ps(timelines->trace), now_ps = begin_ps, from_ps;
    size_t threads, hops = 0;
    struct at at = last_thread(timelines, &now_ps, &threads);
    for (bool more = true; more && now_ps > begin_ps; now_ps = from_ps) {
        struct at here = at;
        from_ps = begin_ps;
        /* at one moment the path visits no thread twice: more hops than threads are a circle */
        more = step_back(&search, &at, hops < threads ? now_ps : now_ps - 1, &from_ps);
        hops = from_ps == now_ps ? hops + 1 : 0;
        TRY(follow_interval(&search, here, from_ps, now_ps, 0));
    }
    return STATUS_OK;
}
