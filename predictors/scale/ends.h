/* Whether what a program does in pairs has both ends at some number of ranks: sends and receives, MPI_Win_post and MPI_Win_start.
 * The order of calls is not looked at. */
#ifndef PREDICTORS_SCALE_ENDS_H
#define PREDICTORS_SCALE_ENDS_H

#include "predictors/scale/program.h"

/* *odd is a call of which some have no other end; NULL: there is none, or the program has no such number of ranks, or too many
 * calls there to count them. The steps have their numbers' functions. */
enum status program_find_odd(const struct program *program, int32_t ranks, const struct step **odd, struct err *err);

#endif
