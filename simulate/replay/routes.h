/* The pairs of nodes that messages of the trace may use. They are needed where a platform may lack routes. Drivers say
 * which ranks a call reaches. */
#ifndef SIMULATE_REPLAY_ROUTES_H
#define SIMULATE_REPLAY_ROUTES_H

#include "simulate/plans/collectives.h"
#include "simulate/replay/state.h"

/* The ranks that one call reaches: by rank, and by plans of collectives, with whose partners it exchanges messages. */
struct reach;
enum status replay_reach_rank(struct reach *reach, int32_t rank); /* TRACE_NONE: nobody */
enum status replay_reach_ranks(struct reach *reach, const int32_t *ranks, uint32_t count);
enum status replay_reach_plan(struct reach *reach, int32_t comm, const struct coll_shape *shape);
/* A barrier of a window uses the same routes as one of its communicator. */
enum status replay_reach_barrier(struct reach *reach, const struct replay *replay, int32_t comm);

/* Sets *pairs to the pairs that the trace uses, which the caller frees; NULL if the platform has all routes. */
enum status replay_used_pairs(const struct replay *replay, int32_t (**pairs)[2], size_t *count);
/* Writes a call that needs the route into text, empty if there is none. A member of struct engine_callbacks. */
void replay_explain_route(void *context, int32_t src_node, int32_t dst_node, char *text, size_t room);

#endif
