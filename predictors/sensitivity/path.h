/* The critical path of a whole trace, from its end: the thread that ends last, and at each wait the thread that ended it. The
 * backward replay (model/causes/backward_replay.h) sums times along the same path and does not say where it leads. */
#ifndef PREDICTORS_SENSITIVITY_PATH_H
#define PREDICTORS_SENSITIVITY_PATH_H

#include "model/match/timelines.h"
#include "model/waits/waits.h"

/* A part of the path: from_ps..to_ps of one thread. */
typedef enum status path_visit(void *context, uint32_t rank, uint32_t thread, int64_t from_ps, int64_t to_ps, struct err *err);

/* Visits the parts, the last one first. waits are sorted by rank, thread and call. */
enum status path_walk(const struct waits *waits, const struct timelines *timelines, path_visit *visit, void *context,
                      struct err *err);

#endif
