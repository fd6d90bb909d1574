/* Runs the plan of a collective (simulate/plans/collectives.h) in a call, as point-to-point messages in the communicator's own
 * context, so that they never match the program's. */
#ifndef SIMULATE_REPLAY_PLAN_RUN_H
#define SIMULATE_REPLAY_PLAN_RUN_H

#include "simulate/replay/envelope.h"
#include "simulate/replay/walk.h"

/* Runs the plan's next steps; *done when it has ended. first call: rank.step == 0. */
enum step replay_run_plan(struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                          bool pays_overhead, bool *done);
enum send_protocol replay_plan_protocol(const struct replay *replay, const struct coll_step *step);

#endif
