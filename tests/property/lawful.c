#include "tests/property/lawful.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"

/* From a lock to its unlock, from a post to the end of its wait. */
struct span {
    uint32_t owner, by; /* whose window; who locks it, or the owner */
    int32_t window;
    bool lock;
    int64_t begin_ps, end_ps;
};

struct spans {
    struct span *items;
    size_t count, capacity;
};

static const struct trace_call *find_end(const struct trace *trace, uint32_t rank, size_t from)
{
    const struct trace_rank *process = &trace->ranks[rank];
    const struct trace_call *begin = &process->calls[from];
    for (size_t i = from + 1; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        enum call_kind kind = call_kind(call->call);
        if (call->handle != begin->handle) continue;
        switch (call_kind(begin->call)) {
        case CALL_POST:
            if (kind == CALL_WIN_WAIT || (kind == CALL_WIN_TEST && (call->flags & TRACE_FLAG))) return call;
            break;
        case CALL_LOCK:
            if (kind == CALL_UNLOCK && call->peer == begin->peer) return call;
            break;
        default:
            if (kind == CALL_UNLOCK_ALL) return call;
        }
    }
    return begin;
}

static enum status add_span(const struct trace *trace, uint32_t rank, size_t index, uint32_t owner, struct spans *spans,
                            struct err *err)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index], *end = find_end(trace, rank, index);
    struct span span = {owner, rank, call->handle, call_kind(call->call) != CALL_POST, call->enter_ps, end->exit_ps};
    ARRAY_PUSH(spans->items, spans->count, spans->capacity, span, err);
    return STATUS_OK;
}

static enum status find_spans(const struct trace *trace, struct spans *spans, struct err *err)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            enum call_kind kind = call_kind(call->call);
            if (kind == CALL_POST) TRY(add_span(trace, r, i, r, spans, err));
            if (kind == CALL_LOCK && call->peer != TRACE_NONE && (uint32_t)call->peer != r)
                TRY(add_span(trace, r, i, (uint32_t)call->peer, spans, err));
            if (kind != CALL_LOCK_ALL) continue;
            const struct trace_comm *comm = &trace->definitions.comms[trace->definitions.windows[call->handle].comm];
            for (uint32_t m = 0; m < comm->count; m++)
                if ((uint32_t)comm->members[m] != r) TRY(add_span(trace, r, i, (uint32_t)comm->members[m], spans, err));
        }
    return STATUS_OK;
}

bool lawful_asks_for_times(const struct trace *trace)
{
    for (size_t w = 0; w < trace->definitions.window_count; w++) {
        bool locked = false, posted = false;
        for (uint32_t r = 0; r < trace->rank_count; r++)
            for (size_t i = 0; i < trace->ranks[r].count; i++) {
                const struct trace_call *call = &trace->ranks[r].calls[i];
                if (call->handle != (int32_t)w) continue;
                locked = locked || call_kind(call->call) == CALL_LOCK || call_kind(call->call) == CALL_LOCK_ALL;
                posted = posted || call_kind(call->call) == CALL_POST;
            }
        if (locked && posted) return true;
    }
    return false;
}

enum status lawful_locked_while_exposed(const struct trace *predicted, bool *found, char *text, size_t room,
                                        struct err *err)
{
    struct spans spans = {.count = 0};
    enum status status = find_spans(predicted, &spans, err);
    *found = false;
    for (size_t i = 0; status == STATUS_OK && i < spans.count && !*found; i++)
        for (size_t k = 0; k < spans.count && spans.items[i].lock && !*found; k++) {
            const struct span *lock = &spans.items[i], *post = &spans.items[k];
            if (post->lock || post->window != lock->window || post->owner != lock->owner) continue;
            *found = post->begin_ps < lock->end_ps && lock->begin_ps < post->end_ps;
            if (*found)
                snprintf(text, room,
                         "rank %" PRIu32 " locks window %" PRId32 " of rank %" PRIu32 " from %" PRId64 " to %" PRId64
                         " ps, which is exposed from %" PRId64 " to %" PRId64,
                         lock->by, lock->window, lock->owner, lock->begin_ps, lock->end_ps, post->begin_ps,
                         post->end_ps);
        }
    free(spans.items);
    return status;
}

/* --- calls alone --- */

static bool is_completed(const struct trace *trace, const struct trace_rank *rank, size_t from)
{
    uint32_t request = rank->calls[from].ref;
    for (size_t i = from + 1; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        enum call_kind kind = call_kind(call->call);
        bool one = kind == CALL_REQUEST_WAIT || kind == CALL_REQUEST_TEST;
        if (one && call->ref == request) return true;
        if ((kind != CALL_REQUEST_WAITALL && kind != CALL_REQUEST_TESTALL) || call->ref == TRACE_NO_REF) continue;
        const struct trace_list *list = &trace->definitions.lists[call->ref];
        for (uint32_t k = 0; k < list->count; k++)
            if (trace->definitions.requests[list->first + k] == request) return true;
    }
    return false;
}

struct epochs { /* of one rank on one window */
    uint32_t locks;
    bool access, exposure;
};

static uint64_t look_at(const struct trace *trace, uint32_t rank, size_t index, struct epochs *epochs)
{
    const struct trace_rank *process = &trace->ranks[rank];
    const struct trace_call *call = &process->calls[index];
    uint64_t faults = 0;
    switch (call_kind(call->call)) {
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE:
        if (!call_makes_request(call->call)) return 0;
        faults += epochs->locks == 0;
        return faults + (call->ref != TRACE_NO_REF && !is_completed(trace, process, index));
    case CALL_LOCK:
    case CALL_LOCK_ALL: epochs->locks++; return epochs->access;
    case CALL_UNLOCK:
    case CALL_UNLOCK_ALL: faults += epochs->locks-- == 0; return faults;
    case CALL_START:
        faults += epochs->access || epochs->locks > 0;
        epochs->access = true;
        return faults;
    case CALL_COMPLETE:
        faults += !epochs->access;
        epochs->access = false;
        return faults;
    case CALL_POST:
        faults += epochs->exposure;
        epochs->exposure = true;
        return faults;
    case CALL_WIN_TEST:
        if (!(call->flags & TRACE_FLAG)) return 0;
        /* fall through */
    case CALL_WIN_WAIT:
        faults += !epochs->exposure;
        epochs->exposure = false;
        return faults;
    case CALL_FENCE: return epochs->access || epochs->exposure || epochs->locks > 0;
    default: return 0;
    }
}

uint64_t lawful_faults(const struct trace *trace)
{
    uint64_t faults = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t w = 0; w < trace->definitions.window_count; w++) {
            struct epochs epochs = {.locks = 0};
            for (size_t i = 0; i < trace->ranks[r].count; i++) {
                const struct trace_call *call = &trace->ranks[r].calls[i];
                bool on_window = (call_row(call->call)->allowed & F_WIN) && call->handle == (int32_t)w;
                if (on_window) faults += look_at(trace, r, i, &epochs);
            }
            faults += epochs.access || epochs.exposure || epochs.locks > 0;
        }
    return faults;
}

/* --- operations --- */

enum { PUTS, GETS, ACCUMULATES, FETCHES, KINDS };

struct moved {
    int64_t count, bytes;
};

static int place_of(enum call_kind kind, bool messages)
{
    bool sends = messages && (kind == CALL_SEND || kind == CALL_ISEND || kind == CALL_SENDRECV);
    return (messages ? call_operation(kind) : kind) == CALL_PUT || sends ? PUTS
           : kind == CALL_GET            ? GETS
           : kind == CALL_ACCUMULATE     ? ACCUMULATES
           : kind == CALL_GET_ACCUMULATE ? FETCHES
                                         : KINDS;
}

static void add_moved(const struct trace *trace, int64_t from, int64_t to, int place, int64_t sign, int64_t bytes,
                      struct moved *moved)
{
    struct moved *sum = &moved[((size_t)from * trace->rank_count + (size_t)to) * KINDS + (size_t)place];
    sum->count += sign;
    sum->bytes += sign * bytes;
}

static void add_edges(const struct trace *trace, uint32_t rank, const struct trace_call *call, int64_t sign,
                      struct moved *moved)
{
    struct trace_neighbors all;
    const int64_t *counts = trace_call_counts(trace, call);
    if (!trace_call_neighbors(trace, call, &all)) return;
    for (uint32_t i = 0; i < all.destination_count; i++)
        add_moved(trace, rank, all.destinations[i], PUTS, sign, counts ? counts[i] : call->bytes / all.destination_count,
                  moved);
}

/* Messages: all that moves data to another rank counts as a put there. */
static void add_operations(const struct trace *trace, int64_t sign, bool messages, struct moved *moved)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            const enum call_kind kind = call_kind(call->call);
            const int place = place_of(kind, messages);
            if (messages && kind == CALL_NEIGHBOR) add_edges(trace, r, call, sign, moved);
            if (messages && call_operation(kind) == CALL_GET && call->peer != TRACE_NONE)
                add_moved(trace, call->peer, r, PUTS, sign, call->bytes, moved);
            else if (place != KINDS && call->peer != TRACE_NONE)
                add_moved(trace, r, call->peer, place, sign,
                          call->bytes + (place == FETCHES ? call->rma.result_bytes : 0), moved);
        }
}

enum status lawful_same_operations(const struct trace *before, const struct trace *after, enum lawful_change change, bool *same,
                                   char *text, size_t room, struct err *err)
{
    static const char *const names[KINDS] = {"puts", "gets", "accumulates", "fetching operations"};
    size_t ranks = before->rank_count;
    struct moved *moved = calloc(ranks * ranks * KINDS + 1, sizeof *moved);
    if (!moved) return err_memory(err);
    add_operations(before, 1, change == LAWFUL_TURNED, moved);
    add_operations(after, -1, change == LAWFUL_TURNED, moved);
    *same = true;
    for (size_t i = 0; i < ranks * ranks * KINDS && *same; i++) {
        bool fewer = (change == LAWFUL_MERGED && i % KINDS <= GETS && moved[i].count > 0) || change == LAWFUL_TURNED;
        *same = moved[i].bytes == 0 && (moved[i].count == 0 || fewer);
        if (!*same)
            snprintf(text, room, "rank %zu to %zu: %" PRId64 " %s and %" PRId64 " bytes less", i / KINDS / ranks,
                     i / KINDS % ranks, moved[i].count, names[i % KINDS], moved[i].bytes);
    }
    free(moved);
    return STATUS_OK;
}
