/* Locks that exclude each other, held at the same time: model/violations/violations.h has the interface.
 *
 * MPI_Win_lock of another rank may return before the lock is held, so its times prove nothing. A lock is certainly held
 * from the return of a flush that completes an operation until MPI_Win_unlock is called. A lock of the own rank, and
 * any lock in a simulation with blocking locks, is held from the return of MPI_Win_lock on. An epoch with operations
 * that is entirely within such a time of another rank holds its lock within it. */
#include <stdlib.h>

#include "common/search.h"
#include "model/violations/finder.h"

ORDER(by_time, struct holding, UP(window) UP(target) UP(from_ps) UP(at.rank) UP(at.call))

/* clocks_ps is the possible difference of two ranks' clocks. */
static bool holdings_overlap(const struct holding *held, const struct holding *other, int64_t clocks_ps)
{
    if (!held || held->at.rank == other->at.rank || !(held->exclusive || other->exclusive)) return false;
    if (other->from_ps < held->from_ps + clocks_ps) return false;
    return other->proven ? other->from_ps < held->until_ps - clocks_ps : other->until_ps <= held->until_ps - clocks_ps;
}

static void keep_later(const struct holding **last, const struct holding *held)
{
    if (!*last || held->until_ps > (*last)->until_ps) *last = held;
}

/* last[1] is the earlier proven exclusive holding that ends last; last[0] is the earlier proven one of any kind that
 * ends last. */
enum status find_in_locks(struct finder *finder)
{
    const struct holding *last[2] = {NULL, NULL};
    const struct trace_clock_quality *clock = &finder->trace->provenance.clock;
    int64_t clocks_ps = clock->known ? (int64_t)(2 * clock->worst_error_s * 1e12) : 0;
    if (finder->holding_count == 0) return STATUS_OK;
    qsort(finder->holdings, finder->holding_count, sizeof *finder->holdings, by_time);
    for (size_t i = 0; i < finder->holding_count; i++) {
        const struct holding *held = &finder->holdings[i];
        if (i > 0 && (held->window != held[-1].window || held->target != held[-1].target)) last[0] = last[1] = NULL;
        const struct holding *other = holdings_overlap(last[1], held, clocks_ps) ? last[1] : last[0];
        if (held->target != TRACE_NONE && holdings_overlap(other, held, clocks_ps))
            TRY(finder_add(finder, VIOLATION_lock_held_by_two, held->at, other->at, "target %d of window %d",
                           (int)held->target, (int)held->window));
        if (!held->proven) continue;
        keep_later(&last[0], held);
        if (held->exclusive) keep_later(&last[1], held);
    }
    return STATUS_OK;
}
