#include "model/match/epochs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/match/completions.h"
#include "model/match/fifo.h"
#include "trace/faults.h"

/* What one rank has open on one window. */
struct window_state {
    size_t access;       /* open start epoch */
    size_t exposure;     /* open post epoch */
    size_t fence_access; /* fence epoch with operations that no fence has completed */
    size_t fence_call;   /* last fence that opened an epoch */
    size_t fence_number; /* of fence_call */
    size_t fence_count;
    size_t open_locks;
    size_t lock_all;  /* open lock_all epoch */
    size_t first_use; /* while no creation has been read; the calls may begin behind it */
    bool created, freed;
};

struct walk {
    const struct trace *trace;
    struct epochs *epochs;
    struct window_state *windows;
    struct map locks; /* (window, target) to open lock epoch + 1; 0 closed */
    uint32_t rank;
    size_t index;
    struct err *err;
};

typedef enum status handler(struct walk *walk, const struct trace_call *call, struct window_state *state);

void epochs_clear(struct epochs *epochs)
{
    free(epochs->accesses);
    free(epochs->exposures);
    free(epochs->pairs);
    free(epochs->links);
    free(epochs->operations);
    memset(epochs, 0, sizeof *epochs);
}

bool epoch_closed(const struct trace *trace, uint32_t rank, size_t close_call)
{
    return close_call != EPOCH_NONE && !(trace->ranks[rank].calls[close_call].flags & TRACE_BREAK);
}

__attribute__((format(printf, 2, 3))) static enum status fault(const struct walk *walk, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return trace_fail(walk->err, walk->trace, walk->rank, walk->index,
                      &walk->trace->ranks[walk->rank].calls[walk->index], "%s", message);
}

/* No epoch of another kind may be open where an access epoch begins: MPI-3.1 11.5, "distinct access epochs for
 * win at the same process must be disjoint"; a fence epoch counts from its first operation. Locks of different targets
 * may be open together. */
static enum status expect_no_access(const struct walk *walk, const struct window_state *state, bool locks_too)
{
    size_t open = state->access != EPOCH_NONE ? state->access : state->fence_access;
    if (open != EPOCH_NONE) {
        size_t opened = walk->epochs->accesses[open].open_call;
        return fault(walk, "the epoch that event %" PRIu64 " (%s) opened on the same window is still open",
                     trace_event(walk->trace, walk->rank, opened),
                     call_name(walk->trace->ranks[walk->rank].calls[opened].call));
    }
    if ((locks_too && state->open_locks > 0) || state->lock_all != EPOCH_NONE)
        return fault(walk, "a lock of the same window is still held");
    return STATUS_OK;
}

static enum status expect_no_exposure(const struct walk *walk, const struct window_state *state)
{
    if (state->exposure == EPOCH_NONE) return STATUS_OK;
    return fault(walk,
                 "the exposure epoch that event %" PRIu64 " (MPI_Win_post) opened on the same window is still open",
                 trace_event(walk->trace, walk->rank, walk->epochs->exposures[state->exposure].post_call));
}

static enum status open_access(struct walk *walk, struct access_epoch epoch, size_t *index)
{
    struct epochs *epochs = walk->epochs;
    epoch.rank = walk->rank;
    epoch.close_call = EPOCH_NONE;
    *index = epochs->access_count;
    ARRAY_PUSH(epochs->accesses, epochs->access_count, epochs->access_capacity, epoch, walk->err);
    return STATUS_OK;
}

static enum status on_start(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    TRY(expect_no_access(walk, state, true));
    struct epochs *epochs = walk->epochs;
    const struct trace_group *group = &walk->trace->groups[call->ref];
    struct access_epoch epoch = {.kind = EPOCH_START,
                                 .window = call->handle,
                                 .target = TRACE_NONE,
                                 .open_call = walk->index,
                                 .pair_first = epochs->pair_count,
                                 .pair_count = group->count};
    struct epoch_pair pair = {
        .access = epochs->access_count, .exposure = EPOCH_NONE, .previous = EPOCH_NONE, .last_operation = EPOCH_NONE};
    for (uint32_t i = 0; i < group->count; i++)
        ARRAY_PUSH(epochs->pairs, epochs->pair_count, epochs->pair_capacity, pair, walk->err);
    return open_access(walk, epoch, &state->access);
}

static enum status on_complete(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    (void)call;
    if (state->access == EPOCH_NONE) return fault(walk, "no MPI_Win_start is open on this window");
    walk->epochs->accesses[state->access].close_call = walk->index;
    state->access = EPOCH_NONE;
    return STATUS_OK;
}

static enum status on_post(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    TRY(expect_no_exposure(walk, state));
    struct epochs *epochs = walk->epochs;
    const struct trace_group *group = &walk->trace->groups[call->ref];
    struct exposure_epoch epoch = {.rank = walk->rank,
                                   .window = call->handle,
                                   .post_call = walk->index,
                                   .first_test = EPOCH_NONE,
                                   .close_call = EPOCH_NONE,
                                   .link_first = epochs->link_count,
                                   .link_count = group->count};
    struct epoch_link link = {.exposure = epochs->exposure_count, .pair = EPOCH_NONE};
    for (uint32_t i = 0; i < group->count; i++)
        ARRAY_PUSH(epochs->links, epochs->link_count, epochs->link_capacity, link, walk->err);
    state->exposure = epochs->exposure_count;
    ARRAY_PUSH(epochs->exposures, epochs->exposure_count, epochs->exposure_capacity, epoch, walk->err);
    return STATUS_OK;
}

static enum status on_wait(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    if (state->exposure == EPOCH_NONE) return fault(walk, "no MPI_Win_post is open on this window");
    struct exposure_epoch *epoch = &walk->epochs->exposures[state->exposure];
    bool test = call_kind(call->call) == CALL_WIN_TEST;
    if (test && epoch->first_test == EPOCH_NONE) epoch->first_test = walk->index;
    if (test && !(call->flags & TRACE_FLAG)) return STATUS_OK;
    epoch->close_call = walk->index;
    state->exposure = EPOCH_NONE;
    return STATUS_OK;
}

static uint64_t lock_key(const struct trace_call *call)
{
    return (uint64_t)(uint32_t)call->handle << 32 | (uint32_t)call->peer;
}

static enum status on_lock(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    TRY(expect_no_access(walk, state, false));
    uint64_t *open;
    TRY(map_put(&walk->locks, lock_key(call), 0, &open, walk->err));
    if (*open != 0)
        return fault(walk, "the lock of target %d that event %" PRIu64 " took is still held", call->peer,
                     trace_event(walk->trace, walk->rank, walk->epochs->accesses[*open - 1].open_call));
    struct access_epoch epoch = {
        .kind = EPOCH_LOCK, .window = call->handle, .target = call->peer, .open_call = walk->index};
    size_t index;
    TRY(open_access(walk, epoch, &index));
    *open = index + 1;
    state->open_locks++;
    return STATUS_OK;
}

static enum status on_unlock(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    uint64_t *open = map_find(&walk->locks, lock_key(call));
    if (!open || *open == 0) return fault(walk, "no lock of target %d is held on this window", call->peer);
    walk->epochs->accesses[*open - 1].close_call = walk->index;
    *open = 0;
    state->open_locks--;
    return STATUS_OK;
}

static enum status on_lock_all(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    TRY(expect_no_access(walk, state, true));
    struct access_epoch epoch = {
        .kind = EPOCH_LOCK_ALL, .window = call->handle, .target = TRACE_NONE, .open_call = walk->index};
    return open_access(walk, epoch, &state->lock_all);
}

static enum status on_unlock_all(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    (void)call;
    if (state->lock_all == EPOCH_NONE) return fault(walk, "no MPI_Win_lock_all is open on this window");
    walk->epochs->accesses[state->lock_all].close_call = walk->index;
    state->lock_all = EPOCH_NONE;
    return STATUS_OK;
}

/* A fence completes the operations issued before it unless NOPRECEDE promises that there are none; operations that were
 * issued all the same stay open until the next fence that completes. */
static enum status on_fence(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    size_t fence_access = state->fence_access;
    state->fence_access = EPOCH_NONE;
    TRY(expect_no_access(walk, state, true));
    TRY(expect_no_exposure(walk, state));
    state->fence_access = fence_access;
    if (fence_access != EPOCH_NONE && !(call->flags & TRACE_NOPRECEDE)) {
        struct access_epoch *epoch = &walk->epochs->accesses[fence_access];
        epoch->close_call = walk->index;
        epoch->close_number = state->fence_count;
        state->fence_access = EPOCH_NONE;
    }
    state->fence_call = call->flags & TRACE_NOSUCCEED ? EPOCH_NONE : walk->index;
    state->fence_number = state->fence_count;
    state->fence_count++;
    return STATUS_OK;
}

/* The open epoch that an operation belongs to; EPOCH_NONE if there is none. */
static enum status find_epoch(struct walk *walk, const struct trace_call *call, struct window_state *state,
                              size_t *epoch)
{
    const uint64_t *lock = state->open_locks > 0 ? map_find(&walk->locks, lock_key(call)) : NULL;
    *epoch = EPOCH_NONE;
    if (state->access != EPOCH_NONE) {
        *epoch = state->access;
    } else if (lock && *lock != 0) {
        *epoch = (size_t)*lock - 1;
    } else if (state->lock_all != EPOCH_NONE) {
        *epoch = state->lock_all;
    } else if (state->fence_call != EPOCH_NONE) {
        if (state->fence_access == EPOCH_NONE) {
            struct access_epoch made = {.kind = EPOCH_FENCE,
                                        .window = call->handle,
                                        .target = TRACE_NONE,
                                        .open_call = state->fence_call,
                                        .open_number = state->fence_number};
            TRY(open_access(walk, made, &state->fence_access));
        }
        *epoch = state->fence_access;
    }
    return STATUS_OK;
}

static enum status on_operation(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    struct epochs *epochs = walk->epochs;
    if (call->peer == TRACE_NONE) return STATUS_OK;
    struct epoch_operation operation = {.origin = walk->rank, .call = walk->index, .pair = EPOCH_NONE};
    TRY(find_epoch(walk, call, state, &operation.epoch));
    if (operation.epoch == EPOCH_NONE)
        return fault(walk,
                     "the operation stands outside any access epoch, expected MPI_Win_start, MPI_Win_lock of target %d "
                     "or MPI_Win_fence on window %d before it",
                     call->peer, call->handle);
    struct access_epoch *epoch = &epochs->accesses[operation.epoch];
    if (epoch->kind == EPOCH_START) {
        uint32_t group = walk->trace->ranks[walk->rank].calls[epoch->open_call].ref;
        int32_t member = trace_group_rank(&walk->trace->groups[group], call->peer);
        if (member == TRACE_NONE)
            return fault(walk, "target %d is not in the group of the MPI_Win_start of event %" PRIu64, call->peer,
                         trace_event(walk->trace, walk->rank, epoch->open_call));
        operation.pair = epoch->pair_first + (size_t)member;
        struct epoch_pair *pair = &epochs->pairs[operation.pair];
        pair->last_operation = walk->index;
        pair->bytes = units_add_ps(pair->bytes, call->bytes);
    }
    epoch->operation_count++;
    ARRAY_PUSH(epochs->operations, epochs->operation_count, epochs->operation_capacity, operation, walk->err);
    return STATUS_OK;
}

/* A slice lacks calls before it, and what other ranks of a shared analysis are known by lacks more: there window_uses.h
 * looks. */
static bool has_all_before(const struct trace *trace, uint32_t rank)
{
    const struct trace_rank *process = &trace->ranks[rank];
    return !process->foreign && process->kept_count == 0 && trace_event(trace, rank, 0) == 1;
}

/* Opens, closes or fills an epoch: the window must be there. */
static enum status use_window(const struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    if (state->freed && has_all_before(walk->trace, walk->rank))
        return fault(walk, "window %d is freed already", call->handle);
    if (!state->created && state->first_use == EPOCH_NONE) state->first_use = walk->index;
    return STATUS_OK;
}

static enum status on_create(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    size_t creation = walk->index;
    if (state->first_use != EPOCH_NONE && has_all_before(walk->trace, walk->rank)) {
        walk->index = state->first_use;
        return fault(walk, "window %d is used before event %" PRIu64 " creates it", call->handle,
                     trace_event(walk->trace, walk->rank, creation));
    }
    state->created = true;
    state->freed = false;
    state->first_use = EPOCH_NONE;
    return STATUS_OK;
}

static enum status on_free(struct walk *walk, const struct trace_call *call, struct window_state *state)
{
    (void)walk, (void)call;
    state->created = false;
    state->freed = true;
    state->first_use = EPOCH_NONE;
    return STATUS_OK;
}

static handler *const handlers[CALL_KIND_COUNT] = {
    [CALL_START] = on_start,       [CALL_COMPLETE] = on_complete,     [CALL_POST] = on_post,
    [CALL_WIN_WAIT] = on_wait,     [CALL_WIN_TEST] = on_wait,         [CALL_LOCK] = on_lock,
    [CALL_UNLOCK] = on_unlock,     [CALL_FENCE] = on_fence,           [CALL_PUT] = on_operation,
    [CALL_GET] = on_operation,     [CALL_ACCUMULATE] = on_operation,  [CALL_GET_ACCUMULATE] = on_operation,
    [CALL_LOCK_ALL] = on_lock_all, [CALL_UNLOCK_ALL] = on_unlock_all, [CALL_WIN_CREATE] = on_create,
    [CALL_WIN_FREE] = on_free,
};

static enum status walk_rank(struct walk *walk, uint32_t rank)
{
    const struct trace *trace = walk->trace;
    walk->rank = rank;
    if (walk->locks.count > 0) map_clear(&walk->locks);
    for (size_t w = 0; w < trace->window_count; w++)
        walk->windows[w] = (struct window_state){.access = EPOCH_NONE,
                                                 .exposure = EPOCH_NONE,
                                                 .fence_access = EPOCH_NONE,
                                                 .fence_call = EPOCH_NONE,
                                                 .lock_all = EPOCH_NONE,
                                                 .first_use = EPOCH_NONE};
    for (size_t i = 0; i < trace->ranks[rank].count; i++) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        enum call_kind kind = call_kind(call->call);
        handler *handle = handlers[kind];
        if (!handle) continue;
        walk->index = i;
        if (kind != CALL_WIN_CREATE && kind != CALL_WIN_FREE) TRY(use_window(walk, call, &walk->windows[call->handle]));
        TRY(handle(walk, call, &walk->windows[call->handle]));
    }
    return STATUS_OK;
}

static struct fifo_key pair_key(int32_t window, uint32_t origin, uint32_t target)
{
    return (struct fifo_key){.a = origin, .b = target, .c = (uint32_t)window, .d = 0};
}

static enum status queue_exposures(const struct trace *trace, const struct epochs *epochs, struct fifo *fifo,
                                   struct err *err)
{
    for (size_t e = 0; e < epochs->exposure_count; e++) {
        const struct exposure_epoch *epoch = &epochs->exposures[e];
        const struct trace_group *group = &trace->groups[trace->ranks[epoch->rank].calls[epoch->post_call].ref];
        for (uint32_t i = 0; i < epoch->link_count; i++)
            TRY(fifo_push(fifo, pair_key(epoch->window, (uint32_t)group->members[i], epoch->rank),
                          epoch->link_first + i, err));
    }
    return STATUS_OK;
}

static void match_accesses(const struct trace *trace, struct epochs *epochs, struct fifo *fifo)
{
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (epoch->kind != EPOCH_START) continue;
        const struct trace_group *group = &trace->groups[trace->ranks[epoch->rank].calls[epoch->open_call].ref];
        for (uint32_t i = 0; i < epoch->pair_count; i++) {
            size_t pair = epoch->pair_first + i, before;
            size_t link =
                fifo_pop_after(fifo, pair_key(epoch->window, epoch->rank, (uint32_t)group->members[i]), &before);
            if (before != FIFO_EMPTY) epochs->pairs[pair].previous = epochs->links[before].pair;
            if (link == FIFO_EMPTY) continue;
            epochs->pairs[pair].exposure = epochs->links[link].exposure;
            epochs->links[link].pair = pair;
        }
    }
}

static enum status build(struct walk *walk)
{
    for (uint32_t r = 0; r < walk->trace->rank_count; r++) TRY(walk_rank(walk, r));
    struct fifo fifo = {0};
    enum status status = queue_exposures(walk->trace, walk->epochs, &fifo, walk->err);
    if (status == STATUS_OK) match_accesses(walk->trace, walk->epochs, &fifo);
    fifo_clear(&fifo);
    return status;
}

enum status epochs_build(const struct trace *trace, struct epochs *epochs, struct err *err)
{
    struct epochs made = {0};
    struct walk walk = {.trace = trace, .epochs = &made, .err = err};
    walk.windows = calloc(trace->window_count + 1, sizeof *walk.windows);
    if (!walk.windows) return err_memory(err);
    enum status status = build(&walk);
    if (status == STATUS_OK) status = completions_find(trace, &made, err);
    map_clear(&walk.locks);
    free(walk.windows);
    if (status != STATUS_OK) {
        epochs_clear(&made);
        return status;
    }
    *epochs = made;
    return STATUS_OK;
}
