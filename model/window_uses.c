#include "model/window_uses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/faults.h"

void window_uses_clear(struct window_uses *uses)
{
    free(uses->items);
    map_clear(&uses->index);
    memset(uses, 0, sizeof *uses);
}

/* Opens, closes or fills an epoch; the others may stand anywhere. */
static bool is_use(enum call_kind kind)
{
    switch (kind) {
    case CALL_START:
    case CALL_COMPLETE:
    case CALL_POST:
    case CALL_WIN_WAIT:
    case CALL_WIN_TEST:
    case CALL_LOCK:
    case CALL_UNLOCK:
    case CALL_LOCK_ALL:
    case CALL_UNLOCK_ALL:
    case CALL_FENCE:
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE: return true;
    default: return false;
    }
}

static enum status find_use(struct window_uses *uses, uint32_t rank, int32_t window, struct window_use **use,
                            struct err *err)
{
    const struct window_use none = {0};
    uint64_t *slot;
    TRY(map_put(&uses->index, (uint64_t)rank << 32 | (uint32_t)window, uses->count, &slot, err));
    size_t item = (size_t)*slot;
    if (item == uses->count) ARRAY_PUSH(uses->items, uses->count, uses->capacity, none, err);
    *use = &uses->items[item];
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
        return trace_fail_event(err, trace, rank, use->event, &first,
                                "window %d is used before event %" PRIu64 " creates it",
                                trace->ranks[rank].calls[index].handle, trace_event(trace, rank, index));
    *use = (struct window_use){.created = true};
    return STATUS_OK;
}

static enum status check_rank(struct window_uses *uses, const struct trace *trace, uint32_t rank, struct err *err)
{
    const struct trace_rank *stream = &trace->ranks[rank];
    struct window_use *use = NULL;
    int32_t window = TRACE_NONE;
    for (size_t i = stream->kept_count; i < stream->count; i++) {
        enum call_kind kind = call_kind(stream->calls[i].call);
        int32_t handle = stream->calls[i].handle;
        bool creates = kind == CALL_WIN_CREATE, frees = kind == CALL_WIN_FREE;
        if (handle == TRACE_NONE || (!creates && !frees && !is_use(kind))) continue;
        if (!use || handle != window) TRY(find_use(uses, rank, window = handle, &use, err));
        if (creates)
            TRY(check_creation(use, trace, rank, i, err));
        else if (frees)
            *use = (struct window_use){.freed = true};
        else
            TRY(check_use(use, trace, rank, i, err));
    }
    return STATUS_OK;
}

enum status window_uses_check(struct window_uses *uses, const struct trace *trace, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) TRY(check_rank(uses, trace, r, err));
    return STATUS_OK;
}
