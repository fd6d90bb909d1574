/* Barriers of communicators and windows: dissemination (D. Hensgen et al., Two algorithms for barrier synchronization,
 * IJPP 17(1), 1988). Round r: to (i + 2^r) mod n, wait for (i - 2^r) mod n. Each member has a barrier, named by its index
 * in core.barriers. */
#ifndef SIMULATE_REPLAY_BARRIER_H
#define SIMULATE_REPLAY_BARRIER_H

#include "simulate/replay/walk.h"

/* A group that has dissemination barriers: the members of a communicator, or of a window. */
struct barrier_group {
    const struct trace_comm *comm;
    uint32_t first; /* of its barriers in core.barriers, by communicator rank */
    uint32_t first_count, rounds; /* in core.barrier_counts: one count per barrier and round */
};

/* Dissemination barrier of one member. Messages of each round are counted over all instances, modulo 256: no member is
 * ever more than one instance ahead of another. */
struct barrier {
    uint32_t group;
    uint32_t tasks; /* non-blocking collectives begun so far by this rank of the communicator */
    uint8_t instance, round;
    bool sent;
};

enum status replay_prepare_barriers(struct replay *replay);
void replay_clear_barriers(struct replay *replay);
/* The barrier of a window's member. */
uint32_t replay_barrier_of_window(const struct replay *replay, uint32_t member);
/* The number of the non-blocking collective that the `own`-th member of the communicator begins. */
uint32_t replay_next_task(struct replay *replay, int32_t comm, uint32_t own);
void replay_barrier_begin(struct replay *replay, uint32_t barrier);
/* *done: false while the rank waits. */
enum status replay_barrier_step(struct replay *replay, uint32_t rank, uint32_t barrier, bool *done);
/* The step function of a call that is a barrier of its communicator, or of the world. */
enum step replay_step_comm_barrier(struct replay *replay, uint32_t rank);
/* A message of a round has arrived; the counter names the round. */
enum status replay_counted(struct replay *replay, uint32_t rank, uint32_t counter);
/* The arrival of a round's message: a row of the collectives' driver. */
enum status replay_on_barrier(struct replay *replay, const struct engine_note *message);

#endif
