/* Members of windows, pairs of origin and target, and which epochs are open. */
#ifndef SIMULATE_WINDOWS_WINDOW_H
#define SIMULATE_WINDOWS_WINDOW_H

#include "simulate/windows/state.h"

DECLARE_POOL(op);
DECLARE_POOL(lock_epoch);

enum status replay_prepare_windows(struct replay *replay);
void replay_clear_windows(struct replay *replay);
/* Whether nodes learn of each other by messages only, with the semantics and fences of the windows. */
bool replay_windows_are_apart(const struct replay *replay);

static inline const struct trace_comm *replay_window_comm(const struct replay *replay, int32_t window)
{
    return &replay->trace->definitions.comms[replay->trace->definitions.windows[window].comm];
}
static inline const struct trace_comm *replay_comm_of(const struct replay *replay, const struct member *member)
{
    return replay_window_comm(replay, member->window);
}
/* The lock_all of the origin's side; *NULL: not open. */
static inline struct all_locks **replay_all_locks(const struct replay *replay, const struct member *member)
{
    return &replay->all_locks[member - replay->members];
}
uint32_t replay_member_of_part(const struct replay *replay, int32_t window, uint32_t rank);
static inline uint32_t replay_member_index(const struct replay *replay, int32_t window, uint32_t rank)
{
    const struct window_state *state = &replay->windows[window];
    return state->whole ? state->first_member + rank : replay_member_of_part(replay, window, rank);
}
static inline struct member *replay_member(const struct replay *replay, const struct trace_call *call, uint32_t rank)
{
    return &replay->members[replay_member_index(replay, call->handle, rank)];
}
uint32_t replay_barrier_of(const struct replay *replay, const struct member *member);

/* Sets *role to the pairs of the member with the ranks of the group. The member is their origin, or their target. */
enum status replay_pairs_of(struct replay *replay, struct member *member, struct role *role, bool as_origin,
                            uint32_t group);
struct pair *replay_open_pair(struct replay *replay, const struct member *member, int32_t target);
bool replay_pair_ready(const struct member *member, const struct pair *pair);
/* Whether the operation waits for the posts of the whole access epoch. */
bool replay_awaits_group(const struct replay *replay, const struct pair *pair, uint32_t op);
/* Whether the first operation in the pair's queue waits for the group; the others are queued after it. */
bool replay_pair_awaits_group(const struct replay *replay, const struct pair *pair);
/* The enter of the post of the pair's current epochs, which has arrived. */
static inline int64_t replay_pair_post_enter(const struct pair *pair)
{
    return pair->post_enter_ps[pair->accesses & 1];
}

/* Sets *lock to the lock epoch number place (from 0) among those that the call concerns, or to NO_INDEX. Returns false
 * if there are no more. */
bool replay_lock_at(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t place,
                    uint32_t *lock);
enum status replay_all_locks_new(struct replay *replay, uint32_t count, struct all_locks **made);
void replay_lock_busy(struct replay *replay, struct all_locks *all, uint32_t lock); /* adds it to the busy ones */
bool replay_all_complete(struct replay *replay, struct all_locks *all);             /* no operation is outstanding */

/* With fences that query: a put or get of a fence epoch is made (change 1), or is known to be complete (change -1). */
enum status replay_count_fence_answer(struct replay *replay, const struct op *op, int change);

/* query_connected: a call completes all operations of the member. Whether it asks other ranks although it need not wait
 * for any of them: a put or get to another rank has been called since the last such call, and one of the rank's puts and gets on
 * any window is not known to be complete. */
bool replay_flush_asks_others(struct replay *replay, uint32_t member);
/* query_connected: a put or get to another rank is called, in the epoch of the lock or without one (NO_INDEX). */
void replay_note_called(struct replay *replay, uint32_t member, uint32_t lock);
/* Puts or gets were called in the epoch since the last query, and with query_connected since the last call that completed all
 * of the window. */
bool replay_lock_unflushed(const struct replay *replay, const struct lock_epoch *epoch);
/* A call that names the target has asked it. */
void replay_lock_flushed(struct replay *replay, struct lock_epoch *epoch);

/* prefetch.c */
void replay_prefetch(const struct replay *replay, uint32_t rank, const struct engine_note *message,
                     enum engine_distance distance, struct prefetch_lines *wanted);

#endif
