/* Locks that exclude each other, held at the same time: model/violations/violations.h has the interface.
 *
 * MPI_Win_lock of another rank may return before the lock is held, so its times prove nothing. A lock is certainly held
 * from the return of a flush that completes an operation until MPI_Win_unlock is called. A lock of the own rank, and
 * any lock in a simulation with blocking locks, is held from the return of MPI_Win_lock on. An epoch with operations
 * that is entirely within such a time of another rank holds its lock within it. Many epochs may have ended before a long one that
 * began earlier, so all of them are sorted by time. */
#include <stdlib.h>

#include "common/search.h"
#include "model/violations/finder.h"

ORDER(by_time, struct holding, UP(window) UP(target) UP(from_ps) UP(at.rank) UP(at.event))

enum status locks_held(struct violation_finder *finder, const struct holding *holding)
{
    if (!finder->holdings)
        TRY(external_sort_new(&finder->temp, sizeof(struct holding), by_time, &finder->holdings, finder->err));
    return external_sort_add(finder->holdings, holding, finder->err);
}

/* clocks_ps is the possible difference of two ranks' clocks. */
static bool holdings_overlap(const struct holding *held, const struct holding *other, int64_t clocks_ps)
{
    if (held->at.event == 0 || held->at.rank == other->at.rank || !(held->exclusive || other->exclusive)) return false;
    if (other->from_ps < held->from_ps + clocks_ps) return false;
    return other->proven ? other->from_ps < held->until_ps - clocks_ps : other->until_ps <= held->until_ps - clocks_ps;
}

static void keep_later(struct holding *last, const struct holding *held)
{
    if (last->at.event == 0 || held->until_ps > last->until_ps) *last = *held;
}

/* last[1] is the earlier proven exclusive holding that ends last; last[0] is the earlier proven one of any kind that
 * ends last. */
enum status locks_end(struct violation_finder *finder)
{
    struct holding last[2] = {{.window = TRACE_NONE}, {.window = TRACE_NONE}}, held, before = last[0];
    const struct trace_clock_quality *clock = &finder->trace->provenance.clock;
    int64_t clocks_ps = clock->known ? (int64_t)(2 * clock->worst_error_s * 1e12) : 0;
    bool any = finder->holdings != NULL;
    if (any) TRY(external_sort_turn(finder->holdings, finder->err));
    for (;; before = held) {
        if (any) TRY(external_sort_next(finder->holdings, &held, &any, finder->err));
        if (!any) return STATUS_OK;
        if (held.window != before.window || held.target != before.target) last[0].at = last[1].at = NOWHERE;
        const struct holding *other = holdings_overlap(&last[1], &held, clocks_ps) ? &last[1] : &last[0];
        if (held.target != TRACE_NONE && holdings_overlap(other, &held, clocks_ps))
            TRY(finder_add(finder, VIOLATION_lock_held_by_two, held.at, other->at, "target %d of window %d",
                           (int)held.target, (int)held.window));
        if (!held.proven) continue;
        keep_later(&last[0], &held);
        if (held.exclusive) keep_later(&last[1], &held);
    }
}
