/* Where in the program a slope arises.
 *
 * A predicted trace of a replay one step further has the same calls, so the difference of their times is the slope of each call's
 * begin and end. Along the critical path of the further replay, in which nothing is a tie that is none behind the value, these
 * slopes fall to 0. What a part of the path loses is its own. The parts sum to the slope of the run time whatever the path is. */
#ifndef PREDICTORS_SENSITIVITY_PLACES_H
#define PREDICTORS_SENSITIVITY_PLACES_H

#include "model/result/result.h"
#include "predictors/sensitivity/run_time.h"

/* The parts of the slope above the platform's value, or behind a jump there, the largest first: time_s is the part, as a
 * slope. The list is empty before. rank_parts: of zeros, gets the part of each rank; NULL: not needed. */
enum status places_find(const struct run_time *of, bool jumps, struct result_shares *list, double *rank_parts, struct err *err);

#endif
