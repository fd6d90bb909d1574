/* Wait for Progress (docs/simulation.md, "Progress"): an origin waits in a completing call for a request that has
 * reached its target, which has not served it yet. The wait begins when nothing else is missing: when the request that
 * is served last has arrived, Lock Contention and Late Post have ended, and the call's messages and collectives are
 * complete. A fence has none: it waits for the target's own fence anyway. */
#include "simulate/replay/core.h"
#include "simulate/replay/driver.h"
#include "simulate/replay/message.h"

void replay_served_late(struct replay *replay, const struct engine_note *message, int64_t arrived_ps)
{
    struct rank_state *origin = &replay->ranks[message->source];
    if (origin->threads) return; /* not determined: which thread waits */
    if (!origin->inside || origin->next >= origin->count || message->source == message->destination) return;
    const struct message_row *row = core_of(replay)->messages_of[message->type];
    if (!row->awaited || !row->awaited(replay, &origin->calls[origin->next], message)) return;
    struct rank_rare *rare = replay_rare(replay, origin);
    rare->progress_from_ps = arrived_ps;
    rare->progress_until_ps = replay->now_ps;
}

void replay_account_progress(struct replay *replay, uint32_t rank, int64_t exit_ps)
{
    struct rank_state *state = &replay->ranks[rank];
    struct rank_rare *rare = &replay->rare[rank];
    int64_t from_ps = rare->progress_from_ps, until_ps = rare->progress_until_ps;
    if (until_ps == TRACE_UNKNOWN_PS) return;
    rare->progress_from_ps = rare->progress_until_ps = TRACE_UNKNOWN_PS;
    if (from_ps < state->lacked_until_ps) from_ps = state->lacked_until_ps;
    if (from_ps < state->enter_ps) from_ps = state->enter_ps;
    if (until_ps > exit_ps) until_ps = exit_ps;
    if (from_ps >= until_ps) return;
    totals_add(&replay->outcome->totals, PATTERN_WAIT_FOR_PROGRESS, rank, until_ps - from_ps);
    if (!replay->made) return;
    struct trace_sim *sim = predicted_sim(replay->made, rank, replay_call_number(replay, rank));
    sim->progress_from_ps = from_ps;
    sim->progress_until_ps = until_ps;
}
