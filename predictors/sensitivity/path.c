#include "predictors/sensitivity/path.h"

#include "common/units.h"

struct at { /* a thread of a rank */
    uint32_t rank, thread;
};

static bool is_before(const struct wait *wait, struct at at, int64_t time_ps)
{
    if (wait->rank != at.rank) return wait->rank < at.rank;
    return wait->thread != at.thread ? wait->thread < at.thread : wait->until_ps <= time_ps;
}

/* The last wait of a thread that had ended by a time; NULL if there is none. */
static const struct wait *find_last_wait(const struct waits *waits, struct at at, int64_t time_ps)
{
    size_t low = 0, high = waits->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&waits->items[middle], at, time_ps))
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && waits->items[low - 1].until_ps <= waits->items[low - 1].from_ps) low--;
    const struct wait *found = low > 0 ? &waits->items[low - 1] : NULL;
    return found && found->rank == at.rank && found->thread == at.thread ? found : NULL;
}

/* The thread that ends last, and how many there are. */
static struct at find_last_thread(const struct timelines *timelines, int64_t *end_ps, size_t *count)
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

/* Moves to the thread on which the path continues before *from_ps: the one that the thread waited for last, or its creator.
 * False: there is none. */
static bool step_back(const struct waits *waits, const struct timelines *timelines, struct at *at, int64_t time_ps,
                      int64_t *from_ps)
{
    const struct wait *wait = find_last_wait(waits, *at, time_ps);
    const struct timeline timeline = timeline_of(timelines, at->rank, at->thread);
    if (wait) {
        *from_ps = wait->until_ps;
        *at = (struct at){wait->cause_rank, wait->cause_thread};
        return true;
    }
    if (timeline.creator == TIMELINE_NO_CREATOR || timeline.count == 0) return false;
    *from_ps = units_min_ps(timeline_call(&timeline, 0)->enter_ps, time_ps);
    at->thread = trace_call_thread(timelines->trace, at->rank, timeline.creator);
    return true;
}

enum status path_walk(const struct waits *waits, const struct timelines *timelines, path_visit *visit, void *context,
                      struct err *err)
{
    int64_t begin_ps = trace_begin_ps(timelines->trace), now_ps = begin_ps, from_ps;
    size_t threads, hops = 0;
    struct at at = find_last_thread(timelines, &now_ps, &threads);
    for (bool more = true; more && now_ps > begin_ps; now_ps = from_ps) {
        const struct at here = at;
        from_ps = begin_ps;
        /* at one moment the path visits no thread twice: more hops than threads are a circle */
        more = step_back(waits, timelines, &at, hops < threads ? now_ps : now_ps - 1, &from_ps);
        hops = from_ps == now_ps ? hops + 1 : 0;
        TRY(visit(context, here.rank, here.thread, from_ps, now_ps, err));
    }
    return STATUS_OK;
}
