/* The program counter of each rank: it computes until its next call, enters it and is advanced by the call's step function,
 * which looks at the state, acts, and says what it waits for. Messages change the state and wake the rank concerned; its
 * step function then looks again. Nothing else moves time. */
#ifndef SIMULATE_REPLAY_WALK_H
#define SIMULATE_REPLAY_WALK_H

#include "simulate/replay/state.h"

/* What a step function says. */
enum step {
    STEP_BLOCK, /* look again when woken */
    STEP_AGAIN, /* look again at once: the phase has changed */
    STEP_PAUSE, /* waits for something known: look again at rank.resume_ps */
    STEP_SPEND, /* works: look again at rank.resume_ps */
    STEP_EXIT,  /* the call returns at rank.resume_ps, now or later */
    STEP_FAIL,  /* replay.err is set */
};

/* The last phase of every call: it only waits for its own exit time. */
enum { PHASE_LEAVE = 255 };

#define STEP_TRY(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != STATUS_OK) return STEP_FAIL;                                                                     \
    } while (0)

void replay_advance(struct replay *replay, uint32_t rank); /* the loaded thread: enters its next call, or looks again */
void replay_wake_blocked(struct replay *replay, uint32_t rank);

/* A blocked rank, or the blocked ones of its threads, look again. */
static inline void replay_wake(struct replay *replay, uint32_t rank)
{
    const struct rank_state *state = &replay->ranks[rank];
    if (state->status == RANK_BLOCKED || state->threads) replay_wake_blocked(replay, rank);
}

/* Something that waits at the rank's side (the rank itself in a call, an operation for its post, a request for the
 * lock, a non-blocking collective) may be moved by any message that arrives at the rank, until it is moved: the engine
 * tells of all messages at their moment. Calls of await and resume come in pairs. */
void replay_await(struct replay *replay, uint32_t rank);
void replay_resume(struct replay *replay, uint32_t rank);
/* The rank sees what has arrived by now: before anything but a message lets it go on, or lets its side send. */
enum status replay_poll(struct replay *replay, uint32_t rank);
/* Something queues at the rank's side, for the rank or for others: the same for all messages, watched or not. */
enum status replay_watch_all(struct replay *replay, uint32_t rank, bool on);

/* --- step.c: what step functions return, and costs */

enum step replay_pause(struct rank_state *rank, int64_t until_ps, uint8_t phase); /* a wait for something known */
enum step replay_spend(struct replay *replay, struct rank_state *rank, int64_t cost_ps, uint8_t phase); /* own work */
enum step replay_exit(struct rank_state *rank, int64_t at_ps);
enum step replay_step_local(struct replay *replay, uint32_t rank); /* of a call that waits for nobody */
/* Stops the replay: "FILE:rank R, event E (MPI_Put): message". */
enum status replay_fail(struct replay *replay, uint32_t rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* at_ps is behind the end of simulated time (COST_END_PS): then the replay has failed. */
bool replay_past_end(struct replay *replay, uint32_t rank, int64_t at_ps);
int64_t replay_copy_ps(const struct replay *replay, int64_t bytes);
int64_t replay_compute_ps(const struct rank_state *rank, int64_t recorded_ps);
/* The timer's row acts on the item at at_ps. key: the rank that breaks ties. */
enum status replay_timer(struct replay *replay, int64_t at_ps, uint32_t key, enum timer_kind kind, uint32_t item);
enum { TIMER_SHIFT = 29 };

#endif
