/* Making and ending a replay. Each replay is the head of a struct core. */
#ifndef SIMULATE_REPLAY_OPEN_H
#define SIMULATE_REPLAY_OPEN_H

#include "simulate/replay/state.h"

/* Borrows all arguments until replay_close, which the caller calls after an error, too. */
enum status replay_open(struct replay *replay, const struct trace *trace, const struct platform *platform,
                        const struct replay_options *options, struct replay_outcome *outcome,
                        const struct engine_callbacks *callbacks, struct err *err);
/* Called after all ranks have ended. Makes the sums of the outcome, and the bounds of transfers of the predicted trace.
 */
enum status replay_finish(struct replay *replay);
void replay_close(struct replay *replay);

#endif
