/* Merges the calls of all ranks of a run into one program. */
#ifndef PREDICTORS_SCALE_MERGE_H
#define PREDICTORS_SCALE_MERGE_H

#include "predictors/scale/loops.h"
#include "predictors/scale/program.h"

/* ranks has the loops of every rank of the run. program already has its communicators, and those of its windows. Fills
 * shape, steps and count; count models, times and windows remain empty. Returns STATUS_DATA with rank, call and reason
 * if the ranks have no common program on this grid. */
enum status merge_ranks(const struct run *run, struct keys *keys, const struct nodes *ranks,
                        const struct grid_shape *shape, struct program *program, struct err *err);

#endif
