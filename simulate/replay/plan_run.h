/* Runs the plan of a collective (simulate/plans/collectives.h) in a call. The messages of the plan have a context of
 * their own in the communicator, so they never match messages of the program. */
#ifndef SIMULATE_REPLAY_PLAN_RUN_H
#define SIMULATE_REPLAY_PLAN_RUN_H

#include "simulate/replay/envelope.h"
#include "simulate/plans/collectives.h"
#include "simulate/replay/walk.h"

/* Runs the next steps of the plan, until the rank has to wait. Sets *done when the plan has ended. rank.step is 0 in
 * the first call. */
enum step replay_run_plan(struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                          bool pays_overhead, bool *done);
enum send_protocol replay_plan_protocol(const struct replay *replay, const struct coll_step *step);

#endif
