/* Computes the bounds of the bandwidth of every transfer of the predicted run (docs/patterns.md, "Transfer bounds"),
 * and whether the true transfer, which the simulation knows, is within them. */
#ifndef PREDICTORS_PREDICTOR_BOUNDS_H
#define PREDICTORS_PREDICTOR_BOUNDS_H

#include "predictors/prediction.h"

extern const struct predictor predictor_bounds;

#endif
