/* Lock Contention and Wait for Progress: who held a lock is inferred from the order of the unlock exits, that a target
 * must enter MPI from calls that return only then (docs/patterns.md). */
#include <stdlib.h>

#include "model/detect.h"

struct holding { /* one lock epoch whose unlock was seen to return */
    int32_t window, target;
    uint32_t origin;
    bool exclusive;
    int64_t release_ps, asked_ps, unlocking_ps; /* exit of unlock, enter of lock, enter of unlock */
    const struct access_epoch *epoch;
};

/* The last release so far, and the last one by another origin than that; NULL: there is none. */
struct releases {
    const struct holding *last, *other;
};

static int compare_times(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Who leaves unlock at the same moment held the lock in the order of asking: lazy locks ask in unlock; of blocking
 * ones the one that was granted later enters unlock later. Ranks come last: their names must not matter. */
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

/* NOCHECK locks ask nobody and hold nobody up: the program promises that there is no conflict (MPI-3.1 11.5.5). */
static size_t collect(const struct relations *relations, struct holding *holdings)
{
    const struct epochs *epochs = &relations->epochs;
    size_t count = 0;
    for (size_t a = 0; a < epochs->access_count; a++) {
        const struct access_epoch *epoch = &epochs->accesses[a];
        if (epoch->kind != EPOCH_LOCK || !epoch_closed(relations->trace, epoch->rank, epoch->close_call)) continue;
        const struct trace_call *lock = relations_call(relations, epoch->rank, epoch->open_call);
        const struct trace_call *unlock = relations_call(relations, epoch->rank, epoch->close_call);
        if (lock->flags & TRACE_NOCHECK) continue;
        holdings[count++] = (struct holding){.window = epoch->window,
                                             .target = epoch->target,
                                             .origin = epoch->rank,
                                             .exclusive = lock->flags & TRACE_EXCLUSIVE,
                                             .release_ps = unlock->exit_ps,
                                             .asked_ps = lock->enter_ps,
                                             .unlocking_ps = unlock->enter_ps,
                                             .epoch = epoch};
    }
    return count;
}

typedef enum status holding_visitor(struct detection *detection, const struct holding *holding,
                                    const struct holding *holder, void *context);

/* Calls visit for every holding, in the order of the grants, with the holding before it that excludes it, or NULL. */
static enum status for_holdings(struct detection *detection, holding_visitor *visit, void *context)
{
    const struct relations *relations = detection->relations;
    struct releases all = {NULL, NULL}, exclusive = {NULL, NULL};
    enum status status = STATUS_OK;
    struct holding *holdings = calloc(relations->epochs.access_count + 1, sizeof *holdings);
    if (!holdings) return err_memory(detection->err);
    size_t count = collect(relations, holdings);
    if (count > 0) qsort(holdings, count, sizeof *holdings, compare_holdings);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct holding *holding = &holdings[i];
        if (i > 0 && (holding->window != holdings[i - 1].window || holding->target != holdings[i - 1].target))
            all = exclusive = (struct releases){NULL, NULL};
        status = visit(detection, holding, release_by_others(holding->exclusive ? &all : &exclusive, holding->origin),
                       context);
        add_release(&all, holding);
        if (holding->exclusive) add_release(&exclusive, holding);
    }
    free(holdings);
    return status;
}

static enum status find_contention(struct detection *detection, const struct holding *holding, size_t call,
                                   const struct holding *holder)
{
    const struct trace_call *at = relations_call(detection->relations, holding->origin, call);
    return detect_found(detection, &(struct finding){.pattern = PATTERN_LOCK_CONTENTION,
                                                     .rank = holding->origin,
                                                     .call = call,
                                                     .severity_ps = wait_until(at, holder->release_ps),
                                                     .cause_rank = holder->origin,
                                                     .cause_call = holder->epoch->close_call,
                                                     .from_ps = INT64_MIN,
                                                     .until_ps = holder->release_ps});
}

static enum status visit_contention(struct detection *detection, const struct holding *holding,
                                    const struct holding *holder, void *context)
{
    (void)context;
    if (!holder) return STATUS_OK;
    TRY(find_contention(detection, holding, holding->epoch->open_call, holder));
    return find_contention(detection, holding, holding->epoch->close_call, holder);
}

enum status detect_lock_contention(struct detection *detection)
{
    return for_holdings(detection, visit_contention, NULL);
}

/* Functions that returned although the target was outside MPI all the time: nothing waits for the target to enter. */
struct progress {
    bool refuted[MPI_CALL_COUNT];
    bool looking; /* for refutations; then for waits */
};

static bool is_region(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_REGION_ENTER || call_kind(call->call) == CALL_REGION_LEAVE;
}

/* The first MPI call of a rank that ends at from_ps or later; FINDING_NO_CALL if there is none. */
static size_t call_from(const struct trace *trace, uint32_t rank, int64_t from_ps)
{
    const struct trace_rank *stream = &trace->ranks[rank];
    size_t low = 0, high = stream->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stream->calls[middle].exit_ps < from_ps)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < stream->count && is_region(&stream->calls[low])) low++;
    return low < stream->count ? low : FINDING_NO_CALL;
}

/* One call of an origin that may have to wait until the target enters MPI; it lacks nothing else from holder's release
 * on. That it ends inside the target's next call is taken for the proof. */
static enum status look_at(struct detection *detection, const struct holding *holding, size_t call,
                           const struct holding *holder, struct progress *progress)
{
    const struct trace *trace = detection->relations->trace;
    const struct trace_call *at = relations_call(detection->relations, holding->origin, call);
    int64_t from_ps = holder && holder->release_ps > at->enter_ps ? holder->release_ps : at->enter_ps;
    if (from_ps >= at->exit_ps) return STATUS_OK;
    size_t next = call_from(trace, (uint32_t)holding->target, from_ps);
    const struct trace_call *entered = next == FINDING_NO_CALL
                                           ? NULL : relations_call(detection->relations, (uint32_t)holding->target, next);
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
    if ((uint32_t)holding->target == holding->origin || holding->epoch->operation_count == 0) return STATUS_OK;
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
