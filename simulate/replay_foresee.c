/* Asks the memory for what the next events will need. With many ranks every event is at another place: without this a
 * replay mostly waits for memory. Changes nothing. */
#include "simulate/replay_core.h"

/* Calls of a visit: the one that ends and the next one's time; what a rank puts; a post and a start. */
enum { CALLS_FIRST = 2, CALLS_PUT = 8, CALLS_POST = 4, PAIRS_SOON = 8 };

static void fetch_lines(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE_BYTES) __builtin_prefetch((const char *)from + at);
}

/* A rank that goes on in an access epoch puts and completes; in an exposure epoch alone it waited for its end; else it
 * will post, and start. */
static bool will_put(const struct member *member)
{
    return member->access_open;
}

static bool will_post(const struct member *member)
{
    return !member->access_open && !member->exposed;
}

static void fetch_calls(const struct rank_state *state, size_t from, size_t to)
{
    fetch_lines(&state->calls[state->next + from], (to - from) * sizeof *state->calls);
}

static void fetch_member(const struct member *member)
{
    if (member) fetch_lines(member, offsetof(struct member, fence_outstanding));
}

/* What the end of an exposure epoch looks at stands in the target's half of a pair. */
static void fetch_pairs(const struct replay *replay, const struct member *member)
{
    const struct role *exposure = &member->exposure, *access = &member->access;
    for (uint32_t i = 0; !will_put(member) && i < exposure->pair_count && i < PAIRS_SOON; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(exposure)[i]];
        if (will_post(member)) __builtin_prefetch(pair);
        __builtin_prefetch(&pair->target_member);
    }
    for (uint32_t i = 0; (will_put(member) || will_post(member)) && i < access->pair_count && i < PAIRS_SOON; i++)
        fetch_lines(&replay->pairs[role_pairs(access)[i]], sizeof *replay->pairs);
}

/* To whom the posts, or the data and the notifications, will go. */
static void fetch_nodes(const struct replay *replay, const struct member *member)
{
    bool puts = will_put(member);
    const struct role *role = puts ? &member->access : &member->exposure;
    if (!replay->engine_kind->soon_send || !(puts || will_post(member))) return;
    for (uint32_t i = 0; i < role->pair_count && i < PAIRS_SOON; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(role)[i]];
        replay->engine_kind->soon_send(replay->engine, replay->nodes[puts ? pair->target : pair->origin]);
    }
}

void replay_soon_rank(const struct replay *replay, uint32_t rank, enum engine_distance distance)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct member *member = NULL;
    if (distance != ENGINE_FAR && state->last_member != NO_INDEX) member = &replay->members[state->last_member];
    switch (distance) {
    case ENGINE_FAR: fetch_lines(state, sizeof *state); break;
    case ENGINE_NEAR:
        fetch_calls(state, 0, CALLS_FIRST);
        fetch_member(member);
        break;
    case ENGINE_CALLS:
        fetch_calls(state, 0, CALLS_PUT);
        fetch_member(member);
        break;
    case ENGINE_SOON:
        if (!member) break;
        if (will_put(member)) fetch_calls(state, CALLS_FIRST, CALLS_PUT);
        if (will_post(member)) fetch_calls(state, CALLS_FIRST, CALLS_POST);
        fetch_pairs(replay, member);
        break;
    case ENGINE_NEXT:
        if (member) fetch_nodes(replay, member);
        break;
    case ENGINE_HERE: break;
    }
}

void replay_soon_message(const struct replay *replay, const struct engine_note *message)
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
