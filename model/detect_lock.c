/* Lock Contention: who held a lock is inferred from the order of the unlock exits (docs/patterns.md). */
#include <stdlib.h>

#include "model/detect.h"

struct holding { /* one lock epoch whose unlock was seen to return */
    int32_t window, target;
    uint32_t origin;
    bool exclusive;
    int64_t release_ps, asked_ps, unlocking_ps; /* exit of unlock, enter of lock, enter of unlock */
    const struct access_epoch *epoch;
};

/* The last release so far, and the last one by another origin than that. */
struct releases {
    int64_t last_ps, other_ps;
    uint32_t last_origin;
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

static void add_release(struct releases *releases, uint32_t origin, int64_t release_ps)
{
    if (releases->last_origin != origin) releases->other_ps = releases->last_ps;
    releases->last_origin = origin;
    releases->last_ps = release_ps;
}

static int64_t release_by_others(const struct releases *releases, uint32_t origin)
{
    return releases->last_origin != origin ? releases->last_ps : releases->other_ps;
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

static enum status find_waits(struct detection *detection, const struct holding *holdings, size_t count)
{
    struct releases all, exclusive;
    for (size_t i = 0; i < count; i++) {
        const struct holding *holding = &holdings[i];
        const struct access_epoch *epoch = holding->epoch;
        if (i == 0 || holding->window != holdings[i - 1].window || holding->target != holdings[i - 1].target)
            all = exclusive = (struct releases){INT64_MIN, INT64_MIN, UINT32_MAX};
        int64_t release_ps = release_by_others(holding->exclusive ? &all : &exclusive, holding->origin);
        const struct trace_call *lock = relations_call(detection->relations, epoch->rank, epoch->open_call);
        const struct trace_call *unlock = relations_call(detection->relations, epoch->rank, epoch->close_call);
        TRY(detect_wait(detection, PATTERN_LOCK_CONTENTION, epoch->rank, epoch->open_call,
                        wait_until(lock, release_ps)));
        TRY(detect_wait(detection, PATTERN_LOCK_CONTENTION, epoch->rank, epoch->close_call,
                        wait_until(unlock, release_ps)));
        add_release(&all, holding->origin, holding->release_ps);
        if (holding->exclusive) add_release(&exclusive, holding->origin, holding->release_ps);
    }
    return STATUS_OK;
}

enum status detect_lock_contention(struct detection *detection)
{
    const struct relations *relations = detection->relations;
    struct holding *holdings = calloc(relations->epochs.access_count + 1, sizeof *holdings);
    if (!holdings) return err_memory(detection->err);
    size_t count = collect(relations, holdings);
    if (count > 0) qsort(holdings, count, sizeof *holdings, compare_holdings);
    enum status status = find_waits(detection, holdings, count);
    free(holdings);
    return status;
}
