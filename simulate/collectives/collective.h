/* The driver of collective calls, barriers of communicators, and the creation of communicators (MPI-3.1 5, 6). */
#ifndef SIMULATE_COLLECTIVES_COLLECTIVE_H
#define SIMULATE_COLLECTIVES_COLLECTIVE_H

#include "simulate/replay/driver.h"

extern const struct call_driver collectives_driver;

/* The rest is for the files of this room and their tests. */
enum step replay_step_collective(struct replay *replay, uint32_t rank);
struct coll_shape replay_shape_of(const struct replay *replay, const struct trace_call *call);
/* Non-blocking ones: a task continues at its rank's progress, or when one of its messages is done. */
enum status replay_on_task(struct replay *replay, const struct engine_note *message);
enum status replay_task_received(struct replay *replay, uint32_t task);

/* communicator.c: the creation of communicators. Part `number` of the call, a plan over *comm (TRACE_NONE: the rank is
 * not in it). False: there are no more parts. */
bool replay_comm_part(const struct replay *replay, uint32_t rank, const struct trace_call *call, uint32_t number,
                      int32_t *comm, struct coll_shape *shape);
enum step replay_step_comm_create(struct replay *replay, uint32_t rank);

/* peer_counts.c: adds to the shape the counts that other members pass to the same call, where the rank's own ones do
 * not say what the others send. rank: the caller. */
enum status replay_learn_peer_counts(struct replay *replay, uint32_t rank, const struct trace_call *call,
                                     struct coll_shape *shape);
void replay_clear_peer_counts(struct replay *replay);

#endif
