/* Members of windows, pairs of origin and target, and which epochs are open. */
#ifndef SIMULATE_WINDOWS_WINDOW_H
#define SIMULATE_WINDOWS_WINDOW_H

#include "simulate/windows/state.h"

DECLARE_POOL(op);
DECLARE_POOL(lock_epoch);
DECLARE_POOL(room);

enum status replay_prepare_windows(struct replay *replay);
void replay_clear_windows(struct replay *replay);
/* What happens at a node depends on others by messages alone: the windows' semantics and fences let it. */
bool replay_windows_are_apart(const struct replay *replay);

struct member *replay_member(struct replay *replay, const struct trace_call *call, uint32_t rank);
uint32_t replay_member_index(struct replay *replay, int32_t window, uint32_t rank);
const struct trace_comm *replay_comm_of(const struct replay *replay, const struct member *member);
uint32_t replay_barrier_of(const struct replay *replay, const struct member *member);

/* The pairs of the group, as origin or target, in *role. */
enum status replay_pairs_of(struct replay *replay, struct member *member, struct role *role, bool as_origin,
                            uint32_t group);
struct pair *replay_open_pair(struct replay *replay, const struct member *member, int32_t target);
bool replay_pair_ready(const struct member *member, const struct pair *pair);
/* The operation waits for the posts of the whole access epoch. */
bool replay_awaits_group(const struct replay *replay, const struct pair *pair, uint32_t op);
/* The pair's queue begins with one: others queue behind it. */
bool replay_pair_awaits_group(const struct replay *replay, const struct pair *pair);
/* Enter of the post of the pair's current epochs, which has arrived. */
static inline int64_t replay_pair_post_enter(const struct pair *pair)
{
    return pair->post_enter_ps[pair->accesses & 1];
}

uint32_t replay_open_lock(const struct replay *replay, uint32_t rank, uint32_t member, int32_t target);
/* The lock epochs that a call means, by place from 0: false behind the last; *lock may be NO_INDEX. */
bool replay_lock_at(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t place,
                    uint32_t *lock);
enum status replay_all_locks_new(struct replay *replay, uint32_t count, struct all_locks **made);
void replay_lock_busy(struct replay *replay, struct all_locks *all, uint32_t lock); /* it is not: now it is */
bool replay_all_complete(struct replay *replay, struct all_locks *all);             /* no operation is outstanding */

/* flush = requested: a put or get of a fence epoch is made (+1), or known to be complete (-1). */
enum status replay_count_fence_answer(struct replay *replay, const struct op *op, int change);
/* How many of the member's towards the target are not complete. */
uint64_t replay_fence_answers(const struct replay *replay, const struct member *member, uint32_t target);

/* prefetch.c */
void replay_prefetch(const struct replay *replay, uint32_t rank, const struct engine_note *message,
                     enum engine_distance distance, struct prefetch_lines *wanted);

#endif
