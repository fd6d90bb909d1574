#include "trace/epoch_cursor.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct epoch_window {
    uint32_t open[EPOCH_KIND_COUNT]; /* slots plus 1, 0: none; of locks the oldest */
    uint32_t newest_lock;
    uint32_t fences;
};

enum status epoch_cursor_init(struct epoch_cursor *cursor, const struct trace *trace, struct err *err)
{
    *cursor = (struct epoch_cursor){.trace = trace};
    cursor->windows = calloc(trace->definitions.window_count + 1, sizeof *cursor->windows);
    return cursor->windows ? STATUS_OK : err_memory(err);
}

void epoch_cursor_clear(struct epoch_cursor *cursor)
{
    FREE_ALL(cursor->windows, cursor->epochs);
    map_clear(&cursor->locks);
    *cursor = (struct epoch_cursor){.trace = NULL};
}

void epoch_cursor_restart(struct epoch_cursor *cursor)
{
    memset(cursor->windows, 0, cursor->trace->definitions.window_count * sizeof *cursor->windows);
    cursor->count = cursor->unused = 0;
    map_empty(&cursor->locks);
}

static struct epoch *at_slot(const struct epoch_cursor *cursor, uint64_t slot_plus_1)
{
    return slot_plus_1 == 0 ? NULL : &cursor->epochs[slot_plus_1 - 1];
}

struct epoch *epoch_cursor_open(const struct epoch_cursor *cursor, int32_t window, enum epoch_kind kind)
{
    return at_slot(cursor, cursor->windows[window].open[kind]);
}

struct epoch *epoch_cursor_newer(const struct epoch_cursor *cursor, const struct epoch *lock)
{
    return at_slot(cursor, lock->newer);
}

static uint64_t lock_key(int32_t window, int32_t target)
{
    return map_pair((uint32_t)window, (uint32_t)target);
}

struct epoch *epoch_cursor_lock(const struct epoch_cursor *cursor, int32_t window, int32_t target)
{
    if (cursor->windows[window].open[EPOCH_LOCK] == 0) return NULL;
    const uint64_t *slot = map_find(&cursor->locks, lock_key(window, target));
    return slot ? at_slot(cursor, *slot) : NULL;
}

static void close_epoch(struct epoch_cursor *cursor, struct epoch *epoch)
{
    struct epoch_window *window = &cursor->windows[epoch->window];
    uint32_t *open = &window->open[epoch->kind];
    if (epoch->kind == EPOCH_LOCK) {
        *map_find(&cursor->locks, lock_key(epoch->window, epoch->target)) = 0;
        *(epoch->older ? &at_slot(cursor, epoch->older)->newer : open) = epoch->newer;
        *(epoch->newer ? &at_slot(cursor, epoch->newer)->older : &window->newest_lock) = epoch->older;
    } else if (*open == epoch->slot + 1) {
        *open = 0;
    }
    epoch->newer = cursor->unused;
    cursor->unused = epoch->slot + 1;
}

/* Opens an epoch. It ends an open one of the same kind, unless it is a lock. There is room for one more. */
static enum status open_epoch(struct epoch_cursor *cursor, const struct trace_call *call, enum epoch_kind kind,
                              size_t number, struct epoch_step *step, struct err *err)
{
    struct epoch_window *window = &cursor->windows[call->handle];
    struct epoch *epoch = at_slot(cursor, cursor->unused), *before = at_slot(cursor, window->open[kind]);
    bool grouped = kind == EPOCH_START || kind == EPOCH_POST;
    if (epoch)
        cursor->unused = epoch->newer;
    else
        epoch = &cursor->epochs[cursor->count++];
    *epoch = (struct epoch){.kind = kind,
                            .window = call->handle,
                            .target = kind == EPOCH_LOCK ? call->peer : TRACE_NONE,
                            .group = grouped ? call->sync.group : TRACE_NO_REF,
                            .flags = call->flags,
                            .slot = (uint32_t)(epoch - cursor->epochs),
                            .opened = number,
                            .fence = step->fence,
                            .first_operation = EPOCH_NONE,
                            .item = EPOCH_NONE};
    step->opens = epoch;
    if (kind != EPOCH_LOCK) {
        window->open[kind] = epoch->slot + 1;
        if (before) close_epoch(cursor, before);
        return STATUS_OK;
    }
    uint64_t *slot;
    TRY(map_put(&cursor->locks, lock_key(call->handle, call->peer), 0, &slot, err));
    *slot = epoch->slot + 1;
    epoch->older = window->newest_lock;
    *(epoch->older ? &at_slot(cursor, epoch->older)->newer : &window->open[EPOCH_LOCK]) = epoch->slot + 1;
    window->newest_lock = epoch->slot + 1;
    return STATUS_OK;
}

static void note_overlap(struct epoch_step *step, const struct epoch *epoch)
{
    if (!epoch) return;
    step->overlaps[step->overlaps[0] != NULL] = epoch;
    step->faults |= EPOCH_OVERLAPS;
}

/* A fence epoch counts from its first operation (11.5.1). */
static const struct epoch *open_fence(const struct epoch_cursor *cursor, int32_t window)
{
    const struct epoch *fence = epoch_cursor_open(cursor, window, EPOCH_FENCE);
    return fence && fence->first_operation != EPOCH_NONE ? fence : NULL;
}

/* Access epochs of a window at one process are disjoint (11.5); locks of different targets may be open together. */
static void expect_no_access(const struct epoch_cursor *cursor, const struct trace_call *call, struct epoch_step *step)
{
    enum call_kind kind = call_kind(call->call);
    const struct epoch *open = epoch_cursor_open(cursor, call->handle, EPOCH_START);
    if (!open && kind != CALL_FENCE) open = open_fence(cursor, call->handle);
    if (!open) open = epoch_cursor_open(cursor, call->handle, EPOCH_LOCK_ALL);
    if (!open && kind != CALL_LOCK) open = epoch_cursor_open(cursor, call->handle, EPOCH_LOCK);
    note_overlap(step, open);
}

static void close_found(struct epoch_cursor *cursor, struct epoch *epoch, struct epoch_step *step)
{
    step->closes = epoch;
    if (epoch)
        close_epoch(cursor, epoch);
    else
        step->faults |= EPOCH_NOT_OPEN;
}

/* A fence completes the operations before it unless NOPRECEDE asserts that there are none. If there are some all the
 * same, the next fence without NOPRECEDE completes them. */
static enum status take_fence(struct epoch_cursor *cursor, const struct trace_call *call, size_t number,
                              struct epoch_step *step, struct err *err)
{
    expect_no_access(cursor, call, step);
    note_overlap(step, epoch_cursor_open(cursor, call->handle, EPOCH_POST));
    struct epoch *before = epoch_cursor_open(cursor, call->handle, EPOCH_FENCE);
    step->fence = cursor->windows[call->handle].fences++;
    if (before && before->first_operation != EPOCH_NONE && (call->flags & TRACE_NOPRECEDE)) {
        step->faults |= EPOCH_PRECEDED;
        step->in = before;
        before->flags = call->flags;
        return STATUS_OK;
    }
    step->closes = before;
    return open_epoch(cursor, call, EPOCH_FENCE, number, step, err);
}

/* Returns the epoch that an operation belongs to (11.5): a start, else a lock, else lock_all, else a fence. */
static struct epoch *find_access(const struct epoch_cursor *cursor, const struct trace_call *call)
{
    struct epoch *in = epoch_cursor_open(cursor, call->handle, EPOCH_START);
    if (!in) in = epoch_cursor_lock(cursor, call->handle, call->peer);
    if (!in) in = epoch_cursor_open(cursor, call->handle, EPOCH_LOCK_ALL);
    return in ? in : epoch_cursor_open(cursor, call->handle, EPOCH_FENCE);
}

/* An operation on MPI_PROC_NULL moves nothing and breaks no rule. */
static void take_operation(const struct epoch_cursor *cursor, const struct trace_call *call, size_t number,
                           struct epoch_step *step)
{
    struct epoch *in = step->in = find_access(cursor, call);
    if (call->peer == TRACE_NONE) return;
    if (!in) {
        step->faults |= EPOCH_OUTSIDE;
        return;
    }
    if (call_makes_request(call->call) && (in->kind == EPOCH_START || in->kind == EPOCH_FENCE))
        step->faults |= EPOCH_NO_LOCK;
    if (in->kind == EPOCH_START)
        step->member = trace_group_rank(&cursor->trace->definitions.groups[in->group], call->peer);
    if (step->member == TRACE_NONE) step->faults |= EPOCH_OUTSIDE_GROUP;
    if (in->kind == EPOCH_FENCE && (in->flags & TRACE_NOSUCCEED))
        step->faults |= EPOCH_AFTER_NOSUCCEED;
    else if (in->first_operation == EPOCH_NONE)
        in->first_operation = number;
}

static void take_flush(const struct epoch_cursor *cursor, const struct trace_call *call, struct epoch_step *step)
{
    bool all = !(call_row(call->call)->allowed & F_TARGET);
    if (!all) step->in = epoch_cursor_lock(cursor, call->handle, call->peer);
    if (!step->in) step->in = epoch_cursor_open(cursor, call->handle, EPOCH_LOCK_ALL);
    if (!step->in && !(all && epoch_cursor_open(cursor, call->handle, EPOCH_LOCK))) step->faults |= EPOCH_OUTSIDE;
}

/* Ends all epochs of the window. */
static void take_free(struct epoch_cursor *cursor, const struct trace_call *call, struct epoch_step *step)
{
    static const enum epoch_kind kinds[] = {EPOCH_START, EPOCH_POST, EPOCH_LOCK_ALL, EPOCH_LOCK};
    struct epoch *epoch;
    const struct epoch *first = NULL;
    for (size_t i = 0; !first && i < sizeof kinds / sizeof *kinds; i++)
        first = epoch_cursor_open(cursor, call->handle, kinds[i]);
    note_overlap(step, first ? first : open_fence(cursor, call->handle));
    for (int kind = 0; kind < EPOCH_KIND_COUNT; kind++)
        while ((epoch = epoch_cursor_open(cursor, call->handle, (enum epoch_kind)kind))) close_epoch(cursor, epoch);
}

enum status epoch_cursor_take(struct epoch_cursor *cursor, const struct trace_call *call, size_t number,
                              struct epoch_step *step, struct err *err)
{
    *step = (struct epoch_step){.faults = 0};
    if (cursor->count == cursor->capacity)
        TRY(array_reserve((void **)&cursor->epochs, &cursor->capacity, cursor->count + 1, sizeof *cursor->epochs, err));
    switch (call_kind(call->call)) {
    case CALL_START:
        expect_no_access(cursor, call, step);
        return open_epoch(cursor, call, EPOCH_START, number, step, err);
    case CALL_COMPLETE: close_found(cursor, epoch_cursor_open(cursor, call->handle, EPOCH_START), step); break;
    case CALL_POST:
        note_overlap(step, epoch_cursor_open(cursor, call->handle, EPOCH_POST));
        return open_epoch(cursor, call, EPOCH_POST, number, step, err);
    case CALL_WIN_TEST:
        step->in = epoch_cursor_open(cursor, call->handle, EPOCH_POST);
        if (!(call->flags & TRACE_FLAG) && step->in) break;
        step->in = NULL;
        /* fallthrough */
    case CALL_WIN_WAIT: close_found(cursor, epoch_cursor_open(cursor, call->handle, EPOCH_POST), step); break;
    case CALL_LOCK: {
        const struct epoch *held = epoch_cursor_lock(cursor, call->handle, call->peer);
        expect_no_access(cursor, call, step);
        note_overlap(step, held);
        return held ? STATUS_OK : open_epoch(cursor, call, EPOCH_LOCK, number, step, err);
    }
    case CALL_UNLOCK: close_found(cursor, epoch_cursor_lock(cursor, call->handle, call->peer), step); break;
    case CALL_LOCK_ALL:
        expect_no_access(cursor, call, step);
        return open_epoch(cursor, call, EPOCH_LOCK_ALL, number, step, err);
    case CALL_UNLOCK_ALL: close_found(cursor, epoch_cursor_open(cursor, call->handle, EPOCH_LOCK_ALL), step); break;
    case CALL_FENCE: return take_fence(cursor, call, number, step, err);
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE: take_operation(cursor, call, number, step); break;
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: take_flush(cursor, call, step); break;
    case CALL_WIN_FREE: take_free(cursor, call, step); break;
    default: break;
    }
    return STATUS_OK;
}

enum epoch_completion epoch_completion(const struct trace_call *call, int32_t window, int32_t target)
{
    static const enum epoch_completion completions[CALL_KIND_COUNT] = {
        [CALL_COMPLETE] = COMPLETE_AT_ORIGIN,   [CALL_FENCE] = COMPLETE_AT_TARGET,
        [CALL_UNLOCK] = COMPLETE_AT_TARGET,     [CALL_FLUSH] = COMPLETE_AT_TARGET,
        [CALL_UNLOCK_ALL] = COMPLETE_AT_TARGET, [CALL_FLUSH_LOCAL] = COMPLETE_AT_ORIGIN,
    };
    bool other = (call_row(call->call)->allowed & F_TARGET) && call->peer != target;
    if (call->handle != window || other || (call->flags & TRACE_NOPRECEDE)) return COMPLETE_NOWHERE;
    return completions[call_kind(call->call)];
}
