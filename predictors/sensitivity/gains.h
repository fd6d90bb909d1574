/* What each call path's computing is worth: the run time if it took k times as long, by a replay of the trace that
 * `--scale CALLPATH=k` rewrites. */
#ifndef PREDICTORS_SENSITIVITY_GAINS_H
#define PREDICTORS_SENSITIVITY_GAINS_H

#include <cjson/cJSON.h>

#include "model/callpaths/callpath.h"
#include "predictors/sensitivity/run_time.h"

enum { GAIN_POINTS = 5 };
extern const double gain_factors[GAIN_POINTS]; /* k, from 0 to 2 */

struct gain {
    char *callpath; /* owned: "main/solve" with all regions inside it; "/": everything */
    double run_time_s[GAIN_POINTS];
    cJSON *points;  /* NULL: the JSON is made of the run times */
};

struct gains {
    struct gain *items; /* owned; the largest gain first */
    size_t count;
};

/* Replays for each call path and factor, but 1. Inits *gains, whose memory is the caller's in any case. */
enum status gains_find(struct replays *replays, const struct callpaths *paths, struct gains *gains, struct err *err);

#endif
