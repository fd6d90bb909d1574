/* Nodes on which a prediction puts more ranks than cores. Their ranks share the cores (docs/simulation.md, Compute time),
 * which nobody wants to find out from the run time. */
#ifndef PREDICTORS_CROWDING_H
#define PREDICTORS_CROWDING_H

#include "model/result/result.h"
#include "platforms/platform.h"

/* Adds a note with the number of such nodes and the fullest one to the result, or nothing if there are none. The ranks
 * have passed platform_check_ranks(). */
enum status crowding_note(const struct platform *platform, uint32_t rank_count, struct result *result, struct err *err);

#endif
