/* Where a prediction puts its ranks: on nodes with fewer cores, which the ranks share (docs/simulation.md, Compute time), or all
 * on one node of several. Nobody wants to find out either from the run time. */
#ifndef PREDICTORS_CROWDING_H
#define PREDICTORS_CROWDING_H

#include "model/result/result.h"
#include "platforms/platform.h"

/* Adds a note with the number of crowded nodes and the fullest one to the result, and one if all ranks are on one of several
 * nodes. The ranks have passed platform_check_ranks(). */
enum status crowding_note(const struct platform *platform, uint32_t rank_count, struct result *result, struct err *err);

#endif
