/* OpenSHMEM. An operation is final when the quiet after it has been read. A wait for a lock is final when the holding
 * before it has ended and no later call can insert an earlier one. Each lock keeps its last final holding for the next
 * one. A wait for a write is final when no later call can have begun before the wait returned. Writes that may end an
 * open wait are kept. */
#include <stdlib.h>

#include "common/array.h"
#include "model/transfers/bounds.h"
#include "model/match/holdings.h"
#include "model/match/relations.h"
#include "model/slices/final.h"
#include "model/match/shmem_writes.h"

static bool needs_quiet(enum call_kind kind)
{
    return kind == CALL_SHMEM_PUT || kind == CALL_SHMEM_PUT_NBI || kind == CALL_SHMEM_GET_NBI ||
           kind == CALL_SHMEM_ATOMIC;
}

static void mark_final_operations(struct slice_state *state, const struct trace *trace, uint32_t rank)
{
    const struct trace_rank *process = &trace->ranks[rank];
    bool quiet = false;
    for (size_t i = process->count; i-- > 0 && !quiet;) {
        const struct trace_call *call = &process->calls[i];
        quiet = call_is_quiet(call->call) && !(call->flags & TRACE_BREAK);
        if (needs_quiet(call_kind(call->call)) && !quiet) slice_state_mark(state, rank, i, SLICE_OPEN);
    }
}

static bool is_final(const struct holdings *holdings, const struct trace *trace, size_t i, int64_t watermark_ps)
{
    if (holdings->items[i].taken_ps >= watermark_ps) return false;
    return !holding_waits(holdings, trace, i) || holdings->items[i - 1].cleared != HOLDING_NO_CALL;
}

static enum status mark_final_shmem_locks(struct slice_state *state, const struct trace *trace, int64_t watermark_ps,
                                          struct err *err)
{
    struct holdings holdings;
    TRY(holdings_find(trace, &holdings, err));
    for (size_t i = 0; i < holdings.count; i++) {
        const struct holding *holding = &holdings.items[i], *next = i + 1 < holdings.count ? holding + 1 : NULL;
        bool final = is_final(&holdings, trace, i, watermark_ps);
        bool followed = next && next->lock == holding->lock && is_final(&holdings, trace, i + 1, watermark_ps);
        if (!final || !followed) {
            /* Keeps both calls of a holding, since the end alone would not be recognised as such. */
            slice_state_mark(state, holding->rank, holding->taken, SLICE_KEEP);
            if (holding->cleared != HOLDING_NO_CALL) slice_state_mark(state, holding->rank, holding->cleared, SLICE_KEEP);
        }
        if (!final) slice_state_mark(state, holding->rank, holding->taken, SLICE_OPEN);
    }
    holdings_clear(&holdings);
    return STATUS_OK;
}

/* The state of one rank's waits that decides which writes and tests are kept. */
struct write_waits {
    const size_t *row; /* NULL: no failed tests */
    bool *over;        /* per call: a failed test whose row has ended and is counted */
    int64_t needed_ps; /* no wait that is still to be counted begins earlier */
};

static void take_row(struct slice_state *state, const struct trace *trace, uint32_t rank, size_t test, bool over,
                     struct write_waits *waits)
{
    for (size_t i = test; waits->row && i != SHMEM_NO_TEST && !waits->over[i]; i = waits->row[i]) {
        const struct trace_call *call = &trace->ranks[rank].calls[i];
        waits->over[i] = true;
        if (over) continue;
        slice_state_mark(state, rank, i, SLICE_KEEP);
        if (call->enter_ps < waits->needed_ps) waits->needed_ps = call->enter_ps;
    }
}

static enum status mark_final_waits_of(struct slice_state *state, const struct trace *trace, uint32_t rank,
                                       int64_t watermark_ps, int64_t *needed_ps, struct err *err)
{
    size_t *row;
    TRY(shmem_rows_find(trace, rank, &row, err));
    struct write_waits waits = {row, row ? calloc(trace->ranks[rank].count, sizeof *waits.over) : NULL, watermark_ps};
    bool failed = row && !waits.over;
    if (!failed) {
        /* A wait that returned after the watermark is open: a write that has not been read may have begun before. */
        const struct trace_rank *process = &trace->ranks[rank];
        for (size_t i = process->count; i-- > 0;) {
            const struct trace_call *call = &process->calls[i];
            if (!shmem_is_wait(call_kind(call->call))) continue;
            bool ended = shmem_wait_ended(call), over = ended && call->exit_ps < watermark_ps;
            if (ended && !over) slice_state_mark(state, rank, i, SLICE_OPEN);
            if (ended && !over && call->enter_ps < waits.needed_ps) waits.needed_ps = call->enter_ps;
            take_row(state, trace, rank, ended && waits.row ? waits.row[i] : i, over, &waits);
        }
    }
    *needed_ps = waits.needed_ps;
    FREE_ALL(row, waits.over);
    return failed ? err_memory(err) : STATUS_OK;
}

/* Keeps the writes that may have ended a wait that is still to be counted; all others took effect before it began. */
static enum status keep_writes(struct slice_state *state, const struct trace *trace, const int64_t *needed_ps,
                               struct err *err)
{
    struct shmem_writes writes;
    TRY(shmem_writes_find(trace, &writes, err));
    for (size_t i = 0; i < writes.count; i++) {
        const struct shmem_write *write = &writes.items[i];
        if (write->time_ps > needed_ps[write->target])
            slice_state_mark(state, write->origin, write->call, SLICE_KEEP);
    }
    shmem_writes_clear(&writes);
    return STATUS_OK;
}

static enum status mark_final_writes(struct slice_state *state, const struct trace *trace, int64_t watermark_ps,
                                     struct err *err)
{
    int64_t *needed_ps = malloc((trace->rank_count + 1) * sizeof *needed_ps);
    if (!needed_ps) return err_memory(err);
    enum status status = STATUS_OK;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++)
        status = mark_final_waits_of(state, trace, r, watermark_ps, &needed_ps[r], err);
    if (status == STATUS_OK) status = keep_writes(state, trace, needed_ps, err);
    free(needed_ps);
    return status;
}

enum status mark_final_shmem(struct slice_state *state, const struct relations *relations, int64_t watermark_ps,
                             struct err *err)
{
    const struct trace *trace = relations->trace;
    if (!bounds_have_shmem(trace)) return STATUS_OK;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        mark_final_operations(state, trace, r);
    TRY(mark_final_writes(state, trace, watermark_ps, err));
    return mark_final_shmem_locks(state, trace, watermark_ps, err);
}
