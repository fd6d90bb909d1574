/* OpenSHMEM: an operation is settled once the quiet behind it is there, what waited for a lock once the holding before
 * it has ended and no earlier one can come. Of each lock the last settled holding stays for the next one. */
#include "model/bounds.h"
#include "model/holdings.h"
#include "model/relations.h"
#include "model/settle.h"

static bool needs_quiet(enum call_kind kind)
{
    return kind == CALL_SHMEM_PUT || kind == CALL_SHMEM_PUT_NBI || kind == CALL_SHMEM_GET_NBI ||
           kind == CALL_SHMEM_ATOMIC;
}

static void settle_operations(struct settlement *settlement, const struct trace *trace, uint32_t rank)
{
    const struct trace_rank *stream = &trace->ranks[rank];
    bool quiet = false;
    for (size_t i = stream->count; i-- > 0 && !quiet;) {
        const struct trace_call *call = &stream->calls[i];
        quiet = call_is_quiet(call->call) && !(call->flags & TRACE_BREAK);
        if (needs_quiet(call_kind(call->call)) && !quiet) settle_mark(settlement, rank, i, SETTLE_OPEN);
    }
}

static bool is_settled(const struct holdings *holdings, const struct trace *trace, size_t i, int64_t horizon_ps)
{
    if (holdings->items[i].taken_ps >= horizon_ps) return false;
    return !holding_waits(holdings, trace, i) || holdings->items[i - 1].cleared != HOLDING_NO_CALL;
}

/* Both calls, so that the end of a holding is known as that. */
static void keep(struct settlement *settlement, const struct holding *holding)
{
    settle_mark(settlement, holding->rank, holding->taken, SETTLE_KEEP);
    if (holding->cleared != HOLDING_NO_CALL) settle_mark(settlement, holding->rank, holding->cleared, SETTLE_KEEP);
}

enum status settle_shmem(struct settlement *settlement, const struct relations *relations, int64_t horizon_ps,
                         struct err *err)
{
    const struct trace *trace = relations->trace;
    struct holdings holdings;
    if (!bounds_have_shmem(trace)) return STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++) settle_operations(settlement, trace, r);
    TRY(holdings_find(trace, &holdings, err));
    for (size_t i = 0; i < holdings.count; i++) {
        const struct holding *holding = &holdings.items[i], *next = i + 1 < holdings.count ? holding + 1 : NULL;
        bool settled = is_settled(&holdings, trace, i, horizon_ps);
        bool followed = next && next->lock == holding->lock && is_settled(&holdings, trace, i + 1, horizon_ps);
        if (!settled || !followed) keep(settlement, holding);
        if (!settled) settle_mark(settlement, holding->rank, holding->taken, SETTLE_OPEN);
    }
    holdings_clear(&holdings);
    return STATUS_OK;
}
