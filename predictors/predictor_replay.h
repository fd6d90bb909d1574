/* Replays the trace on the platform, and analyses the predicted trace like a recorded one: run time, rank times, wait
 * states, transfer bounds. */
#ifndef PREDICTORS_PREDICTOR_REPLAY_H
#define PREDICTORS_PREDICTOR_REPLAY_H

#include "predictors/prediction.h"

extern const struct predictor predictor_replay;

#endif
