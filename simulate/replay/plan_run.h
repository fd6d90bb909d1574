/* Runs the plan of a collective (simulate/plans/collectives.h) in a call. Its point-to-point messages use a context of
 * the communicator that the program's messages do not have, so they never match these. */
#ifndef SIMULATE_REPLAY_PLAN_RUN_H
#define SIMULATE_REPLAY_PLAN_RUN_H

#include "simulate/replay/envelope.h"
#include "simulate/plans/collectives.h"
#include "simulate/replay/walk.h"

/* Runs the next steps of the plan. *done: the plan has ended. In the first call rank.step is 0. */
enum step replay_run_plan(struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                          bool pays_overhead, bool *done);
enum send_protocol replay_plan_protocol(const struct replay *replay, const struct coll_step *step);

#endif
