/* Where in the program computing happens that lies between calls which not all ranks make. On a front that runs over a grid,
 * ranks receive, compute and send: but the rank of a corner computes between its last send and the next round's, another one
 * between a receive and the next round's. As computing before a call it would be several computings, each with other ranks. */
#ifndef PREDICTORS_SCALE_PLACES_H
#define PREDICTORS_SCALE_PLACES_H

#include "predictors/scale/program.h"
#include "predictors/scale/walk.h"

/* Adds steps STEP_COMPUTE, without numbers, to the bodies of a program that has been walked. Bodies with less computing than
 * least_s remain as they are. */
enum status program_place_computing(struct program *program, const struct walk *walk, double least_s, bool *changed,
                                    struct err *err);

#endif
