/* Rules between the two sides of epochs, and between updates and the assertions of their targets.
 * model/violations/violations.h has the interface. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "model/violations/finder.h"

enum { MET = 1 }; /* with a post that asserts no NOPUT; else side.met is the number of its place plus 1 */

/* The fences of a rank on a window. */
struct fenced {
    size_t made;
    size_t noput; /* those that assert it and that operations of others may still follow: a number plus 1 */
    size_t noput_count, prune_at;
};

static struct fifo_key key_of(int32_t window, uint32_t origin, uint32_t target, bool posts)
{
    return (struct fifo_key){.a = origin, .b = target, .c = (uint32_t)window, .d = posts};
}

static const struct trace_group *group_of(const struct violation_finder *finder, size_t side)
{
    return &finder->trace->definitions.groups[finder->sides[side].group];
}

static enum status add_update(struct violation_finder *finder, size_t *list, const struct update *update)
{
    size_t number = finder->unused_updates;
    if (number == 0) {
        ARRAY_PUSH(finder->updates, finder->update_count, finder->update_capacity, *update, finder->err);
        number = finder->update_count;
    } else {
        finder->unused_updates = finder->updates[number - 1].next;
        finder->updates[number - 1] = *update;
    }
    finder->updates[number - 1].next = *list;
    *list = number;
    return STATUS_OK;
}

/* Takes the first one out of a list. */
static struct update *take_update(struct violation_finder *finder, size_t *list)
{
    struct update *update = &finder->updates[*list - 1];
    size_t number = *list;
    *list = update->next;
    update->next = finder->unused_updates;
    finder->unused_updates = number;
    return update;
}

static enum status add_noput(struct violation_finder *finder, struct place at, struct place other)
{
    return finder_add(finder, VIOLATION_operation_after_noput, at, other, "%s", "");
}

/* Frees an epoch of which nothing more comes. */
static void release_side(struct violation_finder *finder, size_t number)
{
    struct side *side = &finder->sides[number];
    if (!side->closed || side->left > 0) return;
    free(side->met);
    *side = (struct side){.unused = finder->unused_sides};
    finder->unused_sides = number + 1;
}

static enum status compare_pair(struct violation_finder *finder, const struct side *start, const struct side *post)
{
    if ((start->flags ^ post->flags) & TRACE_NOCHECK)
        TRY(finder_add(finder, VIOLATION_nocheck_differs, start->at, post->at, "%s alone asserts it",
                       start->flags & TRACE_NOCHECK ? "the start" : "the post"));
    if ((start->flags & TRACE_NOCHECK) && post->at.enter_ps > start->exit_ps)
        TRY(finder_add(finder, VIOLATION_nocheck_before_post, start->at, post->at, "%s", ""));
    return STATUS_OK;
}

/* Compares the updates that waited for the target's post. */
static enum status compare_updates(struct violation_finder *finder, struct side *start, const struct side *post)
{
    size_t *list = &start->updates;
    while (*list > 0) {
        struct update *update = &finder->updates[*list - 1];
        if (update->target != post->at.rank) {
            list = &update->next;
            continue;
        }
        struct place at = take_update(finder, list)->at;
        if (post->flags & TRACE_NOPUT) TRY(add_noput(finder, at, post->at));
    }
    return STATUS_OK;
}

static enum status join_sides(struct violation_finder *finder, size_t start, size_t post)
{
    struct side *of_start = &finder->sides[start], *of_post = &finder->sides[post];
    int32_t target = trace_group_rank(group_of(finder, start), (int32_t)of_post->at.rank);
    int32_t origin = trace_group_rank(group_of(finder, post), (int32_t)of_start->at.rank);
    uint64_t place = 0;
    TRY(compare_pair(finder, of_start, of_post));
    TRY(compare_updates(finder, of_start, of_post));
    if (of_post->flags & TRACE_NOPUT && !of_start->closed) TRY(finder_keep_place(finder, of_post->at, &place));
    of_start->met[target] = MET + (size_t)place;
    of_post->met[origin] = MET;
    of_start->left--;
    of_post->left--;
    release_side(finder, start);
    release_side(finder, post);
    return STATUS_OK;
}

static enum status new_side(struct violation_finder *finder, const struct side *side, size_t *number)
{
    *number = finder->unused_sides;
    if (*number > 0) {
        finder->unused_sides = finder->sides[--*number].unused;
        finder->sides[*number] = *side;
        return STATUS_OK;
    }
    *number = finder->side_count;
    ARRAY_PUSH(finder->sides, finder->side_count, finder->side_capacity, *side, finder->err);
    return STATUS_OK;
}

enum status epochs_open(struct violation_finder *finder, struct place at, const struct trace_call *call, size_t *number)
{
    const struct trace_group *group = &finder->trace->definitions.groups[call->sync.group];
    struct side made = {.at = at, .exit_ps = call->exit_ps, .window = call->handle, .group = call->sync.group,
                        .left = group->count, .flags = call->flags, .used = true,
                        .post = call_kind(call->call) == CALL_POST,
                        .met = calloc((size_t)group->count + 1, sizeof *made.met)};
    if (!made.met) return err_memory(finder->err);
    enum status status = new_side(finder, &made, number);
    if (status != STATUS_OK) free(made.met);
    for (uint32_t i = 0; status == STATUS_OK && i < group->count; i++) {
        uint32_t member = (uint32_t)group->members[i];
        uint32_t origin = made.post ? member : at.rank, target = made.post ? at.rank : member;
        size_t other = fifo_pop(&finder->waiting, key_of(call->handle, origin, target, !made.post));
        if (other == FIFO_EMPTY)
            status = fifo_push(&finder->waiting, key_of(call->handle, origin, target, made.post), *number, finder->err);
        else
            status = made.post ? join_sides(finder, other, *number) : join_sides(finder, *number, other);
    }
    return status;
}

void epochs_close(struct violation_finder *finder, size_t number)
{
    struct side *side = &finder->sides[number];
    const struct trace_group *group = group_of(finder, number);
    for (uint32_t i = 0; !side->post && i < group->count; i++) {
        if (side->met[i] <= MET) continue;
        finder_drop_place(finder, side->met[i] - MET);
        side->met[i] = MET;
    }
    side->closed = true;
    release_side(finder, number);
}

enum status epochs_update(struct violation_finder *finder, struct place at, size_t number, uint32_t member)
{
    struct side *side = &finder->sides[number];
    struct update made = {.at = at, .target = (uint32_t)group_of(finder, number)->members[member]};
    if (side->met[member] == 0) return add_update(finder, &side->updates, &made);
    return side->met[member] > MET ? add_noput(finder, at, finder->places[side->met[member] - MET - 1]) : STATUS_OK;
}

static enum status find_fenced(struct violation_finder *finder, int32_t window, uint32_t rank, struct fenced **fenced)
{
    finder->fences.bytes = sizeof **fenced;
    return sparse_item(&finder->fences, (uint32_t)window, rank, (void **)fenced, finder->err);
}

static enum status compare_fence(struct violation_finder *finder, const struct update *update, size_t noput)
{
    for (; noput > 0; noput = finder->updates[noput - 1].next)
        if (finder->updates[noput - 1].fence == update->fence)
            return add_noput(finder, update->at, finder->updates[noput - 1].at);
    return STATUS_OK;
}

static uint64_t fence_key(const struct violation_finder *finder, const struct fenced *fenced, size_t fence)
{
    return map_pair((uint32_t)(fenced - (const struct fenced *)(const void *)finder->fences.items), (uint32_t)fence);
}

static enum status wait_for_fence(struct violation_finder *finder, const struct fenced *target, const struct update *update)
{
    uint64_t *slot;
    TRY(map_put(&finder->fenced_updates, fence_key(finder, target, update->fence), 0, &slot, finder->err));
    size_t list = (size_t)*slot;
    enum status status = add_update(finder, &list, update);
    *slot = list;
    return status;
}

enum status epochs_update_fenced(struct violation_finder *finder, struct place at, const struct trace_call *call, size_t fence)
{
    struct fenced *target;
    struct update made = {.at = at, .target = (uint32_t)call->peer, .fence = fence};
    TRY(find_fenced(finder, call->handle, made.target, &target));
    return target->made > fence ? compare_fence(finder, &made, target->noput) : wait_for_fence(finder, target, &made);
}

/* Forgets fences behind which every member has made another one. */
static enum status forget_fences(struct violation_finder *finder, int32_t window, uint32_t rank)
{
    const struct trace_definitions *definitions = &finder->trace->definitions;
    const struct trace_comm *comm = &definitions->comms[definitions->windows[window].comm];
    size_t least = SIZE_MAX;
    struct fenced *fenced;
    for (uint32_t m = 0; m < comm->count; m++) {
        TRY(find_fenced(finder, window, (uint32_t)comm->members[m], &fenced));
        if (fenced->made < least) least = fenced->made;
    }
    TRY(find_fenced(finder, window, rank, &fenced));
    for (size_t *list = &fenced->noput; *list > 0;) {
        if (finder->updates[*list - 1].fence + 1 >= least) {
            list = &finder->updates[*list - 1].next;
            continue;
        }
        take_update(finder, list);
        fenced->noput_count--;
    }
    fenced->prune_at = 2 * fenced->noput_count + 16;
    return STATUS_OK;
}

enum status epochs_fence(struct violation_finder *finder, struct place at, const struct trace_call *call, size_t fence)
{
    struct fenced *fenced;
    struct update made = {.at = at, .target = at.rank, .fence = fence};
    TRY(find_fenced(finder, call->handle, at.rank, &fenced));
    fenced->made = fence + 1;
    if (call->flags & TRACE_NOPUT) {
        TRY(add_update(finder, &fenced->noput, &made));
        fenced->noput_count++;
    }
    uint64_t waiting = 0;
    map_take(&finder->fenced_updates, fence_key(finder, fenced, fence), &waiting);
    for (size_t list = (size_t)waiting; list > 0;) {
        struct place update = take_update(finder, &list)->at;
        if (call->flags & TRACE_NOPUT) TRY(add_noput(finder, update, at));
    }
    return fenced->noput_count > fenced->prune_at ? forget_fences(finder, call->handle, at.rank) : STATUS_OK;
}

/* Reports members without their side of the epoch; a start once. A post that is never closed has been reported already. */
static enum status find_left(struct violation_finder *finder, size_t number)
{
    const struct side *side = &finder->sides[number];
    if (!finder->complete[side->at.rank] || (side->post && !side->closed)) return STATUS_OK;
    const struct trace_group *group = group_of(finder, number);
    for (uint32_t i = 0; i < group->count; i++) {
        if (side->met[i] || !finder->complete[group->members[i]]) continue;
        TRY(finder_add(finder, side->post ? VIOLATION_post_without_start : VIOLATION_start_without_post, side->at, NOWHERE,
                       "rank %" PRId32, group->members[i]));
        if (!side->post) return STATUS_OK;
    }
    return STATUS_OK;
}

enum status epochs_end(struct violation_finder *finder)
{
    for (size_t s = 0; s < finder->side_count; s++)
        if (finder->sides[s].used) TRY(find_left(finder, s));
    return STATUS_OK;
}

void epochs_clear_all(struct violation_finder *finder)
{
    for (size_t s = 0; s < finder->side_count; s++) free(finder->sides[s].met);
    fifo_clear(&finder->waiting);
    sparse_clear(&finder->fences);
    map_clear(&finder->fenced_updates);
    FREE_ALL(finder->sides, finder->updates);
}
