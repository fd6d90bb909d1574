/* Prefetches the memory that the next events will read. With many ranks every event reads other memory, and without
 * this a replay mostly waits for it. No result changes.
 *
 * The event queue always knows its next dozen events. From 2048 nodes on, each of them prefetches step by step as it
 * comes nearer: node, rank, calls and window, pairs, inboxes of neighbours. What must be read on the way is read first;
 * the lines found there are prefetched afterwards, all together (struct prefetch_lines). A read after as many requests
 * as the processor can have under way would wait for them. */
#include "simulate/windows/op.h"

/* Calls of a visit: the one that ends and the next one's time; puts; a post and a start. */
enum { CALLS_FIRST = 2, CALLS_PUT = 8, CALLS_POST = 4, PAIRS_SOON = 8 };

/* A rank that goes on in an access epoch puts and completes. In an exposure epoch alone, it waited for its end.
 * Otherwise it posts and starts next. */
static bool will_put(const struct member *member)
{
    return member->access_open;
}

static bool will_post(const struct member *member)
{
    return !member->access_open && !member->exposed;
}

static void want_calls(const struct rank_state *state, size_t from, size_t to, struct prefetch_lines *wanted)
{
    lines_want(wanted, &state->calls[state->next + from], (to - from) * sizeof *state->calls);
}

/* The end of an exposure epoch reads the target's half of a pair. */
static void want_pairs(const struct replay *replay, const struct member *member, struct prefetch_lines *wanted)
{
    const struct role *exposure = &member->exposure, *access = &member->access;
    for (uint32_t i = 0; !will_put(member) && i < exposure->pair_count && i < PAIRS_SOON; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(exposure)[i]];
        if (will_post(member)) lines_want(wanted, pair, LINE_BYTES);
        lines_want(wanted, &pair->target_member, LINE_BYTES);
    }
    for (uint32_t i = 0; (will_put(member) || will_post(member)) && i < access->pair_count && i < PAIRS_SOON; i++)
        lines_want(wanted, &replay->pairs[role_pairs(access)[i]], sizeof *replay->pairs);
}

/* The nodes that get the posts, or the data and the notifications. */
static void want_nodes(const struct replay *replay, const struct member *member, struct prefetch_lines *wanted)
{
    bool puts = will_put(member);
    const struct role *role = puts ? &member->access : &member->exposure;
    if (!(puts || will_post(member))) return;
    for (uint32_t i = 0; i < role->pair_count && i < PAIRS_SOON; i++) {
        const struct pair *pair = &replay->pairs[role_pairs(role)[i]];
        lines_want_node(wanted, replay->nodes[puts ? pair->target : pair->origin]);
    }
}

static void want_step(const struct replay *replay, uint32_t rank, enum engine_distance distance,
                      struct prefetch_lines *wanted)
{
    const struct rank_state *state = &replay->ranks[rank];
    const struct member *member = NULL;
    if (distance != ENGINE_FAR && state->last_member != NO_INDEX) member = &replay->members[state->last_member];
    switch (distance) {
    case ENGINE_FAR: lines_want(wanted, state, sizeof *state); break;
    case ENGINE_NEAR:
        want_calls(state, 0, CALLS_FIRST, wanted);
        if (member) lines_want(wanted, member, offsetof(struct member, sync_instance));
        break;
    case ENGINE_SOON:
        if (!member) break;
        if (will_put(member)) want_calls(state, CALLS_FIRST, CALLS_PUT, wanted);
        if (will_post(member)) want_calls(state, CALLS_FIRST, CALLS_POST, wanted);
        want_pairs(replay, member, wanted);
        break;
    case ENGINE_NEXT:
        if (member) want_nodes(replay, member, wanted);
        break;
    case ENGINE_HERE: break;
    }
}

static void want_arrival(const struct replay *replay, const struct engine_note *message, struct prefetch_lines *wanted)
{
    lines_want(wanted, &replay->ranks[message->destination], LINE_BYTES);
    switch ((enum message_type)message->type) {
    case MESSAGE_POST: lines_want(wanted, &replay->pairs[message->ref].origin, LINE_BYTES); break;
    case MESSAGE_COMPLETE: lines_want(wanted, &replay->pairs[message->ref].target_member, LINE_BYTES); break;
    case MESSAGE_DATA:
    case MESSAGE_ACK: lines_want(wanted, &replay->ops[message->ref], LINE_BYTES); break;
    default: break;
    }
}

void replay_prefetch(const struct replay *replay, uint32_t rank, const struct engine_note *message,
                     enum engine_distance distance, struct prefetch_lines *wanted)
{
    if (message)
        want_arrival(replay, message, wanted);
    else
        want_step(replay, rank, distance, wanted);
}
