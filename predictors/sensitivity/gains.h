/* What computing is worth, by call path and by line of the program: the run time if it took k times as long, by a replay of the
 * trace that `--scale CALLPATH=k` or `--scale FILE:LINE=k` rewrites. */
#ifndef PREDICTORS_SENSITIVITY_GAINS_H
#define PREDICTORS_SENSITIVITY_GAINS_H

#include <cjson/cJSON.h>

#include "predictors/sensitivity/run_time.h"

enum { GAIN_POINTS = 5 };
extern const double gain_factors[GAIN_POINTS]; /* k, from 0 to 2 */

struct gain {
    char *callpath; /* owned: "main/solve" with all regions inside it; "/": everything; "solve.c:65": in front of its calls */
    double run_time_s[GAIN_POINTS]; /* NAN: the run does not end then: a deadlock */
    cJSON *points;  /* NULL: the JSON is made of the run times */
};

struct gains {
    struct gain *items; /* owned; the largest gain first */
    size_t count;
};

/* The call paths and lines; of lines those in front of which at least 1 % of all computing is. Inits *gains, whose memory is the
 * caller's in any case. */
enum status gains_choose(const struct trace *trace, struct gains *gains, struct err *err);
void gains_clear(struct gains *gains);
/* Replays for each of them and each factor but 1, and sorts them. */
enum status gains_find(struct replays *replays, struct gains *gains, struct err *err);

#endif
