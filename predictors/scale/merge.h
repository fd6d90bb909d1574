/* Merges what the ranks of a run call into one program. */
#ifndef PREDICTORS_SCALE_MERGE_H
#define PREDICTORS_SCALE_MERGE_H

#include "predictors/scale/loops.h"
#include "predictors/scale/program.h"

/* ranks: the loops of every rank of the run. program has its communicators, and those of windows. Fills
 * shape, steps and count; count models, times and windows stay empty.
 * STATUS_DATA: on this grid, the ranks have no program in common; says which rank, call, why. */
enum status merge_ranks(const struct run *run, const struct keys *keys, const struct nodes *ranks,
                        const struct grid_shape *shape, struct program *program, struct err *err);

#endif
