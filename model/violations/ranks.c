/* Rules that one rank's calls break by themselves: model/violations/violations.h has the interface. It also finds what the rules
 * between ranks compare. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "model/violations/finder.h"
#include "trace/epoch_cursor.h"
#include "trace/source.h"

/* The state of the rank on a window, and the call that made it so. */
struct window_walk {
    enum { WINDOW_NEW, WINDOW_USED, WINDOW_CREATED, WINDOW_FREED } state; /* used: before its creation */
    struct place by; /* the first use, or the freeing call */
};

/* An open epoch, by its slot. */
struct open_epoch {
    struct place opened, first_operation;
    /* Of a lock. */
    bool operations, answers; /* answers: operations that return data */
    bool proven;
    int64_t proven_ps;
};

struct comm_walk {
    struct place first_use, freed;
    bool created;
    bool begun; /* the rank has used, freed or created it */
};

/* A communicator that a rank has used and freed before it creates it. */
struct reuse {
    struct place use, creation;
    uint32_t comm;
};

/* A thread that has set a lock of OpenSHMEM, or requested it meanwhile. */
struct setting {
    uint64_t place; /* number of its place; 0: there is none */
    int64_t exit_ps;
    bool broken;
};
struct symmetric_lock {
    struct setting first, second;
};

struct rank_walk {
    struct epoch_cursor cursor; /* items: for start and post their side; calls by their events */
    struct open_epoch *epochs;
    size_t epoch_capacity;
    struct place init, finalize;
    struct map requests; /* request to the place of the call that made it */
    struct map held;     /* (thread, object) to how often the thread has it */
    struct map born;     /* threads that began in the trace */
    struct sparse symmetric; /* by lock: struct symmetric_lock */
    struct place *early;       /* the first calls before MPI_Init, if it comes */
    size_t early_count, early_capacity;
    uint64_t early_total;
    int32_t window;    /* that of the last call on a window, and its place in violation_finder.windows */
    size_t window_walk;
    struct kind_list doubtful; /* objects that a thread may have taken before MPI_Init, if there is one */
    size_t request_frees;
    bool cut; /* the recording breaks off in a call */
    uint64_t *unknown; /* events of receives whose sender is not known yet */
    size_t unknown_count, unknown_capacity;
};

/* The current call. */
struct walk {
    struct violation_finder *finder;
    struct rank_walk *of;
    const struct trace *trace;
    const struct trace_call *call;
    uint32_t rank;
    size_t index;
    struct place place; /* once it has been looked for */
};

static struct place find_place(struct walk *walk)
{
    if (walk->place.event == 0) walk->place = finder_place(walk->finder, walk->rank, walk->index);
    return walk->place;
}

/* Adds a violation at the current call, with another call of the rank. */
static enum status add_violation(struct walk *walk, enum violation_kind kind, struct place other)
{
    return finder_add(walk->finder, kind, find_place(walk), other, "%s", "");
}

static enum status add_side(struct walk *walk, struct epoch *opened)
{
    TRY(epochs_open(walk->finder, find_place(walk), walk->call, &opened->item));
    if (!walk->trace->definitions.groups[walk->call->sync.group].repeats) return STATUS_OK;
    return add_violation(walk, VIOLATION_group_repeats_rank, NOWHERE);
}

/* A lock of the own rank blocks (MPI-3.1 11.5.3), and so does any lock in a simulation with blocking locks: it is held
 * when the call returns. A lock of another rank may be taken later, by MPI_Win_unlock at the latest. */
static void take_lock(const struct walk *walk, const struct epoch *opened)
{
    const struct trace_call *call = walk->call;
    struct open_epoch *lock = &walk->of->epochs[opened->slot];
    bool blocks = trace_is_blocking(walk->trace);
    lock->proven = (blocks || call->peer == (int32_t)walk->rank) && !(call->flags & TRACE_NOCHECK);
    lock->proven_ps = call->exit_ps;
}

static enum status release_lock(struct walk *walk, const struct epoch *closed)
{
    const struct open_epoch *lock = &walk->of->epochs[closed->slot];
    const struct trace_call *call = walk->call;
    if (!lock->operations && !lock->proven) return STATUS_OK;
    struct holding made = {.at = lock->opened,
                           .window = closed->window,
                           .target = closed->target,
                           .exclusive = closed->flags & TRACE_EXCLUSIVE,
                           .proven = lock->proven,
                           .from_ps = lock->proven ? lock->proven_ps : lock->opened.enter_ps,
                           .until_ps = lock->proven ? call->enter_ps : call->exit_ps};
    return locks_held(walk->finder, &made);
}

/* The return of a flush proves that its targets' locks are held, if there was an operation to complete. */
static void prove_locks(const struct walk *walk)
{
    const struct trace_call *call = walk->call;
    bool one = call_row(call->call)->allowed & F_TARGET, local = call_kind(call->call) == CALL_FLUSH_LOCAL;
    const struct epoch_cursor *cursor = &walk->of->cursor;
    const struct epoch *epoch = one ? epoch_cursor_lock(cursor, call->handle, call->peer)
                                    : epoch_cursor_open(cursor, call->handle, EPOCH_LOCK);
    if (call->flags & TRACE_BREAK) return;
    for (; epoch; epoch = one ? NULL : epoch_cursor_newer(cursor, epoch)) {
        struct open_epoch *lock = &walk->of->epochs[epoch->slot];
        if (lock->proven) continue;
        lock->proven = local ? lock->answers : lock->operations;
        lock->proven_ps = call->exit_ps;
    }
}

static enum status note_fence(struct walk *walk, const struct epoch_step *step)
{
    if (step->faults & EPOCH_PRECEDED) { /* reported: later operations are in an epoch of their own */
        step->in->fence = step->fence;
        step->in->first_operation = EPOCH_NONE;
        walk->of->epochs[step->in->slot].opened = find_place(walk);
    }
    return epochs_fence(walk->finder, find_place(walk), walk->call, step->fence);
}

/* The number of bytes from the displacement to the end of the operation's memory at its target. */
static int64_t operation_span(const struct walk *walk)
{
    const struct trace_call *call = walk->call;
    int64_t extent = 0, bytes = call_kind(call->call) == CALL_GET_ACCUMULATE ? call->rma.result_bytes : call->bytes;
    if (call->flags & TRACE_GAPS)
        extent = trace_call_extents(walk->trace, walk->rank, walk->index).of[TRACE_TARGET];
    return extent > bytes ? extent : bytes;
}

/* An operation whose target's part of the window is not known yet. */
struct reach {
    struct place at;
    int32_t window, target, member;
    int64_t disp, bytes;
};

/* What counts once the sizes of all members are known: sparse by window. */
static enum status compare_end(struct violation_finder *finder, const struct reach *reach, int64_t size)
{
    struct kind_list *list;
    if (reach->disp <= size && reach->bytes <= size - reach->disp) return STATUS_OK;
    finder->beyond.bytes = sizeof *list;
    TRY(sparse_item(&finder->beyond, (uint32_t)reach->window, 0, (void **)&list, finder->err));
    return kind_list_add(list, VIOLATION_operation_beyond_window, reach->at, NOWHERE, finder->err,
                         "%" PRId64 " bytes from byte %" PRId64 " on, rank %" PRId32 " has %" PRId64
                         " bytes in window %" PRId32,
                         reach->bytes, reach->disp, reach->target, size, reach->window);
}

static enum status check_end(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    const struct trace_window *to = &walk->trace->definitions.windows[call->handle];
    struct violation_finder *finder = walk->finder;
    int64_t bytes = operation_span(walk);
    if (!to->bytes || to->flavor == 'd' || to->flavor == 'h' || call->rma.disp < 0 || bytes == 0) return STATUS_OK;
    int32_t member = trace_comm_rank(&walk->trace->definitions.comms[to->comm], call->peer);
    if (member == TRACE_NONE) return STATUS_OK;
    const struct reach made = {find_place(walk), call->handle, call->peer, member, call->rma.disp, bytes};
    if (to->bytes[member] >= 0) return compare_end(finder, &made, to->bytes[member]);
    ARRAY_PUSH(finder->reaches, finder->reach_count, finder->reach_capacity, made, finder->err);
    return STATUS_OK;
}

static bool has_passed(const struct trace_rank *process, int64_t time_ps)
{
    return process->count > 0 && process->calls[process->count - 1].enter_ps >= time_ps;
}

/* A creation comes before its window's operations, so the size of a target that has been read as far will not be known. */
enum status ranks_took(struct violation_finder *finder)
{
    size_t left = 0;
    for (size_t i = 0; i < finder->reach_count; i++) {
        const struct reach reach = finder->reaches[i];
        const int64_t *sizes = finder->trace->definitions.windows[reach.window].bytes;
        if (sizes[reach.member] >= 0)
            TRY(compare_end(finder, &reach, sizes[reach.member]));
        else if (!has_passed(&finder->trace->ranks[reach.target], reach.at.enter_ps))
            finder->reaches[left++] = reach;
    }
    finder->reach_count = left;
    return STATUS_OK;
}

static enum status end_sizes(struct violation_finder *finder)
{
    for (size_t w = 0; finder->beyond.count > 0 && w < finder->trace->definitions.window_count; w++) {
        const struct trace_window *window = &finder->trace->definitions.windows[w];
        const uint64_t *item = map_find(&finder->beyond.index, map_pair((uint32_t)w, 0));
        uint32_t members = finder->trace->definitions.comms[window->comm].count, m = 0;
        while (item && m < members && window->bytes[m] >= 0) m++;
        if (item && m == members) TRY(kind_list_move((struct kind_list *)(void *)finder->beyond.items + *item, finder));
    }
    return STATUS_OK;
}

static bool changes_window(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return kind == CALL_PUT ||
           ((kind == CALL_ACCUMULATE || kind == CALL_GET_ACCUMULATE) && call->rma.op != TRACE_OP_NO_OP);
}

static enum status on_operation(struct walk *walk, const struct epoch_step *step)
{
    enum call_kind kind = call_kind(walk->call->call);
    if (walk->call->peer == TRACE_NONE) return STATUS_OK;
    TRY(check_end(walk));
    const struct epoch *in = step->in, *held = epoch_cursor_lock(&walk->of->cursor, walk->call->handle, walk->call->peer);
    if (held) {
        struct open_epoch *lock = &walk->of->epochs[held->slot];
        lock->operations = true;
        lock->answers = lock->answers || kind == CALL_GET || kind == CALL_GET_ACCUMULATE;
    }
    if (!in || (step->faults & (EPOCH_OUTSIDE_GROUP | EPOCH_AFTER_NOSUCCEED)) || !changes_window(walk->call)) return STATUS_OK;
    if (in->kind == EPOCH_START) return epochs_update(walk->finder, find_place(walk), in->item, (uint32_t)step->member);
    return in->kind == EPOCH_FENCE ? epochs_update_fenced(walk->finder, find_place(walk), walk->call, in->fence) : STATUS_OK;
}

/* Reports the faults of the current call, with the call that opened the epoch; a fence epoch begins with its first
 * operation. */
static enum status report_faults(struct walk *walk, const struct epoch_step *step)
{
    bool flush = call_kind(walk->call->call) == CALL_FLUSH || call_kind(walk->call->call) == CALL_FLUSH_LOCAL;
    bool frees = call_kind(walk->call->call) == CALL_WIN_FREE;
    const struct open_epoch *in = step->in ? &walk->of->epochs[step->in->slot] : NULL;
    for (size_t i = 0; i < 2 && step->overlaps[i]; i++) {
        const struct open_epoch *open = &walk->of->epochs[step->overlaps[i]->slot];
        TRY(add_violation(walk, frees ? VIOLATION_window_freed_in_epoch : VIOLATION_epochs_overlap,
                          step->overlaps[i]->kind == EPOCH_FENCE ? open->first_operation : open->opened));
    }
    if (step->faults & EPOCH_NOT_OPEN) TRY(add_violation(walk, VIOLATION_close_without_open, NOWHERE));
    if (step->faults & EPOCH_OUTSIDE)
        TRY(add_violation(walk, flush ? VIOLATION_flush_without_lock : VIOLATION_operation_outside_epoch, NOWHERE));
    if (step->faults & EPOCH_PRECEDED) TRY(add_violation(walk, VIOLATION_noprecede_after_operation, in->first_operation));
    if (step->faults & EPOCH_NO_LOCK) TRY(add_violation(walk, VIOLATION_request_operation_outside_lock, in->opened));
    if (step->faults & EPOCH_AFTER_NOSUCCEED) TRY(add_violation(walk, VIOLATION_operation_after_nosucceed, in->opened));
    if (!(step->faults & EPOCH_OUTSIDE_GROUP)) return STATUS_OK;
    return finder_add(walk->finder, VIOLATION_operation_outside_group, find_place(walk), in->opened, "target %" PRId32,
                      walk->call->peer);
}

/* Starts and posts of a window that is freed end with it. */
static void free_window(const struct walk *walk)
{
    const struct epoch *start = epoch_cursor_open(&walk->of->cursor, walk->call->handle, EPOCH_START);
    const struct epoch *post = epoch_cursor_open(&walk->of->cursor, walk->call->handle, EPOCH_POST);
    if (start) epochs_close(walk->finder, start->item);
    if (post) epochs_close(walk->finder, post->item);
}

/* Notes what the next calls are compared with: where the epoch was opened, its first operation. */
static enum status note_epoch(struct walk *walk, const struct epoch_step *step)
{
    struct rank_walk *of = walk->of;
    if (step->opens) {
        TRY(array_reserve((void **)&of->epochs, &of->epoch_capacity, (size_t)step->opens->slot + 1, sizeof *of->epochs,
                          walk->finder->err));
        of->epochs[step->opens->slot] = (struct open_epoch){.opened = find_place(walk)};
    }
    if (step->in && step->in->first_operation == trace_event(walk->trace, walk->rank, walk->index))
        of->epochs[step->in->slot].first_operation = find_place(walk);
    return STATUS_OK;
}

static enum status walk_epochs(struct walk *walk)
{
    struct epoch_step step;
    enum call_kind kind = call_kind(walk->call->call);
    if (kind == CALL_WIN_FREE) free_window(walk);
    TRY(epoch_cursor_take(&walk->of->cursor, walk->call, (size_t)trace_event(walk->trace, walk->rank, walk->index), &step,
                          walk->finder->err));
    if (step.faults) TRY(report_faults(walk, &step));
    bool sided = step.closes && (step.closes->kind == EPOCH_START || step.closes->kind == EPOCH_POST);
    if (sided) epochs_close(walk->finder, step.closes->item);
    if (step.closes && step.closes->kind == EPOCH_LOCK) TRY(release_lock(walk, step.closes));
    TRY(note_epoch(walk, &step));
    switch (kind) {
    case CALL_START:
    case CALL_POST: return add_side(walk, step.opens);
    case CALL_LOCK:
        if (step.opens) take_lock(walk, step.opens);
        return STATUS_OK;
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
    if (!between || window->state != WINDOW_NEW) return STATUS_OK;
    return add_violation(walk, VIOLATION_window_of_intercommunicator, NOWHERE);
}

static enum status on_create(struct walk *walk, struct window_walk *window)
{
    if (window->state == WINDOW_USED)
        TRY(finder_add(walk->finder, VIOLATION_window_before_creation, window->by, find_place(walk), "%s", ""));
    else if (window->state == WINDOW_CREATED)
        TRY(add_violation(walk, VIOLATION_window_created_twice, NOWHERE));
    window->state = WINDOW_CREATED;
    return STATUS_OK;
}

static enum status on_free(struct walk *walk, struct window_walk *window)
{
    if (window->state == WINDOW_FREED) return add_violation(walk, VIOLATION_window_freed_twice, window->by);
    TRY(walk_epochs(walk));
    *window = (struct window_walk){WINDOW_FREED, find_place(walk)};
    return STATUS_OK;
}

static enum status find_window(struct walk *walk, struct window_walk **window)
{
    struct sparse *windows = &walk->finder->windows;
    struct rank_walk *of = walk->of;
    if (of->window != walk->call->handle) {
        of->window = TRACE_NONE;
        TRY(sparse_item(windows, (uint32_t)walk->call->handle, walk->rank, (void **)window, walk->finder->err));
        of->window = walk->call->handle;
        of->window_walk = (size_t)(*window - (struct window_walk *)(void *)windows->items);
    }
    *window = (struct window_walk *)(void *)windows->items + of->window_walk;
    return STATUS_OK;
}

static enum status walk_window(struct walk *walk)
{
    enum call_kind kind = call_kind(walk->call->call);
    bool part = call_works_on(kind, OBJECT_EPOCH) || kind == CALL_FLUSH || kind == CALL_FLUSH_LOCAL;
    struct window_walk *window;
    if (walk->call->handle == TRACE_NONE || !(call_row(walk->call->call)->allowed & F_WIN)) return STATUS_OK;
    TRY(find_window(walk, &window));
    TRY(check_window_comm(walk, window));
    if (kind == CALL_WIN_CREATE) return on_create(walk, window);
    if (kind == CALL_WIN_FREE) return on_free(walk, window);
    if (!part) return STATUS_OK;
    if (window->state == WINDOW_FREED) return add_violation(walk, VIOLATION_window_after_free, window->by);
    if (window->state == WINDOW_NEW) *window = (struct window_walk){WINDOW_USED, find_place(walk)};
    return walk_epochs(walk);
}

static enum status find_comm(const struct walk *walk, uint32_t number, struct comm_walk **comm)
{
    return sparse_item(&walk->finder->comms, number, walk->rank, (void **)comm, walk->finder->err);
}

/* A trace may begin with communicators that it does not create. A rank that frees one may create another one with the
 * same number. */
static enum status create_comm(struct walk *walk)
{
    struct violation_finder *finder = walk->finder;
    struct comm_walk *comm;
    if (walk->call->comm.newcomm == TRACE_NO_REF || walk->call->comm.newcomm == 0) return STATUS_OK;
    TRY(find_comm(walk, walk->call->comm.newcomm, &comm));
    bool unmade = comm->first_use.event > 0 && !comm->created;
    struct reuse reuse = {comm->first_use, find_place(walk), walk->call->comm.newcomm};
    if (unmade && comm->freed.event == 0)
        TRY(finder_add(finder, VIOLATION_communicator_before_creation, reuse.use, reuse.creation, "%s", ""));
    if (unmade && comm->freed.event > 0)
        ARRAY_PUSH(finder->reuses, finder->reuse_count, finder->reuse_capacity, reuse, finder->err);
    if (!comm->begun) finder->new[walk->call->comm.newcomm] = true;
    *comm = (struct comm_walk){.created = true, .begun = true};
    return STATUS_OK;
}

/* All members free a communicator. If one of them creates it first, it did not exist before. */
static enum status end_reuses(struct violation_finder *finder)
{
    for (size_t i = 0; i < finder->reuse_count; i++)
        if (finder->new[finder->reuses[i].comm])
            TRY(finder_add(finder, VIOLATION_communicator_before_creation, finder->reuses[i].use,
                           finder->reuses[i].creation, "%s", ""));
    return STATUS_OK;
}

/* *exists false: it was freed. */
static enum status use_comm(struct walk *walk, bool *exists)
{
    struct comm_walk *comm;
    TRY(find_comm(walk, (uint32_t)walk->call->handle, &comm));
    struct place at = find_place(walk);
    *exists = comm->freed.event == 0 || comm->freed.event > at.event;
    if (!*exists) return add_violation(walk, VIOLATION_communicator_after_free, comm->freed);
    if (comm->first_use.event == 0) comm->first_use = at;
    comm->begun = true;
    if (call_kind(walk->call->call) == CALL_COMM_FREE) comm->freed = at;
    return STATUS_OK;
}

/* The world communicator is never created and never freed. */
static enum status walk_comm(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool makes = kind == CALL_COMM_CREATE, itself = makes && call->comm.newcomm == (uint32_t)call->handle, exists = true;
    if (kind == CALL_LOCAL || !(call_row(call->call)->allowed & F_COMM)) return STATUS_OK;
    if (source_knows_less(call))
        ARRAY_PUSH(walk->of->unknown, walk->of->unknown_count, walk->of->unknown_capacity,
                   trace_event(walk->trace, walk->rank, walk->index), walk->finder->err);
    if (call->handle > 0 && !itself) TRY(use_comm(walk, &exists));
    return makes && exists ? create_comm(walk) : STATUS_OK;
}

/* Receives whose communicator has become known. */
static enum status walk_known(struct walk *walk)
{
    struct rank_walk *of = walk->of;
    const struct trace_rank *process = &walk->trace->ranks[walk->rank];
    size_t left = 0, i = 0;
    bool exists;
    for (size_t u = 0; u < of->unknown_count; u++) {
        while (i < process->kept_count && process->kept[i].event + 1 < of->unknown[u]) i++;
        if (i == process->kept_count || process->kept[i].event + 1 != of->unknown[u]) continue;
        walk->index = i;
        walk->place = NOWHERE;
        walk->call = &process->calls[i];
        if (source_knows_less(walk->call))
            of->unknown[left++] = of->unknown[u];
        else if (walk->call->handle > 0)
            TRY(use_comm(walk, &exists));
    }
    of->unknown_count = left;
    return STATUS_OK;
}

static enum status walk_request(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    uint64_t place;
    if (call->call == ID_Request_free) walk->of->request_frees++;
    if (call_makes_request(call->call)) {
        if (call->ref == TRACE_NO_REF) return STATUS_OK;
        TRY(finder_keep_place(walk->finder, find_place(walk), &place));
        return map_set(&walk->of->requests, call->ref, place, walk->finder->err);
    }
    uint32_t count;
    const uint32_t *ids = trace_call_completed(walk->trace, call, &count);
    bool broken = call_kind(call->call) == CALL_REQUEST_WAIT && (call->flags & TRACE_BREAK);
    for (uint32_t i = 0; !broken && i < count; i++)
        if (map_take(&walk->of->requests, ids[i], &place)) finder_drop_place(walk->finder, place);
    return STATUS_OK;
}

static enum status on_init(struct walk *walk)
{
    struct rank_walk *of = walk->of;
    if (of->init.event > 0) return STATUS_OK;
    of->init = find_place(walk);
    kind_list_clear(&of->doubtful);
    for (size_t i = 0; i < of->early_count; i++)
        TRY(finder_add(walk->finder, VIOLATION_call_before_init, of->early[i], of->init, "%s", ""));
    walk->finder->kinds[VIOLATION_call_before_init].total += of->early_total - of->early_count;
    return STATUS_OK;
}

static enum status add_early(struct walk *walk)
{
    struct rank_walk *of = walk->of;
    of->early_total++;
    if (of->early_count == VIOLATIONS_PER_KIND) return STATUS_OK;
    ARRAY_PUSH(of->early, of->early_count, of->early_capacity, find_place(walk), walk->finder->err);
    return STATUS_OK;
}

static enum status walk_init(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    struct rank_walk *of = walk->of;
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_LOCAL || call_is_region(call->call) || call_is_thread(call->call) || call_is_shmem(call->call))
        return STATUS_OK;
    bool first = kind == CALL_INIT && of->init.event == 0;
    if (first) TRY(on_init(walk));
    if (of->finalize.event > 0) return add_violation(walk, VIOLATION_call_after_finalize, of->finalize);
    if (of->init.event == 0) TRY(add_early(walk));
    if (kind == CALL_INIT && !first) return add_violation(walk, VIOLATION_init_twice, of->init);
    if (kind == CALL_FINALIZE) of->finalize = find_place(walk);
    return STATUS_OK;
}

static uint64_t held_key(const struct walk *walk, int64_t object)
{
    return (uint64_t)trace_call_thread(walk->trace, walk->rank, walk->index) << 32 | (uint32_t)object;
}

static enum status take_object(struct walk *walk, int64_t object)
{
    uint64_t *count;
    TRY(map_put(&walk->of->held, held_key(walk, object), 0, &count, walk->finder->err));
    ++*count;
    return STATUS_OK;
}

/* The thread may have taken the object before its recording began, unless the trace has the thread's begin, or the rank never
 * calls MPI_Init. */
static enum status add_if_not_held(struct walk *walk, enum violation_kind kind, const char *what, int64_t object)
{
    const uint64_t *count = map_find(&walk->of->held, held_key(walk, object));
    if (count && *count > 0) return STATUS_OK;
    if (count || map_find(&walk->of->born, trace_call_thread(walk->trace, walk->rank, walk->index)))
        return finder_add(walk->finder, kind, find_place(walk), NOWHERE, "%s %" PRId64, what, object);
    if (walk->of->init.event > 0) return STATUS_OK;
    return kind_list_add(&walk->of->doubtful, kind, find_place(walk), NOWHERE, walk->finder->err, "%s %" PRId64, what, object);
}

static enum status release_object(struct walk *walk)
{
    uint64_t *count = map_find(&walk->of->held, held_key(walk, walk->call->primitive.object));
    if (!count || *count == 0)
        return add_if_not_held(walk, VIOLATION_unlock_of_other, "object", walk->call->primitive.object);
    --*count;
    return STATUS_OK;
}

static enum status walk_primitive(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool got = !(call_row(call->call)->needed & F_FLAG) || (call->flags & TRACE_FLAG);
    if (kind == CALL_THREAD_BEGIN)
        return map_set(&walk->of->born, trace_call_thread(walk->trace, walk->rank, walk->index), 1, walk->finder->err);
    if (kind == CALL_COND_WAIT || kind == CALL_COND_TIMEDWAIT)
        return add_if_not_held(walk, VIOLATION_wait_without_mutex, "mutex", call->primitive.mutex);
    if (!call_works_on(kind, OBJECT_MUTEX) && !call_works_on(kind, OBJECT_RWLOCK)) return STATUS_OK;
    if (call_kind_rows[kind].does == CALL_GIVES) return release_object(walk);
    return got ? take_object(walk, call->primitive.object) : STATUS_OK;
}

static enum status find_lock(struct walk *walk, struct symmetric_lock **lock)
{
    walk->of->symmetric.bytes = sizeof **lock;
    return sparse_item(&walk->of->symmetric, walk->call->shmem.lock, 0, (void **)lock, walk->finder->err);
}

/* The second thread that sets a lock may wait for the first one's clear: both have it if it returns before that. */
static enum status note_set(struct walk *walk, struct symmetric_lock *lock)
{
    struct setting made = {.exit_ps = walk->call->exit_ps, .broken = walk->call->flags & TRACE_BREAK};
    struct setting *to = lock->first.place == 0 ? &lock->first : &lock->second;
    if (lock->first.place > 0) {
        struct place first = walk->finder->places[lock->first.place - 1];
        if (first.thread == trace_call_thread(walk->trace, walk->rank, walk->index))
            return add_violation(walk, VIOLATION_set_without_clear, first);
    }
    if (to->place > 0) return STATUS_OK;
    TRY(finder_keep_place(walk->finder, find_place(walk), &made.place));
    *to = made;
    return STATUS_OK;
}

/* enter_ps is that of the clear; INT64_MAX: there is none. */
static enum status end_second(struct violation_finder *finder, const struct symmetric_lock *lock, int64_t enter_ps)
{
    if (lock->second.place == 0 || lock->second.broken || lock->second.exit_ps > enter_ps) return STATUS_OK;
    return finder_add(finder, VIOLATION_set_without_clear, finder->places[lock->second.place - 1],
                      finder->places[lock->first.place - 1], "%s", "");
}

static enum status walk_symmetric_lock(struct walk *walk)
{
    const struct trace_call *call = walk->call;
    enum call_kind kind = call_kind(call->call);
    bool takes = kind == CALL_SHMEM_SET_LOCK || (kind == CALL_SHMEM_TEST_LOCK && call->flags & TRACE_FLAG);
    struct symmetric_lock *lock;
    if (!takes && kind != CALL_SHMEM_CLEAR_LOCK) return STATUS_OK;
    TRY(find_lock(walk, &lock));
    if (takes) return note_set(walk, lock);
    if (lock->first.place == 0)
        return finder_add(walk->finder, VIOLATION_clear_without_set, find_place(walk), NOWHERE, "lock %" PRIu32,
                          call->shmem.lock);
    TRY(end_second(walk->finder, lock, call->enter_ps));
    finder_drop_place(walk->finder, lock->first.place);
    *lock = (struct symmetric_lock){.first = lock->second};
    return STATUS_OK;
}

static enum status end_symmetric_locks(struct violation_finder *finder, const struct rank_walk *of)
{
    const struct symmetric_lock *locks = (const void *)of->symmetric.items;
    for (size_t i = 0; i < of->symmetric.count; i++) TRY(end_second(finder, &locks[i], INT64_MAX));
    return STATUS_OK;
}

/* Reports epochs that are open at the rank's end. */
static enum status end_windows(struct violation_finder *finder, const struct rank_walk *of)
{
    static const enum violation_kind kinds[EPOCH_KIND_COUNT] = {[EPOCH_START] = VIOLATION_start_without_complete,
                                                                [EPOCH_POST] = VIOLATION_post_without_wait,
                                                                [EPOCH_LOCK_ALL] = VIOLATION_lock_without_unlock,
                                                                [EPOCH_FENCE] = VIOLATION_operation_without_fence};
    const struct epoch *open;
    for (int32_t w = 0; (size_t)w < finder->trace->definitions.window_count; w++) {
        for (int kind = 0; kind < EPOCH_KIND_COUNT; kind++) {
            open = kind == EPOCH_LOCK ? NULL : epoch_cursor_open(&of->cursor, w, (enum epoch_kind)kind);
            if (!open || (kind == EPOCH_FENCE && open->first_operation == EPOCH_NONE)) continue;
            const struct open_epoch *epoch = &of->epochs[open->slot];
            TRY(finder_add(finder, kinds[kind], kind == EPOCH_FENCE ? epoch->first_operation : epoch->opened, NOWHERE,
                           "window %" PRId32, w));
        }
        for (open = epoch_cursor_open(&of->cursor, w, EPOCH_LOCK); open; open = epoch_cursor_newer(&of->cursor, open))
            TRY(finder_add(finder, VIOLATION_lock_without_unlock, of->epochs[open->slot].opened, NOWHERE,
                           "target %" PRId32 " of window %" PRId32, open->target, w));
    }
    return STATUS_OK;
}

/* MPI_Request_free gives up a request; which one, the trace does not say: nothing is reported of a rank that calls it.
 */
static enum status end_requests(struct violation_finder *finder, const struct rank_walk *of)
{
    for (size_t i = 0; of->request_frees == 0 && i < of->requests.capacity; i++)
        if (of->requests.used[i])
            TRY(finder_add(finder, VIOLATION_request_not_completed, finder->places[of->requests.values[i] - 1], NOWHERE, "%s",
                           ""));
    return STATUS_OK;
}

static enum status walk_call(struct walk *walk)
{
    TRY(walk_init(walk));
    TRY(walk_window(walk));
    TRY(walk_comm(walk));
    TRY(walk_request(walk));
    TRY(walk_primitive(walk));
    TRY(walk_symmetric_lock(walk));
    if (!collectives_are_about(walk->finder, walk->call)) return STATUS_OK;
    return collectives_take(walk->finder, find_place(walk), walk->call);
}

enum status ranks_take(struct violation_finder *finder, uint32_t rank)
{
    const struct trace_rank *process = &finder->trace->ranks[rank];
    struct walk walk = {.finder = finder, .of = &finder->ranks[rank], .trace = finder->trace, .rank = rank};
    TRY(walk_known(&walk));
    for (size_t i = process->kept_count; i < process->count; i++) {
        walk.index = i;
        walk.place = NOWHERE;
        walk.call = &process->calls[i];
        finder->aborted = finder->aborted || walk.call->call == ID_Abort;
        finder->cancels = finder->cancels || walk.call->call == ID_Cancel;
        walk.of->cut = walk.of->cut || walk.call->flags & TRACE_BREAK;
        TRY(walk_call(&walk));
    }
    return STATUS_OK;
}

enum status ranks_end(struct violation_finder *finder)
{
    for (uint32_t r = 0; r < finder->trace->rank_count; r++) {
        struct rank_walk *of = &finder->ranks[r];
        if (of->init.event == 0) TRY(kind_list_move(&of->doubtful, finder));
        if (finder->complete[r]) TRY(end_windows(finder, of));
        TRY(end_symmetric_locks(finder, of));
        if (finder->complete[r]) TRY(end_requests(finder, of));
    }
    TRY(end_sizes(finder));
    return end_reuses(finder);
}

bool ranks_have_open(const struct violation_finder *finder, uint32_t rank, uint32_t request)
{
    return map_find(&finder->ranks[rank].requests, request) != NULL;
}

bool ranks_are_cut(const struct violation_finder *finder, uint32_t rank)
{
    return finder->ranks[rank].cut;
}

enum status ranks_begin(struct violation_finder *finder)
{
    finder->rank_count = finder->trace->rank_count;
    finder->windows.bytes = sizeof(struct window_walk);
    finder->comms.bytes = sizeof(struct comm_walk);
    finder->new = calloc(finder->trace->definitions.comm_count + 1, sizeof *finder->new);
    finder->ranks = calloc((size_t)finder->trace->rank_count + 1, sizeof *finder->ranks);
    if (!finder->new || !finder->ranks) return err_memory(finder->err);
    for (uint32_t r = 0; r < finder->trace->rank_count; r++) {
        finder->ranks[r].window = TRACE_NONE;
        TRY(epoch_cursor_init(&finder->ranks[r].cursor, finder->trace, finder->err));
    }
    return STATUS_OK;
}

void ranks_clear(struct violation_finder *finder)
{
    for (uint32_t r = 0; finder->ranks && r < finder->rank_count; r++) {
        struct rank_walk *of = &finder->ranks[r];
        epoch_cursor_clear(&of->cursor);
        map_clear(&of->requests);
        map_clear(&of->held);
        map_clear(&of->born);
        sparse_clear(&of->symmetric);
        kind_list_clear(&of->doubtful);
        FREE_ALL(of->epochs, of->unknown, of->early);
    }
    for (size_t i = 0; i < finder->beyond.count; i++) kind_list_clear((struct kind_list *)(void *)finder->beyond.items + i);
    sparse_clear(&finder->beyond);
    sparse_clear(&finder->windows);
    sparse_clear(&finder->comms);
    FREE_ALL(finder->ranks, finder->new, finder->reuses, finder->reaches);
}
