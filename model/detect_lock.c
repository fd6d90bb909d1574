/* Lock Contention and Wait for Progress: who held a lock is inferred from the order of the unlock exits, that a target
 * must enter MPI from calls that return only then (docs/patterns.md). */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "model/detect.h"

struct holding { /* one lock epoch whose unlock was seen to return */
    int32_t window, target;
    uint32_t origin;
    bool exclusive;
    int64_t release_ps, asked_ps,
        unlocking_ps; /* exit of unlock, enter of lock, enter of unlock (lazy: of what asks) */
    const struct access_epoch *epoch;
    size_t wait_call; /* lock_all: where it waits for this target; EPOCH_NONE: as any lock */
};

/* The last release so far, and the last one by another origin than that; NULL: there is none. */
struct releases {
    const struct holding *last, *other;
};

static int compare_times(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Who leaves unlock at the same moment held the lock in the order of asking: lazy locks ask in unlock or before; of
 * blocking ones the one that was granted later enters unlock later. Ranks come last: their names must not matter. */
static int compare_holdings(const void *one, const void *other)
{
    const struct holding *a = one, *b = other;
    int order = compare_times(a->window, b->window);
    if (order == 0) order = compare_times(a->target, b->target);
    if (order == 0) order = compare_times(a->release_ps, b->release_ps);
    if (order == 0) order = compare_times(a->unlocking_ps, b->unlocking_ps);
    if (order == 0) order = compare_times(a->asked_ps, b->asked_ps);
    if (order == 0) order = compare_times(a->origin, b->origin);
    return order != 0 ? order : compare_times((int64_t)a->epoch->open_call, (int64_t)b->epoch->open_call);
}

static void add_release(struct releases *releases, const struct holding *holding)
{
    if (releases->last && releases->last->origin != holding->origin) releases->other = releases->last;
    releases->last = holding;
}

static const struct holding *release_by_others(const struct releases *releases, uint32_t origin)
{
    return releases->last && releases->last->origin != origin ? releases->last : releases->other;
}

struct holdings {
    struct holding *items;
    size_t count, capacity;
    struct map exclusive; /* (window, target) that somebody locks exclusively */
    struct map lazy;      /* lazy locks: (epoch, target) with an operation: what asks, and where the origin waits */
};

static void holdings_clear(struct holdings *holdings)
{
    free(holdings->items);
    map_clear(&holdings->exclusive);
    map_clear(&holdings->lazy);
}

static uint64_t target_key(int32_t window, int32_t target)
{
    return (uint64_t)(uint32_t)window << 32 | (uint32_t)target;
}

/* NOCHECK locks ask nobody and hold nobody up: the program promises that there is no conflict (MPI-3.1 11.5.5). */
static bool asks(const struct relations *relations, const struct access_epoch *epoch, enum epoch_kind kind)
{
    return epoch->kind == kind && epoch_closed(relations->trace, epoch->rank, epoch->close_call) &&
           !(relations_call(relations, epoch->rank, epoch->open_call)->flags & TRACE_NOCHECK);
}

static enum status add_holding(struct holdings *holdings, const struct relations *relations,
                               const struct access_epoch *epoch, int32_t target, const uint64_t *lazy, struct err *err)
{
    const struct trace_call *lock = relations_call(relations, epoch->rank, epoch->open_call);
    const struct trace_call *unlock = relations_call(relations, epoch->rank, epoch->close_call);
    const struct trace_call *asks_in = lazy ? relations_call(relations, epoch->rank, (size_t)(*lazy >> 32)) : unlock;
    bool of_all = epoch->kind == EPOCH_LOCK_ALL;
    struct holding holding = {.window = epoch->window,
                              .target = target,
                              .origin = epoch->rank,
                              .exclusive = lock->flags & TRACE_EXCLUSIVE,
                              .release_ps = unlock->exit_ps,
                              .asked_ps = lock->enter_ps,
                              .unlocking_ps = asks_in->enter_ps,
                              .epoch = epoch,
                              .wait_call = !of_all ? EPOCH_NONE
                                           : lazy  ? (size_t)(uint32_t)*lazy
                                                   : epoch->open_call};
    ARRAY_PUSH(holdings->items, holdings->count, holdings->capacity, holding, err);
    return STATUS_OK;
}

static uint64_t lazy_key(size_t epoch, uint32_t target)
{
    return (uint64_t)epoch << 24 | target;
}

static enum status find_lazy(const struct relations *relations, struct holdings *holdings, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    for (size_t i = 0; i < epochs->operation_count; i++) {
        const struct epoch_operation *operation = &epochs->operations[i];
        uint32_t target = (uint32_t)relations_call(relations, operation->origin, operation->call)->peer;
        const struct access_epoch *epoch = &epochs->accesses[operation->epoch];
        if ((epoch->kind != EPOCH_LOCK_ALL && epoch->kind != EPOCH_LOCK) || epoch->close_call == EPOCH_NONE) continue;
        size_t waits = operation->first_flush != EPOCH_NONE ? operation->first_flush : epoch->close_call;
        bool hurries = relations_call(relations, operation->origin, operation->call)->ref != TRACE_NO_REF;
        uint64_t asks_in = hurries ? operation->call : waits, *slot;
        TRY(map_put(&holdings->lazy, lazy_key(operation->epoch, target), asks_in << 32 | (uint32_t)waits, &slot, err));
        if (asks_in < *slot >> 32) *slot = asks_in << 32 | (uint32_t)*slot;
    }
    return STATUS_OK;
}

/* A lock_all holds the lock of every target; only those that somebody wants alone can make anybody wait. Lazy locks
 * (known of simulated traces) are taken where there are operations only. */
static enum status collect_all(const struct relations *relations, bool lazy, struct holdings *holdings, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    if (holdings->exclusive.count == 0) return STATUS_OK;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (!asks(relations, epoch, EPOCH_LOCK_ALL)) continue;
        const struct trace_comm *comm = &relations->trace->comms[relations->trace->windows[epoch->window].comm];
        for (uint32_t i = 0; i < comm->count; i++) {
            int32_t target = comm->members[i];
            const uint64_t *asked = lazy ? map_find(&holdings->lazy, lazy_key(a, (uint32_t)target)) : NULL;
            if (!map_find(&holdings->exclusive, target_key(epoch->window, target)) || (lazy && !asked)) continue;
            TRY(add_holding(holdings, relations, epoch, target, asked, err));
        }
    }
    return STATUS_OK;
}

static enum status collect(const struct relations *relations, struct holdings *holdings, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    const char *lock = relations->trace->lock;
    bool lazy = lock && strcmp(lock, "lazy") == 0;
    if (lazy) TRY(find_lazy(relations, holdings, err));
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (!asks(relations, epoch, EPOCH_LOCK)) continue;
        const uint64_t *asked = lazy ? map_find(&holdings->lazy, lazy_key(a, (uint32_t)epoch->target)) : NULL;
        TRY(add_holding(holdings, relations, epoch, epoch->target, asked, err));
        uint64_t *slot;
        if (holdings->items[holdings->count - 1].exclusive)
            TRY(map_put(&holdings->exclusive, target_key(epoch->window, epoch->target), 1, &slot, err));
    }
    return collect_all(relations, lazy, holdings, err);
}

typedef enum status holding_visitor(struct detection *detection, const struct holding *holding,
                                    const struct holding *holder, void *context);

/* Calls visit for every holding, in the order of the grants, with the holding before it that excludes it, or NULL. */
static enum status for_holdings(struct detection *detection, holding_visitor *visit, void *context)
{
    const struct relations *relations = detection->relations;
    struct releases all = {NULL, NULL}, exclusive = {NULL, NULL};
    struct holdings holdings = {0};
    enum status status = collect(relations, &holdings, detection->err);
    if (status == STATUS_OK && holdings.count > 0)
        qsort(holdings.items, holdings.count, sizeof *holdings.items, compare_holdings);
    for (size_t i = 0; status == STATUS_OK && i < holdings.count; i++) {
        const struct holding *holding = &holdings.items[i];
        if (i > 0 && (holding->window != holding[-1].window || holding->target != holding[-1].target))
            all = exclusive = (struct releases){NULL, NULL};
        status = visit(detection, holding, release_by_others(holding->exclusive ? &all : &exclusive, holding->origin),
                       context);
        add_release(&all, holding);
        if (holding->exclusive) add_release(&exclusive, holding);
    }
    holdings_clear(&holdings);
    return status;
}

/* A call that waited for a release. */
struct contention {
    uint32_t rank;
    size_t call;
    const struct trace_call *at;
    int64_t release_ps;
    uint32_t holder;
    size_t unlock;
};

struct contentions {
    struct contention *items;
    size_t count, capacity;
};

static int compare_contentions(const void *one, const void *other)
{
    const struct contention *a = one, *b = other;
    int order = compare_times(a->rank, b->rank);
    if (order == 0) order = compare_times((int64_t)a->call, (int64_t)b->call);
    if (order == 0) order = compare_times(b->release_ps, a->release_ps);
    return order != 0 ? order : compare_times(a->holder, b->holder);
}

static enum status add_contention(struct detection *detection, const struct holding *holding, size_t call,
                                  const struct holding *holder, struct contentions *found)
{
    const struct trace_call *at = relations_call(detection->relations, holding->origin, call);
    struct contention made = {holding->origin, call, at, holder->release_ps, holder->origin, holder->epoch->close_call};
    if (wait_until(at, holder->release_ps) > 0)
        ARRAY_PUSH(found->items, found->count, found->capacity, made, detection->err);
    return STATUS_OK;
}

/* In lock; of lazy ones in the first flush or in unlock. */
static enum status visit_contention(struct detection *detection, const struct holding *holding,
                                    const struct holding *holder, void *context)
{
    const struct access_epoch *epoch = holding->epoch;
    if (!holder) return STATUS_OK;
    if (holding->wait_call != EPOCH_NONE)
        return add_contention(detection, holding, holding->wait_call, holder, context);
    TRY(add_contention(detection, holding, epoch->open_call, holder, context));
    if (epoch->flush_call != EPOCH_NONE) TRY(add_contention(detection, holding, epoch->flush_call, holder, context));
    return add_contention(detection, holding, epoch->close_call, holder, context);
}

/* A call that means several locks waits for them together: the latest release counts. */
enum status detect_lock_contention(struct detection *detection)
{
    struct contentions found = {NULL, 0, 0};
    enum status status = for_holdings(detection, visit_contention, &found);
    if (status == STATUS_OK && found.count > 0)
        qsort(found.items, found.count, sizeof *found.items, compare_contentions);
    for (size_t i = 0; i < found.count && status == STATUS_OK; i++) {
        const struct contention *one = &found.items[i];
        if (i > 0 && one[-1].rank == one->rank && one[-1].call == one->call) continue;
        status = detect_found(detection, &(struct finding){.pattern = PATTERN_LOCK_CONTENTION,
                                                           .rank = one->rank,
                                                           .call = one->call,
                                                           .severity_ps = wait_until(one->at, one->release_ps),
                                                           .cause_rank = one->holder,
                                                           .cause_call = one->unlock,
                                                           .from_ps = INT64_MIN,
                                                           .until_ps = one->release_ps});
    }
    free(found.items);
    return status;
}

/* Functions that returned although the target was outside MPI all the time: nothing waits for the target to enter. */
struct progress {
    bool refuted[MPI_CALL_COUNT];
    bool looking; /* for refutations; then for waits */
};

/* Of the MPI calls of a rank that end at from_ps or later the one that any thread enters first; FINDING_NO_CALL if there
 * is none. */
static size_t call_from(const struct relations *relations, uint32_t rank, int64_t from_ps)
{
    size_t found = FINDING_NO_CALL;
    for (uint32_t thread = 0; thread < trace_thread_count(relations->trace, rank); thread++) {
        struct lane lane = lane_of(&relations->lanes, rank, thread);
        size_t k = lane_first_ending(&lane, from_ps, true);
        while (k < lane.count && !lane_is_mpi(lane_call(&lane, k))) k++;
        if (k < lane.count && (found == FINDING_NO_CALL || lane_index(&lane, k) < found)) found = lane_index(&lane, k);
    }
    return found;
}

/* One call of an origin that may have to wait until the target enters MPI; it lacks nothing else from holder's release
 * on. That it ends inside the target's next call is taken for the proof. */
static enum status look_at(struct detection *detection, const struct holding *holding, size_t call,
                           const struct holding *holder, struct progress *progress)
{
    const struct trace_call *at = relations_call(detection->relations, holding->origin, call);
    int64_t from_ps = holder && holder->release_ps > at->enter_ps ? holder->release_ps : at->enter_ps;
    if (from_ps >= at->exit_ps) return STATUS_OK;
    size_t next = call_from(detection->relations, (uint32_t)holding->target, from_ps);
    const struct trace_call *entered =
        next == FINDING_NO_CALL ? NULL : relations_call(detection->relations, (uint32_t)holding->target, next);
    if (!entered || entered->enter_ps > at->exit_ps) {
        if (progress->looking) progress->refuted[at->call] = true;
        return STATUS_OK;
    }
    if (progress->looking || progress->refuted[at->call] || entered->enter_ps <= from_ps ||
        at->exit_ps > entered->exit_ps)
        return STATUS_OK;
    return detect_found(detection, &(struct finding){.pattern = PATTERN_WAIT_FOR_PROGRESS,
                                                     .rank = holding->origin,
                                                     .call = call,
                                                     .severity_ps = entered->enter_ps - from_ps,
                                                     .cause_rank = (uint32_t)holding->target,
                                                     .cause_call = next,
                                                     .from_ps = from_ps,
                                                     .until_ps = entered->enter_ps});
}

/* A lock without operations may be granted and released without the target. */
static enum status visit_progress(struct detection *detection, const struct holding *holding,
                                  const struct holding *holder, void *context)
{
    bool alone = holding->epoch->kind == EPOCH_LOCK; /* of a lock_all the operations on other targets count, too */
    if ((uint32_t)holding->target == holding->origin || !alone || holding->epoch->operation_count == 0)
        return STATUS_OK;
    TRY(look_at(detection, holding, holding->epoch->open_call, holder, context));
    return look_at(detection, holding, holding->epoch->close_call, holder, context);
}

/* A simulated trace does not say what made progress: its time stamps prove nothing. */
enum status detect_wait_for_progress(struct detection *detection)
{
    struct progress progress = {.looking = true};
    if (detection->relations->trace->simulated) return STATUS_OK;
    TRY(for_holdings(detection, visit_progress, &progress));
    progress.looking = false;
    return for_holdings(detection, visit_progress, &progress);
}
