/* Rules that one rank's calls break by themselves: model/violations/violations.h has the interface. It also collects
 * the data that the rules between ranks need. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "model/violations/finder.h"
#include "trace/epoch_cursor.h"

/* The state of the rank on a window. */
struct window_walk {
    size_t first_use, freed; /* first use before its creation; the freeing call while it is freed */
    bool created;
};

/* Of an open lock. */
struct lock_walk {
    bool operations, answers; /* answers: operations that return data */
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
    size_t init, finalize; /* NO_CALL: none; finalize: set when it is reached */
    struct window_walk *windows;
    struct comm_walk *comms;
    struct epoch_cursor cursor; /* items: for start and post their index in the finder's lists */
    struct lock_walk *locks;    /* by the epoch's slot */
    size_t lock_capacity;
    struct map requests; /* request to the call that made it */
    struct map held;     /* (thread, object) to how often the thread has it */
    struct map born;     /* threads that began in the trace */
    struct map symmetric; /* lock of OpenSHMEM to the call that took it, plus 1; 0: the rank does not have it */
    struct map second;    /* the same for a thread that requested it meanwhile */
    size_t request_frees;
    bool *new; /* per communicator: a rank's first call with it creates it */
    struct reuse *reuses;
    size_t reuse_count, reuse_capacity;
};

static const struct call_at nowhere = {0, NO_CALL};

static struct call_at own_call(const struct walk *walk, size_t call)
{
    return (struct call_at){walk->at.rank, call};
}

/* Adds a violation at the current call, with another call of the rank. */
static enum status add_violation(struct walk *walk, enum violation_kind kind, size_t other)
{
    return finder_add(walk->finder, kind, walk->at, own_call(walk, other), "%s", "");
}

static enum status add_side(struct walk *walk, struct side_list *list, struct epoch *opened)
{
    struct side made = {.at = walk->at};
    opened->item = list->count;
    ARRAY_PUSH(list->items, list->count, list->capacity, made, walk->finder->err);
    if (!walk->trace->definitions.groups[walk->call->sync.group].repeats) return STATUS_OK;
    return add_violation(walk, VIOLATION_group_repeats_rank, NO_CALL);
}

/* A lock of the own rank blocks (MPI-3.1 11.5.3), and so does any lock in a simulation with blocking locks: it is held
 * when the call returns. A lock of another rank may be taken later, by MPI_Win_unlock at the latest. */
static enum status take_lock(struct walk *walk, const struct epoch *opened)
{
    const struct trace_call *call = walk->call;
    bool blocks = trace_is_blocking(walk->trace);
    TRY(array_reserve((void **)&walk->locks, &walk->lock_capacity, (size_t)opened->slot + 1, sizeof *walk->locks,
                      walk->finder->err));
    walk->locks[opened->slot] =
        (struct lock_walk){.proven = (blocks || call->peer == (int32_t)walk->at.rank) && !(call->flags & TRACE_NOCHECK),
                           .proven_ps = call->exit_ps};
    return STATUS_OK;
}

static enum status release_lock(struct walk *walk, const struct epoch *closed)
{
    const struct lock_walk *lock = &walk->locks[closed->slot];
    const struct trace_call *call = walk->call, *opened = &walk->trace->ranks[walk->at.rank].calls[closed->opened];
    struct finder *finder = walk->finder;
    if (!lock->operations && !lock->proven) return STATUS_OK;
    struct holding made = {.at = own_call(walk, closed->opened),
                           .window = closed->window,
                           .target = closed->target,
                           .exclusive = closed->flags & TRACE_EXCLUSIVE,
                           .proven = lock->proven,
                           .from_ps = lock->proven ? lock->proven_ps : opened->enter_ps,
                           .until_ps = lock->proven ? call->enter_ps : call->exit_ps};
    ARRAY_PUSH(finder->holdings, finder->holding_count, finder->holding_capacity, made, finder->err);
    return STATUS_OK;
}

/* The return of a flush proves that its targets' locks are held, if there was an operation to complete. */
static void prove_locks(const struct walk *walk)
{
    const struct trace_call *call = walk->call;
    bool one = call_row(call->call)->allowed & F_TARGET, local = call_kind(call->call) == CALL_FLUSH_LOCAL;
    const struct epoch *epoch = one ? epoch_cursor_lock(&walk->cursor, call->handle, call->peer)
                                    : epoch_cursor_open(&walk->cursor, call->handle, EPOCH_LOCK);
    if (call->flags & TRACE_BREAK) return;
    for (; epoch; epoch = one ? NULL : epoch_cursor_newer(&walk->cursor, epoch)) {
        struct lock_walk *lock = &walk->locks[epoch->slot];
        if (lock->proven) continue;
        lock->proven = local ? lock->answers : lock->operations;
        lock->proven_ps = call->exit_ps;
    }
}

static enum status note_fence(struct walk *walk, const struct epoch_step *step)
{
    struct finder *finder = walk->finder;
    uint64_t *slot, key = finder_fence_key(walk->call->handle, walk->at.rank, step->fence);
    if (step->faults & EPOCH_PRECEDED) { /* reported: later operations are in an epoch of their own */
        step->in->opened = walk->at.call;
        step->in->fence = step->fence;
        step->in->first_operation = EPOCH_NONE;
    }
    if (!(walk->call->flags & TRACE_NOPUT) || key == UINT64_MAX) return STATUS_OK;
    return map_put(&finder->noput, key, walk->at.call, &slot, finder->err);
}

/* The number of bytes from the displacement to the end of the operation's memory at its target. */
static int64_t operation_span(const struct walk *walk)
{
    const struct trace_call *call = walk->call;
    int64_t extent = 0, bytes = call_kind(call->call) == CALL_GET_ACCUMULATE ? call->rma.result_bytes : call->bytes;
    if (call->flags & TRACE_GAPS)
        extent = trace_call_extents(walk->trace, walk->at.rank, walk->at.call).of[TRACE_TARGET];
    return extent > bytes ? extent : bytes;
}

static enum status check_end(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    const struct trace_window *to = &walk->trace->definitions.windows[call->handle];
    int64_t bytes = operation_span(walk);
    if (!to->bytes || to->flavor == 'd' || to->flavor == 'h' || call->rma.disp < 0 || bytes == 0) return STATUS_OK;
    int32_t member = trace_comm_rank(&walk->trace->definitions.comms[to->comm], call->peer);
    if (member == TRACE_NONE || (call->rma.disp <= to->bytes[member] && bytes <= to->bytes[member] - call->rma.disp))
        return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_operation_beyond_window, walk->at, nowhere,
                      "%" PRId64 " bytes from byte %" PRId64 " on, rank %" PRId32 " has %" PRId64
                      " bytes in window %" PRId32,
                      bytes, call->rma.disp, call->peer, to->bytes[member], call->handle);
}

static bool changes_window(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return kind == CALL_PUT ||
           ((kind == CALL_ACCUMULATE || kind == CALL_GET_ACCUMULATE) && call->rma.op != TRACE_OP_NO_OP);
}

static enum status keep_update(struct walk *walk, size_t start, size_t fence)
{
    struct finder *finder = walk->finder;
    struct update made = {.at = walk->at, .start = start, .fence = fence};
    if (!(finder->assertions & TRACE_NOPUT) || !changes_window(walk->call)) return STATUS_OK;
    ARRAY_PUSH(finder->updates, finder->update_count, finder->update_capacity, made, finder->err);
    return STATUS_OK;
}

static enum status on_operation(struct walk *walk, const struct epoch_step *step)
{
    enum call_kind kind = call_kind(walk->call->call);
    if (walk->call->peer == TRACE_NONE) return STATUS_OK;
    TRY(check_end(walk));
    const struct epoch *in = step->in, *held = epoch_cursor_lock(&walk->cursor, walk->call->handle, walk->call->peer);
    if (held) {
        struct lock_walk *lock = &walk->locks[held->slot];
        lock->operations = true;
        lock->answers = lock->answers || kind == CALL_GET || kind == CALL_GET_ACCUMULATE;
    }
    if (!in || (step->faults & (EPOCH_OUTSIDE_GROUP | EPOCH_AFTER_NOSUCCEED))) return STATUS_OK;
    if (in->kind == EPOCH_START) return keep_update(walk, in->item, 0);
    return in->kind == EPOCH_FENCE ? keep_update(walk, NO_CALL, in->fence) : STATUS_OK;
}

/* Reports the faults of the current call, with the call that opened the epoch; a fence epoch begins with its first
 * operation. */
static enum status report_faults(struct walk *walk, const struct epoch_step *step)
{
    bool flush = call_kind(walk->call->call) == CALL_FLUSH || call_kind(walk->call->call) == CALL_FLUSH_LOCAL;
    bool frees = call_kind(walk->call->call) == CALL_WIN_FREE;
    for (size_t i = 0; i < 2 && step->overlaps[i]; i++) {
        const struct epoch *open = step->overlaps[i];
        TRY(add_violation(walk, frees ? VIOLATION_window_freed_in_epoch : VIOLATION_epochs_overlap,
                open->kind == EPOCH_FENCE ? open->first_operation : open->opened));
    }
    if (step->faults & EPOCH_NOT_OPEN) TRY(add_violation(walk, VIOLATION_close_without_open, NO_CALL));
    if (step->faults & EPOCH_OUTSIDE)
        TRY(add_violation(walk, flush ? VIOLATION_flush_without_lock : VIOLATION_operation_outside_epoch, NO_CALL));
    if (step->faults & EPOCH_PRECEDED) TRY(add_violation(walk, VIOLATION_noprecede_after_operation, step->in->first_operation));
    if (step->faults & EPOCH_NO_LOCK) TRY(add_violation(walk, VIOLATION_request_operation_outside_lock, step->in->opened));
    if (step->faults & EPOCH_AFTER_NOSUCCEED) TRY(add_violation(walk, VIOLATION_operation_after_nosucceed, step->in->opened));
    if (!(step->faults & EPOCH_OUTSIDE_GROUP)) return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_operation_outside_group, walk->at, own_call(walk, step->in->opened),
                      "target %" PRId32, walk->call->peer);
}

static enum status walk_epochs(struct walk *walk)
{
    struct finder *finder = walk->finder;
    struct epoch_step step;
    enum call_kind kind = call_kind(walk->call->call);
    if (kind == CALL_WIN_FREE) {
        /* Starts and posts of a window that is freed end with it. */
        const struct epoch *start = epoch_cursor_open(&walk->cursor, walk->call->handle, EPOCH_START);
        const struct epoch *post = epoch_cursor_open(&walk->cursor, walk->call->handle, EPOCH_POST);
        if (start) walk->finder->starts.items[start->item].closed = true;
        if (post) walk->finder->posts.items[post->item].closed = true;
    }
    TRY(epoch_cursor_take(&walk->cursor, walk->call, walk->at.call, &step, finder->err));
    if (step.faults) TRY(report_faults(walk, &step));
    if (step.closes && step.closes->kind == EPOCH_START) finder->starts.items[step.closes->item].closed = true;
    if (step.closes && step.closes->kind == EPOCH_POST) finder->posts.items[step.closes->item].closed = true;
    if (step.closes && step.closes->kind == EPOCH_LOCK) TRY(release_lock(walk, step.closes));
    switch (kind) {
    case CALL_START: return add_side(walk, &finder->starts, step.opens);
    case CALL_POST: return add_side(walk, &finder->posts, step.opens);
    case CALL_LOCK: return step.opens ? take_lock(walk, step.opens) : STATUS_OK;
    case CALL_FENCE: return note_fence(walk, &step);
    case CALL_FLUSH:
    case CALL_FLUSH_LOCAL: prove_locks(walk); return STATUS_OK;
    case CALL_PUT:
    case CALL_GET:
    case CALL_ACCUMULATE:
    case CALL_GET_ACCUMULATE: return on_operation(walk, &step);
    default: return STATUS_OK;
    }
}

/* At the rank's first call on the window. */
static enum status check_window_comm(struct walk *walk, const struct window_walk *window)
{
    const struct trace_definitions *definitions = &walk->trace->definitions;
    bool between = definitions->comms[definitions->windows[walk->call->handle].comm].first_group > 0;
    if (!between || window->created || window->first_use != NO_CALL || window->freed != NO_CALL) return STATUS_OK;
    return add_violation(walk, VIOLATION_window_of_intercommunicator, NO_CALL);
}

static enum status on_create(struct walk *walk, struct window_walk *window)
{
    if (window->first_use != NO_CALL)
        TRY(finder_add(walk->finder, VIOLATION_window_before_creation, own_call(walk, window->first_use), walk->at, "%s",
                       ""));
    else if (window->created)
        TRY(add_violation(walk, VIOLATION_window_created_twice, NO_CALL));
    window->first_use = window->freed = NO_CALL;
    window->created = true;
    return STATUS_OK;
}

static enum status on_free(struct walk *walk, struct window_walk *window)
{
    if (window->freed != NO_CALL) return add_violation(walk, VIOLATION_window_freed_twice, window->freed);
    TRY(walk_epochs(walk));
    *window = (struct window_walk){.first_use = NO_CALL, .freed = walk->at.call};
    return STATUS_OK;
}

static enum status walk_window(struct walk *walk)
{
    enum call_kind kind = call_kind(walk->call->call);
    bool part = call_works_on(kind, OBJECT_EPOCH) || kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL;
    if (walk->call->handle == TRACE_NONE || !(call_row(walk->call->call)->allowed & F_WIN)) return STATUS_OK;
    struct window_walk *window = &walk->windows[walk->call->handle];
    TRY(check_window_comm(walk, window));
    if (kind == CALL_WIN_CREATE) return on_create(walk, window);
    if (kind == CALL_WIN_FREE) return on_free(walk, window);
    if (!part) return STATUS_OK;
    if (window->freed != NO_CALL) return add_violation(walk, VIOLATION_window_after_free, window->freed);
    if (!window->created && window->first_use == NO_CALL) window->first_use = walk->at.call;
    return walk_epochs(walk);
}

/* A trace may begin with communicators that it does not create. A rank that frees one may create another one with the
 * same number. */
static enum status create_comm(struct walk *walk)
{
    if (walk->call->comm.newcomm == TRACE_NO_REF || walk->call->comm.newcomm == 0) return STATUS_OK;
    struct comm_walk *comm = &walk->comms[walk->call->comm.newcomm];
    bool unmade = comm->first_use != NO_CALL && !comm->created;
    struct reuse reuse = {own_call(walk, comm->first_use), walk->at, walk->call->comm.newcomm};
    if (unmade && comm->freed == NO_CALL)
        TRY(finder_add(walk->finder, VIOLATION_communicator_before_creation, reuse.use, walk->at, "%s", ""));
    if (unmade && comm->freed != NO_CALL)
        ARRAY_PUSH(walk->reuses, walk->reuse_count, walk->reuse_capacity, reuse, walk->finder->err);
    if (!comm->begun) walk->new[walk->call->comm.newcomm] = true;
    *comm = (struct comm_walk){NO_CALL, NO_CALL, true, true};
    return STATUS_OK;
}

/* All members free a communicator. If one of them creates it first, it did not exist before. */
static enum status end_reuses(const struct walk *walk)
{
    for (size_t i = 0; i < walk->reuse_count; i++)
        if (walk->new[walk->reuses[i].comm])
            TRY(finder_add(walk->finder, VIOLATION_communicator_before_creation, walk->reuses[i].use,
                           walk->reuses[i].creation, "%s", ""));
    return STATUS_OK;
}

/* The world communicator is never created and never freed. */
static enum status walk_comm(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool makes = kind == CALL_COMM_CREATE, itself = makes && call->comm.newcomm == (uint32_t)call->handle;
    if (kind == CALL_LOCAL || !(call_row(call->call)->allowed & F_COMM)) return STATUS_OK;
    if (call->handle > 0 && !itself) {
        struct comm_walk *comm = &walk->comms[call->handle];
        if (comm->freed != NO_CALL) return add_violation(walk, VIOLATION_communicator_after_free, comm->freed);
        if (comm->first_use == NO_CALL) comm->first_use = walk->at.call;
        comm->begun = true;
        if (kind == CALL_COMM_FREE) comm->freed = walk->at.call;
    }
    return makes ? create_comm(walk) : STATUS_OK;
}

static enum status walk_request(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    uint64_t *slot;
    if (call->call == ID_Request_free) walk->request_frees++;
    if (call_makes_request(call->call))
        return call->ref == TRACE_NO_REF ? STATUS_OK
                                         : map_put(&walk->requests, call->ref, walk->at.call, &slot, walk->finder->err);
    uint32_t count;
    const uint32_t *ids = trace_call_completed(walk->trace, call, &count);
    bool broken = call_kind(call->call) == CALL_REQUEST_WAIT && (call->flags & TRACE_BREAK);
    for (uint32_t i = 0; !broken && i < count; i++) map_remove(&walk->requests, ids[i]);
    return STATUS_OK;
}

static enum status walk_init(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_LOCAL || call_is_region(call->call) || call_is_thread(call->call) || call_is_shmem(call->call))
        return STATUS_OK;
    if (walk->finalize != NO_CALL) return add_violation(walk, VIOLATION_call_after_finalize, walk->finalize);
    if (walk->init != NO_CALL && walk->at.call < walk->init) return add_violation(walk, VIOLATION_call_before_init, walk->init);
    if (kind == CALL_INIT && walk->at.call != walk->init) return add_violation(walk, VIOLATION_init_twice, walk->init);
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

/* Whether the thread certainly does not have the object. It may have taken the object before its recording began,
 * unless the trace has the thread's begin. */
static bool has_not(const struct walk *walk, int64_t object)
{
    const uint64_t *count = map_find(&walk->held, held_key(walk, object));
    if (count) return *count == 0;
    uint32_t thread = trace_call_thread(walk->trace, walk->at.rank, walk->at.call);
    return walk->init == NO_CALL || map_find(&walk->born, thread);
}

static enum status release_object(struct walk *walk)
{
    uint64_t *count = map_find(&walk->held, held_key(walk, walk->call->primitive.object));
    if (count && *count > 0) {
        --*count;
        return STATUS_OK;
    }
    if (!has_not(walk, walk->call->primitive.object)) return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_unlock_of_other, walk->at, nowhere, "object %" PRIu32,
                      walk->call->primitive.object);
}

static enum status walk_primitive(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool got = !(call_row(call->call)->needed & F_FLAG) || (call->flags & TRACE_FLAG);
    uint64_t *slot;
    if (kind == CALL_THREAD_BEGIN)
        return map_put(&walk->born, trace_call_thread(walk->trace, walk->at.rank, walk->at.call), 1, &slot,
                       walk->finder->err);
    if ((kind == CALL_COND_WAIT || kind == CALL_COND_TIMEDWAIT) && has_not(walk, call->primitive.mutex))
        return finder_add(walk->finder, VIOLATION_wait_without_mutex, walk->at, nowhere, "mutex %" PRId64,
                          call->primitive.mutex);
    if (!call_works_on(kind, OBJECT_MUTEX) && !call_works_on(kind, OBJECT_RWLOCK)) return STATUS_OK;
    if (call_kind_rows[kind].does == CALL_GIVES) return release_object(walk);
    return got ? take_object(walk, call->primitive.object) : STATUS_OK;
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
        return add_violation(walk, VIOLATION_set_without_clear, *has - 1);
    return map_put(&walk->second, walk->call->primitive.object, walk->at.call + 1, &second, walk->finder->err);
}

/* enter_ps is that of the clear; INT64_MAX: there is none. */
static enum status end_second(struct walk *walk, size_t first, size_t second, int64_t enter_ps)
{
    const struct trace_call *call = &walk->trace->ranks[walk->at.rank].calls[second];
    if (call->flags & TRACE_BREAK || call->exit_ps > enter_ps) return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_set_without_clear, own_call(walk, second), own_call(walk, first), "%s", "");
}

static enum status walk_symmetric_lock(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool takes = kind == CALL_SHMEM_SET_LOCK || (kind == CALL_SHMEM_TEST_LOCK && call->flags & TRACE_FLAG);
    uint64_t *has, *second;
    if (!takes && kind != CALL_SHMEM_CLEAR_LOCK) return STATUS_OK;
    TRY(map_put(&walk->symmetric, call->shmem.lock, 0, &has, walk->finder->err));
    if (takes) return note_set(walk, has);
    if (*has == 0)
        return finder_add(walk->finder, VIOLATION_clear_without_set, walk->at, nowhere, "lock %" PRIu32,
                          call->shmem.lock);
    size_t first = (size_t)*has - 1;
    second = map_find(&walk->second, call->shmem.lock);
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

/* Reports epochs that are open at the rank's end. */
static enum status end_windows(struct walk *walk)
{
    static const enum violation_kind kinds[EPOCH_KIND_COUNT] = {[EPOCH_START] = VIOLATION_start_without_complete,
                                                                [EPOCH_POST] = VIOLATION_post_without_wait,
                                                                [EPOCH_LOCK_ALL] = VIOLATION_lock_without_unlock,
                                                                [EPOCH_FENCE] = VIOLATION_operation_without_fence};
    struct finder *finder = walk->finder;
    const struct epoch *open;
    for (int32_t w = 0; (size_t)w < walk->trace->definitions.window_count; w++) {
        for (int kind = 0; kind < EPOCH_KIND_COUNT; kind++) {
            open = kind == EPOCH_LOCK ? NULL : epoch_cursor_open(&walk->cursor, w, (enum epoch_kind)kind);
            if (!open || (kind == EPOCH_FENCE && open->first_operation == EPOCH_NONE)) continue;
            size_t call = kind == EPOCH_FENCE ? open->first_operation : open->opened;
            TRY(finder_add(finder, kinds[kind], own_call(walk, call), nowhere, "window %" PRId32, w));
        }
        for (open = epoch_cursor_open(&walk->cursor, w, EPOCH_LOCK); open;
             open = epoch_cursor_newer(&walk->cursor, open))
            TRY(finder_add(finder, VIOLATION_lock_without_unlock, own_call(walk, open->opened), nowhere,
                           "target %" PRId32 " of window %" PRId32, open->target, w));
    }
    return STATUS_OK;
}

/* MPI_Request_free gives up a request; which one, the trace does not say: nothing is reported of a rank that calls it.
 */
static enum status end_requests(struct walk *walk)
{
    const bool known = walk->finder->complete[walk->at.rank] && walk->request_frees == 0;
    uint64_t *calls, *slot;
    TRY(map_values(&walk->requests, &calls, walk->finder->err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < walk->requests.count; i++) {
        status = map_put(&walk->finder->open_requests, (uint64_t)walk->at.rank << 40 | calls[i], 1, &slot, walk->finder->err);
        if (known && status == STATUS_OK)
            status = finder_add(walk->finder, VIOLATION_request_not_completed, own_call(walk, calls[i]), nowhere, "%s", "");
    }
    free(calls);
    return status;
}

static void begin_rank(struct walk *walk, uint32_t rank)
{
    const struct trace_rank *process = &walk->trace->ranks[rank];
    const struct window_walk window = {.first_use = NO_CALL, .freed = NO_CALL};
    walk->at.rank = rank;
    for (size_t w = 0; w < walk->trace->definitions.window_count; w++) walk->windows[w] = window;
    for (size_t c = 0; c < walk->trace->definitions.comm_count; c++)
        walk->comms[c] = (struct comm_walk){NO_CALL, NO_CALL, false, false};
    epoch_cursor_restart(&walk->cursor);
    map_empty(&walk->requests);
    map_empty(&walk->held);
    map_empty(&walk->born);
    map_empty(&walk->symmetric);
    map_empty(&walk->second);
    walk->request_frees = 0;
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
    walk.windows = calloc(finder->trace->definitions.window_count + 1, sizeof *walk.windows);
    walk.comms = calloc(finder->trace->definitions.comm_count + 1, sizeof *walk.comms);
    walk.new = calloc(finder->trace->definitions.comm_count + 1, sizeof *walk.new);
    if (!walk.windows || !walk.comms || !walk.new) status = err_memory(finder->err);
    if (status == STATUS_OK) status = epoch_cursor_init(&walk.cursor, finder->trace, finder->err);
    for (uint32_t r = 0; status == STATUS_OK && r < finder->trace->rank_count; r++) status = walk_rank(&walk, r);
    if (status == STATUS_OK) status = end_reuses(&walk);
    FREE_ALL(walk.windows, walk.comms, walk.new, walk.reuses, walk.locks);
    epoch_cursor_clear(&walk.cursor);
    map_clear(&walk.requests);
    map_clear(&walk.held);
    map_clear(&walk.born);
    map_clear(&walk.symmetric);
    map_clear(&walk.second);
    return status;
}
