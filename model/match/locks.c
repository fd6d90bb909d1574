#include "model/match/locks.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/search.h"

/* The last releases so far by three different origins, the latest first; NULL: there is none. */
struct releases {
    const struct holding *last, *other, *third;
};

/* Holders that release at the same moment held the lock in the order of their requests. A lazy lock sends its request
 * in unlock or before; of two blocking locks the one granted later enters unlock later. Ranks decide last, so that a
 * permutation of ranks changes as little as possible. */
ORDER(compare_holdings, struct holding, UP(window) UP(target) UP(release_ps) UP(unlocking_ps) UP(asked_ps) UP(origin)
      UP(epoch->open_call))

static void add_release(struct releases *releases, const struct holding *holding)
{
    if (releases->last && releases->last->origin != holding->origin) {
        if (releases->other && releases->other->origin != holding->origin) releases->third = releases->other;
        releases->other = releases->last;
    }
    releases->last = holding;
}

static const struct holding *release_by_others(const struct releases *releases, uint32_t origin)
{
    return releases->last && releases->last->origin != origin ? releases->last : releases->other;
}

/* The release before that, by a third origin. */
static int64_t next_release_ps(const struct releases *releases, uint32_t origin)
{
    bool others = releases->other && releases->last->origin != origin && releases->other->origin != origin;
    const struct holding *next = others ? releases->other : releases->third;
    return next ? next->release_ps : INT64_MIN;
}

struct holdings {
    struct holding *items;
    size_t count, capacity;
    struct map exclusive; /* (window, target) that some origin locks exclusively */
    struct map lazy;      /* lazy locks: (epoch, target) with an operation, to the call that sends the request and the
                             call that waits */
    bool whole;           /* in a slice: also holdings that are not final */
};

static void holdings_clear(struct holdings *holdings)
{
    free(holdings->items);
    map_clear(&holdings->exclusive);
    map_clear(&holdings->lazy);
}

static uint64_t target_key(int32_t window, int32_t target)
{
    return map_pair((uint32_t)window, (uint32_t)target);
}

/* Locks with NOCHECK send no request and delay no other origin: the program promises that there is no conflict (MPI-3.1
 * 11.5.5). */
static bool requests_lock(const struct relations *relations, const struct holdings *holdings,
                          const struct access_epoch *epoch, enum epoch_kind kind)
{
    return epoch->kind == kind && epoch_closed(relations->trace, epoch->rank, epoch->close_call) &&
           (holdings->whole || slice_state_released(relations->state, epoch->rank, epoch->close_call)) &&
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
                              .release_ps = relations_release_ps(relations, epoch->rank, epoch->close_call),
                              .asked_ps = lock->enter_ps,
                              .locked_ps = lock->exit_ps,
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
        bool hurries = relations_call(relations, operation->origin, operation->call)->rma.request != TRACE_NO_REF;
        uint64_t asks_in = hurries ? operation->call : waits, *slot;
        TRY(map_put(&holdings->lazy, lazy_key(operation->epoch, target), asks_in << 32 | (uint32_t)waits, &slot, err));
        if (asks_in < *slot >> 32) *slot = asks_in << 32 | (uint32_t)*slot;
    }
    return STATUS_OK;
}

/* A lock_all holds the lock of every target. Only targets with an exclusive lock can make an origin wait. A lazy
 * lock_all, which only simulated traces show, takes the locks of the targets of its operations. */
static enum status collect_all(const struct relations *relations, bool lazy, struct holdings *holdings, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    if (holdings->exclusive.count == 0) return STATUS_OK;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (!requests_lock(relations, holdings, epoch, EPOCH_LOCK_ALL)) continue;
        const struct trace_comm *comm =
            &relations->trace->definitions.comms[relations->trace->definitions.windows[epoch->window].comm];
        for (uint32_t i = 0; i < comm->count; i++) {
            int32_t target = comm->members[i];
            const uint64_t *asked = lazy ? map_find(&holdings->lazy, lazy_key(a, (uint32_t)target)) : NULL;
            if (!map_find(&holdings->exclusive, target_key(epoch->window, target)) || (lazy && !asked)) continue;
            TRY(add_holding(holdings, relations, epoch, target, asked, err));
        }
    }
    return STATUS_OK;
}

static enum status collect_holdings(const struct relations *relations, struct holdings *holdings, struct err *err)
{
    const struct epochs *epochs = &relations->epochs;
    bool lazy = trace_is_lazy(relations->trace);
    if (lazy) TRY(find_lazy(relations, holdings, err));
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (!requests_lock(relations, holdings, epoch, EPOCH_LOCK) || epoch->target == TRACE_NONE) continue;
        const uint64_t *asked = lazy ? map_find(&holdings->lazy, lazy_key(a, (uint32_t)epoch->target)) : NULL;
        TRY(add_holding(holdings, relations, epoch, epoch->target, asked, err));
        uint64_t *slot;
        if (holdings->items[holdings->count - 1].exclusive)
            TRY(map_put(&holdings->exclusive, target_key(epoch->window, epoch->target), 1, &slot, err));
    }
    return collect_all(relations, lazy, holdings, err);
}

static bool of_same_lock(const struct holding *one, const struct holding *other)
{
    return one->window == other->window && one->target == other->target;
}

/* An event of a recorded holding: its lock returns, or its unlock begins. */
struct moment {
    struct holding *holding;
    int64_t time_ps;
    bool locks;
};

/* By window and target, then backwards in time. */
ORDER(compare_moments, struct moment, UP(holding->window) UP(holding->target) DOWN(time_ps) UP(locks))

/* Keeps the holding that shows the earliest release; of several, one whose own unlock returned then. */
static void take_first(const struct holding **first, const struct holding *holding)
{
    bool before = !*first || holding->release_ps < (*first)->release_ps;
    if (before || (holding->release_ps == (*first)->release_ps && !holding->shown_by[0])) *first = holding;
}

static void show_release(struct holding *holding, const struct holding *later)
{
    if (!later || later->release_ps >= holding->release_ps) return;
    holding->release_ps = later->release_ps;
    holding->shown_by[0] = later->epoch;
    holding->shown_by[1] = later->shown_by[0];
}

/* An unlock may return long after it released the lock, since it waits for the target's answer, an unlock_all for those of all
 * targets. But the next holder's own unlock shows, by its return, that the lock was free. A lock that returns after the
 * enter of another origin's unlock was granted after it: a blocking one because the other origin held the lock until then,
 * a lazy one because the other origin's request came first. */
static enum status find_releases(struct holdings *holdings, struct err *err)
{
    struct moment *moments = malloc((2 * holdings->count + 1) * sizeof *moments);
    const struct holding *all = NULL, *exclusive = NULL; /* first release by a holding that locks after the moment */
    if (!moments) return err_memory(err);
    for (size_t i = 0; i < holdings->count; i++) {
        struct holding *holding = &holdings->items[i];
        moments[2 * i] = (struct moment){holding, holding->locked_ps, true};
        moments[2 * i + 1] = (struct moment){holding, holding->unlocking_ps, false};
    }
    qsort(moments, 2 * holdings->count, sizeof *moments, compare_moments);
    for (size_t m = 0; m < 2 * holdings->count; m++) {
        struct holding *holding = moments[m].holding;
        if (m > 0 && !of_same_lock(holding, moments[m - 1].holding)) all = exclusive = NULL;
        if (!moments[m].locks) show_release(holding, holding->exclusive ? all : exclusive);
        else take_first(&all, holding);
        if (moments[m].locks && holding->exclusive) take_first(&exclusive, holding);
    }
    free(moments);
    return STATUS_OK;
}

static enum status sorted_holdings(const struct relations *relations, struct holdings *holdings, struct err *err)
{
    TRY(collect_holdings(relations, holdings, err));
    if (!relations->trace->provenance.simulated) TRY(find_releases(holdings, err));
    if (holdings->count > 0) qsort(holdings->items, holdings->count, sizeof *holdings->items, compare_holdings);
    return STATUS_OK;
}

static void add_holding_to(struct releases *all, struct releases *exclusive, const struct holding *holding)
{
    add_release(all, holding);
    if (holding->exclusive) add_release(exclusive, holding);
}

enum status locks_visit(const struct relations *relations, holding_visitor *visit, void *context, struct err *err)
{
    struct releases all = {0}, exclusive = {0};
    struct holdings holdings = {0};
    enum status status = sorted_holdings(relations, &holdings, err);
    for (size_t i = 0; status == STATUS_OK && i < holdings.count; i++) {
        struct holding *holding = &holdings.items[i];
        if (i > 0 && !of_same_lock(holding, holding - 1)) all = exclusive = (struct releases){0};
        const struct releases *releases = holding->exclusive ? &all : &exclusive;
        holding->next_ps = next_release_ps(releases, holding->origin);
        if (slice_state_counts(relations->state, holding->origin, holding->epoch->close_call))
            status = visit(context, holding, release_by_others(releases, holding->origin));
        add_holding_to(&all, &exclusive, holding);
    }
    holdings_clear(&holdings);
    return status;
}

/* All locks of a window together, as a target of their own. */
static enum status collect_windows(const struct relations *relations, struct holdings *holdings, struct err *err)
{
    for (size_t a = 0; a < relations->epochs.access_count; a++)
        if (requests_lock(relations, holdings, &relations->epochs.accesses[a], EPOCH_LOCK_ALL))
            TRY(add_holding(holdings, relations, &relations->epochs.accesses[a], TRACE_NONE, NULL, err));
    return STATUS_OK;
}

/* Keeps also the epochs that show when the holding released the lock. */
static void keep_holder(const struct holding *holding, holder_keeper *keep, void *context)
{
    if (!holding) return;
    keep(context, holding->epoch);
    for (int i = 0; i < 2 && holding->shown_by[i]; i++) keep(context, holding->shown_by[i]);
}

static void keep_last(const struct releases *releases, holder_keeper *keep, void *context)
{
    keep_holder(releases->last, keep, context);
    keep_holder(releases->other, keep, context);
    keep_holder(releases->third, keep, context);
}

enum status locks_last_holders(const struct relations *relations, holder_keeper *keep, void *context, struct err *err)
{
    struct releases all = {0}, exclusive = {0};
    struct holdings holdings = {0};
    enum status status = collect_windows(relations, &holdings, err);
    if (status == STATUS_OK) status = sorted_holdings(relations, &holdings, err);
    for (size_t i = 0; status == STATUS_OK && i < holdings.count; i++) {
        const struct holding *holding = &holdings.items[i];
        add_holding_to(&all, &exclusive, holding);
        if (i + 1 < holdings.count && of_same_lock(holding, holding + 1)) continue;
        keep_last(&all, keep, context);
        keep_last(&exclusive, keep, context);
        all = exclusive = (struct releases){0};
    }
    holdings_clear(&holdings);
    return status;
}

enum status locks_first_releases(const struct relations *relations, int64_t *release_ps, struct err *err)
{
    struct holdings holdings = {.whole = true};
    enum status status = sorted_holdings(relations, &holdings, err);
    for (size_t a = 0; status == STATUS_OK && a < relations->epochs.access_count; a++) {
        const struct access_epoch *epoch = &relations->epochs.accesses[a];
        bool closed = epoch->close_call != EPOCH_NONE;
        release_ps[a] = closed ? relations_release_ps(relations, epoch->rank, epoch->close_call) : INT64_MAX;
    }
    for (size_t i = 0; status == STATUS_OK && i < holdings.count; i++) {
        int64_t *first_ps = &release_ps[holdings.items[i].epoch - relations->epochs.accesses];
        if (holdings.items[i].release_ps < *first_ps) *first_ps = holdings.items[i].release_ps;
    }
    holdings_clear(&holdings);
    return status;
}
