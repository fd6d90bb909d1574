/* Receptions within a node whose rate changes while they last (network.loopback.reverse_share, docs/simulation.md).
 *
 * They are as those of NICs (reception.h), but a rank receives, not a node, and messages do not queue: a rank may receive several
 * at once, each as if the others were not. Messages between nodes do not depend on them. The events of heads and tails are not
 * counted as pending at their node, so no node runs ahead. */
#ifndef SIMULATE_ENGINE_LOGGP_LOCAL_H
#define SIMULATE_ENGINE_LOGGP_LOCAL_H

#include "simulate/engine/loggp/state.h"

struct locals;

/* NULL: out of memory. */
struct locals *locals_new(void);
void locals_free(struct locals *locals);

/* The head of the flight of the message, which has bytes, arrives at head_ps. */
enum status loggp_receive_within(struct engine *engine, uint32_t flight, const struct engine_message *message, int64_t head_ps,
                                 struct err *err);
/* Handler of EVENT_LOCAL, a head or a tail. The event of a tail is stale if it was made again for another time. */
enum status loggp_on_local(struct engine *engine, uint32_t id, struct event_time time, struct err *err);

#endif
