/* Asks the memory for what the next events will need. With many ranks every event is at another place: without this a
 * replay mostly waits for memory. Changes nothing. */
#include "simulate/replay_core.h"

enum { CALLS_SOON = 8, PAIRS_SOON = 8 };

static void fetch_lines(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE_BYTES) __builtin_prefetch((const char *)from + at);
}

static void fetch_pairs(const struct replay *replay, const struct role *role)
{
    for (uint32_t i = 0; i < role->pair_count && i < PAIRS_SOON; i++)
        fetch_lines(&replay->pairs[role->pairs[i]], sizeof *replay->pairs);
}

static void fetch_nodes(const struct replay *replay, uint32_t group_id)
{
    if (group_id == NO_INDEX || !replay->engine_kind->soon_send) return;
    const struct trace_group *group = &replay->trace->groups[group_id];
    for (uint32_t i = 0; i < group->count && i < PAIRS_SOON; i++)
        replay->engine_kind->soon_send(replay->engine, replay->nodes[group->members[i]]);
}

void replay_soon_rank(const struct replay *replay, uint32_t rank, enum engine_distance distance)
{
    const struct rank_state *state = &replay->ranks[rank];
    switch (distance) {
    case ENGINE_FAR: fetch_lines(state, sizeof *state); break;
    case ENGINE_NEAR:
        fetch_lines(&state->calls[state->next], CALLS_SOON * sizeof *state->calls);
        if (state->last_member != NO_INDEX) fetch_lines(&replay->members[state->last_member], sizeof *replay->members);
        break;
    case ENGINE_NEXT:
        if (state->last_member == NO_INDEX) break;
        fetch_pairs(replay, &replay->members[state->last_member].exposure);
        fetch_nodes(replay, replay->members[state->last_member].exposure.group);
        fetch_pairs(replay, &replay->members[state->last_member].access);
        break;
    }
}

void replay_soon_message(const struct replay *replay, const struct replay_message *message)
{
    __builtin_prefetch(&replay->ranks[message->destination]);
    switch ((enum message_type)message->type) {
    case MESSAGE_POST: __builtin_prefetch(&replay->pairs[message->ref].origin); break;
    case MESSAGE_PUT:
    case MESSAGE_COMPLETE: __builtin_prefetch(&replay->pairs[message->ref].target_member); break;
    case MESSAGE_DATA:
    case MESSAGE_ACK: __builtin_prefetch(&replay->ops[message->ref]); break;
    default: break;
    }
}
