/* The program counter of each rank. A rank computes until its next call, enters it, and is advanced by the call's step
 * function, which reads the state, acts, and returns what it waits for. Messages change the state and wake the rank;
 * then its step function is called again. Nothing else advances time. */
#ifndef SIMULATE_REPLAY_WALK_H
#define SIMULATE_REPLAY_WALK_H

#include "simulate/engine/cost.h"
#include "simulate/replay/state.h"

/* The result of a step function: when to call it again. */
enum step {
    STEP_BLOCK, /* when woken */
    STEP_AGAIN, /* at once: the phase has changed */
    STEP_WAIT,  /* at rank.resume_ps: the rank waits for something whose time is known */
    STEP_SPEND, /* at rank.resume_ps: the rank works until then */
    STEP_POLL,  /* when the rank has served what waits for it, at once */
    STEP_EXIT,  /* never: the call returns at rank.resume_ps, now or later */
    STEP_FAIL,  /* never: replay.err is set */
};

/* The last phase of every call: it waits for its own exit time. */
enum { PHASE_LEAVE = 255 };

#define STEP_TRY(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != STATUS_OK) return STEP_FAIL;                                                                     \
    } while (0)

/* The loaded thread enters its next call, or makes a step in the current one. */
void replay_advance(struct replay *replay, uint32_t rank);
void replay_wake_blocked(struct replay *replay, uint32_t rank);

/* Advances a blocked rank, or its blocked threads. */
static inline void replay_wake(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (state->status == RANK_BLOCKED || state->threads) replay_wake_blocked(replay, rank);
}

/* Between replay_await and replay_resume any message that arrives at the rank may advance something: the rank in a
 * call, an operation that waits for its post, a lock request, a non-blocking collective. So the engine delivers every
 * message to the rank when it arrives. Each replay_await is followed by one replay_resume. */
void replay_await(struct replay *replay, uint32_t rank);
void replay_resume(struct replay *replay, uint32_t rank);
/* Delivers all messages that have arrived at the rank by now. It is called before anything other than a message lets
 * the rank continue, or lets something on its side send. */
enum status replay_poll(struct replay *replay, uint32_t rank);
/* With on, something is queued at the rank's side, for the rank or for others, and any message may advance it. */
enum status replay_watch_all(struct replay *replay, uint32_t rank, bool on);

/* --- step.c: what step functions return, and costs --- */

enum step replay_wait_until(struct rank_state *rank, int64_t until_ps, uint8_t phase); /* for something known */
/* The time of mpi.call_s and mpi.pause that the rank's call takes. It ends a pause, so it is not called for a call that
 * takes no such time. */
int64_t replay_own_ps(struct replay *replay, struct rank_state *rank);
/* That of mpi.call_s alone. A complete that notifies, and an unlock that releases, behind acknowledgements takes it there, so
 * replay_own_ps() is without it. */
int64_t replay_call_ps(const struct replay *replay, const struct rank_state *rank);
/* Whether the call is an unlock that releases behind the acknowledgements of its operations, and asks for none of them. */
bool replay_unlocks_behind(const struct replay *replay, const struct trace_call *call);
/* The overhead_s of the rank's call: that of network.loopback if the call stays on its node. */
int64_t replay_overhead_by_node(const struct replay *replay, const struct rank_state *rank);
static inline int64_t replay_overhead_ps(const struct replay *replay, const struct rank_state *rank)
{
    return replay->loopback_overhead_ps == replay->overhead_ps ? replay->overhead_ps : replay_overhead_by_node(replay, rank);
}
enum step replay_spend(struct replay *replay, struct rank_state *rank, int64_t cost_ps, uint8_t phase); /* own work */
enum step replay_exit(struct rank_state *rank, int64_t at_ps);
enum step replay_step_local(struct replay *replay, uint32_t rank); /* of a call that waits for nobody */
/* Stops the replay with the error "FILE:rank R, event E (MPI_Put): message". */
enum status replay_fail(struct replay *replay, uint32_t rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether at_ps is after the end of simulated time (COST_END_PS). If so, the replay has failed. */
void replay_fail_past_end(struct replay *replay, uint32_t rank);
static inline bool replay_past_end(struct replay *replay, uint32_t rank, int64_t at_ps)
{
    if ((uint64_t)at_ps <= COST_END_PS) return false; /* an overflowed time is negative */
    replay_fail_past_end(replay, rank);
    return true;
}
int64_t replay_copy_ps(const struct replay *replay, uint32_t rank, int64_t bytes);
int64_t replay_compute_ps(const struct replay *replay, const struct rank_state *rank, int64_t recorded_ps);
/* At at_ps the row of this kind of timer is called for the item. key is the rank that breaks ties. */
enum status replay_timer(struct replay *replay, int64_t at_ps, uint32_t key, enum timer_kind kind, uint32_t item);
enum { TIMER_SHIFT = 28 };
_Static_assert(TIMER_KIND_COUNT <= 1 << (32 - TIMER_SHIFT), "the kind fits above the item");

#endif
