#include "simulate/replay/deadlock.h"

#include <inttypes.h>
#include <stdio.h>

#include "simulate/replay/collective_matching.h"
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"
#include "simulate/replay/thread.h"

void replay_explain_absent(struct replay *replay, const struct trace_call *call, struct explanation *text)
{
    const struct trace_comm *comm = trace_call_comm(replay->trace, call);
    if (!comm) comm = &replay->trace->definitions.comms[0];
    for (uint32_t i = 0; i < comm->count; i++) {
        const struct rank_state *other = &replay->ranks[comm->members[i]];
        bool here = other->next < other->count && other->calls[other->next].call == call->call &&
                    other->calls[other->next].handle == call->handle;
        if (!here) EXPLAIN_ONE(text, " %s of rank %d", call_name(call->call), comm->members[i]);
    }
}

static void name_cause(struct replay *replay, uint32_t rank, struct explanation *text)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct trace_call *call = &state->calls[state->next];
    const struct call_driver *driver = core_of(replay)->driver_of[call_kind(call->call)];
    uint32_t turn = replay_turn_awaited(replay, rank);
    if (turn != NO_INDEX)
        EXPLAIN(text, " %s of thread %u (event %" PRIu64 ")", call_name(state->calls[turn].call),
                trace_call_thread(replay->trace, rank, turn), trace_event(replay->trace, rank, turn));
    else if (driver && driver->explain_wait)
        driver->explain_wait(replay, rank, call, text);
    else
        replay_explain_absent(replay, call, text);
}

/* Adds every thread of the rank that waits. A rank without threads has one. */
static void name_waiting(struct replay *replay, uint32_t rank, uint32_t *waiting, struct explanation *text)
{
    struct rank_state *state = &replay->ranks[rank];
    for (uint32_t t = 0; t < (state->threads ? state->threads->count : 1); t++) {
        if (state->threads) replay_thread_load(replay, rank, t);
        if (state->threads ? state->status != RANK_BLOCKED : state->status == RANK_COMPUTING) continue;
        if (++*waiting > WAITERS_SHOWN) continue;
        const struct trace_call *call = &state->calls[state->next];
        EXPLAIN(text, "%s rank %u", *waiting > 1 ? ";" : "", rank);
        if (state->threads) EXPLAIN(text, " thread %u", t);
        EXPLAIN(text, " in %s (event %" PRIu64 ") waits for", call_name(call->call),
                trace_event(replay->trace, rank, state->next));
        text->named = 0;
        size_t before = text->used;
        name_cause(replay, rank, text);
        if (text->used == before) EXPLAIN(text, " its time to pass");
        if (text->named > WAITERS_SHOWN) EXPLAIN(text, " and %u more", text->named - WAITERS_SHOWN);
    }
}

/* Returns the first rank that waits. */
static uint32_t name_all_waiting(struct replay *replay, struct explanation *text)
{
    uint32_t first = NO_INDEX, waiting = 0;
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++) {
        struct rank_state *state = &replay->ranks[rank];
        if (state->threads ? state->threads->left == 0 : state->status == RANK_DONE) continue;
        if (first == NO_INDEX) first = rank;
        name_waiting(replay, rank, &waiting, text);
    }
    if (waiting > WAITERS_SHOWN) EXPLAIN(text, "; %u more wait", waiting - WAITERS_SHOWN);
    return first;
}

/* Loads the first thread that waits: the message about the rank is about that thread. */
static void load_waiting(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (!state->threads) return;
    for (uint32_t t = 0; t < state->threads->count; t++) {
        replay_thread_load(replay, rank, t);
        if (state->status == RANK_BLOCKED) return;
    }
}

void replay_describe_waiting(struct replay *replay, char *text, size_t room)
{
    struct explanation waiting = {.used = 0};
    name_all_waiting(replay, &waiting);
    snprintf(text, room, "%s", waiting.bytes);
}

/* For a rank with several threads: the first call that one of them waits in. */
static void explain_stop(struct replay *replay, uint32_t rank)
{
    struct rank_state *state = &replay->ranks[rank];
    struct explanation cause = {.used = 0};
    size_t call = SIZE_MAX;
    for (uint32_t t = 0; t < (state->threads ? state->threads->count : 1); t++) {
        if (state->threads) replay_thread_load(replay, rank, t);
        if (state->status != RANK_BLOCKED || state->next >= call) continue;
        call = state->next;
        cause = (struct explanation){.used = 0};
        EXPLAIN(&cause, "never returns: it waits for");
        size_t before = cause.used;
        name_cause(replay, rank, &cause);
        if (cause.used == before) EXPLAIN(&cause, " what never comes");
    }
    if (call == SIZE_MAX) return;
    replay_report_stopped(replay, rank, call, &cause);
}

void replay_report_stopped(struct replay *replay, uint32_t rank, size_t call, const struct explanation *why)
{
    const struct replay_options *options = core_of(replay)->options;
    if (options->stopped) options->stopped(options->stopped_context, rank, call, why->bytes);
}

enum status replay_report_deadlock(struct replay *replay)
{
    struct explanation text = {.used = 0};
    uint32_t first = name_all_waiting(replay, &text);
    for (uint32_t rank = 0; rank < replay->trace->rank_count; rank++)
        if (replay->ranks[rank].status == RANK_BLOCKED) TRY(replay_check_fence(replay, rank));
    for (uint32_t rank = 0, shown = 0; rank < replay->trace->rank_count && shown < WAITERS_SHOWN; rank++) {
        const struct trace_rank *process = &replay->trace->ranks[rank];
        if (!process->incomplete) continue;
        EXPLAIN(&text, "; the recording of rank %u breaks off after event %zu", rank, process->count);
        if (process->incomplete_why) EXPLAIN(&text, " (%s)", process->incomplete_why);
        shown++;
    }
    if (replay_sizes_differ(replay)) EXPLAIN(&text, "; %s", replay_sizes_differ(replay));
    load_waiting(replay, first);
    enum status status = replay_fail(replay, first, "deadlock:%s", text.bytes);
    /* Last: the caller may cut the trace. */
    for (uint32_t rank = 0; core_of(replay)->options->stopped && rank < replay->trace->rank_count; rank++) {
        const struct rank_state *state = &replay->ranks[rank];
        if (state->threads ? state->threads->left > 0 : state->status != RANK_DONE) explain_stop(replay, rank);
    }
    return status;
}
