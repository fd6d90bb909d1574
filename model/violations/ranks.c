/* Rules that one rank's calls break by themselves: model/violations/violations.h has the interface. What the
 * rules between ranks need is collected on the way. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/violations/finder.h"

/* What the rank has on a window. */
struct window_walk {
    size_t access, lock_all; /* open start and lock_all */
    size_t start;            /* of access, in finder.starts */
    size_t exposure, post;   /* open post; in finder.posts */
    size_t operation;        /* first one that no fence has completed */
    size_t fence;            /* the last one, NO_CALL none */
    size_t fence_count;
    size_t first_use, freed; /* while it was not created; while it is freed */
    bool created;
    uint32_t locks; /* open ones */
};

struct lock_walk {
    size_t call;
    int32_t window, target;
    bool open, operations, answers; /* operations that bring data back */
    bool proven;
    int64_t proven_ps;
};

struct comm_walk {
    size_t first_use, freed;
    bool created;
    bool begun; /* the rank has used, freed or created it */
};

/* A communicator that a rank has used and freed before it creates it. */
struct reuse {
    struct call_at use, creation;
    uint32_t comm;
};

struct walk {
    struct finder *finder;
    const struct trace *trace;
    const struct trace_call *call;
    struct call_at at;
    size_t init, finalize; /* NO_CALL: none; finalize: once it was met */
    struct window_walk *windows;
    struct comm_walk *comms;
    struct map lock_index; /* (window, target) to place in locks, plus 1 */
    struct lock_walk *locks;
    size_t lock_count, lock_capacity, open_locks;
    struct map requests; /* request to the call that made it */
    struct map held;     /* (thread, object) to how often the thread has it */
    struct map born;     /* threads that began in the trace */
    struct map symmetric; /* lock of OpenSHMEM to the call that took it, plus 1; 0: the rank does not have it */
    struct map second;    /* the same of a thread that asked for it meanwhile */
    size_t request_frees;
    bool *new; /* per communicator: a rank's first call with it creates it */
    struct reuse *reuses;
    size_t reuse_count, reuse_capacity;
};

typedef enum status rule(struct walk *walk, struct window_walk *window);

static const struct call_at nowhere = {0, NO_CALL};

static struct call_at own(const struct walk *walk, size_t call)
{
    return (struct call_at){walk->at.rank, call};
}

/* The rule's kind at the call in hand, with another call of the rank. */
static enum status add(struct walk *walk, enum violation_kind kind, size_t other)
{
    return finder_add(walk->finder, kind, walk->at, own(walk, other), "%s", "");
}

static uint64_t lock_key(int32_t window, int32_t target)
{
    return (uint64_t)(uint32_t)window << 32 | (uint32_t)target;
}

static struct lock_walk *open_lock(const struct walk *walk, int32_t target)
{
    const uint64_t *place =
        walk->open_locks > 0 ? map_find(&walk->lock_index, lock_key(walk->call->handle, target)) : NULL;
    return place && *place > 0 && walk->locks[*place - 1].open ? &walk->locks[*place - 1] : NULL;
}

/* Of the window, NO_CALL none. */
static size_t any_open_lock(const struct walk *walk, const struct window_walk *window)
{
    if (window->lock_all != NO_CALL) return window->lock_all;
    for (size_t i = 0; window->locks > 0 && i < walk->lock_count; i++)
        if (walk->locks[i].open && walk->locks[i].window == walk->call->handle) return walk->locks[i].call;
    return NO_CALL;
}

/* MPI-3.1 11.5: access epochs of a window at one process are disjoint; a fence epoch counts from its first operation.
 */
static enum status expect_no_access(struct walk *walk, const struct window_walk *window, bool locks_too)
{
    size_t open = window->access != NO_CALL ? window->access : window->operation;
    if (open == NO_CALL) open = locks_too ? any_open_lock(walk, window) : window->lock_all;
    return open == NO_CALL ? STATUS_OK : add(walk, VIOLATION_epochs_overlap, open);
}

static enum status add_side(struct walk *walk, struct side_list *list, size_t *place)
{
    struct side made = {.at = walk->at};
    *place = list->count;
    ARRAY_PUSH(list->items, list->count, list->capacity, made, walk->finder->err);
    if (!walk->trace->groups[walk->call->ref].repeats) return STATUS_OK;
    return add(walk, VIOLATION_group_repeats_rank, NO_CALL);
}

static enum status on_start(struct walk *walk, struct window_walk *window)
{
    TRY(expect_no_access(walk, window, true));
    window->access = walk->at.call;
    return add_side(walk, &walk->finder->starts, &window->start);
}

static enum status on_complete(struct walk *walk, struct window_walk *window)
{
    if (window->access == NO_CALL) return add(walk, VIOLATION_close_without_open, NO_CALL);
    walk->finder->starts.items[window->start].closed = true;
    window->access = NO_CALL;
    return STATUS_OK;
}

static enum status on_post(struct walk *walk, struct window_walk *window)
{
    if (window->exposure != NO_CALL) TRY(add(walk, VIOLATION_epochs_overlap, window->exposure));
    window->exposure = walk->at.call;
    return add_side(walk, &walk->finder->posts, &window->post);
}

static enum status on_wait(struct walk *walk, struct window_walk *window)
{
    if (window->exposure == NO_CALL) return add(walk, VIOLATION_close_without_open, NO_CALL);
    if (call_kind(walk->call->call) == CALL_WIN_TEST && !(walk->call->flags & TRACE_FLAG)) return STATUS_OK;
    walk->finder->posts.items[window->post].closed = true;
    window->exposure = NO_CALL;
    return STATUS_OK;
}

/* A lock of the rank itself blocks (MPI-3.1 11.5.3), so does any in a simulation that says so: it is held when the call
 * returns. That of another rank may be taken later, by MPI_Win_unlock at the latest. */
static enum status on_lock(struct walk *walk, struct window_walk *window)
{
    const struct trace_call *call = walk->call;
    TRY(expect_no_access(walk, window, false));
    struct lock_walk *open = open_lock(walk, call->peer);
    if (open) return add(walk, VIOLATION_epochs_overlap, open->call);
    if (walk->open_locks == 0) {
        walk->lock_count = 0;
        map_empty(&walk->lock_index);
    }
    bool blocks = walk->trace->simulated && walk->trace->lock && strcmp(walk->trace->lock, "blocking") == 0;
    struct lock_walk made = {.call = walk->at.call, .window = call->handle, .target = call->peer, .open = true};
    made.proven = (blocks || call->peer == (int32_t)walk->at.rank) && !(call->flags & TRACE_NOCHECK);
    made.proven_ps = call->exit_ps;
    uint64_t *place;
    TRY(map_put(&walk->lock_index, lock_key(call->handle, call->peer), 0, &place, walk->finder->err));
    *place = walk->lock_count + 1;
    ARRAY_PUSH(walk->locks, walk->lock_count, walk->lock_capacity, made, walk->finder->err);
    walk->open_locks++;
    window->locks++;
    return STATUS_OK;
}

static enum status on_unlock(struct walk *walk, struct window_walk *window)
{
    const struct trace_call *call = walk->call;
    struct lock_walk *lock = open_lock(walk, call->peer);
    if (!lock) return add(walk, VIOLATION_close_without_open, NO_CALL);
    lock->open = false;
    walk->open_locks--;
    window->locks--;
    if (!lock->operations && !lock->proven) return STATUS_OK;
    const struct trace_call *opened = &walk->trace->ranks[walk->at.rank].calls[lock->call];
    struct holding made = {.at = own(walk, lock->call),
                           .window = lock->window,
                           .target = lock->target,
                           .exclusive = opened->flags & TRACE_EXCLUSIVE,
                           .proven = lock->proven,
                           .from_ps = lock->proven ? lock->proven_ps : opened->enter_ps,
                           .until_ps = lock->proven ? call->enter_ps : call->exit_ps};
    struct finder *finder = walk->finder;
    ARRAY_PUSH(finder->holdings, finder->holding_count, finder->holding_capacity, made, finder->err);
    return STATUS_OK;
}

static enum status on_lock_all(struct walk *walk, struct window_walk *window)
{
    TRY(expect_no_access(walk, window, true));
    window->lock_all = walk->at.call;
    return STATUS_OK;
}

static enum status on_unlock_all(struct walk *walk, struct window_walk *window)
{
    if (window->lock_all == NO_CALL) return add(walk, VIOLATION_close_without_open, NO_CALL);
    window->lock_all = NO_CALL;
    return STATUS_OK;
}

/* The return of a flush shows that the lock is held, if there was something to complete. */
static void prove(const struct walk *walk, struct lock_walk *lock)
{
    bool local = call_kind(walk->call->call) == CALL_FLUSH_LOCAL;
    if (!lock->open || lock->window != walk->call->handle || lock->proven || (walk->call->flags & TRACE_BREAK)) return;
    lock->proven = local ? lock->answers : lock->operations;
    lock->proven_ps = walk->call->exit_ps;
}

static enum status on_flush(struct walk *walk, struct window_walk *window)
{
    const struct trace_call *call = walk->call;
    bool all = !(call_row(call->call)->allowed & F_TARGET);
    struct lock_walk *lock = all ? NULL : open_lock(walk, call->peer);
    if (!lock && window->lock_all == NO_CALL && !(all && window->locks > 0))
        return add(walk, VIOLATION_flush_without_lock, NO_CALL);
    if (lock) prove(walk, lock);
    for (size_t i = 0; all && window->locks > 0 && i < walk->lock_count; i++) prove(walk, &walk->locks[i]);
    return STATUS_OK;
}

static enum status on_fence(struct walk *walk, struct window_walk *window)
{
    struct finder *finder = walk->finder;
    size_t operation = window->operation;
    window->operation = NO_CALL;
    TRY(expect_no_access(walk, window, true));
    if (window->exposure != NO_CALL) TRY(add(walk, VIOLATION_epochs_overlap, window->exposure));
    if (operation != NO_CALL && (walk->call->flags & TRACE_NOPRECEDE))
        TRY(add(walk, VIOLATION_noprecede_after_operation, operation));
    window->fence = walk->at.call;
    uint64_t *slot, key = finder_fence_key(walk->call->handle, walk->at.rank, window->fence_count++);
    if (!(walk->call->flags & TRACE_NOPUT) || key == UINT64_MAX) return STATUS_OK;
    return map_put(&finder->noput, key, walk->at.call, &slot, finder->err);
}

/* Bytes from the displacement on to the end of what the operation touches at its target. */
static int64_t reach(const struct walk *walk)
{
    const struct trace_call *call = walk->call;
    int64_t extent = 0, bytes = call_kind(call->call) == CALL_GET_ACCUMULATE ? call->aux : call->bytes;
    if (call->flags & TRACE_GAPS)
        extent = trace_call_extents(walk->trace, walk->at.rank, walk->at.call).of[TRACE_TARGET];
    return extent > bytes ? extent : bytes;
}

static enum status check_end(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    const struct trace_window *to = &walk->trace->windows[call->handle];
    int64_t bytes = reach(walk);
    if (!to->bytes || to->flavor == 'd' || to->flavor == 'h' || call->disp < 0 || bytes == 0) return STATUS_OK;
    int32_t member = trace_comm_rank(&walk->trace->comms[to->comm], call->peer);
    if (member == TRACE_NONE || (call->disp <= to->bytes[member] && bytes <= to->bytes[member] - call->disp))
        return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_operation_beyond_window, walk->at, nowhere,
                      "%" PRId64 " bytes from byte %" PRId64 " on, rank %" PRId32 " has %" PRId64
                      " bytes in window %" PRId32,
                      bytes, call->disp, call->peer, to->bytes[member], call->handle);
}

static bool changes_window(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return kind == CALL_PUT ||
           ((kind == CALL_ACCUMULATE || kind == CALL_GET_ACCUMULATE) && call->tag != TRACE_OP_NO_OP);
}

static enum status keep_update(struct walk *walk, size_t start, size_t fence)
{
    struct finder *finder = walk->finder;
    struct update made = {.at = walk->at, .start = start, .fence = fence};
    if (!(finder->assertions & TRACE_NOPUT) || !changes_window(walk->call)) return STATUS_OK;
    ARRAY_PUSH(finder->updates, finder->update_count, finder->update_capacity, made, finder->err);
    return STATUS_OK;
}

static enum status in_start(struct walk *walk, const struct window_walk *window)
{
    const struct trace_call *start = &walk->trace->ranks[walk->at.rank].calls[window->access];
    if (trace_group_rank(&walk->trace->groups[start->ref], walk->call->peer) == TRACE_NONE)
        return finder_add(walk->finder, VIOLATION_operation_outside_group, walk->at, own(walk, window->access),
                          "target %" PRId32, walk->call->peer);
    return keep_update(walk, window->start, 0);
}

static enum status in_fence(struct walk *walk, struct window_walk *window)
{
    if (window->fence == NO_CALL) return add(walk, VIOLATION_operation_outside_epoch, NO_CALL);
    if (walk->trace->ranks[walk->at.rank].calls[window->fence].flags & TRACE_NOSUCCEED)
        return add(walk, VIOLATION_operation_after_nosucceed, window->fence);
    if (window->operation == NO_CALL) window->operation = walk->at.call;
    return keep_update(walk, NO_CALL, window->fence_count - 1);
}

static enum status on_operation(struct walk *walk, struct window_walk *window)
{
    enum call_kind kind = call_kind(walk->call->call);
    if (walk->call->peer == TRACE_NONE) return STATUS_OK;
    TRY(check_end(walk));
    struct lock_walk *lock = open_lock(walk, walk->call->peer);
    if (lock) {
        lock->operations = true;
        lock->answers = lock->answers || kind == CALL_GET || kind == CALL_GET_ACCUMULATE;
    }
    if (window->access == NO_CALL && (lock || window->lock_all != NO_CALL)) return STATUS_OK;
    if (call_makes_request(walk->call->call) && (window->access != NO_CALL || window->fence != NO_CALL))
        TRY(add(walk, VIOLATION_request_operation_outside_lock,
                window->access != NO_CALL ? window->access : window->fence));
    return window->access != NO_CALL ? in_start(walk, window) : in_fence(walk, window);
}

static enum status on_create(struct walk *walk, struct window_walk *window)
{
    if (window->first_use != NO_CALL)
        TRY(finder_add(walk->finder, VIOLATION_window_before_creation, own(walk, window->first_use), walk->at, "%s",
                       ""));
    else if (window->created)
        TRY(add(walk, VIOLATION_window_created_twice, NO_CALL));
    window->first_use = window->freed = NO_CALL;
    window->created = true;
    return STATUS_OK;
}

static void forget_epochs(struct walk *walk, struct window_walk *window)
{
    for (size_t i = 0; window->locks > 0 && i < walk->lock_count; i++) {
        if (!walk->locks[i].open || walk->locks[i].window != walk->call->handle) continue;
        walk->locks[i].open = false;
        walk->open_locks--;
        window->locks--;
    }
    if (window->access != NO_CALL) walk->finder->starts.items[window->start].closed = true;
    if (window->exposure != NO_CALL) walk->finder->posts.items[window->post].closed = true;
    window->access = window->exposure = window->lock_all = window->operation = NO_CALL;
    window->fence = NO_CALL;
}

static enum status on_free(struct walk *walk, struct window_walk *window)
{
    if (window->freed != NO_CALL) return add(walk, VIOLATION_window_freed_twice, window->freed);
    size_t open = window->access != NO_CALL ? window->access : window->exposure;
    if (open == NO_CALL) open = any_open_lock(walk, window);
    if (open == NO_CALL) open = window->operation;
    if (open != NO_CALL) TRY(add(walk, VIOLATION_window_freed_in_epoch, open));
    forget_epochs(walk, window);
    window->created = false;
    window->first_use = NO_CALL;
    window->freed = walk->at.call;
    return STATUS_OK;
}

static rule *const window_rules[CALL_KIND_COUNT] = {
    [CALL_START] = on_start,       [CALL_COMPLETE] = on_complete,     [CALL_POST] = on_post,
    [CALL_WIN_WAIT] = on_wait,     [CALL_WIN_TEST] = on_wait,         [CALL_LOCK] = on_lock,
    [CALL_UNLOCK] = on_unlock,     [CALL_FENCE] = on_fence,           [CALL_PUT] = on_operation,
    [CALL_GET] = on_operation,     [CALL_ACCUMULATE] = on_operation,  [CALL_GET_ACCUMULATE] = on_operation,
    [CALL_LOCK_ALL] = on_lock_all, [CALL_UNLOCK_ALL] = on_unlock_all, [CALL_WIN_CREATE] = on_create,
    [CALL_WIN_FREE] = on_free,     [CALL_FLUSH] = on_flush,           [CALL_FLUSH_LOCAL] = on_flush,
};

static enum status walk_window(struct walk *walk)
{
    enum call_kind kind = call_kind(walk->call->call);
    if (!window_rules[kind] || walk->call->handle == TRACE_NONE) return STATUS_OK;
    struct window_walk *window = &walk->windows[walk->call->handle];
    if (kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE) return window_rules[kind](walk, window);
    if (window->freed != NO_CALL) return add(walk, VIOLATION_window_after_free, window->freed);
    if (!window->created && window->first_use == NO_CALL) window->first_use = walk->at.call;
    return window_rules[kind](walk, window);
}

/* A trace may begin with communicators that it does not create. Who frees such a one may create another one of its
 * number. */
static enum status create_comm(struct walk *walk)
{
    if (walk->call->ref == TRACE_NO_REF || walk->call->ref == 0) return STATUS_OK;
    struct comm_walk *comm = &walk->comms[walk->call->ref];
    bool unmade = comm->first_use != NO_CALL && !comm->created;
    struct reuse reuse = {own(walk, comm->first_use), walk->at, walk->call->ref};
    if (unmade && comm->freed == NO_CALL)
        TRY(finder_add(walk->finder, VIOLATION_communicator_before_creation, reuse.use, walk->at, "%s", ""));
    if (unmade && comm->freed != NO_CALL)
        ARRAY_PUSH(walk->reuses, walk->reuse_count, walk->reuse_capacity, reuse, walk->finder->err);
    if (!comm->begun) walk->new[walk->call->ref] = true;
    *comm = (struct comm_walk){NO_CALL, NO_CALL, true, true};
    return STATUS_OK;
}

/* All members free a communicator: where one of them begins with creating it, there was none to free. */
static enum status end_reuses(const struct walk *walk)
{
    for (size_t i = 0; i < walk->reuse_count; i++)
        if (walk->new[walk->reuses[i].comm])
            TRY(finder_add(walk->finder, VIOLATION_communicator_before_creation, walk->reuses[i].use,
                           walk->reuses[i].creation, "%s", ""));
    return STATUS_OK;
}

/* The world is never made and never freed. */
static enum status walk_comm(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool makes = kind == CALL_COMM_CREATE, itself = makes && call->ref == (uint32_t)call->handle;
    if (kind == CALL_LOCAL || !(call_row(call->call)->allowed & F_COMM)) return STATUS_OK;
    if (call->handle > 0 && !itself) {
        struct comm_walk *comm = &walk->comms[call->handle];
        if (comm->freed != NO_CALL) return add(walk, VIOLATION_communicator_after_free, comm->freed);
        if (comm->first_use == NO_CALL) comm->first_use = walk->at.call;
        comm->begun = true;
        if (kind == CALL_COMM_FREE) comm->freed = walk->at.call;
    }
    return makes ? create_comm(walk) : STATUS_OK;
}

static enum status complete_request(struct walk *walk, uint32_t request)
{
    if (request != TRACE_NO_REF) map_remove(&walk->requests, request);
    return STATUS_OK;
}

static enum status walk_request(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    uint64_t *slot;
    if (call->call == ID_Request_free) walk->request_frees++;
    if (call_makes_request(call->call))
        return call->ref == TRACE_NO_REF ? STATUS_OK
                                         : map_put(&walk->requests, call->ref, walk->at.call, &slot, walk->finder->err);
    switch (call_kind(call->call)) {
    case CALL_REQUEST_WAIT: return call->flags & TRACE_BREAK ? STATUS_OK : complete_request(walk, call->ref);
    case CALL_REQUEST_TEST: return call->flags & TRACE_FLAG ? complete_request(walk, call->ref) : STATUS_OK;
    case CALL_REQUEST_WAITALL:
    case CALL_REQUEST_TESTALL: {
        const struct trace_list *list = &walk->trace->lists[call->ref];
        for (uint32_t i = 0; i < list->count; i++) TRY(complete_request(walk, walk->trace->requests[list->first + i]));
        return STATUS_OK;
    }
    default: return STATUS_OK;
    }
}

static enum status walk_init(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_LOCAL || call_is_region(call->call) || call_is_thread(call->call) || call_is_shmem(call->call))
        return STATUS_OK;
    if (walk->finalize != NO_CALL) return add(walk, VIOLATION_call_after_finalize, walk->finalize);
    if (walk->init != NO_CALL && walk->at.call < walk->init) return add(walk, VIOLATION_call_before_init, walk->init);
    if (kind == CALL_INIT && walk->at.call != walk->init) return add(walk, VIOLATION_init_twice, walk->init);
    if (kind == CALL_FINALIZE) walk->finalize = walk->at.call;
    return STATUS_OK;
}

static uint64_t held_key(const struct walk *walk, int64_t object)
{
    return (uint64_t)trace_call_thread(walk->trace, walk->at.rank, walk->at.call) << 32 | (uint32_t)object;
}

static enum status take_object(struct walk *walk, int64_t object)
{
    uint64_t *count;
    TRY(map_put(&walk->held, held_key(walk, object), 0, &count, walk->finder->err));
    ++*count;
    return STATUS_OK;
}

/* A thread may have taken an object before its recording began: what it never took in the trace is not known, unless
 * the trace has the thread's beginning. */
static bool has_not(const struct walk *walk, int64_t object)
{
    const uint64_t *count = map_find(&walk->held, held_key(walk, object));
    if (count) return *count == 0;
    uint32_t thread = trace_call_thread(walk->trace, walk->at.rank, walk->at.call);
    return walk->init == NO_CALL || map_find(&walk->born, thread);
}

static enum status release_object(struct walk *walk)
{
    uint64_t *count = map_find(&walk->held, held_key(walk, walk->call->ref));
    if (count && *count > 0) {
        --*count;
        return STATUS_OK;
    }
    if (!has_not(walk, walk->call->ref)) return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_unlock_of_other, walk->at, nowhere, "object %" PRIu32, walk->call->ref);
}

static enum status walk_primitive(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    uint64_t *slot;
    if (!call_is_thread(call->call)) return STATUS_OK;
    switch (call_kind(call->call)) {
    case CALL_MUTEX_LOCK:
    case CALL_RDLOCK:
    case CALL_WRLOCK: return take_object(walk, call->ref);
    case CALL_MUTEX_TRYLOCK:
    case CALL_MUTEX_TIMEDLOCK:
    case CALL_TRYRDLOCK:
    case CALL_TIMEDRDLOCK:
    case CALL_TRYWRLOCK:
    case CALL_TIMEDWRLOCK: return call->flags & TRACE_FLAG ? take_object(walk, call->ref) : STATUS_OK;
    case CALL_MUTEX_UNLOCK:
    case CALL_RW_UNLOCK: return release_object(walk);
    case CALL_COND_WAIT:
    case CALL_COND_TIMEDWAIT:
        if (!has_not(walk, call->aux)) return STATUS_OK;
        return finder_add(walk->finder, VIOLATION_wait_without_mutex, walk->at, nowhere, "mutex %" PRId64, call->aux);
    case CALL_THREAD_BEGIN:
        return map_put(&walk->born, trace_call_thread(walk->trace, walk->at.rank, walk->at.call), 1, &slot,
                       walk->finder->err);
    default: return STATUS_OK;
    }
}

/* The second thread that sets a lock may wait for the first one's clear: both have it if it returns before that. */
static enum status note_set(struct walk *walk, uint64_t *has)
{
    uint64_t *second;
    if (*has == 0) {
        *has = walk->at.call + 1;
        return STATUS_OK;
    }
    if (trace_call_thread(walk->trace, walk->at.rank, *has - 1) ==
        trace_call_thread(walk->trace, walk->at.rank, walk->at.call))
        return add(walk, VIOLATION_set_without_clear, *has - 1);
    return map_put(&walk->second, walk->call->ref, walk->at.call + 1, &second, walk->finder->err);
}

/* enter_ps: of the clear, INT64_MAX: there is none. */
static enum status end_second(struct walk *walk, size_t first, size_t second, int64_t enter_ps)
{
    const struct trace_call *call = &walk->trace->ranks[walk->at.rank].calls[second];
    if (call->flags & TRACE_BREAK || call->exit_ps > enter_ps) return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_set_without_clear, own(walk, second), own(walk, first), "%s", "");
}

static enum status walk_symmetric_lock(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool takes = kind == CALL_SHMEM_SET_LOCK || (kind == CALL_SHMEM_TEST_LOCK && call->flags & TRACE_FLAG);
    uint64_t *has, *second;
    if (!takes && kind != CALL_SHMEM_CLEAR_LOCK) return STATUS_OK;
    TRY(map_put(&walk->symmetric, call->ref, 0, &has, walk->finder->err));
    if (takes) return note_set(walk, has);
    if (*has == 0)
        return finder_add(walk->finder, VIOLATION_clear_without_set, walk->at, nowhere, "lock %" PRIu32, call->ref);
    size_t first = (size_t)*has - 1;
    second = map_find(&walk->second, call->ref);
    *has = second ? *second : 0;
    if (!second || *second == 0) return STATUS_OK;
    size_t next = (size_t)*second - 1;
    *second = 0;
    return end_second(walk, first, next, call->enter_ps);
}

static enum status end_symmetric_locks(struct walk *walk)
{
    const struct map *second = &walk->second;
    for (size_t i = 0; i < second->capacity; i++) {
        if (!second->used[i] || second->values[i] == 0) continue;
        const uint64_t *has = map_find(&walk->symmetric, second->keys[i]);
        TRY(end_second(walk, (size_t)*has - 1, (size_t)second->values[i] - 1, INT64_MAX));
    }
    return STATUS_OK;
}

static enum status end_windows(struct walk *walk)
{
    struct finder *finder = walk->finder;
    for (size_t w = 0; w < walk->trace->window_count; w++) {
        const struct window_walk *window = &walk->windows[w];
        const struct {
            enum violation_kind kind;
            size_t call;
        } open[] = {{VIOLATION_start_without_complete, window->access},
                    {VIOLATION_post_without_wait, window->exposure},
                    {VIOLATION_lock_without_unlock, window->lock_all},
                    {VIOLATION_operation_without_fence, window->operation}};
        for (size_t i = 0; i < sizeof open / sizeof *open; i++)
            if (open[i].call != NO_CALL)
                TRY(finder_add(finder, open[i].kind, own(walk, open[i].call), nowhere, "window %zu", w));
    }
    for (size_t i = 0; i < walk->lock_count; i++)
        if (walk->locks[i].open)
            TRY(finder_add(finder, VIOLATION_lock_without_unlock, own(walk, walk->locks[i].call), nowhere,
                           "target %" PRId32 " of window %" PRId32, walk->locks[i].target, walk->locks[i].window));
    return STATUS_OK;
}

static int by_number(const void *one, const void *two)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;
    return (a > b) - (a < b);
}

/* MPI_Request_free gives up a request; which one, the trace does not say: nothing is reported of a rank that calls it.
 */
static enum status end_requests(struct walk *walk)
{
    struct map *requests = &walk->requests;
    size_t count = 0;
    uint64_t *calls = malloc((requests->count + 1) * sizeof *calls), *slot;
    if (!calls) return err_memory(walk->finder->err);
    for (size_t i = 0; i < requests->capacity; i++)
        if (requests->used[i]) calls[count++] = requests->values[i];
    qsort(calls, count, sizeof *calls, by_number);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = map_put(&walk->finder->open_requests, (uint64_t)walk->at.rank << 40 | calls[i], 1, &slot,
                         walk->finder->err);
    bool known = walk->finder->complete[walk->at.rank] && walk->request_frees == 0;
    for (size_t i = 0; known && status == STATUS_OK && i < count; i++)
        status = finder_add(walk->finder, VIOLATION_request_not_completed, own(walk, calls[i]), nowhere, "%s", "");
    free(calls);
    return status;
}

static void begin_rank(struct walk *walk, uint32_t rank)
{
    const struct trace_rank *process = &walk->trace->ranks[rank];
    const struct window_walk window = {.access = NO_CALL,
                                       .lock_all = NO_CALL,
                                       .exposure = NO_CALL,
                                       .operation = NO_CALL,
                                       .fence = NO_CALL,
                                       .first_use = NO_CALL,
                                       .freed = NO_CALL};
    walk->at.rank = rank;
    for (size_t w = 0; w < walk->trace->window_count; w++) walk->windows[w] = window;
    for (size_t c = 0; c < walk->trace->comm_count; c++)
        walk->comms[c] = (struct comm_walk){NO_CALL, NO_CALL, false, false};
    map_empty(&walk->lock_index);
    map_empty(&walk->requests);
    map_empty(&walk->held);
    map_empty(&walk->born);
    map_empty(&walk->symmetric);
    map_empty(&walk->second);
    walk->lock_count = walk->open_locks = walk->request_frees = 0;
    walk->init = walk->finalize = NO_CALL;
    for (size_t i = 0; i < process->count && walk->init == NO_CALL; i++)
        if (call_kind(process->calls[i].call) == CALL_INIT && !call_is_shmem(process->calls[i].call)) walk->init = i;
}

static enum status walk_rank(struct walk *walk, uint32_t rank)
{
    const struct trace_rank *process = &walk->trace->ranks[rank];
    begin_rank(walk, rank);
    for (size_t i = 0; i < process->count; i++) {
        walk->at.call = i;
        walk->call = &process->calls[i];
        TRY(walk_init(walk));
        TRY(walk_window(walk));
        TRY(walk_comm(walk));
        TRY(walk_request(walk));
        TRY(walk_primitive(walk));
        TRY(walk_symmetric_lock(walk));
    }
    if (walk->finder->complete[rank]) TRY(end_windows(walk));
    TRY(end_symmetric_locks(walk));
    return end_requests(walk);
}

enum status find_in_ranks(struct finder *finder)
{
    struct walk walk = {.finder = finder, .trace = finder->trace};
    enum status status = STATUS_OK;
    walk.windows = calloc(finder->trace->window_count + 1, sizeof *walk.windows);
    walk.comms = calloc(finder->trace->comm_count + 1, sizeof *walk.comms);
    walk.new = calloc(finder->trace->comm_count + 1, sizeof *walk.new);
    if (!walk.windows || !walk.comms || !walk.new) status = err_memory(finder->err);
    for (uint32_t r = 0; status == STATUS_OK && r < finder->trace->rank_count; r++) status = walk_rank(&walk, r);
    if (status == STATUS_OK) status = end_reuses(&walk);
    free(walk.windows);
    free(walk.comms);
    free(walk.new);
    free(walk.reuses);
    free(walk.locks);
    map_clear(&walk.lock_index);
    map_clear(&walk.requests);
    map_clear(&walk.held);
    map_clear(&walk.born);
    map_clear(&walk.symmetric);
    map_clear(&walk.second);
    return status;
}
