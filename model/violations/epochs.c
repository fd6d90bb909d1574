/* Rules between the two sides of epochs, and between updates and the assertions of their targets.
 * model/violations/violations.h has the interface. */
#include <inttypes.h>

#include "model/match/fifo.h"
#include "model/violations/finder.h"

static const struct call_at nowhere = {0, NO_CALL};

static const struct trace_group *group_of(const struct finder *finder, const struct side *side)
{
    return &finder->trace->definitions.groups[finder_call(finder, side->at)->sync.group];
}

static struct fifo_key key_of(int32_t window, uint32_t origin, uint32_t target)
{
    return (struct fifo_key){.a = origin, .b = target, .c = (uint32_t)window, .d = 0};
}

static enum status queue_posts(struct finder *finder, struct fifo *fifo)
{
    for (size_t p = 0; p < finder->posts.count; p++) {
        const struct side *post = &finder->posts.items[p];
        const struct trace_group *group = group_of(finder, post);
        int32_t window = finder_call(finder, post->at)->handle;
        for (uint32_t i = 0; i < group->count; i++)
            TRY(fifo_push(fifo, key_of(window, (uint32_t)group->members[i], post->at.rank), p, finder->err));
    }
    return STATUS_OK;
}

static enum status compare_pair(struct finder *finder, struct call_at start, struct call_at post)
{
    const struct trace_call *its = finder_call(finder, start), *other = finder_call(finder, post);
    if ((its->flags ^ other->flags) & TRACE_NOCHECK)
        TRY(finder_add(finder, VIOLATION_nocheck_differs, start, post, "%s alone asserts it",
                       its->flags & TRACE_NOCHECK ? "the start" : "the post"));
    if ((its->flags & TRACE_NOCHECK) && other->enter_ps > its->exit_ps)
        TRY(finder_add(finder, VIOLATION_nocheck_before_post, start, post, "%s", ""));
    return STATUS_OK;
}

/* Compares the updates of a start, from *next on, with the post of one of its targets. */
static enum status compare_updates(struct finder *finder, size_t start, struct call_at post, size_t next)
{
    if (!(finder_call(finder, post)->flags & TRACE_NOPUT)) return STATUS_OK;
    for (; next < finder->update_count && finder->updates[next].at.rank == finder->starts.items[start].at.rank;
         next++) {
        const struct update *update = &finder->updates[next];
        bool later = update->start != NO_CALL && update->start > start;
        if (later && finder_call(finder, update->at)->handle == finder_call(finder, post)->handle) break;
        if (update->start != start || finder_call(finder, update->at)->peer != (int32_t)post.rank) continue;
        TRY(finder_add(finder, VIOLATION_operation_after_noput, update->at, post, "%s", ""));
    }
    return STATUS_OK;
}

/* updates: the first one of the start's rank. */
static enum status match_start(struct finder *finder, struct fifo *fifo, size_t start, size_t updates)
{
    const struct side *side = &finder->starts.items[start];
    const struct trace_group *group = group_of(finder, side);
    int32_t window = finder_call(finder, side->at)->handle;
    bool told = !finder->complete[side->at.rank];
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t target = (uint32_t)group->members[i];
        size_t post = fifo_pop(fifo, key_of(window, side->at.rank, target));
        if (post != FIFO_EMPTY) {
            TRY(compare_pair(finder, side->at, finder->posts.items[post].at));
            TRY(compare_updates(finder, start, finder->posts.items[post].at, updates));
        } else if (!told && finder->complete[target]) {
            TRY(finder_add(finder, VIOLATION_start_without_post, side->at, nowhere, "rank %" PRIu32, target));
            told = true;
        }
    }
    return STATUS_OK;
}

/* Reports the epochs left in the queues. A post that is never closed has been reported already. */
static enum status find_left(struct finder *finder, struct fifo *fifo)
{
    for (size_t p = 0; p < finder->posts.count; p++) {
        const struct trace_group *group = group_of(finder, &finder->posts.items[p]);
        uint32_t rank = finder->posts.items[p].at.rank;
        int32_t window = finder_call(finder, finder->posts.items[p].at)->handle;
        for (uint32_t i = 0; i < group->count; i++) {
            uint32_t origin = (uint32_t)group->members[i];
            size_t left = fifo_pop(fifo, key_of(window, origin, rank));
            if (left == FIFO_EMPTY || !finder->complete[origin] || !finder->complete[rank]) continue;
            if (!finder->posts.items[left].closed) continue;
            TRY(finder_add(finder, VIOLATION_post_without_start, finder->posts.items[left].at, nowhere, "rank %" PRIu32,
                           origin));
        }
    }
    return STATUS_OK;
}

static enum status match_starts(struct finder *finder, struct fifo *fifo)
{
    size_t updates = 0;
    for (size_t s = 0; s < finder->starts.count; s++) {
        uint32_t rank = finder->starts.items[s].at.rank;
        while (updates < finder->update_count && (finder->updates[updates].at.rank < rank ||
                                                  (finder->updates[updates].at.rank == rank &&
                                                   finder->updates[updates].at.call < finder->starts.items[s].at.call)))
            updates++;
        TRY(match_start(finder, fifo, s, updates));
    }
    return find_left(finder, fifo);
}

static enum status find_in_fences(struct finder *finder)
{
    for (size_t u = 0; u < finder->update_count; u++) {
        const struct update *update = &finder->updates[u];
        if (update->start != NO_CALL) continue;
        const struct trace_call *call = finder_call(finder, update->at);
        uint64_t key = finder_fence_key(call->handle, (uint32_t)call->peer, update->fence);
        const uint64_t *fence = key == UINT64_MAX ? NULL : map_find(&finder->noput, key);
        if (!fence) continue;
        struct call_at other = {(uint32_t)call->peer, (size_t)*fence};
        TRY(finder_add(finder, VIOLATION_operation_after_noput, update->at, other, "%s", ""));
    }
    return STATUS_OK;
}

enum status find_in_epochs(struct finder *finder)
{
    struct fifo fifo = {0};
    enum status status = queue_posts(finder, &fifo);
    if (status == STATUS_OK) status = match_starts(finder, &fifo);
    fifo_clear(&fifo);
    return status == STATUS_OK ? find_in_fences(finder) : status;
}
