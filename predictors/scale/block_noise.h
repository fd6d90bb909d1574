/* The noise of one block of a program: how much its executions differ where nothing systematic explains it.
 *
 * What a rank, or an execution, has in common is no noise: imbalance, and steps that take turns. A block of two branches is two
 * blocks: the distance between them is no noise, but how often a rank takes each of them may be. */
#ifndef PREDICTORS_SCALE_BLOCK_NOISE_H
#define PREDICTORS_SCALE_BLOCK_NOISE_H

#include "common/status.h"
#include "trace/program_model/executions.h"

/* Sets *sigma_s to the standard deviation, in seconds, of executions that are not split: the least that ranks and executions, or
 * two branches, leave. With one execution per rank, or of one rank, nothing separates them, and *sigma_s is that of all. */
enum status block_noise(const struct executions *seconds, uint32_t ranks, double *sigma_s, struct err *err);

#endif
