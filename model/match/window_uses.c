#include "model/match/window_uses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "trace/faults.h"

void window_uses_clear(struct window_uses *uses)
{
    FREE_ALL(uses->items, uses->unused, uses->freed);
    map_clear(&uses->index);
    memset(uses, 0, sizeof *uses);
}

/* The first range of freed windows that ends at this window or after it, or belongs to a later rank. */
static size_t freed_from(const struct window_uses *uses, uint32_t rank, int32_t window)
{
    size_t low = 0;
    SEARCH_FIRST(low, uses->freed_count, i,
                 uses->freed[i].rank < rank || (uses->freed[i].rank == rank && uses->freed[i].end < window));
    return low;
}

static bool was_freed(const struct window_uses *uses, uint32_t rank, int32_t window)
{
    size_t at = freed_from(uses, rank, window + 1);
    return at < uses->freed_count && uses->freed[at].rank == rank && uses->freed[at].from <= window;
}

/* Adds a window to the ranges of freed ones, and joins the ranges that it touches. */
static enum status note_freed(struct window_uses *uses, uint32_t rank, int32_t window, struct err *err)
{
    size_t at = freed_from(uses, rank, window);
    struct freed_windows *range = at < uses->freed_count ? &uses->freed[at] : NULL;
    if (was_freed(uses, rank, window)) return STATUS_OK;
    if (!range || range->rank != rank || range->from > window + 1) {
        TRY(array_reserve((void **)&uses->freed, &uses->freed_capacity, uses->freed_count + 1, sizeof *uses->freed,
                          err));
        range = &uses->freed[at];
        memmove(range + 1, range, (uses->freed_count++ - at) * sizeof *range);
        *range = (struct freed_windows){rank, window, window + 1};
        return STATUS_OK;
    }
    if (range->from == window + 1) range->from = window;
    if (range->end == window) range->end = window + 1;
    if (at + 1 < uses->freed_count && range[1].rank == rank && range[1].from == range->end) {
        range->end = range[1].end;
        memmove(range + 1, range + 2, (--uses->freed_count - at - 1) * sizeof *range);
    }
    return STATUS_OK;
}

static uint64_t use_key(uint32_t rank, int32_t window)
{
    return map_pair(rank, (uint32_t)window);
}

static enum status find_use(struct window_uses *uses, uint32_t rank, int32_t window, struct window_use **use,
                            struct err *err)
{
    if (uses->last > 0 && uses->last_key == use_key(rank, window)) return *use = &uses->items[uses->last - 1], STATUS_OK;
    struct window_use made = {.freed = was_freed(uses, rank, window)};
    uint64_t *slot, *known = map_find(&uses->index, use_key(rank, window));
    size_t item = known ? (size_t)*known : uses->unused_count > 0 ? uses->unused[uses->unused_count - 1] : uses->count;
    if (!known) {
        TRY(map_put(&uses->index, use_key(rank, window), item, &slot, err));
        if (item == uses->count)
            ARRAY_PUSH(uses->items, uses->count, uses->capacity, made, err);
        else
            uses->unused_count--;
        uses->items[item] = made;
    }
    *use = &uses->items[item];
    uses->last_key = use_key(rank, window);
    uses->last = item + 1;
    return STATUS_OK;
}

static enum status forget_use(struct window_uses *uses, uint32_t rank, int32_t window, struct err *err)
{
    size_t item = (size_t)*map_find(&uses->index, use_key(rank, window));
    TRY(note_freed(uses, rank, window, err));
    map_remove(&uses->index, use_key(rank, window));
    uses->last = 0;
    ARRAY_PUSH(uses->unused, uses->unused_count, uses->unused_capacity, item, err);
    return STATUS_OK;
}

static enum status check_use(struct window_use *use, const struct trace *trace, uint32_t rank, size_t index,
                             struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    if (use->freed) return trace_fail(err, trace, rank, index, call, "window %d is freed already", call->handle);
    if (use->created || use->used) return STATUS_OK;
    use->used = true;
    use->call = call->call;
    use->event = trace_event(trace, rank, index);
    use->enter_ps = call->enter_ps;
    return STATUS_OK;
}

static enum status check_creation(struct window_use *use, const struct trace *trace, uint32_t rank, size_t index,
                                  struct err *err)
{
    const struct trace_call first = {.call = use->call, .enter_ps = use->enter_ps};
    if (use->used)
        return trace_fail_event(err, trace, rank, use->event, &first, "window %d is used before event %" PRIu64 " creates it",
                                trace->ranks[rank].calls[index].handle, trace_event(trace, rank, index));
    *use = (struct window_use){.created = true};
    return STATUS_OK;
}

enum status window_uses_add(struct window_uses *uses, const struct trace *trace, uint32_t rank, size_t index, struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    const enum call_kind kind = call_kind(call->call);
    struct window_use *use;
    if (call->handle == TRACE_NONE || (kind != CALL_WIN_CREATE && kind != CALL_WIN_FREE && !call_works_on(kind, OBJECT_EPOCH)))
        return STATUS_OK;
    TRY(find_use(uses, rank, call->handle, &use, err));
    if (kind == CALL_WIN_CREATE) return check_creation(use, trace, rank, index, err);
    return kind == CALL_WIN_FREE ? forget_use(uses, rank, call->handle, err) : check_use(use, trace, rank, index, err);
}
