/* Law 3 for Wait for Progress: compares what the replay records of it (RMA::ProgressFrom, RMA::ProgressUntil) with the
 * calls of the ranks that may serve. With progress `call` the target is outside its library during the wait, and enters
 * it, or ends, at the end. With `thread` the wait is not longer than the thread's delay. What waits for a
 * progress rank waits for others that it serves, which the trace does not show. */
#include <inttypes.h>

#include "common/search.h"
#include "common/units.h"
#include "simulate/verify/law.h"

static size_t first_from(const struct trace_rank *process, int64_t time_ps)
{
    size_t first = 0;
    SEARCH_FIRST(first, process->count, at, process->calls[at].enter_ps < time_ps);
    return first;
}

/* Whether the rank is outside from from_ps on and serves at until_ps. For a rank with threads only the latter is
 * checked. */
static bool rank_serves(const struct verify_context *context, uint32_t rank, int64_t from_ps, int64_t until_ps)
{
    const struct trace_rank *process = &context->predicted->ranks[rank];
    size_t next = first_from(process, until_ps), before = next;
    while (next < process->count && !call_is_library(process->calls[next].call)) next++;
    bool enters = next < process->count && process->calls[next].enter_ps == until_ps;
    bool ends = next == process->count && trace_rank_end_ps(context->predicted, rank) == until_ps;
    while (before > 0 && !call_is_library(process->calls[before - 1].call)) before--;
    bool outside = before == 0 || process->calls[before - 1].exit_ps <= from_ps;
    return (enters || ends) && (outside || process->thread_count > 0);
}

/* Calls that serve while they wait (mpi.rma.protocol.visit = wait or needed, .lock_order = service) or need several polls
 * (.polls) may serve at any time in the call. */
static bool is_in_library(const struct verify_context *context, uint32_t rank, int64_t until_ps)
{
    const struct trace_rank *process = &context->predicted->ranks[rank];
    size_t behind = first_from(process, until_ps + 1);
    for (size_t i = behind; i-- > 0;) {
        if (call_is_library(process->calls[i].call) && process->calls[i].exit_ps >= until_ps) return true;
        if (process->thread_count == 0 && process->calls[i].exit_ps < until_ps) break;
    }
    return trace_rank_end_ps(context->predicted, rank) <= until_ps;
}

static bool is_served(const struct verify_context *context, uint32_t rank, const struct trace_call *call,
                      const struct trace_sim *sim)
{
    const struct rma_protocol *protocol = &context->platform->protocol;
    bool anytime = protocol->visit != VISIT_ENTER || protocol->lock_order == LOCK_ORDER_SERVICE || protocol->polls > 1;
    if (protocol_uses(protocol, PROGRESS_THREAD) && context->platform->progress_ranks > 0) return true;
    if (protocol_uses(protocol, PROGRESS_THREAD) &&
        sim->progress_until_ps - sim->progress_from_ps <= units_ps(context->platform->thread_delay_s))
        return true;
    if (!protocol_uses(protocol, PROGRESS_CALL)) return false;
    for (uint32_t r = 0; r < context->predicted->rank_count; r++) {
        bool meant =
            !(call_row(call->call)->needed & F_TARGET) || call->peer == TRACE_NONE || (uint32_t)call->peer == r;
        if (r == rank || !meant) continue;
        if (anytime ? is_in_library(context, r, sim->progress_until_ps)
                    : rank_serves(context, r, sim->progress_from_ps, sim->progress_until_ps))
            return true;
    }
    return false;
}

void verify_served(const struct verify_context *context, struct verify_row *row)
{
    for (uint32_t r = 0; r < context->predicted->rank_count; r++) {
        const struct trace_rank *process = &context->predicted->ranks[r];
        for (size_t i = 0; i < process->count; i++) {
            const struct trace_sim *sim = &process->sim[i];
            char place[TRACE_PLACE_BYTES];
            if (sim->progress_until_ps == TRACE_UNKNOWN_PS) continue;
            row->checked++;
            if (is_served(context, r, &process->calls[i], sim)) continue;
            verify_breach(row, "%s: waits for progress from %" PRId64 " to %" PRId64 " ps, when no target of it serves",
                          trace_place(context->predicted, r, i, place), sim->progress_from_ps, sim->progress_until_ps);
        }
    }
}
