#include "predictors/recording_facts.h"

#include "common/units.h"

static void add_ends(struct recording_facts *facts, const struct trace_call *call)
{
    const enum call_kind kind = call_kind(call->call);
    const double took_s = units_s(call->exit_ps - call->enter_ps);
    if (call->exit_ps > facts->end_ps) facts->end_ps = call->exit_ps;
    if (kind != CALL_INIT && kind != CALL_FINALIZE && !call_is_library(call->call)) return;
    if (!facts->called && kind == CALL_INIT) facts->ends_s[0] += took_s;
    facts->called = true;
    facts->last_s = kind == CALL_FINALIZE ? took_s : 0;
}

/* A row counts from its POLLS_SYNCS_LEAST-th poll on, which counts for those before it. */
static void add_poll(struct recording_facts *facts, uint32_t rank, const struct trace_call *call)
{
    const bool polls = polls_window(call), in_row = facts->polls.in_row > 0;
    const bool same = in_row && polls && polls_same(call, &facts->polls.row);
    if (in_row && !same && polls_between(call, &facts->polls.row)) return;
    if (!same) facts->polls.in_row = 0;
    if (!polls) return;
    if (!same) facts->polls.row = *call;
    if (++facts->polls.in_row > POLLS_SYNCS_LEAST) facts->polls.count++;
    if (facts->polls.in_row != POLLS_SYNCS_LEAST) return;
    facts->polls.count += POLLS_SYNCS_LEAST;
    if (facts->polls.rows++ > 0) return;
    facts->polls.rank = rank;
    facts->polls.poll = *call;
}

enum status recording_facts_add(struct recording_facts *facts, const struct trace *trace, uint32_t rank, size_t first, bool last,
                                struct err *err)
{
    const struct trace_rank *process = &trace->ranks[rank];
    for (size_t i = first; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        add_ends(facts, call);
        add_poll(facts, rank, call);
        if (call_kind(call->call) != CALL_LOCAL || !call_is_io(call->call)) continue;
        facts->file_calls++;
        facts->file_s += units_s(call->exit_ps - call->enter_ps);
    }
    TRY(trace_spread_add(&facts->spread, trace, rank, first, err));
    if (last) {
        facts->ends_s[1] += facts->last_s;
        facts->last_s = 0;
        facts->called = false;
        facts->polls.in_row = 0;
        trace_spread_end(&facts->spread);
    }
    return steering_count(&facts->steering, trace, rank, first, last, err);
}

enum status recording_facts_add_all(struct recording_facts *facts, const struct trace *trace, struct err *err)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) TRY(recording_facts_add(facts, trace, rank, 0, true, err));
    return STATUS_OK;
}

void recording_facts_clear(struct recording_facts *facts)
{
    steering_clear(&facts->steering);
    trace_spread_clear(&facts->spread);
}
