/* Barriers of communicators and windows. In round r of a dissemination barrier, member i of n sends to (i + 2^r) mod n
 * and waits for (i - 2^r) mod n (D. Hensgen et al., Two algorithms for barrier synchronization, IJPP 17(1), 1988). Each
 * member has its own struct barrier, named by its index in core.barriers. */
#ifndef SIMULATE_REPLAY_BARRIER_H
#define SIMULATE_REPLAY_BARRIER_H

#include "simulate/replay/walk.h"

/* A group that has dissemination barriers: the members of a communicator, or of a window. */
struct barrier_group {
    const struct trace_comm *comm;
    uint32_t first;       /* index in core.barriers of the barrier of communicator rank 0; the others follow by rank */
    uint32_t first_count; /* index in core.barrier_counts of its first count; there is one per barrier and round */
    uint32_t rounds;
};

/* The barrier of one member. The messages of a round are counted over all instances, modulo 256. That suffices, since
 * no member is ever more than one instance ahead of another. */
struct barrier {
    uint32_t group;
    uint32_t tasks; /* non-blocking collectives that this member of the communicator has begun so far */
    uint8_t instance, round; /* round: whose message it sends next */
};

enum status replay_prepare_barriers(struct replay *replay);
void replay_clear_barriers(struct replay *replay);
/* The barrier of a window's member. */
uint32_t replay_barrier_of_window(const struct replay *replay, uint32_t member);
/* The number of the non-blocking collective that the `own`-th member of the communicator begins. */
uint32_t replay_next_task(struct replay *replay, int32_t comm, uint32_t own);
void replay_barrier_begin(struct replay *replay, uint32_t barrier);
/* Advances the rank's current barrier. Sets *done to false while the rank has to wait for a message. */
enum status replay_barrier_step(struct replay *replay, uint32_t rank, uint32_t barrier, bool *done);
/* The step function of a call that is a barrier of its communicator, or of the world. */
enum step replay_step_comm_barrier(struct replay *replay, uint32_t rank);
/* Handles the arrival of a round's message. The collectives' driver has it in a row. */
enum status replay_on_barrier(struct replay *replay, const struct engine_note *message);

#endif
